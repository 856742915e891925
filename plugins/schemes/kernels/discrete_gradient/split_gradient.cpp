#include "kernels/discrete_gradient/split_gradient.hpp"

#include "kernels/common/value_and_change.hpp"
#include "kernels/discrete_gradient/difference_quotient.hpp"

namespace gnomon::kernels {

SplitGradient::SplitGradient(const System& system, SystemAt& at)
    : split_(system.parts().split), extended_(system.parts().extended), at_(&at) {
  const Index n = system.n(), count = system.parts().n_invariants();
  if (!split_) return;
  for (Vector* v : {&pi0_, &pi1_, &c_, &dc_, &pi_double_}) v->setZero(count);
  pi_dual_.resize(count);
  c_dual_.resize(count);
  regular_.setZero(n);
  for (auto* v : {&regular_dual_, &qm_dual_, &q1_dual_, &out_dual_}) v->resize(n);
  for (auto* v : {&pi0_extended_, &pi_extended_}) v->setZero(count);
  for (Vector* v : {&position_, &tail_}) v->setZero(n);
  jacobian_extended_.setZero(split_->invariant_pattern().nonzeros());
  jacobian_m_.setZero(split_->invariant_pattern().nonzeros());
  jacobian_1_.setZero(split_->invariant_pattern().nonzeros());
}

void SplitGradient::begin(const State& z0) {
  split_->invariants(z0.q.value(), pi0_);
  extends_ = extended_ && extended_->extended_invariants(z0.q.value(), z0.q.tail(), pi0_extended_);
}

void SplitGradient::evaluate(double t, const Vector& qm, const Vector& q1, Vector& out) {
  split_->invariants(q1, pi_double_);
  for (Index k = 0; k < c_.size(); ++k) c_[k] = difference_quotient(*split_, k, pi0_[k], pi_double_[k]).value;
  at_->invariant_force(qm, c_, out);
  at_->regular_potential_gradient(t, qm, regular_);
  out += regular_;
}

void SplitGradient::evaluate(double t, const VectorOf<Dual1>& qm, const VectorOf<Dual1>& q1, VectorOf<Dual1>& out) {
  at_->invariants(q1, pi_dual_);
  for (Index k = 0; k < c_.size(); ++k) {
    const Quotient quotient = difference_quotient(*split_, k, pi0_[k], pi_dual_[k].value);
    c_dual_[k] = chain(pi_dual_[k], quotient.value, quotient.derivative);
  }
  at_->invariant_force(qm, c_dual_, out);
  at_->regular_potential_gradient(t, qm, regular_dual_);
  out += regular_dual_;
}

void SplitGradient::evaluate(double t, const VectorOf<Extended>& qm, const VectorOf<Extended>& q1,
                             VectorOf<Extended>& out) {
  if (extends_) return evaluate_extended(t, qm, q1, out);
  convert(qm, qm_dual_);
  convert(q1, q1_dual_);
  evaluate(t, qm_dual_, q1_dual_, out_dual_);
  convert(out_dual_, out);
}

void SplitGradient::hessian(double t, const Vector& qm, const Vector& q1, const Vector& lambda, Vector& values) {
  split_->invariants(q1, pi1_);
  for (Index k = 0; k < c_.size(); ++k) {
    const Quotient quotient = difference_quotient(*split_, k, pi0_[k], pi1_[k]);
    c_[k] = quotient.value;
    dc_[k] = quotient.derivative;
  }
  split_->split_hessian(t, qm, c_, lambda, values);
  split_->invariant_jacobian(qm, jacobian_m_);
  split_->invariant_jacobian(q1, jacobian_1_);
}

void SplitGradient::add_outer(double factor, VectorRef values) const {
  std::size_t at = 0;
  for_each_outer([&](Index, Index, double outer) { values[outer_[at++]] += factor * outer; });
}

void SplitGradient::find_outer(const Layout& layout, const Block& rows, const Block& unknown) {
  outer_.clear();
  for_each_outer([&](Index i, Index j, double) { outer_.push_back(layout.entry(rows, unknown, i, j)); });
}

void SplitGradient::evaluate_extended(double t, const VectorOf<Extended>& qm, const VectorOf<Extended>& q1,
                                      VectorOf<Extended>& out) {
  split(q1, position_, tail_);
  extended_->extended_invariants(position_, tail_, pi_extended_);
  split(qm, position_, tail_);
  extended_->extended_regular_gradient(t, position_, tail_, out);
  extended_->extended_invariant_jacobian(position_, tail_, jacobian_extended_);
  const SparsityPattern& pi = split_->invariant_pattern();
  for (Index k = 0; k < pi.rows; ++k) {
    const Extended c = difference_quotient([&](Extended x) { return extended_->extended_invariant_potential(k, x); },
                                           pi0_extended_[k], pi_extended_[k])
                           .value;
    for (Index a = pi.offsets[k]; a < pi.offsets[k + 1]; ++a) out[pi.indices[a]] += c * jacobian_extended_[a];
  }
}

}  // namespace gnomon::kernels
