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
/// The error of this matrix is of the order of h times the angular velocities. It takes one m x m Cholesky
/// factorisation a stage.

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
    for (Vector* v : {&force_, &jump_}) v->setZero(n_);
    multiplier_.setZero(m_);
  }

  bool is_leading() const override { return true; }
  bool update(const ConstVectorRef& x) override {
    for (Index i = 0; i < rk_.stages; ++i)
      if (!gram(i).update(rows_->time(i), rows_->position(x, i))) return false;
    return true;
  }

  void solve(const ConstVectorRef& f, VectorRef d) override {
    const Index s = rk_.stages, slope = constant_mass ? 0 : s * n_;
    for (Index i = 0; i < s; ++i) {
      const Index at = slope + i * n_, lambda = slope + s * n_ + i * m_;
      force_ = f.segment(at, n_);
      gram(i).solve_saddle(force_, f.segment(lambda, m_), jump_, multiplier_);
      d.segment(lambda, m_) = multiplier_;
      if (constant_mass) {
        d.segment(at, n_) = jump_;
      } else {
        multiply_transposed(system_->constraint_pattern(), gram(i).jacobian(), multiplier_, jump_);
        d.segment(at, n_) = force_ - jump_;
      }
    }
    if (constant_mass) return;
    for (Index i = 0; i < s; ++i) {
      force_.setZero();
      for (Index j = 0; j < s; ++j) force_ += (rows_->step() * rk_.a(i, j)) * d.segment(slope + j * n_, n_);
      gram(i).weigh(force_, jump_);
      d.segment(i * n_, n_) = f.segment(i * n_, n_) + jump_;
    }
  }

 private:
  ConstraintGram& gram(Index stage) { return grams_[static_cast<std::size_t>(stage)]; }

  const System* system_;
  RkStageRows<Inertia>* rows_;
  RkTableau rk_;
  Index n_, m_;
  std::vector<ConstraintGram> grams_;
  Vector force_, jump_, multiplier_;
};

}  // namespace gnomon::kernels
