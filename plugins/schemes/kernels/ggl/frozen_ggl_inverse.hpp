#pragma once
/// \file
/// The approximate inverse of the schemes with both constraint levels: their Newton matrix to leading order in h, with
/// one G for the whole step. Unknowns x = [u_j | y_j | mu_i | gamma_i], j < s, i < r <= s, X from the scheme (s = r =
/// 1, X = 1/2: energy-momentum-ggl); rows F1, F2 multiplied by M, f1 = M^-1 F1, f2 = M^-1 F2, B = M^-1 G^T, A = G B:
///
///     u_j - sum_i X_ji y_i - B gamma_j = f1_j     y_j + B mu_j = f2_j     G u_i = f3_i     G y_i = f4_i
///
/// (B gamma_j and B mu_j for j < r only), hence
///
///     A mu_i = G f2_i - f4_i,    y_j = f2_j - B mu_j,    w_j = f1_j + sum_i X_ji y_i,
///     A gamma_i = f3_i - G w_i,  u_j = w_j + B gamma_j
///
/// One m x m Cholesky factorisation, 4 solves with M a stage; no second derivative of U or g.

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

/// G is taken in the middle of the step, at q0 + h u_0/2, where its rows differ least from those at both ends.
class FrozenGglInverse final : public ApproximateInverse {
 public:
  FrozenGglInverse(const System& system, const Matrix& X, Index r)
      : system_(&system), gram_(system, true, true), X_(X), n_(system.n()), m_(system.m()), s_(X.rows()), r_(r) {
    for (Vector* v : {&q_, &w_, &kick_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
  }
  bool update(const ConstVectorRef& x) override {
    q_ = z0_->q.value() + 0.5 * h_ * x.head(n_);
    return gram_.update_near(z0_->t, z0_->q.value(), z0_->t + 0.5 * h_, q_);
  }

  void solve(const ConstVectorRef& f, VectorRef d) override {
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

 private:
  const System* system_;
  ConstraintGram gram_;
  Matrix X_;
  Index n_, m_, s_, r_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector q_, w_, kick_, multiplier_;
};

}  // namespace gnomon::kernels
