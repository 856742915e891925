#include "projected_rk/tangent_error.hpp"

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

TangentError::TangentError(const System& system, const ProjectionRule& rule)
    : system_(&system),
      at_(system),
      gram_(system, rule.mass_metric),
      change_(system),
      rule_(rule),
      n_(system.n()),
      m_(system.m()) {
  for (Vector* v : {&v1_, &jump_, &scratch_, &second_, &slope_, &n_q_, &n_v_, &turn_}) v->setZero(n_);
  for (Vector* v : {&row_, &more_}) v->setZero(m_);
  zero_.setZero(n_);
  rate_.setZero(system.constraint_pattern().nonzeros());
}

bool TangentError::project(const State& z1, double h, Vector& error_q, Vector& error_v) {
  z1_ = &z1;
  system_->velocity(z1.q.value(), z1.p.value(), scratch_, v1_);
  if (m_ > 0 && system_->parts().time_dependence)
    system_->parts().time_dependence->constraint_rate_jacobian(z1.t, z1.q.value(), rate_);
  if (m_ > 0 && !gram_.update(z1.t, z1.q.value())) return false;
  position(error_q, false);
  if (system_->parts().mass) {
    second_ = error_v;
    change_(z1, error_q, second_, error_v);
  }
  velocity(error_q, error_v);
  if (rule_.energy) energy(rule_.mass_metric ? h * h : 1, error_q, error_v);
  return true;
}

void TangentError::position(Vector& error_q, bool of_velocities) {
  if (m_ == 0) return;
  gram_.times(error_q, row_);
  if (!of_velocities) row_.tail(system_->parts().n_velocity_constraints()).setZero();
  take_out(error_q);
}

void TangentError::velocity(const Vector& error_q, Vector& error_v) {
  if (m_ == 0) return;
  gram_.times(error_v, row_);
  at_.constraint_curvature(z1_->t, z1_->q.value(), v1_, error_q, more_);
  row_ += more_;
  if (system_->parts().time_dependence) {
    multiply(system_->constraint_pattern(), rate_, error_q, more_);
    row_ += more_;
  }
  take_out(error_v);
}

void TangentError::take_out(Vector& error) {
  gram_.solve(row_);
  gram_.velocity(row_, jump_);
  error -= jump_;
}

void TangentError::energy(double weight, Vector& error_q, Vector& error_v) {
  const Vector &q = z1_->q.value(), &p = z1_->p.value();
  system_->potential_gradient(z1_->t, q, slope_);
  if (const ConfigurationMass* mass = system_->parts().mass) {
    mass->kinetic_gradient(q, p, n_q_, n_v_);
    slope_ += n_q_;
  }
  if (rule_.mass_metric)
    system_->velocity(q, slope_, scratch_, n_q_);
  else
    n_q_ = slope_;
  n_q_ *= weight;
  const double whole = slope_.dot(n_q_) + p.dot(rule_.mass_metric ? v1_ : p);
  position(n_q_, true);
  change_(*z1_, n_q_, zero_, n_v_);
  n_v_ += rule_.mass_metric ? v1_ : p;
  velocity(n_q_, n_v_);
  const double rise = change_of_energy(n_q_, n_v_);
  if (!(rise > thresholds::flat_energy * whole)) return;  // an equilibrium
  const double eta = change_of_energy(error_q, error_v) / rise;
  error_q -= eta * n_q_;
  error_v -= eta * n_v_;
}

double TangentError::change_of_energy(const Vector& dq, const Vector& dv) {
  change_(*z1_, dq, zero_, turn_);
  return slope_.dot(dq) + z1_->p.value().dot(dv - turn_);
}

}  // namespace gnomon::kernels
