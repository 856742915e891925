#pragma once
/// \file
/// LU factors by KLU: Davis and Palamadai Natarajan, Algorithm 907, ACM Trans. Math. Softw. 37 (2010), by its own
/// interface.
///
/// Symbolic analysis once. The pivot order of one factorisation is kept by klu_refactor, which allocates nothing; every
/// solution is checked against the matrix, |f - J d| <= 1e-10 (|J| |d| + |f|) in the largest norms, and where the kept
/// order has become a bad one the matrix is factorised anew. (klu_factor at each first set-up of a step, as KLU's
/// manual has it, would allocate in every step and change the order nearly never.) The matrix with which the order was
/// found is kept too: a checkpoint finds the order again with it.
///
/// Columns are ordered by AMD, or by COLAMD where that takes less than half of the operations: AMD expects pivots on
/// the diagonal, and where many constraints meet, in a net of rods that starts flat and at rest, most of them are
/// elsewhere. The factors by COLAMD have a bound that holds for every choice of pivots: large systems are ordered by it
/// alone.

#include <klu.h>

#include <vector>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/sparsity.hpp"

namespace gnomon::kernels {

class KluFactors {
 public:
  KluFactors() { klu_defaults(&common_); }
  ~KluFactors();
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  /// Row-compressed J is column-compressed J^T: KLU factorises the transpose, and klu_tsolve solves with J. The pattern
  /// outlives this object. Throws Error(refused).
  void attach(const SparsityPattern& pattern);
  /// values stay as they are until the next factor. False where singular: see singular_row.
  bool factor(const ConstVectorRef& values);
  Index singular_row() const { return singular_row_; }

  /// False where not finite, or where the factorisation that it needed anew failed.
  bool solve(VectorRef x);
  /// KLU scales the rows before it pivots.
  double pivot_ratio() const;
  /// The pivot order, by the values that it was found with.
  void serialize(Archive& archive);

  Index nonzeros() const { return numeric_ ? numeric_->lnz + numeric_->unz : 0; }

 private:
  enum Order { amd = 0, colamd = 1 };  // the numbers of klu_common::ordering

  double* data() const { return const_cast<double*>(values_); }
  void analyse(Order order);
  klu_numeric* factored(Order order);
  double operations(Order order, klu_numeric* numeric);
  bool refactor();
  /// The factors are those of klu_refactor even here: a function of the order and the values, whichever of the two a
  /// run that goes on from a checkpoint calls.
  bool factor_anew();
  /// A function of the matrix alone, as what a checkpoint brings back has to be.
  void compare_orders();
  void back_substitute(VectorRef x);
  bool good(const ConstVectorRef& x);

  const SparsityPattern* pattern_ = nullptr;
  std::vector<int> offsets_, indices_;
  klu_common common_;
  klu_symbolic* symbolic_[2] = {nullptr, nullptr};
  Order order_ = amd;
  klu_numeric* numeric_ = nullptr;
  const double* values_ = nullptr;
  double norm_ = 0;
  Index singular_row_ = 0;
  bool fresh_ = false;
  Vector right_, rest_, ordering_values_;
};

}  // namespace gnomon::kernels
