#pragma once
/// \file
/// How near G is to losing rank: the condition number of G W^-1/2, W = diag M, rows scaled to length one, estimated by
/// the pivots D of (G W^-1 G^T) = L D L^T, sqrt(max D / min D). Allocates nothing after the constructor for at most 200
/// constraints; of larger systems it takes constraint_rank, which does.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "gnomon/start/consistency.hpp"

namespace gnomon {

class RankCondition {
 public:
  explicit RankCondition(const System& system)
      : system_(&system), factors_(system.m() <= largest_dense ? system.m() : 0) {
    values_.setZero(system.constraint_pattern().nonzeros());
    if (system.m() == 0 || system.m() > largest_dense) return;
    row_.setZero(system.n());
    gram_.setZero(system.m(), system.m());
  }

  /// Whether at() is the estimate; else it is what constraint_rank finds.
  bool estimates() const { return system_->m() <= largest_dense; }
  /// Coordinates behind the given ones are zero. 1 without constraints and where the model cannot be evaluated;
  /// infinite where the rank is deficient to rounding.
  double at(double t, const Vector& given) try {
    if (system_->m() == 0) return 1;
    Vector& q = position_;
    q.setZero(system_->n());
    q.head(given.size()) = given;
    if (gram_.size() == 0) {
      const ConstraintRank rank = constraint_rank(*system_, t, q);
      return rank.rank < system_->m() ? std::numeric_limits<double>::infinity() : rank.condition;
    }
    system_->constraint_jacobian(t, q, values_);
    set_gram();
    factors_.compute(gram_);
    const auto pivots = factors_.vectorD();
    const double ratio = pivots.maxCoeff() / pivots.minCoeff();
    return ratio >= 1 && ratio < 1e20 ? std::sqrt(ratio) : std::numeric_limits<double>::infinity();
  } catch (...) {
    return 1;
  }

  /// The condition where `repeats` constraints repeat others, and the combination of rows, of length one, that is
  /// nearest to zero besides those. Where at() is the estimate; allocates.
  struct Weakest {
    double condition = 1;
    Vector rows;
  };
  Weakest weakest(double t, const Vector& q, Index repeats) {
    system_->constraint_jacobian(t, q, values_);
    set_gram();
    const Eigen::SelfAdjointEigenSolver<Matrix> parts(gram_);
    const Vector& sizes = parts.eigenvalues();
    const double least = std::max(sizes[repeats], 0.0);
    return {std::sqrt(sizes[sizes.size() - 1] / least), parts.eigenvectors().col(repeats)};
  }

 private:
  static constexpr Index largest_dense = 200;

  void set_gram() {
    const SparsityPattern& g = system_->constraint_pattern();
    const Vector& mass = system_->mass().diagonal_entries();
    for (Index i = 0; i < g.rows; ++i) {
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) row_[g.indices[k]] = values_[k] / mass[g.indices[k]];
      for (Index j = 0; j < g.rows; ++j) {
        double sum = 0;
        for (Index k = g.offsets[j]; k < g.offsets[j + 1]; ++k) sum += values_[k] * row_[g.indices[k]];
        gram_(i, j) = sum;
      }
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) row_[g.indices[k]] = 0;
    }
    for (Index i = 0; i < g.rows; ++i) row_scale_of(i);
  }
  /// Row and column i divided by the length of row i; A_ii is one then.
  void row_scale_of(Index i) {
    const double length = std::sqrt(gram_(i, i));
    gram_.row(i) /= length;
    gram_.col(i) /= length;
  }

  const System* system_;
  Vector values_, row_, position_;
  Matrix gram_;
  Eigen::LDLT<Matrix> factors_;
};

}  // namespace gnomon
