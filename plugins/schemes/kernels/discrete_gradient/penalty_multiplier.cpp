#include "kernels/discrete_gradient/penalty_multiplier.hpp"

#include <algorithm>
#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

PenaltyMultiplier::PenaltyMultiplier(const System& system, SystemAt& at, const Rule& rule)
    : system_(&system),
      at_(&at),
      rule_(rule),
      n_(system.n()),
      m_(system.m()),
      quadratic_(quadratic_constraints(system)) {
  for (auto* buffer : {&dg_, &delta_}) buffer->for_each([&](auto& v) { v.resize(m_); });
  for (Vector* v : {&lambda_, &g1_, &change_, &bent_, &at_end_, &at_y_}) v->setZero(m_);
  for (Vector* v : {&work_, &qm_, &q1_, &tail_}) v->setZero(n_);
  start_.setZero(n_);
  for (Vector* v : {&start_values_, &g_values_, &g1_values_, &curvature_})
    v->setZero(system.constraint_pattern().nonzeros());
}

const Vector& PenaltyMultiplier::end_constraints(const StepFrame& step) {
  g1_ = (step.g0.cast<Extended>() + dg_.at_extended).cast<double>();
  return g1_;
}

void PenaltyMultiplier::begin(const StepFrame& step, const StepScales& scales) {
  const double w = m_ > 0 ? (scales.hidden() / scales.s()).cwiseAbs2().maxCoeff() : 0;
  double slope = 0;
  for (Index i = 0; i < m_; ++i) slope = std::max(slope, 0.5 * rule_.slope() * rule_.r.second(step.g0[i]));
  stiffness_ = slope * rule_.mu * step.h * step.h * w;
  if (!quadratic_) return;
  const Vector& q0 = step.z0->q.value();
  system_->constraint_jacobian(step.z0->t, q0, start_values_);
  system_->constraint_jacobian_derivative(step.z0->t, q0, step.z0->q.tail(), curvature_);
  start_values_ += curvature_;
}

long double PenaltyMultiplier::energy(const State& z) {
  system_->constraints_compensated(z.t, z.q.value(), z.q.tail(), g1_, g_values_);
  long double sum = 0;
  for (Index i = 0; i < m_; ++i) sum += rule_.r.value(g1_[i]);
  return rule_.mu * sum;
}

double PenaltyMultiplier::floor(const StepScales& scales) const {
  const bool rounded = !quadratic_ && !system_->parts().extended;
  return (thresholds::unit_of_rounding + (rounded ? scales.position_floor() : 0)) * stiffness_;
}

double PenaltyMultiplier::linearise(const StepFrame& step, StepPoint<double>& b, VectorRef dc) {
  const Vector &dg = dg_.at_double, &delta = delta_.at_double;
  const bool equivariant = rule_.derivative == Derivative::equivariant;
  if (quadratic_) {
    bent_.setZero();
  } else {
    multiply(system_->constraint_pattern(), g_values_, b.dq, bent_);
    bent_ = dg - bent_;
    add_remainder(step, b, dc);
  }
  for (Index i = 0; i < m_; ++i) {
    const double e = shift(dg[i], delta[i]), y = step.g0[i] + 0.5 * dg[i] - e;
    const double slope = rule_.r.quotient(step.g0[i], dg[i]).derivative;
    at_end_[i] = equivariant ? bent_[i] * slope : excess(step.g0[i], dg[i], e) + dg[i] * slope;
    at_y_[i] = equivariant ? 0 : (bent_[i] - dg[i]) * rule_.r.second(y);
  }
  if (rule_.derivative == Derivative::midpoint) {
    multiply_transposed(system_->constraint_pattern(), g_values_, at_y_, work_);
    dc.head(n_) += 0.5 * rule_.mu * work_;
  } else {
    at_end_ += at_y_;
  }
  multiply_transposed(system_->constraint_pattern(), g1_values_, at_end_, work_);
  dc.head(n_) += rule_.mu * work_;
  return correction(step, b);
}

const Vector& PenaltyMultiplier::remainder(const StepFrame& step, const StepPoint<double>& b) {
  differences(step, b, change_, bent_);
  at_->constraint_jacobian_times(step.tm, b.qm, b.dq, g1_);
  g1_ = change_ - g1_;
  return g1_;
}

double PenaltyMultiplier::at_rest(const StepFrame& step, const Vector& w) {
  at_->constraint_jacobian_times(step.tm, step.z0->q.value(), w, g1_);
  double sum = 0;
  for (Index i = 0; i < m_; ++i) sum -= 0.5 * rule_.r.second(step.g0[i]) * g1_[i] * g1_[i];
  return rule_.mu * sum;
}

void PenaltyMultiplier::lay_out(Layout& layout, const Block& dq, const Block& balance) {
  std::vector<std::pair<Index, Index>> pairs;
  each_pair([&](Index j, Index k) { pairs.emplace_back(j, k); });
  layout.place(balance, dq, SparsityPattern::from_entries(n_, n_, pairs));
}

void PenaltyMultiplier::find_entries(const Layout& layout, const Block& dq, const Block& balance) {
  each_pair([&](Index j, Index k) { normal_.push_back(layout.entry(balance, dq, j, k)); });
}

