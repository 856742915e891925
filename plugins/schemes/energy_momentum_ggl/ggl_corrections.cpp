#include "energy_momentum_ggl/ggl_corrections.hpp"

#include <algorithm>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

GglCorrections::GglCorrections(const System& system, GglFrame& frame, SplitGradient& split)
    : system_(&frame.mean()),
      frame_(&frame),
      rule_(frame.rule),
      at_(frame.mean()),
      split_(&split),
      orbits_(system, rule_.orthogonal && rule_.corrected()),
      n_(frame.n),
      m_(frame.m) {
  if (!rule_.corrected()) return;
  dk_.setZero(2 * (n_ + m_));
  for (Vector* v : {&dc_q_, &work_, &regular_}) v->setZero(n_);
  no_invariants_.setZero(system.parts().n_invariants());
  for (Vector* v : {&mu_, &no_multipliers_}) v->setZero(m_);
  for (auto* buffer : {&g1_, &rates_}) buffer->for_each([&](auto& v) { v.resize(m_); });
  if (moving() || rule_.split_potential) h_values_.setZero(system.hessian_pattern().nonzeros());
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void GglCorrections::begin(const StepScales& scales) {
  energy_left_.begin(frame_->z0());
  n_min_ = thresholds::negligible_increment * scales.length2(frame_->z0().q.value());
}

void GglCorrections::linearise_potential(GglPoints<double>& b, Vector& out) {
  const double t1 = frame_->t1(), tm = frame_->tm();
  if (!rule_.split_potential) {
    system_->potential_gradient(t1, b.q1, out);
    out -= b.gradient;
    system_->potential_hessian_times(tm, b.qm, b.dq, work_);
  } else {
    const SplitPotential& split = *system_->parts().split;
    split.regular_potential_gradient(t1, b.q1, out);
    split.regular_potential_gradient(tm, b.qm, regular_);
    out -= regular_;
    split.split_hessian(tm, b.qm, no_invariants_, no_multipliers_, h_values_);
    multiply(system_->hessian_pattern(), h_values_, b.dq, work_);
  }
  out -= 0.5 * work_;
}

bool GglCorrections::linearise() {
  if (!energy_left_.active()) return false;
  auto& b = frame_->points<double>();
  const double h = frame_->h();
  at_.mass_times(b.u, b.mass_u);
  const double norm = b.u.dot(b.mass_u);
  if (norm * h * h <= n_min_) return false;
  if (rule_.split_potential)
    split_->evaluate(frame_->tm(), b.qm, b.q1, b.gradient);
  else
    at_.potential_gradient(frame_->tm(), b.qm, b.gradient);
  mu_ = b.mu;
  mu_.tail(frame_->velocities).setZero();
  b.slide.setZero();
  at_.constraint_force(frame_->tm(), b.qm, mu_, b.force);
  at_.hidden_gradient(frame_->tm(), b.qm, b.gamma, b.vm, b.turn);
  if (moving()) {
    at_.constraint_rate_force(frame_->tm(), b.qm, b.gamma, work_);
    b.turn += work_;
  }
  if (rule_.correct_constraints && !moving()) frame_->end_constraints(at_, b, b.g1);
  k_ = (position_correction(b) + h * (velocity_correction(b) + energy_left_.left())) / (norm * h);

  Vector& dq = dc_q_;
  dq.setZero();
  dk_.setZero();
  if (rule_.correct_potential) {
    linearise_potential(b, dq);
    dq *= h;
  }
  if (rule_.correct_constraints) {
    at_.constraint_force(frame_->t1(), b.q1, mu_, work_);
    dq += work_ - b.force;
    system_->constraint_hessian_times(frame_->tm(), b.qm, mu_, b.dq, work_);
    dq -= 0.5 * work_;
    at_.hidden_gradient(frame_->t1(), b.q1, b.gamma, b.vm, work_);
    dq += h * (work_ - b.turn);
    system_->constraint_third(frame_->tm(), b.qm, b.vm, b.dq, g_values_);
    multiply_transposed(system_->constraint_pattern(), g_values_, b.gamma, work_);
    dq -= 0.5 * h * work_;
    if (moving()) {
      const TimeDependence& rates = *system_->parts().time_dependence;
      at_.constraint_rate_force(frame_->t1(), b.q1, b.gamma, work_);
      dq += h * work_;
      rates.constraint_rate_hessian(frame_->tm(), b.qm, b.gamma, h_values_);
      multiply(system_->hessian_pattern(), h_values_, b.dq, work_);
      dq -= 0.5 * h * work_;
    }
    // by y through v_m
    auto dy = dk_.segment(n_, n_);
    at_.constraint_force(frame_->t1(), b.q1, b.gamma, b.a);
    dy = b.a;
    b.a.setZero();
    frame_->add_start_force(b.gamma, b.a);
    dy -= b.a;
    system_->constraint_hessian_times(frame_->tm(), b.qm, b.gamma, b.dq, work_);
    dy -= work_;
    dy *= 0.5 * h;
    // by mu and gamma
    at_.constraint_jacobian_times(frame_->tm(), b.qm, b.dq, b.row);
    dk_.segment(2 * n_, m_) = end_constraints(b) - frame_->g0() - b.row;
    dk_.segment(2 * n_ + m_ - frame_->velocities, frame_->velocities).setZero();
    auto dgamma = dk_.tail(m_);
    at_.constraint_jacobian_times(frame_->t1(), b.q1, b.vm, b.row);
    dgamma = b.row;
    multiply(system_->constraint_pattern(), frame_->g_start(), b.vm, b.row);
    dgamma -= b.row;
    system_->constraint_jacobian_derivative(frame_->tm(), b.qm, b.vm, g_values_);
    multiply(system_->constraint_pattern(), g_values_, b.dq, b.row);
    dgamma -= b.row;
    if (moving()) {
      dgamma += rates(b) - frame_->rate0();
      system_->parts().time_dependence->constraint_rate_jacobian(frame_->tm(), b.qm, g_values_);
      multiply(system_->constraint_pattern(), g_values_, b.dq, b.row);
      dgamma -= b.row;
    }
    dgamma *= h;
  }
  dk_.head(n_) = h * (dq - 2 * k_ * b.mass_u);
  dk_ /= h * norm;
  return true;
}

}  // namespace gnomon::kernels
