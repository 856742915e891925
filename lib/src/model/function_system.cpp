#include "gnomon/model/autodiff/function_system.hpp"

#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon::model {

namespace {

[[noreturn]] void no_multipliers(const SystemTraits& traits) {
  throw Error(ErrorCode::refused, "system " + traits.name + ": its force Q(q,v,t) has no derivative by multipliers");
}

}  // namespace

FunctionSystem::FunctionSystem(FoundTraits traits, Mass mass, SystemFunctions functions)
    : traits_(std::move(traits)),
      mass_(std::move(mass)),
      f_(std::move(functions)),
      velocity_rows_(dynamic_cast<const VelocityRows*>(f_.constraints.get())) {
  PatternBuilder whole(traits_.n, traits_.n);
  for (Index j = 0; j < traits_.n; ++j) whole.add(j, j);
  for (const Function* f : {f_.potential.get(), f_.constraints.get(), f_.regular_potential.get(), f_.invariants.get()})
    if (f != nullptr) whole.add(f->hessian_pattern(), 0, 0);
  hessian_pattern_ = whole.build();
  at_rest_.setZero(traits_.n);
  if (f_.inertia) parts_.mass = this;
  if (velocity_rows_) parts_.velocity_constraints = this;
  if (velocity_rows_ && velocity_rows_->drives()) traits_.time_dependent = true;
  potential_places_ = places_of(*f_.potential);
  constraint_places_ = places_of(*f_.constraints);
  if (f_.invariants) {
    regular_places_ = places_of(*f_.regular_potential);
    invariant_places_ = places_of(*f_.invariants);
  }
}

std::vector<Index> FunctionSystem::places_of(const Function& function) const {
  const SparsityPattern& pattern = function.hessian_pattern();
  std::vector<Index> places;
  places.reserve(pattern.indices.size());
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      places.push_back(hessian_pattern_.find(i, pattern.indices[k]));
  return places;
}

double FunctionSystem::potential(double t, const ConstVectorRef& q) const {
  double u = 0;
  f_.potential->value(t, at(q), &u);
  return u;
}

long double FunctionSystem::potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                                  VectorRef) const {
  long double u = 0;
  f_.potential->extended(t, at(q), at(tail), &u);
  return u;
}

namespace {

/// out = the gradient of a function of one output; its entries in the pattern are spread from behind.
bool extended_gradient_of(const Function& f, double t, const Function::Blocks& x, const Function::Blocks& tail,
                          VectorRefOf<Extended> out) {
  if (!f.extended_jacobian(t, x, tail, out.data())) return false;
  const SparsityPattern& row = f.pattern();
  Index k = row.nonzeros();
  for (Index j = out.size(); j-- > 0;) out[j] = k > 0 && row.indices[k - 1] == j ? out[--k] : 0;
  return true;
}

}  // namespace

bool FunctionSystem::extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                       VectorRefOf<Extended> out) const {
  return extended_gradient_of(*f_.potential, t, at(q), at(tail), out);
}
bool FunctionSystem::extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                               VectorRefOf<Extended> out) const {
  return extended_gradient_of(*f_.regular_potential, t, at(q), at(tail), out);
}

double FunctionSystem::potential_rate(double t, const ConstVectorRef& q) const {
  double rate = 0;
  f_.potential->along(t, at(q), at_rest_.data(), &rate, nullptr);
  return rate;
}

void FunctionSystem::constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                             VectorRef values) const {
  values.setZero();
  f_.constraints->add_rate_hessian(t, at(q), lambda.data(), constraint_places_.data(), values.data());
}

void FunctionSystem::lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                        VectorRef values) const {
  values.setZero();
  f_.potential->add_hessian(t, at(q), &single_weight, potential_places_.data(), values.data());
  f_.constraints->add_hessian(t, at(q), lambda.data(), constraint_places_.data(), values.data());
}

const SparsityPattern& FunctionSystem::force_pattern(ForceArgument by) const {
  if (by == ForceArgument::lambda) no_multipliers(traits_);
  return f_.force->pattern(block_of(by));
}

void FunctionSystem::force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                    VectorRef values) const {
  if (by == ForceArgument::lambda) no_multipliers(traits_);
  f_.force->jacobian(block_of(by), t, at(q, v), values.data());
}

void FunctionSystem::split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c,
                                   const ConstVectorRef& lambda, VectorRef values) const {
  values.setZero();
  f_.regular_potential->add_hessian(t, at(q), &single_weight, regular_places_.data(), values.data());
  f_.invariants->add_hessian(t, at(q), c.data(), invariant_places_.data(), values.data());
  f_.constraints->add_hessian(t, at(q), lambda.data(), constraint_places_.data(), values.data());
}

}  // namespace gnomon::model
