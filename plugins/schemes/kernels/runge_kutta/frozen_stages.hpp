#pragma once
/// \file
/// The approximate inverse of stages of index 1 with a constant mass (rk_stages.hpp): their Newton matrix to leading
/// order in h, with one G for the whole step,
///
///     M W_i + G^T Lambda_i = f_i,    G W_i = g_i
///
/// hence, with A = G M^-1 G^T,
///
///     A Lambda_i = G M^-1 f_i - g_i,    W_i = M^-1 (f_i - G^T Lambda_i)

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

/// G is taken at q0 + h v0/2.
class FrozenStages final : public ApproximateInverse {
 public:
  FrozenStages(const System& system, Index stages)
      : system_(&system), gram_(system, true, true), n_(system.n()), m_(system.m()), stages_(stages) {
    for (Vector* v : {&q_, &force_, &kick_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  void begin(const State& z0, const Vector& v0, double h) {
    z0_ = &z0;
    t_ = z0.t + 0.5 * h;
    q_ = z0.q.value() + 0.5 * h * v0;
  }
  bool update(const ConstVectorRef&) override { return gram_.update_near(z0_->t, z0_->q.value(), t_, q_); }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    for (Index i = 0; i < stages_; ++i) {
      const Index lambda = stages_ * n_ + i * m_;
      force_ = f.segment(i * n_, n_);
      system_->mass().solve(force_, kick_);
      d.segment(i * n_, n_) = kick_;
      if (m_ == 0) continue;
      gram_.times(kick_, multiplier_);
      multiplier_ -= f.segment(lambda, m_);
      gram_.solve(multiplier_);
      d.segment(lambda, m_) = multiplier_;
      gram_.velocity(multiplier_, kick_);
      d.segment(i * n_, n_) -= kick_;
    }
  }

 private:
  const System* system_;
  ConstraintGram gram_;
  Index n_, m_, stages_;
  const State* z0_ = nullptr;
  double t_ = 0;
  Vector q_, force_, kick_, multiplier_;
};

}  // namespace gnomon::kernels
