#include "kernels/discrete_gradient/level_multiplier.hpp"

namespace gnomon::kernels {

LevelMultiplier::LevelMultiplier(const System& system, SystemAt& at, const Rule& rule)
    : end_(system, at, rule),
      end_at_(system),
      hidden_(end_at_),
      derivatives_(system),
      at_(&at),
      n_(system.n()),
      m_(system.m()) {
  if (&at.system() != &system) mean_hidden_.emplace(at);
  for (Vector* v : {&v0_, &v1_, &t_q_}) v->setZero(n_);
  gamma_.for_each([&](auto& v) { v.resize(m_); });
  middle_.setZero(m_, 2 * n_);
  hessian_.setZero(2 * n_, 2 * n_);
  change_.setZero(m_);
  for (auto* buffer : {&w_, &t_qp_, &t_pp_}) buffer->for_each([&](auto& v) { v.resize(n_); });
}

void LevelMultiplier::begin(const StepFrame& step, const StepScales& scales) {
  end_.begin(step, scales);
  hidden_.begin(*step.z0);
  if (mean_hidden_) mean_hidden_->begin(*step.z0);
}

void LevelMultiplier::predict(const State& z0, VectorRef x) const {
  x.segment(2 * n_, m_).setZero();
  end_.predict(z0, x);
}

void LevelMultiplier::scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
  columns.segment(2 * n_, m_) = scales.impulse();
  rows.segment(2 * n_, m_) = scales.hidden();
  end_.scales(scales, columns, rows);
}

void LevelMultiplier::lay_out(Layout& layout, const Block& dq, const Block& balance) {
  layout.unknown("gamma", m_);
  layout.rows(m_);
  end_.lay_out(layout, dq, balance);
}

void LevelMultiplier::add_hidden_hessian(const StepFrame& step, const StepPoint<double>& b, Matrix& hessian) {
  if (m_ == 0) return;
  at_->kinetic_gradient(b.qm, b.pm, t_q_, v0_);
  derivatives_.first(step.tm, b.qm, v0_, hessian);
  middle_.leftCols(n_) = derivatives_.psi_q();
  middle_.rightCols(n_) = derivatives_.psi_p();
  derivatives_.add_second(step.tm, b.qm, b.pm, v0_, gamma_.at_double, hessian);
}

void LevelMultiplier::add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
  end_.add_jacobian(step, b, values);
  at_->kinetic_gradient(b.q1, b.p1, t_q_, v1_);
  at_->kinetic_hessian(b.q1, b.p1, hessian_);
  derivatives_.first(step.t1, b.q1, v1_, hessian_);
  const Index gamma = 2 * n_, size = gamma + 2 * m_;  // of dense rows
  for (Index i = 0; i < m_; ++i) {
    for (Index j = 0; j < n_; ++j) {
      values[j * size + gamma + i] -= step.h * middle_(i, n_ + j);
      values[(n_ + j) * size + gamma + i] += step.h * middle_(i, j);
    }
    values.segment((gamma + i) * size, n_) += derivatives_.psi_q().row(i).transpose();
    values.segment((gamma + i) * size + n_, n_) += derivatives_.psi_p().row(i).transpose();
  }
}

double LevelMultiplier::linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc) {
  const Vector& gamma = gamma_.at_double;
  const double c = end_.linearise(step, b, dc);
  change_ = hidden_.end(step, b) - hidden_.start();
  dc.head(n_).noalias() += derivatives_.psi_q().transpose() * gamma;
  dc.segment(n_, n_).noalias() += derivatives_.psi_p().transpose() * gamma;
  auto by_gamma = dc.segment(2 * n_, m_);
  by_gamma += change_;
  by_gamma.noalias() -= middle_.leftCols(n_) * b.dq;
  by_gamma.noalias() -= middle_.rightCols(n_) * b.dp;
  return c + gamma.dot(change_);
}

void LevelMultiplier::book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work) {
  end_.book(step, times, b, work);
  const State& z0 = *step.z0;
  const ConfigurationMass& mass = *at_->system().parts().mass;
  mass.kinetic_gradient(z0.q.value(), z0.p.value(), t_q_, v0_);
  mass.kinetic_gradient(b.q1, b.p1, t_q_, v1_);
  work.velocity += times.velocity_work(z0.q.value(), v0_, b.q1, v1_, gamma_.at_double);
}

}  // namespace gnomon::kernels
