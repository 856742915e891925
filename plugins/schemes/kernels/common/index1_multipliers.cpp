#include "kernels/common/index1_multipliers.hpp"

namespace gnomon::kernels {

Index1Multipliers::Index1Multipliers(const System& system) : system_(&system), gram_(system), m_(system.m()) {
  for (Vector* v : {&v_, &force_, &applied_, &t_q_}) v->setZero(system.n());
  right_.setZero(m_);
  bias_.setZero(m_);
}

bool Index1Multipliers::solve(double t, const Vector& q, const Vector& p, Vector& lambda) {
  if (m_ == 0) return true;
  if (!gram_.update(t, q)) return false;
  multipliers(t, q, p, lambda);
  return true;
}

bool Index1Multipliers::solve(double t, const Vector& q, const Vector& p, Vector& lambda, VectorRef acceleration,
                              VectorRef slope) {
  if (m_ > 0 && !gram_.update(t, q)) return false;
  multipliers(t, q, p, lambda);
  acceleration = -v_;
  slope = -force_;
  if (m_ == 0) return true;
  gram_.velocity(lambda, v_);
  acceleration -= v_;
  multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), lambda, force_);
  slope -= force_;
  return true;
}

bool Index1Multipliers::project(double t, const Vector& q, Vector& p, Vector& lambda) {
  if (m_ == 0) return true;
  if (!gram_.update(t, q)) return false;
  for (int pass = 0; pass < 2; ++pass) {  // the second takes the rounding of the first, relative to the part removed
    system_->velocity(q, p, t_q_, v_);
    gram_.times(v_, right_);
    gram_.solve(right_);
    multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), right_, force_);
    p -= force_;
  }
  multipliers(t, q, p, lambda);
  return true;
}

void Index1Multipliers::multipliers(double t, const Vector& q, const Vector& p, Vector& lambda) {
  system_->velocity(q, p, t_q_, v_);
  if (m_ > 0) system_->constraint_bias(t, q, v_, lambda);
  system_->potential_gradient(t, q, force_);
  if (system_->parts().force) {
    system_->parts().force->force(t, q, v_, applied_);
    force_ -= applied_;
  }
  if (const ConfigurationMass* mass = system_->parts().mass) {
    force_ += t_q_;
    v_ = -v_;
    mass->kinetic_hessian_times(q, p, v_, force_, t_q_, applied_);  // T_pp force - T_pq v
    v_ = applied_;
  } else {
    system_->mass().solve(force_, v_);
  }
  if (m_ == 0) return;
  gram_.times(v_, right_);
  lambda -= right_;
  gram_.solve(lambda);
}

}  // namespace gnomon::kernels
