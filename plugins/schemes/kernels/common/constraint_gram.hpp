#pragma once
/// \file
/// A = G W^-1 G^T at one configuration (m x m, symmetric, positive definite where G has full rank), with W = M, a
/// constant mass or M(q), or W = 1: a banded Cholesky factorisation in the order of the constraints, O(m b^2) for
/// bandwidth b, which is one or two for chains of a diagonal mass, and no allocation.
///
/// Where constraints may repeat others and a pivot is small, the largest pivots go first (pivoted_cholesky.hpp), of up
/// to 200 constraints: rows of G that the others span are left out. Of the solutions of A x = b, b in the range of A,
/// that is one with x_i = 0 in these rows; G^T x is the same for all of them. Off the manifold g = 0 rows that repeat
/// others on it do not quite do so, and what is left of them is no constraint: update_near takes the rank from a point
/// on it.

#include <optional>

#include "gnomon/model/system.hpp"
#include "kernels/common/pivoted_cholesky.hpp"

namespace gnomon::kernels {

class ConstraintGram {
 public:
  /// mass_metric: W = M; may_repeat: rows of G that repeat others are left out.
  explicit ConstraintGram(const System& system, bool mass_metric = true, bool may_repeat = false);

  /// G and the factor of A at q. False where A is not positive definite, G has lost rank, unless rows may repeat
  /// others.
  bool update(double t, const ConstVectorRef& q);
  /// The same at a q that is not on the manifold, with the rank that G has at q_on, which is.
  bool update_near(double t_on, const ConstVectorRef& q_on, double t, const ConstVectorRef& q);
  /// The same where the rank on the manifold is known.
  bool update_with_rank(Index rank, double t, const ConstVectorRef& q);

  Index rank() const { return rank_; }
  /// Whether no row was left out.
  bool full_rank() const { return rank_ == m_; }
  /// G at the q of update, on System::constraint_pattern().
  const Vector& jacobian() const { return g_values_; }
  /// out = G v
  void times(const ConstVectorRef& v, VectorRef out) const;
  /// out = W^-1 G^T lambda
  void velocity(const ConstVectorRef& lambda, VectorRef out);
  /// x = A^-1 x
  void solve(VectorRef x) const;

 private:
  /// G and A at q, A in factor_.
  void evaluate(double t, const ConstVectorRef& q);
  static bool share_column(const SparsityPattern& g, Index i, Index j);
  double row_dot(const SparsityPattern& g, Index i, const Vector& x) const;
  /// solved = W^-1 G_i^T; for a diagonal W only where G_i is not zero, so that a row costs no more than its entries.
  void scaled_row(const SparsityPattern& g, Index i);
  /// out = W^-1 p, T_p for W = M
  void weigh(const Vector& p, VectorRef out);
  /// False at a pivot below `least` of A_ii.
  bool factorise(double least);
  bool factorise_pivoted(Index most);

  static constexpr Index largest_dense = 200;

  const System* system_;
  bool mass_metric_;
  Index m_, width_ = 0, rank_ = 0;
  bool diagonal_ = false, use_pivoted_ = false;
  Matrix factor_, gram_;
  std::optional<PivotedCholesky> pivoted_;
  Vector row_, solved_, q_, scratch_, g_values_;
};

}  // namespace gnomon::kernels
