#include "kernels/ggl/hidden_derivatives.hpp"

namespace gnomon::kernels {

HiddenDerivatives::HiddenDerivatives(const System& system)
    : system_(&system), at_(system), pattern_(&system.constraint_pattern()), n_(system.n()) {
  const Index m = system.m();
  for (Matrix* a : {&g_, &psi_q_, &psi_p_}) a->setZero(m, n_);
  for (Matrix* a : {&turn_, &sum_}) a->setZero(n_, n_);
  of_velocity_.setZero(2 * n_, 2 * n_);
  for (Vector* v : {&unit_, &column_}) v->setZero(n_);
  values_.setZero(pattern_->nonzeros());
}

void HiddenDerivatives::first(double t, const Vector& q, const Vector& v, const Matrix& kinetic) {
  system_->constraint_jacobian(t, q, values_);
  g_.setZero();
  add_dense(*pattern_, values_, 1, g_);
  psi_q_.noalias() = g_ * kinetic.bottomLeftCorner(n_, n_);
  psi_p_.noalias() = g_ * kinetic.bottomRightCorner(n_, n_);
  system_->constraint_jacobian_derivative(t, q, v, values_);
  add_dense(*pattern_, values_, 1, psi_q_);
}

void HiddenDerivatives::add_second(double t, const Vector& q, const Vector& p, const Vector& v, const Vector& gamma,
                                   Matrix& kinetic) {
  for (Index j = 0; j < n_; ++j) {
    unit_[j] = 1;
    system_->constraint_hessian_times(t, q, gamma, unit_, turn_.col(j));
    system_->constraint_third(t, q, v, unit_, values_);
    multiply_transposed(*pattern_, values_, gamma, column_);
    sum_.col(j) = column_;
    unit_[j] = 0;
  }
  column_.noalias() = g_.transpose() * gamma;
  at_.velocity_hessian(q, p, column_, of_velocity_);
  auto t_pq = kinetic.bottomLeftCorner(n_, n_), t_pp = kinetic.bottomRightCorner(n_, n_);
  sum_.noalias() += turn_.transpose() * t_pq;
  sum_.noalias() += t_pq.transpose() * turn_;
  of_velocity_.topLeftCorner(n_, n_) += sum_;
  sum_.noalias() = t_pp * turn_;
  of_velocity_.bottomLeftCorner(n_, n_) += sum_;
  of_velocity_.topRightCorner(n_, n_) += sum_.transpose();
  kinetic += of_velocity_;
}

}  // namespace gnomon::kernels
