#pragma once
/// \file
/// Cholesky's factorisation of a dense symmetric matrix A >= 0 that may be singular, of unit diagonal after scaling, with
/// the largest pivot first: P D A D P^T = L L^T, D = diag(A)^-1/2, as far as the pivots are above rounding. The rows that
/// are left, which the others span, are left out: of the solutions of A x = b, b in the range of A, solve() gives the one
/// with x_i = 0 in these. No allocation after the constructor. Source: Higham, Accuracy and Stability of Numerical
/// Algorithms, section 10.3.

#include <algorithm>
#include <cmath>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

class PivotedCholesky {
 public:
  explicit PivotedCholesky(Index size) : order_(static_cast<std::size_t>(size)) {
    a_.setZero(size, size);
    scale_.setZero(size);
    x_.setZero(size);
  }

  /// A, of which the lower triangle is read and overwritten.
  Matrix& matrix() { return a_; }

  /// The rank of A, or `most` where that is less: no more pivots are taken. -1 where A is not finite.
  Index factorise(Index most) {
    constexpr double rounding = 1e-13;
    const Index size = a_.rows();
    for (Index i = 0; i < size; ++i) {
      order_[at(i)] = i;
      if (!std::isfinite(a_(i, i))) return -1;
      scale_[i] = a_(i, i) > 0 ? 1 / std::sqrt(a_(i, i)) : 0;
    }
    for (Index j = 0; j < size; ++j)
      for (Index i = j; i < size; ++i) {
        a_(i, j) *= scale_[i] * scale_[j];
        a_(j, i) = a_(i, j);
      }
    for (rank_ = 0; rank_ < std::min(size, most); ++rank_) {
      const Index k = rank_;
      Index largest = k;
      for (Index i = k; i < size; ++i)
        if (a_(i, i) > a_(largest, largest)) largest = i;
      if (!(a_(largest, largest) > rounding)) break;
      a_.row(k).swap(a_.row(largest));
      a_.col(k).swap(a_.col(largest));
      std::swap(order_[at(k)], order_[at(largest)]);
      const double pivot = std::sqrt(a_(k, k));
      a_(k, k) = pivot;
      for (Index i = k + 1; i < size; ++i) a_(i, k) /= pivot;
      for (Index j = k + 1; j < size; ++j)
        for (Index i = k + 1; i < size; ++i) a_(i, j) -= a_(i, k) * a_(j, k);
    }
    return rank_;
  }

  /// x <- A^-1 x
  void solve(VectorRef x) const {
    for (Index i = 0; i < rank_; ++i) {
      double sum = scale_[order_[at(i)]] * x[order_[at(i)]];
      for (Index j = 0; j < i; ++j) sum -= a_(i, j) * x_[j];
      x_[i] = sum / a_(i, i);
    }
    for (Index i = rank_ - 1; i >= 0; --i) {
      for (Index j = i + 1; j < rank_; ++j) x_[i] -= a_(j, i) * x_[j];
      x_[i] /= a_(i, i);
    }
    x.setZero();
    for (Index i = 0; i < rank_; ++i) x[order_[at(i)]] = scale_[order_[at(i)]] * x_[i];
  }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  Matrix a_;
  Vector scale_;
  std::vector<Index> order_;
  Index rank_ = 0;
  mutable Vector x_;
};

}  // namespace gnomon::kernels
