#pragma once
/// \file
/// P A P^T = L D L^T of a sparse symmetric positive definite matrix of one pattern: analysed once, no allocation
/// afterwards.

#include <memory>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// Unknowns in the order of least degree (AMD), L by rows: row k solves L_<k D_<k l_k = a_k for the rows above it,
/// with the columns of L that reach it. Operations: the squares of the lengths of the columns of L. Copies share the
/// analysis. Source: Davis, Algorithm 849, ACM Trans. Math. Softw. 31 (2005) 587.
class GNOMON_EXPORT SparseCholesky {
 public:
  SparseCholesky() = default;
  /// Entries above the diagonal are not looked at. Those of the diagonal are all in the pattern. Throws Error(refused)
  /// for factors of more than 2^31 entries.
  explicit SparseCholesky(const SparsityPattern& pattern);

  /// values: on the pattern. False where a pivot is not above `least_pivot` times A_kk: then there are no factors.
  bool factorise(const ConstVectorRef& values, double least_pivot = 0);
  /// x <- A^-1 x
  void solve(VectorRef x);
  /// Entries of L below its diagonal
  Index nonzeros() const { return l_.size(); }

 private:
  struct Analysis;

  std::shared_ptr<const Analysis> analysis_;
  Vector l_, pivots_, work_;
};

}  // namespace gnomon
