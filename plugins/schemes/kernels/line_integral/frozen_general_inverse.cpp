#include "kernels/line_integral/frozen_general_inverse.hpp"

namespace gnomon::kernels {

FrozenGeneralInverse::FrozenGeneralInverse(const System& system, const Matrix& X, Index r)
    : system_(&system), gram_(system, true, true), X_(X), n_(system.n()), m_(system.m()), s_(X.rows()), r_(r) {
  for (Vector* v : {&q_, &w_, &kick_, &scratch_}) v->setZero(n_);
  multiplier_.setZero(m_);
}

void FrozenGeneralInverse::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
}

bool FrozenGeneralInverse::update(const ConstVectorRef& x) {
  q_ = z0_->q.value() + 0.5 * h_ * x.head(n_);
  return gram_.update_near(z0_->t, z0_->q.value(), z0_->t + 0.5 * h_, q_);
}

void FrozenGeneralInverse::solve(const ConstVectorRef& f, VectorRef d) {
  const Index pi = s_ * n_, lambda = 2 * s_ * n_, gamma = lambda + r_ * m_;
  for (Index j = 0; j < s_; ++j) {
    w_ = f.segment(pi + j * n_, n_);
    if (j < r_) {
      system_->velocity(q_, w_, scratch_, kick_);
      gram_.times(kick_, multiplier_);
      multiplier_ -= f.segment(gamma + j * m_, m_);
      gram_.solve(multiplier_);
      d.segment(lambda + j * m_, m_) = multiplier_ / h_;
      multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), multiplier_, kick_);
      w_ -= kick_;
    }
    d.segment(pi + j * n_, n_) = w_;
  }
  for (Index j = 0; j < s_; ++j) {
    kick_.setZero();
    for (Index i = 0; i < s_; ++i)
      if (X_(j, i) != 0) kick_ += X_(j, i) * d.segment(pi + i * n_, n_);
    system_->velocity(q_, kick_, scratch_, w_);
    w_ += f.segment(j * n_, n_);
    if (j < r_) {
      gram_.times(w_, multiplier_);
      multiplier_ = f.segment(lambda + j * m_, m_) / (j == 0 ? h_ : 1) - multiplier_;
      gram_.solve(multiplier_);
      d.segment(gamma + j * m_, m_) = multiplier_;
      gram_.velocity(multiplier_, kick_);
      w_ += kick_;
    }
    d.segment(j * n_, n_) = w_;
  }
}

}  // namespace gnomon::kernels
