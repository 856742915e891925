#include "kernels/discrete_gradient/impulse_multiplier.hpp"

namespace gnomon::kernels {

ImpulseMultiplier::ImpulseMultiplier(const System& system, SystemAt&, const Rule& rule)
    : system_(&system),
      at_(system),
      rule_(rule),
      penalty_(system, rule.eps),
      hidden_(at_),
      n_(system.n()),
      m_(system.m()) {
  for (auto* buffer : {&lambda_, &g_}) buffer->for_each([&](auto& v) { v.resize(m_); });
  for (auto* buffer : {&start_, &end_}) buffer->for_each([&](auto& v) { v.resize(n_); });
  for (Vector* v : {&shift_, &rate_}) v->setZero(m_);
  for (Vector* v : {&tail_, &rest_}) v->setZero(n_);
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void ImpulseMultiplier::predict(const State& z0, VectorRef x) const {
  x.tail(m_) = z0.lambda;
  if (!rule_.iterated) x.segment(2 * n_, m_) = z0.lambda;
}

void ImpulseMultiplier::scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
  columns.tail(m_) = scales.lambda();
  rows.tail(m_) = scales.hidden();
  if (rule_.iterated) return;
  columns.segment(2 * n_, m_) = scales.lambda();
  rows.segment(2 * n_, m_) = scales.position();
}

void ImpulseMultiplier::lay_out(Layout& layout, const Block&, const Block&) const {
  if (!rule_.iterated) layout.unknown("lambda", m_);
  layout.unknown("mu", m_);
  layout.rows(unknowns());
}

void ImpulseMultiplier::end_constraints(const StepFrame& step, const StepPoint<double>& b, Vector& out) {
  b.end_tail(step, tail_);
  system_->constraints_compensated(step.t1, b.q1, tail_, out, g_values_);
}

void ImpulseMultiplier::end_constraints(const StepFrame& step, const StepPoint<Dual1>& b, VectorOf<Dual1>& out) {
  at_.constraints(step.t1, b.q1, out);
}

}  // namespace gnomon::kernels
