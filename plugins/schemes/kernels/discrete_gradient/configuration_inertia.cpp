#include "kernels/discrete_gradient/configuration_inertia.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

ConfigurationQuotient::ConfigurationQuotient(const System& system, GeneralQuotient::Weight weight, bool active,
                                             Index unknowns)
    : active_(active),
      identity_(weight == GeneralQuotient::Weight::identity),
      mass_(system.mass().diagonal_entries()),
      orbits_(system) {
  by_q_ = by_p_ = Vector::Ones(mass_.size());
  if (!identity_) by_q_ = mass_;
  gradient_.setZero(unknowns);
  for (auto* v : {&moved_.dq, &moved_.dp, &moved_.qm, &moved_.pm}) v->setConstant(mass_.size(), Dual1(0.0));
}

void ConfigurationQuotient::begin(const Vector& q0, const StepScales& scales, double h) {
  h_ = h;
  if (!identity_) by_p_ = h * h * mass_.cwiseInverse();
  n_min_ = thresholds::negligible_with_mass * scales.length2(q0) / (identity_ ? mass_.mean() : 1);
}

double ConfigurationQuotient::floor(const ConstVectorRef& x, double noise, double scale) const {
  const Index n = by_q_.size();
  double norm = 0, row = 0;
  for (Index j = 0; j < n; ++j) {
    const double root = std::sqrt(mass_[j]), dq = std::abs(x[j]), dp = std::abs(x[n + j]);
    norm += by_q_[j] * dq * dq + by_p_[j] * dp * dp;
    row = std::max({row, by_p_[j] * dp * root, std::abs(h_) * by_q_[j] * dq / root});
  }
  return norm > n_min_ ? noise * row / (norm * scale) : 0;
}

ConfigurationInertia::ConfigurationInertia(const System& system, SystemAt& at)
    : system_(&system), at_(&at), n_(system.n()) {
  for (Vector* v : {&t_q_, &t_p_}) v->setZero(n_);
  for (Vector* v : {&increment_, &change_}) v->setZero(2 * n_);
  hessian_.setZero(2 * n_, 2 * n_);
}

void ConfigurationInertia::add_gradient(const Vector& q, const Vector& p, Vector& out) {
  mass().kinetic_gradient(q, p, t_q_, t_p_);
  out += t_q_;
}

Matrix& ConfigurationInertia::hessian(const StepPoint<double>& b) {
  at_->kinetic_hessian(b.qm, b.pm, hessian_);
  return hessian_;
}

void ConfigurationInertia::add_jacobian(double h, const SparsityPattern& pattern, VectorRef values) {
  for (Index j = 0; j < n_; ++j) {
    values[pattern.offsets[j] + j] += 1;
    values.segment(pattern.offsets[j], 2 * n_) -= 0.5 * h * hessian_.col(n_ + j);
    values.segment(pattern.offsets[n_ + j], 2 * n_) += 0.5 * h * hessian_.col(j);
  }
}

long double ConfigurationInertia::energy(const Vector& q, const Vector& q_tail, const Vector& p, const Vector& p_tail) {
  return mass().kinetic_compensated(q, q_tail, p, p_tail, t_q_, t_p_);
}

double ConfigurationInertia::linearise(const StepPoint<double>& b, Vector& dc) {
  mass().kinetic_gradient(b.q1, b.p1, t_q_, t_p_);
  increment_.head(n_) = b.dq;
  increment_.tail(n_) = b.dp;
  change_.noalias() = hessian_ * increment_;
  dc.head(n_) += t_q_ - b.t_q - 0.5 * change_.head(n_);
  dc.segment(n_, n_) += t_p_ - b.t_p - 0.5 * change_.tail(n_);
  return gradient_along(b);
}

double ConfigurationInertia::noise(long double energy, double scale) const {
  return thresholds::unit_of_rounding * scale * scale +
         thresholds::unit_of_extended_rounding * std::abs(static_cast<double>(energy));
}

HiddenConstraint::HiddenConstraint(SystemAt& at) : system_(&at.system()), at_(&at) {
  const System& system = at.system();
  for (auto* buffer : {&t_q_, &t_p_}) buffer->for_each([&](auto& v) { v.resize(system.n()); });
  psi_.for_each([&](auto& v) { v.resize(system.m()); });
  for (auto* v : {&q0_, &p0_}) v->setZero(system.n());
  start_.setZero(system.m());
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void HiddenConstraint::begin(const State& z0) {
  q0_ = z0.q.value().cast<Extended>() + z0.q.tail().cast<Extended>();
  p0_ = z0.p.value().cast<Extended>() + z0.p.tail().cast<Extended>();
  at_->kinetic_gradient(q0_, p0_, t_q_.at_extended, t_p_.at_extended);
  at_->constraint_velocity(z0.t, q0_, t_p_.at_extended, psi_.at_extended);
  start_ = psi_.at_extended.cast<double>();
  system_->constraint_jacobian(z0.t, z0.q.value(), g_values_);
}

}  // namespace gnomon::kernels
