#include "kernels/common/time_average.hpp"

#include <algorithm>

namespace gnomon::kernels {

TimeAverage::TimeAverage(const System& system)
    : system_(&system),
      rates_(system.parts().time_dependence),
      extended_(system.parts().extended),
      split_(system.parts().split) {
  parts_ = system.parts();
  parts_.time_dependence = this;
  parts_.point = nullptr;
  if (extended_) parts_.extended = this;
  if (split_) parts_.split = this;
  const Index size = std::max({system.n(), system.m(), static_cast<Index>(system.constraint_pattern().nonzeros()),
                               static_cast<Index>(system.hessian_pattern().nonzeros())});
  later_.setZero(size);
  extended_later_.setZero(size);
}

void TimeAverage::set_times(double t0, double t1) {
  t0_ = t0;
  t1_ = t1;
}

double TimeAverage::potential(double, const ConstVectorRef& q) const {
  return 0.5 * (system_->potential(t0_, q) + system_->potential(t1_, q));
}

void TimeAverage::potential_gradient(double, const ConstVectorRef& q, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->potential_gradient(t, q, f); });
}

void TimeAverage::potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w,
                                          VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->potential_hessian_times(t, q, w, f); });
}

void TimeAverage::constraints(double, const ConstVectorRef& q, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->constraints(t, q, f); });
}

void TimeAverage::constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const {
  average(values, [&](double t, VectorRef f) { system_->constraint_jacobian(t, q, f); });
}

void TimeAverage::constraint_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                           const ConstVectorRef& w, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->constraint_hessian_times(t, q, lambda, w, f); });
}

void TimeAverage::constraint_jacobian_derivative(double, const ConstVectorRef& q, const ConstVectorRef& v,
                                                 VectorRef values) const {
  average(values, [&](double t, VectorRef f) { system_->constraint_jacobian_derivative(t, q, v, f); });
}

void TimeAverage::constraint_third(double, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                                   VectorRef values) const {
  average(values, [&](double t, VectorRef f) { system_->constraint_third(t, q, v, w, f); });
}

void TimeAverage::constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->constraint_velocity(t, q, v, f); });
}

void TimeAverage::constraint_bias(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { system_->constraint_bias(t, q, v, f); });
}

void TimeAverage::lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                     VectorRef values) const {
  average(values, [&](double t, VectorRef f) { system_->lagrangian_hessian(t, q, lambda, f); });
}

double TimeAverage::potential_rate(double, const ConstVectorRef& q) const {
  return 0.5 * (rates_->potential_rate(t0_, q) + rates_->potential_rate(t1_, q));
}

void TimeAverage::constraint_rate_jacobian(double, const ConstVectorRef& q, VectorRef values) const {
  average(values, [&](double t, VectorRef f) { rates_->constraint_rate_jacobian(t, q, f); });
}

void TimeAverage::constraint_rate_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                          VectorRef values) const {
  average(values, [&](double t, VectorRef f) { rates_->constraint_rate_hessian(t, q, lambda, f); });
}

long double TimeAverage::potential_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                               VectorRef gradient) const {
  return 0.5L * (extended_->potential_compensated(t0_, q, tail, gradient) +
                 extended_->potential_compensated(t1_, q, tail, gradient));
}

void TimeAverage::constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                          VectorRef g_values) const {
  average(out, [&](double t, VectorRef f) { extended_->constraints_compensated(t, q, tail, f, g_values); });
}

bool TimeAverage::extended_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRefOf<Extended> out) const {
  return extended_average(
      out, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_gradient(t, q, tail, f); });
}

bool TimeAverage::extended_jacobian(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRefOf<Extended> values) const {
  return extended_average(
      values, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_jacobian(t, q, tail, f); });
}

bool TimeAverage::extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                                      VectorRefOf<Extended> pi) const {
  return extended_->extended_invariants(q, tail, pi);
}

bool TimeAverage::extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                              VectorRefOf<Extended> values) const {
  return extended_->extended_invariant_jacobian(q, tail, values);
}

std::array<Extended, 4> TimeAverage::extended_invariant_potential(Index k, Extended pi) const {
  return extended_->extended_invariant_potential(k, pi);
}

bool TimeAverage::extended_regular_gradient(double, const ConstVectorRef& q, const ConstVectorRef& tail,
                                            VectorRefOf<Extended> out) const {
  return extended_average(
      out, [&](double t, VectorRefOf<Extended> f) { return extended_->extended_regular_gradient(t, q, tail, f); });
}

void TimeAverage::invariant_jacobian(const ConstVectorRef& q, VectorRef values) const {
  split_->invariant_jacobian(q, values);
}

std::array<double, 4> TimeAverage::invariant_potential(Index k, double pi) const {
  return split_->invariant_potential(k, pi);
}

void TimeAverage::regular_potential_gradient(double, const ConstVectorRef& q, VectorRef out) const {
  average(out, [&](double t, VectorRef f) { split_->regular_potential_gradient(t, q, f); });
}

void TimeAverage::split_hessian(double, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                                VectorRef values) const {
  average(values, [&](double t, VectorRef f) { split_->split_hessian(t, q, c, lambda, f); });
}

}  // namespace gnomon::kernels
