#include "gnomon/model/autodiff/function_system.hpp"

#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon::model {

namespace {

using Blocks = Function::Blocks;
using Results = Function::Results;

Blocks at(const ConstVectorRef& q) {
  return {q.data(), nullptr, nullptr};
}
Blocks at(const ConstVectorRef& q, const ConstVectorRef& v) {
  return {q.data(), v.data(), nullptr};
}
Blocks at(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda) {
  return {q.data(), v.data(), lambda.data()};
}
Results into(VectorRef& q) {
  return {q.data(), nullptr, nullptr};
}
std::size_t block_of(ForceArgument by) {
  return by == ForceArgument::q ? 0 : by == ForceArgument::v ? 1 : 2;
}

[[noreturn]] void no_multipliers(const SystemTraits& traits) {
  throw Error(ErrorCode::refused, "system " + traits.name + ": its force Q(q,v,t) has no derivative by multipliers");
}

}  // namespace

FunctionSystem::FunctionSystem(FoundTraits traits, Mass mass, SystemFunctions functions)
    : traits_(std::move(traits)), mass_(std::move(mass)), f_(std::move(functions)) {
  PatternBuilder whole(traits_.n, traits_.n);
  for (Index j = 0; j < traits_.n; ++j) whole.add(j, j);
  for (const Function* f : {f_.potential.get(), f_.constraints.get(), f_.regular_potential.get(), f_.invariants.get()})
    if (f != nullptr) whole.add(f->hessian_pattern(), 0, 0);
  hessian_pattern_ = whole.build();
  at_rest_.setZero(traits_.n);
  if (f_.inertia) parts_.mass = this;
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
bool FunctionSystem::extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                                         VectorRefOf<Extended> pi) const {
  f_.invariants->extended(0, at(q), at(tail), pi.data());
  return true;
}
bool FunctionSystem::extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                                 VectorRefOf<Extended> values) const {
  return f_.invariants->extended_jacobian(0, at(q), at(tail), values.data());
}
bool FunctionSystem::extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                       VectorRefOf<Extended> values) const {
  return f_.constraints->extended_jacobian(t, at(q), at(tail), values.data());
}

void FunctionSystem::potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const {
  f_.potential->gradient(t, at(q), into(out));
}

void FunctionSystem::potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                             VectorRef out) const {
  f_.potential->product(t, at(q), &single_weight, at(w), into(out));
}

const SparsityPattern& FunctionSystem::constraint_pattern() const {
  return f_.constraints->pattern();
}

void FunctionSystem::constraints(double t, const ConstVectorRef& q, VectorRef out) const {
  f_.constraints->value(t, at(q), out.data());
}

void FunctionSystem::constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                             VectorRef out, VectorRef) const {
  f_.constraints->compensated(t, at(q), at(tail), out.data());
}

bool FunctionSystem::extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                          VectorRefOf<Extended> out) const {
  f_.constraints->extended(t, at(q), at(tail), out.data());
  return true;
}

void FunctionSystem::constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  f_.constraints->jacobian(0, t, at(q), values.data());
}

void FunctionSystem::constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                              const ConstVectorRef& w, VectorRef out) const {
  f_.constraints->product(t, at(q), lambda.data(), at(w), into(out));
}

void FunctionSystem::constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                                    VectorRef values) const {
  f_.constraints->jacobian_derivative(t, at(q), v.data(), values.data());
}

void FunctionSystem::constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      const ConstVectorRef& w, VectorRef values) const {
  f_.constraints->third(t, at(q), v.data(), w.data(), values.data());
}

void FunctionSystem::constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                         VectorRef out) const {
  f_.constraints->along(t, at(q), v.data(), out.data(), nullptr);
}

void FunctionSystem::constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  f_.constraints->along(t, at(q), v.data(), nullptr, out.data());
}

double FunctionSystem::potential_rate(double t, const ConstVectorRef& q) const {
  double rate = 0;
  f_.potential->along(t, at(q), at_rest_.data(), &rate, nullptr);
  return rate;
}

void FunctionSystem::constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  f_.constraints->rate_jacobian(t, at(q), values.data());
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

void FunctionSystem::force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  f_.force->value(t, at(q, v), out.data());
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

void FunctionSystem::friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                              VectorRef out) const {
  f_.friction->value(0, at(q, v, lambda), out.data());
}

const SparsityPattern& FunctionSystem::friction_pattern(ForceArgument by) const {
  return f_.friction->pattern(block_of(by));
}

void FunctionSystem::friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                       const ConstVectorRef& lambda, VectorRef values) const {
  f_.friction->jacobian(block_of(by), 0, at(q, v, lambda), values.data());
}

void FunctionSystem::obstacles(const ConstVectorRef& q, VectorRef out) const {
  f_.obstacles->value(0, at(q), out.data());
}

void FunctionSystem::slips(const ConstVectorRef& q, VectorRef out) const {
  f_.slips->value(0, at(q), out.data());
}

void FunctionSystem::invariants(const ConstVectorRef& q, VectorRef pi) const {
  f_.invariants->value(0, at(q), pi.data());
}

const SparsityPattern& FunctionSystem::invariant_pattern() const {
  return f_.invariants->pattern();
}

void FunctionSystem::invariant_jacobian(const ConstVectorRef& q, VectorRef values) const {
  f_.invariants->jacobian(0, 0, at(q), values.data());
}

void FunctionSystem::regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const {
  f_.regular_potential->gradient(t, at(q), into(out));
}

void FunctionSystem::split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c,
                                   const ConstVectorRef& lambda, VectorRef values) const {
  values.setZero();
  f_.regular_potential->add_hessian(t, at(q), &single_weight, regular_places_.data(), values.data());
  f_.invariants->add_hessian(t, at(q), c.data(), invariant_places_.data(), values.data());
  f_.constraints->add_hessian(t, at(q), lambda.data(), constraint_places_.data(), values.data());
}

}  // namespace gnomon::model
