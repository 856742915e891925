#pragma once
/// \file
/// Cholesky's factorisation of a dense symmetric matrix A >= 0 that may be singular, of unit diagonal after scaling,
/// with the largest pivot first: P D A D P^T = L L^T, D = diag(A)^-1/2, as far as the pivots are above rounding. The
/// rows that are left, which the others span, are left out: of the solutions of A x = b, b in the range of A, solve()
/// gives the one with x_i = 0 in these. No allocation after the constructor. Source: Higham, Accuracy and Stability of
/// Numerical Algorithms, section 10.3.

#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

class PivotedCholesky {
 public:
  explicit PivotedCholesky(Index size);

  /// A, of which the lower triangle is read and overwritten.
  Matrix& matrix() { return a_; }

  /// The rank of A, or `most` where that is less: no more pivots are taken. -1 where A is not finite.
  Index factorise(Index most);

  /// x <- A^-1 x
  void solve(VectorRef x) const;

 private:
  Matrix a_;
  Vector scale_;
  std::vector<Index> order_;
  Index rank_ = 0;
  mutable Vector x_;
};

}  // namespace gnomon::kernels
