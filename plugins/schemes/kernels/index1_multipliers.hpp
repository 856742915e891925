#pragma once
/// \file
/// The multipliers that belong to a consistent state (q, v):
///
///     A lambda = v^T (Hess g) v - G M^-1 grad U,    A = G M^-1 G^T
///
/// by a banded Cholesky factorisation of A in the order of the constraints: O(m b^2) for bandwidth b, which is one or
/// two for chains, and no allocation. (Constant mass, nothing that depends on time, no force.)

#include <algorithm>
#include <cmath>

#include "gnomon/system.hpp"

namespace gnomon::kernels {

class Index1Multipliers {
 public:
  explicit Index1Multipliers(const System& system) : system_(&system), m_(system.m()) {
    const SparsityPattern& g = system.constraint_pattern();
    const bool diagonal = system.mass().is_diagonal();
    for (Index i = 0; i < m_; ++i)
      for (Index j = 0; j < i; ++j)
        if (!diagonal || share_column(g, i, j)) width_ = std::max(width_, i - j);
    for (Vector* v : {&v_, &force_, &row_, &solved_}) v->setZero(system.n());
    g_values_.setZero(g.nonzeros());
    bias_.setZero(m_);
    factor_.setZero(width_ + 1, m_);
  }

  /// False, with lambda untouched, where A is not positive definite: G has lost rank.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda) {
    if (m_ == 0) return true;
    const SparsityPattern& g = system_->constraint_pattern();
    system_->mass().solve(p, v_);
    system_->constraint_jacobian(t, q, g_values_);
    system_->constraint_bias(t, q, v_, bias_);
    system_->potential_gradient(t, q, row_);
    system_->mass().solve(row_, force_);
    for (Index i = 0; i < m_; ++i) bias_[i] -= row_dot(g, i, force_);
    // Row i of A up to the diagonal: factor(i - j, i) = A_ij.
    for (Index i = 0; i < m_; ++i) {
      scaled_row(g, i);
      for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) factor_(i - j, i) = row_dot(g, j, solved_);
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) solved_[g.indices[k]] = 0;
    }
    if (!factorise()) return false;
    for (Index i = 0; i < m_; ++i) {
      for (Index j = std::max<Index>(0, i - width_); j < i; ++j) bias_[i] -= factor_(i - j, i) * bias_[j];
      bias_[i] /= factor_(0, i);
    }
    for (Index i = m_ - 1; i >= 0; --i) {
      bias_[i] /= factor_(0, i);
      for (Index j = std::max<Index>(0, i - width_); j < i; ++j) bias_[j] -= factor_(i - j, i) * bias_[i];
    }
    lambda = bias_;
    return true;
  }

 private:
  static bool share_column(const SparsityPattern& g, Index i, Index j) {
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
      if (g.find(j, g.indices[k]) >= 0) return true;
    return false;
  }
  double row_dot(const SparsityPattern& g, Index i, const Vector& x) const {
    double sum = 0;
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) sum += g_values_[k] * x[g.indices[k]];
    return sum;
  }
  /// solved = M^-1 G_i^T; for a diagonal mass only where G_i is not zero, so that a row costs no more than its entries.
  void scaled_row(const SparsityPattern& g, Index i) {
    const bool diagonal = system_->mass().is_diagonal();
    if (!diagonal) row_.setZero();
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
      const Index c = g.indices[k];
      if (diagonal)
        solved_[c] = g_values_[k] / system_->mass().diagonal_entries()[c];
      else
        row_[c] = g_values_[k];
    }
    if (!diagonal) system_->mass().solve(row_, solved_);
  }
  bool factorise() {
    for (Index i = 0; i < m_; ++i) {
      const double before = factor_(0, i);
      for (Index j = std::max<Index>(0, i - width_); j <= i; ++j) {
        double sum = factor_(i - j, i);
        for (Index k = std::max<Index>(0, i - width_); k < j; ++k)
          if (j - k <= width_) sum -= factor_(i - k, i) * factor_(j - k, j);
        if (j < i)
          factor_(i - j, i) = sum / factor_(0, j);
        else if (sum > 1e-14 * before)
          factor_(0, i) = std::sqrt(sum);
        else
          return false;
      }
    }
    return true;
  }

  const System* system_;
  Index m_, width_ = 0;
  Matrix factor_;
  Vector v_, force_, row_, solved_, g_values_, bias_;
};

}  // namespace gnomon::kernels
