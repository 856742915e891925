#pragma once
/// \file
/// Cholesky factors of a symmetric product A = Y X^T of two sparse matrices, Y = X W: the pattern of A and the order of
/// its unknowns are found once, no allocation afterwards.

#include <memory>
#include <vector>

#include "gnomon/base/sparse_cholesky.hpp"

namespace gnomon {

class GNOMON_EXPORT GramCholesky {
 public:
  GramCholesky() = default;
  /// y and x: patterns of m rows and the same columns. Throws Error(refused) as SparseCholesky does.
  GramCholesky(const SparsityPattern& y, const SparsityPattern& x);

  /// A and its factors; false as SparseCholesky::factorise.
  bool factorise(const ConstVectorRef& y, const ConstVectorRef& x, double least_pivot = 0);
  /// x <- A^-1 x
  void solve(VectorRef x) { factors_.solve(x); }
  Index nonzeros() const { return factors_.nonzeros(); }

 private:
  struct Term {
    int y, x;  // positions among the values
  };
  struct Terms {
    std::vector<Index> offsets;  // of each entry of the lower half of A, row by row
    std::vector<Term> all;
  };
  std::shared_ptr<const Terms> terms_;  // copies share them
  Vector values_;
  SparseCholesky factors_;
};

}  // namespace gnomon
