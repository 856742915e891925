#pragma once
/// \file
/// The approximate inverse of the stages of rk_stages.hpp, index 1: their Newton matrix to leading order in h, with G
/// and M of each stage at a given x. With A_i = G_i M^-1 G_i^T,
///
///     M W_i + G_i^T Lambda_i = f_i,    G_i W_i = g_i
///     A_i Lambda_i = G_i M^-1 f_i - g_i,    W_i = M^-1 (f_i - G_i^T Lambda_i)
///
/// and with M(q)
///
///     V_i - M^-1 h sum_j a_ij P'_j = k_i,   P'_i + G_i^T Lambda_i = f_i,   G_i M^-1 P'_i = g_i
///     A_i Lambda_i = G_i M^-1 f_i - g_i,   P'_i = f_i - G_i^T Lambda_i,   V_i = k_i + M^-1 h sum_j a_ij P'_j
///
/// What it neglects is of the order of h times the angular velocities. One m x m Cholesky factorisation a stage.

#include <memory>
#include <vector>

#include "gnomon/scheme/equations.hpp"
#include "kernels/common/constraint_gram.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"

namespace gnomon::kernels {

template <class Inertia>
class RkStageRows;

template <class Inertia>
class StageInverse final : public ApproximateInverse {
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  StageInverse(const System& system, const RkTableau& rk, RkStageRows<Inertia>& rows)
      : system_(&system),
        rows_(&rows),
        rk_(rk),
        n_(system.n()),
        m_(system.m()),
        grams_(static_cast<std::size_t>(rk.stages), ConstraintGram(system)) {
    q_.setZero(n_, rk.stages);
    for (Vector* v : {&force_, &jump_, &scratch_, &at_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  bool is_leading() const override { return true; }
  bool update(const ConstVectorRef& x) override {
    for (Index i = 0; i < rk_.stages; ++i) {
      q_.col(i) = rows_->position(x, i);
      if (m_ > 0 && !gram(i).update(rows_->time(i), q_.col(i))) return false;
    }
    return true;
  }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    const Index s = rk_.stages, slope = constant_mass ? 0 : s * n_;
    for (Index i = 0; i < s; ++i) {
      const Index at = slope + i * n_, lambda = slope + s * n_ + i * m_;
      force_ = f.segment(at, n_);
      velocity(i);
      d.segment(at, n_) = constant_mass ? jump_ : force_;
      if (m_ == 0) continue;
      gram(i).times(jump_, multiplier_);
      multiplier_ -= f.segment(lambda, m_);
      gram(i).solve(multiplier_);
      d.segment(lambda, m_) = multiplier_;
      if (constant_mass)
        gram(i).velocity(multiplier_, jump_);
      else
        multiply_transposed(system_->constraint_pattern(), gram(i).jacobian(), multiplier_, jump_);
      d.segment(at, n_) -= jump_;
    }
    if (constant_mass) return;
    for (Index i = 0; i < s; ++i) {
      force_.setZero();
      for (Index j = 0; j < s; ++j) force_ += (rows_->step() * rk_.a(i, j)) * d.segment(slope + j * n_, n_);
      velocity(i);
      d.segment(i * n_, n_) = f.segment(i * n_, n_) + jump_;
    }
  }

 private:
  ConstraintGram& gram(Index stage) { return grams_[static_cast<std::size_t>(stage)]; }
  /// jump = M^-1 force
  void velocity(Index stage) {
    at_ = q_.col(stage);
    system_->velocity(at_, force_, scratch_, jump_);
  }

  const System* system_;
  RkStageRows<Inertia>* rows_;
  RkTableau rk_;
  Index n_, m_;
  std::vector<ConstraintGram> grams_;
  Matrix q_;
  Vector force_, jump_, scratch_, at_, multiplier_;
};

}  // namespace gnomon::kernels
