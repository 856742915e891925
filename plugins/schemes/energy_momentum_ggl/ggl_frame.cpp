#include "energy_momentum_ggl/ggl_frame.hpp"

namespace gnomon::kernels {

GglFrame::GglFrame(const System& system, const GglRule& rule)
    : rule(rule),
      times(system),
      at(times.mean()),
      end_at(system),
      n(system.n()),
      m(system.m()),
      velocities(system.parts().n_velocity_constraints()),
      system_(&system),
      v0_(system) {
  points_.for_each([&](auto& b) { b.resize(system); });
  for (Vector* v : {&end_, &tail_, &gradient_}) v->setZero(n);
  for (Vector* v : {&g0_, &g_end0_, &rate0_}) v->setZero(m);
  extended_g_start_.setZero(system.constraint_pattern().nonzeros());
  extended_q0_.setZero(n);
  for (Vector* v : {&g_start_, &g_values_}) v->setZero(system.constraint_pattern().nonzeros());
}

void GglFrame::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
  times.begin(z0, h);
  tm_ = times.middle();
  t1_ = times.end();
  mean().constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
  if (times.moving())
    system_->constraints_compensated(t1_, z0.q.value(), z0.q.tail(), g_end0_, g_values_);
  else
    g_end0_ = g0_;
  v0_.begin(z0.p);
  if (!rule.corrected()) return;
  extended_q0_ = z0.q.value().cast<Extended>() + z0.q.tail().cast<Extended>();
  at.constraint_jacobian(z0.t, extended_q0_, extended_g_start_);
  g_start_ = extended_g_start_.cast<double>();
  u0_ = mean().potential_compensated(z0.t, z0.q.value(), z0.q.tail(), gradient_);
  if (!times.moving()) return;
  tail_.setZero();
  mean().constraint_velocity(z0.t, z0.q.value(), tail_, rate0_);
}

void GglFrame::end_constraints(SystemAt& at, GglPoints<double>& b, Vector& out) {
  end_tail(b);
  at.system().constraints_compensated(t1_, b.q1, tail_, out, g_values_);
}

void GglFrame::end_constraints(SystemAt& at, GglPoints<Dual1>& b, VectorOf<Dual1>& out) {
  at.constraints(t1_, b.q1, out);
  copy_end(b);
  end_constraints(at, points_.at_double, points_.at_double.g1);
  for (Index i = 0; i < m; ++i) out[i].value = points_.at_double.g1[i];
}

void GglFrame::end_constraints(SystemAt& at, GglPoints<Extended>& b, VectorOf<Extended>& out) {
  at.constraints(t1_, b.q1, out);
}

double GglFrame::potential_difference(GglPoints<double>& b) {
  end_tail(b);
  return static_cast<double>(mean().potential_compensated(t1_, b.q1, tail_, gradient_) - u0_);
}

Dual1 GglFrame::potential_difference(GglPoints<Dual1>& b) {
  Dual1 u = at.potential(t1_, b.q1);
  copy_end(b);
  u.value = potential_difference(points_.at_double);
  return u;
}

Extended GglFrame::potential_difference(GglPoints<Extended>& b) {
  end_ = b.q1.cast<double>();
  tail_ = (b.q1 - end_.cast<Extended>()).cast<double>();
  return mean().potential_compensated(t1_, end_, tail_, gradient_) - u0_;
}

void GglFrame::copy_end(const GglPoints<Dual1>& b) {
  for (Index j = 0; j < n; ++j) {
    points_.at_double.dq[j] = b.dq[j].value;
    points_.at_double.q1[j] = b.q1[j].value;
  }
}

}  // namespace gnomon::kernels
