#pragma once
/// \file
/// A = G W^-1 G^T at one configuration (m x m, symmetric, positive definite where G has full rank), with W = M, a
/// constant mass or M(q), or W = 1: a banded Cholesky factorisation in the order of the constraints, O(m b^2) for
/// bandwidth b, which is one or two for chains of a diagonal mass, and no allocation.
///
/// Where constraints may repeat others and a pivot is small, the largest pivots go first (pivoted_cholesky.hpp), of up to
/// 200 constraints: rows of G that the others span are left out. Of the solutions of A x = b, b in the range of A, that
/// is one with x_i = 0 in these rows; G^T x is the same for all of them. Off the manifold g = 0 rows that repeat others on
/// it do not quite do so, and what is left of them is no constraint: update_near takes the rank from a point on it.

#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/model/system.hpp"
#include "kernels/common/pivoted_cholesky.hpp"

namespace gnomon::kernels {

class ConstraintGram {
 public:
  /// mass_metric: W = M; may_repeat: rows of G that repeat others are left out.
  explicit ConstraintGram(const System& system, bool mass_metric = true, bool may_repeat = false)
      : system_(&system), mass_metric_(mass_metric), m_(system.m()) {
    const SparsityPattern& g = system.constraint_pattern();
    diagonal_ = !mass_metric || (!system.parts().mass && system.mass().is_diagonal());
    for (Index i = 0; i < m_; ++i)
      for (Index j = 0; j < i; ++j)
        if (!diagonal_ || share_column(g, i, j)) width_ = std::max(width_, i - j);
    for (Vector* v : {&row_, &solved_, &q_, &scratch_}) v->setZero(system.n());
    g_values_.setZero(g.nonzeros());
    factor_.setZero(width_ + 1, m_);
    if (!may_repeat || m_ < 2 || m_ > largest_dense) return;
    gram_ = factor_;
    pivoted_.emplace(m_);
  }

  /// G and the factor of A at q. False where A is not positive definite, G has lost rank, unless rows may repeat others.
  bool update(double t, const ConstVectorRef& q) {
    evaluate(t, q);
    if (!pivoted_) return factorise(1e-14);
    gram_ = factor_;
    return factorise(1e-8) || factorise_pivoted(m_);
  }
  /// The same at a q that is not on the manifold, with the rank that G has at q_on, which is.
  bool update_near(double t_on, const ConstVectorRef& q_on, double t, const ConstVectorRef& q) {
    evaluate(t, q);
    if (!pivoted_) return factorise(1e-14);
    gram_ = factor_;
    constexpr double no_doubt = 1e-3;
    if (factorise(no_doubt)) return true;
    const bool known = update(t_on, q_on);
    const Index rank = rank_;
    evaluate(t, q);
    gram_ = factor_;
    return known && factorise_pivoted(rank);
  }
  /// The same where the rank on the manifold is known.
  bool update_with_rank(Index rank, double t, const ConstVectorRef& q) {
    if (rank == m_ || !pivoted_) return update(t, q);
    evaluate(t, q);
    gram_ = factor_;
    return factorise_pivoted(rank);
  }

  Index rank() const { return rank_; }
  /// Whether no row was left out.
  bool full_rank() const { return rank_ == m_; }
  /// G at the q of update, on System::constraint_pattern().
  const Vector& jacobian() const { return g_values_; }
  /// out = G v
  void times(const ConstVectorRef& v, VectorRef out) const {
    multiply(system_->constraint_pattern(), g_values_, v, out);
  }
  /// out = W^-1 G^T lambda
  void velocity(const ConstVectorRef& lambda, VectorRef out) {
    multiply_transposed(system_->constraint_pattern(), g_values_, lambda, row_);
    weigh(row_, out);
  }
  /// x = A^-1 x
  void solve(VectorRef x) const {
    if (use_pivoted_) return pivoted_->solve(x);
    for (Index i = 0; i < m_; ++i) {
      for (Index j = std::max<Index>(0, i - width_); j < i; ++j) x[i] -= factor_(i - j, i) * x[j];
      x[i] /= factor_(0, i);
    }
    for (Index i = m_ - 1; i >= 0; --i) {
      x[i] /= factor_(0, i);
      for (Index j = std::max<Index>(0, i - width_); j < i; ++j) x[j] -= factor_(i - j, i) * x[i];
    }
  }

 private:
  /// G and A at q, A in factor_.
  void evaluate(double t, const ConstVectorRef& q) {
    const SparsityPattern& g = system_->constraint_pattern();
    q_ = q;
    system_->constraint_jacobian(t, q, g_values_);
    // Row i of A up to the diagonal: factor(i - j, i) = A_ij.
    for (Index i = 0; i < m_; ++i) {
      scaled_row(g, i);
      for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) factor_(i - j, i) = row_dot(g, j, solved_);
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) solved_[g.indices[at(k)]] = 0;
    }
    rank_ = m_;
    use_pivoted_ = false;
  }
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  static bool share_column(const SparsityPattern& g, Index i, Index j) {
    for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k)
      if (g.find(j, g.indices[at(k)]) >= 0) return true;
    return false;
  }
  double row_dot(const SparsityPattern& g, Index i, const Vector& x) const {
    double sum = 0;
    for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) sum += g_values_[k] * x[g.indices[at(k)]];
    return sum;
  }
  /// solved = W^-1 G_i^T; for a diagonal W only where G_i is not zero, so that a row costs no more than its entries.
  void scaled_row(const SparsityPattern& g, Index i) {
    if (!diagonal_) row_.setZero();
    for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) {
      const Index c = g.indices[at(k)];
      if (diagonal_)
        solved_[c] = mass_metric_ ? g_values_[k] / system_->mass().diagonal_entries()[c] : g_values_[k];
      else
        row_[c] = g_values_[k];
    }
    if (!diagonal_) weigh(row_, solved_);
  }
  /// out = W^-1 p, T_p for W = M
  void weigh(const Vector& p, VectorRef out) {
    if (mass_metric_)
      system_->velocity(q_, p, scratch_, out);
    else
      out = p;
  }
  /// False at a pivot below `least` of A_ii.
  bool factorise(double least) {
    for (Index i = 0; i < m_; ++i) {
      const double before = factor_(0, i);
      for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) {
        double sum = factor_(i - j, i);
        for (Index k = std::max<Index>(0, i - width_); k < j; ++k)
          if (j - k <= width_) sum -= factor_(i - k, i) * factor_(j - k, j);
        if (j < i)
          factor_(i - j, i) = sum / factor_(0, j);
        else if (sum > least * before)
          factor_(0, i) = std::sqrt(sum);
        else
          return false;
      }
    }
    return true;
  }
  bool factorise_pivoted(Index most) {
    Matrix& a = pivoted_->matrix();
    a.setZero();
    for (Index i = 0; i < m_; ++i)
      for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) a(i, j) = gram_(i - j, i);
    rank_ = pivoted_->factorise(most);
    use_pivoted_ = rank_ > 0;
    return use_pivoted_;
  }

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
