#pragma once
/// \file
/// The left null space of G where constraints repeat others. Private to the core.

#include <vector>

#include "gnomon/base/gram_cholesky.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

/// The left null space of G near a position where B, m x k, makes (G, B) regular: with the rows of G M^-1/2 and of B
/// divided by D = diag(A_ii)^1/2,
///
///     K = D^-1 (A + B B^T) D^-1,    Y = D^-1 K^-1 D^-1 B,
///
/// for K (K^-1 D^-1 B) = D^-1 B and D^-1 A y = 0 of y in the span of Y: K D y = D^-1 B (B^T y).
class LeftNullSpace {
 public:
  LeftNullSpace(const System& system, const SparsityPattern& border);

  /// G on its pattern and A_ii, with diag(M) for M.
  void evaluate(double t, const ConstVectorRef& q);
  /// D, after evaluate()
  const Vector& length() const { return length_; }
  /// An entry of D^-1 G M^-1/2 by its position in the pattern of G and its row, after evaluate()
  double scaled(Index row, Index e) const {
    return values_[e] * inverse_root_[system_->constraint_pattern().indices[e]] / length_[row];
  }
  /// D Y for B = border; false where (G, B) has lost rank. After evaluate().
  bool find(const Matrix& border);
  /// D Y, after find(), m x k.
  const Matrix& basis() const { return basis_; }
  /// Other columns of the same span, the unit matrix in the rows `dependent`. False where there are none.
  bool reduce(const std::vector<Index>& dependent);
  /// |M^-1/2 G^T y| / |D y|, y = D^-1 times the scaled column
  double misfit(const ConstVectorRef& scaled);

 private:
  const System* system_;
  Index m_;
  SparsityPattern border_;
  Vector values_, length_, inverse_mass_, inverse_root_, row_, wide_;
  Matrix basis_;
  GramCholesky factors_;
};

/// One column of Y whose entries lie in known rows, among which there is no other: as above, of these rows alone.
class NullVector {
 public:
  /// of: a column of `pattern`, that of Y
  NullVector(const SparsityPattern& g, const SparsityPattern& pattern, Index of);

  /// For this column of B = border; false where (G, B) has lost rank. After at.evaluate(). With one row of what this
  /// finds in the place of B it is found again, so that it does not depend on B.
  bool find(const LeftNullSpace& at, const Matrix& border);
  /// The column of D Y, of length one, after find().
  void write(Matrix& basis) const;

 private:
  static constexpr double large_part = 0.37;  // entries of equal size do not compete

  /// y <- D Y, of length one, from D^-1 B
  bool solve(const LeftNullSpace& at);

  const SparsityPattern* g_;
  Index of_;
  std::vector<Index> rows_;
  Vector wide_, y_;
  GramCholesky factors_;
};

/// Rows in place of `dependent`, those in which the columns y_j of a basis are the unit matrix, for which the same span
/// has columns with fewer entries. In place of row d_j a row i makes
///
///     y_j <- y_j / y_ij,    y_c <- y_c - y_ic y_j,    c != j,
///
/// and the row that takes most entries away is taken, column after column, as long as there is one. A chain of closed
/// loops ends with columns that do not leave their loop: of two loops that meet, a row of the joint between them would
/// couple all that follow. Rows of velocities, from `positions` on, are exchanged among themselves.
std::vector<Index> sparser_rows(Matrix y, std::vector<Index> dependent, Index positions);

/// Rows in which columns of the same span are the unit matrix: as many of velocities, from `positions` on, as there
/// are, so that the other columns are of positions alone.
std::vector<Index> dependent_rows(Matrix y, Index positions);

}  // namespace gnomon
