#pragma once
/// \file
/// The approximate inverse of GeneralLineIntegralEquations with BothLevels: their Newton matrix to leading order in h,
/// with one G and one M for the whole step, as kernels/ggl/frozen_ggl_inverse.hpp for a constant mass. Unknowns x =
/// [u_j | pi_j | lambda_i | gamma_i], j < s, i < r <= s, A = G M^-1 G^T:
///
///     u_j - M^-1 (sum_i X_ji pi_i + G^T gamma_j) = f1_j        pi_j + h G^T lambda_j = f2_j
///     h G u_0 = f3_0,   G u_i = f3_i                           G M^-1 pi_i = f4_i
///
/// (G^T gamma_j and G^T lambda_j for j < r only), hence
///
///     A h lambda_i = G M^-1 f2_i - f4_i,    pi_j = f2_j - h G^T lambda_j,    w_j = f1_j + M^-1 sum_i X_ji pi_i,
///     A gamma_i = f3_i - G w_i  (f3_0/h),   u_j = w_j + M^-1 G^T gamma_j
///
/// It neglects what M(q) adds to the forces, which is of the order of h times the velocity.

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

/// G and M are taken in the middle of the step, at q0 + h u_0/2.
class FrozenGeneralInverse final : public ApproximateInverse {
 public:
  FrozenGeneralInverse(const System& system, const Matrix& X, Index r)
      : system_(&system), gram_(system, true, true), X_(X), n_(system.n()), m_(system.m()), s_(X.rows()), r_(r) {
    for (Vector* v : {&q_, &w_, &kick_, &scratch_}) v->setZero(n_);
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

 private:
  const System* system_;
  ConstraintGram gram_;
  Matrix X_;
  Index n_, m_, s_, r_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector q_, w_, kick_, scratch_, multiplier_;
};

}  // namespace gnomon::kernels
