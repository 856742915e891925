#include "kernels/line_integral/constraint_levels.hpp"

#include <cmath>

namespace gnomon::kernels {

PositionLevel::PositionLevel(const System& system, LineIntegralFrame& frame)
    : system_(&system), frame_(&frame), m_(system.m()) {
  g_values_.setZero(system.constraint_pattern().nonzeros());
  for (Matrix* a : {&g_, &change_}) a->setZero(m_, system.n());
}

void PositionLevel::scales(const StepScales& scales, const LineIntegralBlocks& at, VectorRef columns,
                           VectorRef rows) const {
  for (Index i = 0; i < frame_->r(); ++i) {
    columns.segment(at.lambda + i * m_, m_) = scales.lambda();
    rows.segment(at.lambda + i * m_, m_) = scales.hidden();
  }
}

void PositionLevel::finish(const Vector& x, const LineIntegralBlocks& at, State& next) const {
  if (m_ > 0) next.lambda = x.segment(at.lambda, m_);
}

void PositionLevel::linearise(const ConstVectorRef& x, Index l, const LineIntegralBlocks& at,
                              LineIntegralPoint<double>& b, NodeDerivatives& d, Matrix& jacobian) {
  const Index n = b.q.size();
  const auto& table = frame_->table;
  frame_->velocity(x, l, b.dq);
  system_->constraint_jacobian(frame_->time(l), b.q, g_values_);
  g_.setZero();
  add_dense(system_->constraint_pattern(), g_values_, 1, g_);
  system_->constraint_jacobian_derivative(frame_->time(l), b.q, b.dq, g_values_);
  change_.setZero();
  add_dense(system_->constraint_pattern(), g_values_, 1, change_);
  d.by_lambda.topRows(n) = g_.transpose();
  for (Index i = 0; i < frame_->r(); ++i)
    for (Index j = 0; j < table.s; ++j)
      jacobian.block(at.lambda + i * m_, j * n, m_, n) +=
          (table.b[l] * table.P(l, i)) * (frame_->h() * table.I(l, j) * change_ + table.P(l, j) * g_);
}

double PositionLevel::hidden_power(const Vector&, Index, const LineIntegralBlocks&, LineIntegralPoint<double>&,
                                   const Vector&) const {
  return 0;
}

BothLevels::BothLevels(const System& system, LineIntegralFrame& frame)
    : system_(&system),
      frame_(&frame),
      at_(system),
      bias_(system),
      multipliers_(system),
      hidden_(system),
      n_(system.n()),
      m_(system.m()),
      velocities_(system.parts().n_velocity_constraints()) {
  tail_.setZero(n_);
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void BothLevels::lay_out(Layout& layout, LineIntegralBlocks& at) const {
  at.lambda = layout.unknown("lambda", frame_->r() * m_).offset;
  at.gamma = layout.unknown("gamma", frame_->r() * m_).offset;
}

void BothLevels::scales(const StepScales& scales, const LineIntegralBlocks& at, VectorRef columns,
                        VectorRef rows) const {
  for (Index i = 0; i < frame_->r(); ++i) {
    const Index lambda = at.lambda + i * m_, gamma = at.gamma + i * m_;
    columns.segment(lambda, m_) = scales.lambda();
    columns.segment(gamma, m_) = scales.impulse();
    rows.segment(lambda, m_) = rows.segment(gamma, m_) = scales.hidden();
  }
  if (frame_->r() > 0) rows.segment(at.lambda, m_) = scales.position();
}

void BothLevels::finish(const Vector& x, const LineIntegralBlocks& at, State& next) {
  if (m_ == 0) return;
  if (!multipliers_.solve(next.t + frame_->h(), next.q.value(), next.p.value(), next.lambda))
    next.lambda = x.segment(at.lambda, m_);
}

void BothLevels::linearise(const ConstVectorRef& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<double>& b,
                           NodeDerivatives& d, Matrix&) {
  const double t = frame_->time(l);
  frame_->multiplier(x, at.gamma, l, b.gamma);
  at_.kinetic_gradient(b.q, b.p, b.h_q, b.v);
  hidden_.first(t, b.q, b.v, d.by_state);
  d.by_lambda.topRows(n_) = hidden_.g().transpose();
  d.by_gamma.topRows(n_) = hidden_.psi_q().transpose();
  d.by_gamma.bottomRows(n_) = hidden_.psi_p().transpose();
  hidden_.add_second(t, b.q, b.p, b.v, b.gamma, d.by_state);
}

void BothLevels::linearise_end(const LineIntegralBlocks& at, LineIntegralPoint<double>& b, NodeDerivatives& d,
                               Matrix& jacobian) {
  if (frame_->r() == 0) return;
  at_.kinetic_gradient(b.q, b.p, b.h_q, b.v);
  at_.kinetic_hessian(b.q, b.p, d.by_state);
  hidden_.first(frame_->end(), b.q, b.v, d.by_state);
  jacobian.block(at.lambda, at.u, m_, n_) = frame_->h() * hidden_.g();
  jacobian.block(at.gamma, at.u, m_, n_) = frame_->h() * hidden_.psi_q();
  jacobian.block(at.gamma, at.pi, m_, n_) = hidden_.psi_p();
}

double BothLevels::hidden_power(const Vector& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<double>& b,
                                const Vector& dp) {
  const double t = frame_->time(l), h = frame_->h();
  frame_->multiplier(x, at.gamma, l, b.gamma);
  at_.kinetic_gradient(b.q, b.p, b.h_q, b.h_p);
  at_.constraint_force(t, b.q, b.gamma, b.w);
  at_.kinetic_hessian_times(b.q, b.p, b.w, b.turn, b.push);
  at_.hidden_gradient(t, b.q, b.gamma, b.h_p, b.a);
  b.turn += b.a;
  at_.constraint_rate_force(t, b.q, b.gamma, b.a);
  b.turn += b.a;
  return h * b.turn.dot(b.dq) + b.push.dot(dp);
}

void BothLevels::end_constraints(LineIntegralPoint<double>& b) {
  tail_ = b.dq - (b.q - frame_->z0().q.value());
  system_->constraints_compensated(frame_->end(), b.q, tail_, b.row, g_values_);
}

}  // namespace gnomon::kernels
