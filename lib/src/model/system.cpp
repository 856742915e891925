#include "gnomon/model/system.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

[[noreturn]] void not_declared(const System& system, const char* what) {
  throw Error(ErrorCode::refused, "system " + system.traits().name + " declares no " + what);
}

}  // namespace

void System::mass_matrix(const ConstVectorRef&, Matrix&) const {
  not_declared(*this, "configuration-dependent mass");
}

double System::kinetic_energy(const ConstVectorRef&, const ConstVectorRef&) const {
  not_declared(*this, "configuration-dependent mass");
}

long double System::kinetic_compensated(const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                                        const ConstVectorRef&) const {
  not_declared(*this, "configuration-dependent mass");
}

void System::kinetic_gradient(const ConstVectorRef&, const ConstVectorRef&, VectorRef, VectorRef) const {
  not_declared(*this, "configuration-dependent mass");
}

void System::kinetic_hessian_times(const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                                   const ConstVectorRef&, VectorRef, VectorRef) const {
  not_declared(*this, "configuration-dependent mass");
}

void System::kinetic_third(const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                           const ConstVectorRef&, const ConstVectorRef&, VectorRef, VectorRef) const {
  not_declared(*this, "configuration-dependent mass");
}

long double System::potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                          VectorRef gradient) const {
  potential_gradient(t, q, gradient);
  return static_cast<long double>(potential(t, q)) + gradient.dot(tail);
}

void System::constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                     VectorRef g_values) const {
  constraints(t, q, out);
  constraint_jacobian(t, q, g_values);
  const SparsityPattern& pattern = constraint_pattern();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      out[i] += g_values[k] * tail[pattern.indices[k]];
}

void System::constraint_rate_jacobian(double, const ConstVectorRef&, VectorRef values) const {
  if (traits().time_dependent) not_declared(*this, "rate of its constraint Jacobian");
  values.setZero();
}

void System::constraint_rate_hessian(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef values) const {
  if (traits().time_dependent) not_declared(*this, "rate of its constraint Hessians");
  values.setZero();
}

void System::force(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "force");
}

const SparsityPattern& System::force_pattern(ForceArgument) const {
  not_declared(*this, "derivatives of its force");
}

void System::force_jacobian(ForceArgument, double, const ConstVectorRef&, const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "derivatives of its force");
}

void System::friction(const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "friction");
}

const SparsityPattern& System::friction_pattern(ForceArgument) const {
  not_declared(*this, "friction");
}

void System::friction_jacobian(ForceArgument, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                               VectorRef) const {
  not_declared(*this, "friction");
}

void System::obstacles(const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "obstacles");
}

std::shared_ptr<const System> System::with_obstacles_closed() const {
  not_declared(*this, "obstacles that can be held closed as constraints");
}

std::string System::symmetry_name(Index) const {
  not_declared(*this, "symmetries");
}

void System::symmetry_generator(Index, const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "symmetries");
}

std::string System::integral_name(Index) const {
  not_declared(*this, "first integrals");
}

double System::integral(Index, double, const ConstVectorRef&, const ConstVectorRef&) const {
  not_declared(*this, "first integrals");
}

void System::invariants(const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "invariants");
}

const SparsityPattern& System::invariant_pattern() const {
  not_declared(*this, "invariants");
}

void System::invariant_jacobian(const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "invariants");
}

std::array<double, 4> System::invariant_potential(Index, double) const {
  not_declared(*this, "invariants");
}

void System::regular_potential_gradient(double, const ConstVectorRef&, VectorRef) const {
  not_declared(*this, "invariants");
}

void System::split_hessian(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                           VectorRef) const {
  not_declared(*this, "invariants");
}

std::array<double, 4> System::penalty_function(double) const {
  not_declared(*this, "penalty function");
}

}  // namespace gnomon
