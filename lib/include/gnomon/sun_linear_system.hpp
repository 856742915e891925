#pragma once
/// \file
/// The scaled Jacobian in a SUNMatrix with the SUNLinearSolver that fits: dense, or sparse (CSR) with KLU. What every
/// SUNDIALS strategy factorises.

#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <string>

#include "gnomon/archive.hpp"
#include "gnomon/error.hpp"
#include "gnomon/options.hpp"
#include "gnomon/scaled_equations.hpp"
#include "gnomon/sundials_compat.hpp"

namespace gnomon {

inline OptionSpec algebra_option() {
  return OptionSpec::choice("algebra", {"auto", "dense", "klu"},
                            "linear algebra; auto takes klu for more than 60 unknowns with less than a third nonzero");
}

class SunLinearSystem {
 public:
  /// like: a vector of the size of the equations. Allocates all but what KLU allocates at the first factorisation.
  void attach(ScaledEquations& equations, const std::string& algebra, N_Vector like, SUNContext context) {
    equations_ = &equations;
    const Index n = equations.size();
    const SparsityPattern& pattern = equations.pattern();
    sparse_ = algebra == "klu" || (algebra == "auto" && n > 60 && 3 * pattern.nonzeros() < n * n);
    if (sparse_) {
      matrix_.reset(SUNSparseMatrix(n, n, pattern.nonzeros(), CSR_MAT, context));
      if (matrix_) write_pattern();
      linear_.reset(matrix_ ? SUNLinSol_KLU(like, matrix_.get(), context) : nullptr);
    } else {
      matrix_.reset(SUNDenseMatrix(n, n, context));
      linear_.reset(matrix_ ? SUNLinSol_Dense(like, matrix_.get(), context) : nullptr);
    }
    if (!linear_ || SUNLinSolInitialize(linear_.get()) != 0)
      throw Error(ErrorCode::refused, "SUNDIALS could not allocate its linear solver");
    values_.setZero(pattern.nonzeros());
  }

  SUNMatrix matrix() const { return matrix_.get(); }
  SUNLinearSolver solver() const { return linear_.get(); }

  /// The Jacobian at xs into the matrix. SUNMatZero_Sparse clears the index arrays, which SUNDIALS calls before some
  /// Jacobian callbacks: the pattern is rewritten with the values.
  EvaluationStatus evaluate(const ConstVectorRef& xs) {
    if (equations_->jacobian(xs, values_) != EvaluationStatus::ok) return EvaluationStatus::failed;
    place();
    return EvaluationStatus::ok;
  }

  /// For a checkpoint: the matrix that was evaluated last; reading factorises it.
  void exchange(Archive& archive) {
    archive(values_);
    if (!archive.reading()) return;
    place();
    factorise();
  }

  /// False where the matrix is singular. The dense factors replace the matrix.
  bool factorise() { return SUNLinSolSetup(linear_.get(), matrix_.get()) == 0; }

  /// b <- J^-1 b; false where that is not finite.
  bool solve(N_Vector b) {
    if (SUNLinSolSolve(linear_.get(), matrix_.get(), b, b, 0) != 0) return false;
    return Eigen::Map<const Vector>(N_VGetArrayPointer(b), equations_->size()).allFinite();
  }

 private:
  /// The values into the matrix.
  void place() {
    const SparsityPattern& p = equations_->pattern();
    if (sparse_) {
      write_pattern();
      Eigen::Map<Vector>(SUNSparseMatrix_Data(matrix_.get()), p.nonzeros()) = values_;
    } else {
      SUNMatZero(matrix_.get());
      double* data = SUNDenseMatrix_Data(matrix_.get());
      for (Index i = 0; i < p.rows; ++i)
        for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) data[p.indices[k] * p.rows + i] = values_[k];
    }
  }

  void write_pattern() {
    const SparsityPattern& p = equations_->pattern();
    sunindextype* offsets = SUNSparseMatrix_IndexPointers(matrix_.get());
    sunindextype* indices = SUNSparseMatrix_IndexValues(matrix_.get());
    for (std::size_t i = 0; i < p.offsets.size(); ++i) offsets[i] = p.offsets[i];
    for (std::size_t k = 0; k < p.indices.size(); ++k) indices[k] = p.indices[k];
  }

  ScaledEquations* equations_ = nullptr;
  bool sparse_ = false;
  Vector values_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
};

}  // namespace gnomon
