#pragma once
/// \file
/// P A = L U with partial pivoting, of a matrix of a few dozen rows that is set and factorised in every step: rows lie
/// together, and nothing allocates after resize().

#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class SmallLu {
 public:
  void resize(Index size);
  /// A, before factorise().
  RowMatrix& matrix() { return a_; }

  /// False where a pivot is zero or not finite.
  bool factorise();
  /// x <- A^-1 x
  void solve(double* x) const;
  double pivot_ratio() const { return pivot_ratio_; }

 private:
  double* row(Index i) { return a_.data() + i * size_; }
  double dot(Index i, Index from, Index to, const double* x) const;

  Index size_ = 0;
  RowMatrix a_;
  std::vector<Index> order_;
  double pivot_ratio_ = 1;
};

}  // namespace gnomon::kernels
