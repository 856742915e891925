#pragma once
/// \file
/// P A P^T = L D L^T of a sparse symmetric positive definite matrix of one pattern: analysed once, no allocation
/// afterwards.

#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// Unknowns in the order of least degree (AMD), L by rows: row k solves L_<k D_<k l_k = a_k for the rows above it,
/// with the columns of L that reach it. Operations: the squares of the lengths of the columns of L. Source: Davis,
/// Algorithm 849, ACM Trans. Math. Softw. 31 (2005) 587.
class GNOMON_EXPORT SparseCholesky {
 public:
  SparseCholesky() = default;
  /// Entries above the diagonal are not looked at. Those of the diagonal are all in the pattern. Throws Error(refused)
  /// for factors of more than 2^31 entries.
  explicit SparseCholesky(const SparsityPattern& pattern);

  /// values: on the pattern. False where a pivot is not above `least_pivot` times A_kk: then there are no factors.
  bool factorise(const ConstVectorRef& values, double least_pivot = 0);
  /// x <- A^-1 x
  void solve(VectorRef x) const;
  /// Entries of L below its diagonal
  Index nonzeros() const { return static_cast<Index>(rows_.size()); }

 private:
  /// Columns of L, or rows of it or of A.
  using Offsets = std::vector<Index>;

  void order(const SparsityPattern& pattern);
  void place_entries(const SparsityPattern& pattern);
  void analyse();

  std::vector<int> places_, unknowns_;  // unknown -> its pivot, and back
  // The lower half of P A P^T: of row k the columns before k and where their values are.
  Offsets of_a_;
  std::vector<int> a_columns_, a_positions_, a_diagonal_;
  // L: of column j the rows after it, and of row k the columns before it with their positions among the former.
  Offsets of_columns_, of_rows_;
  std::vector<int> rows_, columns_, positions_;
  Vector l_, pivots_;
  mutable Vector work_;
};

}  // namespace gnomon
