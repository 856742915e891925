#include "kernels/ggl/frozen_ggl_inverse.hpp"

namespace gnomon::kernels {

FrozenGglInverse::FrozenGglInverse(const System& system, const Matrix& X, Index r)
    : system_(&system), gram_(system, true, true), X_(X), n_(system.n()), m_(system.m()), s_(X.rows()), r_(r) {
  for (Vector* v : {&q_, &w_, &kick_}) v->setZero(n_);
  multiplier_.setZero(m_);
}

void FrozenGglInverse::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
}

bool FrozenGglInverse::update(const ConstVectorRef& x) {
  q_ = z0_->q.value() + 0.5 * h_ * x.head(n_);
  return gram_.update_near(z0_->t, z0_->q.value(), z0_->t + 0.5 * h_, q_);
}

void FrozenGglInverse::solve(const ConstVectorRef& f, VectorRef d) {
  const Index y = s_ * n_, mu = 2 * s_ * n_, gamma = mu + r_ * m_;
  for (Index j = 0; j < s_; ++j) {
    w_ = f.segment(y + j * n_, n_);
    system_->mass().solve(w_, kick_);
    d.segment(y + j * n_, n_) = kick_;
    if (j >= r_) continue;
    gram_.times(kick_, multiplier_);
    multiplier_ -= f.segment(gamma + j * m_, m_);
    gram_.solve(multiplier_);
    d.segment(mu + j * m_, m_) = multiplier_;
    gram_.velocity(multiplier_, kick_);
    d.segment(y + j * n_, n_) -= kick_;
  }
  for (Index j = 0; j < s_; ++j) {
    kick_ = f.segment(j * n_, n_);
    system_->mass().solve(kick_, w_);
    for (Index i = 0; i < s_; ++i)
      if (X_(j, i) != 0) w_ += X_(j, i) * d.segment(y + i * n_, n_);
    if (j < r_) {
      gram_.times(w_, multiplier_);
      multiplier_ = f.segment(mu + j * m_, m_) - multiplier_;
      gram_.solve(multiplier_);
      d.segment(gamma + j * m_, m_) = multiplier_;
      gram_.velocity(multiplier_, kick_);
      w_ += kick_;
    }
    d.segment(j * n_, n_) = w_;
  }
}

}  // namespace gnomon::kernels