void PenaltyMultiplier::add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
  system_->constraint_jacobian(step.tm, b.qm, g_values_);
  system_->constraint_jacobian(step.t1, b.q1, g1_values_);
  const bool middle = rule_.derivative == Derivative::midpoint;
  const Vector& end = middle ? g_values_ : g1_values_;
  const Vector &dg = dg_.at_double, &delta = delta_.at_double;
  const SparsityPattern& g = system_->constraint_pattern();
  std::size_t at = 0;
  for (Index i = 0; i < m_; ++i) {
    const double y = step.g0[i] + 0.5 * dg[i] - shift(dg[i], delta[i]);
    const double slope = rule_.derivative == Derivative::equivariant ? rule_.r.quotient(step.g0[i], dg[i]).derivative
                                                                     : rule_.r.second(y) * (middle ? 0.5 : 1);
    const double factor = step.h * rule_.mu * slope;
    for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) values[normal_[at++]] += factor * g_values_[j] * end[k];
  }
}

void PenaltyMultiplier::add_remainder(const StepFrame& step, StepPoint<double>& b, VectorRef dc) {
  const SparsityPattern& g = system_->constraint_pattern();
  multiply_transposed(g, g_values_, b.lambda, b.force);
  multiply_transposed(g, g1_values_, b.lambda, work_);
  dc.head(n_) += work_ - b.force;
  system_->constraint_hessian_times(step.tm, b.qm, b.lambda, b.dq, work_);
  dc.head(n_) -= 0.5 * work_;
}

Dual1 PenaltyMultiplier::quotient(double g0, const Dual1& d) const {
  const Quotient q = rule_.r.quotient(g0, d.value);
  return chain(d, q.value, q.derivative);
}

Dual1 PenaltyMultiplier::excess(double g0, const Dual1& d, const Dual1& e) const {
  const Dual1 y = g0 + d * 0.5 - e;
  Dual1 out(rule_.r.excess(g0, d.value, e.value));
  out.grad[0] = rule_.r.quotient(g0, d.value).derivative * d.grad[0] - rule_.r.second(y.value) * y.grad[0];
  return out;
}

void PenaltyMultiplier::differences(const StepFrame& step, const StepPoint<double>& b, Vector& dg, Vector& delta) {
  if (quadratic_)
    quadratic_differences(step, b.dq, dg, delta);
  else
    smooth_differences(step, b.dq, b.qm, b.q1, dg, delta);
}

void PenaltyMultiplier::differences(const StepFrame& step, const StepPoint<Extended>& b, VectorOf<Extended>& dg,
                                    VectorOf<Extended>& delta) {
  if (quadratic_) {
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, dg);
    start_ = step.z0->q.value().cast<Extended>() + step.z0->q.tail().cast<Extended>();
    at_->constraint_jacobian_times(step.tm, start_, b.dq, delta);
    delta = (dg - delta) * 2;
    return;
  }
  at_->constraints(step.t1, b.q1, dg);
  dg -= step.g0.cast<Extended>();
  if (rule_.derivative != Derivative::midpoint) return;
  at_->constraints(step.tm, b.qm, delta);
  delta = (step.g0.cast<Extended>() + dg / 2 - delta) * 8;
}

void PenaltyMultiplier::differences(const StepFrame& step, const StepPoint<Dual1>& b, VectorOf<Dual1>& dg,
                                    VectorOf<Dual1>& delta) {
  const SparsityPattern& g = system_->constraint_pattern();
  for (Index j = 0; j < n_; ++j) {
    work_[j] = b.dq[j].value;
    qm_[j] = b.qm[j].value;
    q1_[j] = b.q1[j].value;
  }
  if (quadratic_)
    quadratic_differences(step, work_, change_, bent_);
  else
    smooth_differences(step, work_, qm_, q1_, change_, bent_);
  for (Index i = 0; i < m_; ++i) {
    dg[i].value = change_[i];
    delta[i].value = bent_[i];
  }
  for (Index j = 0; j < n_; ++j) work_[j] = b.dq[j].grad[0];
  if (quadratic_) {
    multiply(g, start_values_, work_, change_);
    multiply(g, curvature_, work_, bent_);
    change_ += bent_;
    bent_ *= 2;
  } else {
    at_->constraint_jacobian_times(step.t1, q1_, work_, change_);
    at_->constraint_jacobian_times(step.tm, qm_, work_, bent_);
    bent_ = 4 * (change_ - bent_);
  }
  for (Index i = 0; i < m_; ++i) {
    dg[i].grad[0] = change_[i];
    delta[i].grad[0] = bent_[i];
  }
}

void PenaltyMultiplier::quadratic_differences(const StepFrame& step, const Vector& dq, Vector& dg, Vector& delta) {
  const SparsityPattern& g = system_->constraint_pattern();
  system_->constraint_jacobian_derivative(step.tm, step.z0->q.value(), dq, curvature_);
  multiply(g, curvature_, dq, delta);
  multiply(g, start_values_, dq, dg);
  dg += 0.5 * delta;
}

void PenaltyMultiplier::smooth_differences(const StepFrame& step, const Vector& dq, const Vector& qm, const Vector& q1,
                                           Vector& dg, Vector& delta) {
  const Vector &q0 = step.z0->q.value(), &q0_tail = step.z0->q.tail();
  tail_ = (dq + q0_tail) - (q1 - q0);
  system_->constraints_compensated(step.t1, q1, tail_, dg, curvature_);
  dg -= step.g0;
  if (rule_.derivative != Derivative::midpoint) return;
  tail_ = (0.5 * dq + q0_tail) - (qm - q0);
  system_->constraints_compensated(step.tm, qm, tail_, delta, curvature_);
  delta = 8 * (step.g0 + 0.5 * dg - delta);
}

}  // namespace gnomon::kernels
