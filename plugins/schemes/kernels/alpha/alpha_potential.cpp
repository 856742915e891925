#include "kernels/alpha/alpha_potential.hpp"

#include "kernels/common/value_and_change.hpp"
#include "kernels/discrete_gradient/difference_quotient.hpp"

namespace gnomon::kernels {

AlphaPotential::AlphaPotential(const System& system, SystemAt& at, bool split)
    : system_(&system),
      invariants_(system.parts().split),
      extended_(system.parts().extended),
      at_(&at),
      count_(split ? system.parts().n_invariants() : 0),
      split_(split) {
  if (!split) return;
  for (Vector* v : {&pi_plus_, &pi_minus_, &c_, &dc_plus_, &dc_minus_}) v->setZero(count_);
  pi_plus_dual_.resize(count_);
  pi_minus_dual_.resize(count_);
  c_dual_.resize(count_);
  for (auto* v : {&pi_plus_extended_, &pi_minus_extended_}) v->setZero(count_);
  middle_extended_.setZero(invariants_->invariant_pattern().nonzeros());
  dual_.allocate(system.n(), 0);
  for (Vector* v : {&position_, &tail_}) v->setZero(system.n());
  for (Vector* v : {&middle_values_, &plus_values_, &minus_values_})
    v->setZero(invariants_->invariant_pattern().nonzeros());
}

void AlphaPotential::evaluate(const AlphaFrame& frame, AlphaPoint<double>& b) {
  const double t = frame.t;
  if (!split_) return at_->potential_gradient(t, b.middle, b.u);
  b.place_middles(frame);
  quotients(b);
  at_->invariant_force(b.middle, c_, b.u);
  at_->regular_potential_gradient(t, b.middle, b.work);
  b.u += b.work;
}

void AlphaPotential::evaluate(const AlphaFrame& frame, AlphaPoint<Dual1>& b) {
  if (!split_) return at_->potential_gradient(frame.t, b.middle, b.u);
  b.place_middles(frame);
  split_gradient(frame.t, b);
}

void AlphaPotential::evaluate(const AlphaFrame& frame, AlphaPoint<Extended>& b) {
  if (!split_) return at_->potential_gradient(frame.t, b.middle, b.u);
  b.place_middles(frame);
  if (extended_ && split_gradient(frame.t, b)) return;
  convert(b.middle, dual_.middle);
  convert(b.m_plus, dual_.m_plus);
  convert(b.m_minus, dual_.m_minus);
  split_gradient(frame.t, dual_);
  convert(dual_.u, b.u);
}

void AlphaPotential::hessian(double t, const AlphaPoint<double>& b, const Vector& lambda, Vector& values) {
  if (!split_) return system_->lagrangian_hessian(t, b.middle, lambda, values);
  quotients(b);
  invariants_->split_hessian(t, b.middle, c_, lambda, values);
}

void AlphaPotential::split_gradient(double t, AlphaPoint<Dual1>& b) {
  at_->invariants(b.m_plus, pi_plus_dual_);
  at_->invariants(b.m_minus, pi_minus_dual_);
  for (Index k = 0; k < count_; ++k) {
    const Dual1 &plus = pi_plus_dual_[k], &minus = pi_minus_dual_[k];
    const Quotient by_plus = difference_quotient(*invariants_, k, minus.value, plus.value);
    const Quotient by_minus = difference_quotient(*invariants_, k, plus.value, minus.value);
    c_dual_[k] = chain(plus, by_plus.value, by_plus.derivative);
    c_dual_[k].grad[0] += by_minus.derivative * minus.grad[0];
  }
  at_->invariant_force(b.middle, c_dual_, b.u);
  at_->regular_potential_gradient(t, b.middle, b.work);
  b.u += b.work;
}

bool AlphaPotential::split_gradient(double t, AlphaPoint<Extended>& b) {
  split(b.m_plus, position_, tail_);
  if (!extended_->extended_invariants(position_, tail_, pi_plus_extended_)) return false;
  split(b.m_minus, position_, tail_);
  extended_->extended_invariants(position_, tail_, pi_minus_extended_);
  split(b.middle, position_, tail_);
  extended_->extended_regular_gradient(t, position_, tail_, b.u);
  extended_->extended_invariant_jacobian(position_, tail_, middle_extended_);
  const SparsityPattern& pi = invariants_->invariant_pattern();
  for (Index k = 0; k < count_; ++k) {
    const Extended c = difference_quotient([&](Extended x) { return extended_->extended_invariant_potential(k, x); },
                                           pi_minus_extended_[k], pi_plus_extended_[k])
                           .value;
    for (Index i = pi.offsets[k]; i < pi.offsets[k + 1]; ++i) b.u[pi.indices[i]] += c * middle_extended_[i];
  }
  return true;
}

void AlphaPotential::quotients(const AlphaPoint<double>& b) {
  invariants_->invariants(b.m_plus, pi_plus_);
  invariants_->invariants(b.m_minus, pi_minus_);
  for (Index k = 0; k < count_; ++k) {
    const Quotient by_plus = difference_quotient(*invariants_, k, pi_minus_[k], pi_plus_[k]);
    c_[k] = by_plus.value;
    dc_plus_[k] = by_plus.derivative;
    dc_minus_[k] = difference_quotient(*invariants_, k, pi_plus_[k], pi_minus_[k]).derivative;
  }
}

}  // namespace gnomon::kernels
