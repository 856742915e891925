#pragma once
/// \file
/// SUNMatrix, dense or sparse by rows or columns, as pattern and values.

#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/sparsity.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon::c_api {

/// Throws Error(bad_value) for a sparse matrix whose index arrays lead outside of it; SUNMatCopy would follow them.
inline void check_indices(const char* what, SUNMatrix matrix) {
  if (SUNMatGetID(matrix) != SUNMATRIX_SPARSE) return;
  const bool by_rows = SUNSparseMatrix_SparseType(matrix) == CSR_MAT;
  const Index rows = SUNSparseMatrix_Rows(matrix), columns = SUNSparseMatrix_Columns(matrix);
  const Index outer = by_rows ? rows : columns, inner = by_rows ? columns : rows;
  const sunindextype *offsets = SUNSparseMatrix_IndexPointers(matrix), *indices = SUNSparseMatrix_IndexValues(matrix);
  const auto check = [&](const char* array, Index k, Index value, Index least, Index most) {
    if (value < least || value > most)
      throw Error(ErrorCode::bad_value, std::string(what) + " has index " + array + "[" + std::to_string(k) +
                                            "] = " + std::to_string(value) + ", expected a number from " +
                                            std::to_string(least) + " to " + std::to_string(most));
  };
  for (Index i = 0; i <= outer; ++i)
    check("pointers", i, offsets[i], i > 0 ? offsets[i - 1] : 0, i > 0 ? SUNSparseMatrix_NNZ(matrix) : 0);
  for (Index k = 0; k < offsets[outer]; ++k) check("values", k, indices[k], 0, inner - 1);
}

/// Owns a matrix that a callback fills.
class MatrixBuffer {
 public:
  /// like == nullptr: dense. Throws Error(bad_size) for a matrix of another size, Error(bad_value) for one that is
  /// neither dense nor sparse, or whose index arrays are none.
  MatrixBuffer(const char* what, SUNMatrix like, Index rows, Index cols, SUNContext context) {
    pattern_ = SparsityPattern::dense(rows, cols);
    if (rows == 0 || cols == 0) return;
    if (like) check_indices(what, like);
    matrix_.reset(like ? SUNMatClone(like) : SUNDenseMatrix(rows, cols, context));
    if (!matrix_) throw std::bad_alloc();
    std::vector<std::pair<Index, Index>> entries;
    if (SUNMatGetID(matrix_.get()) == SUNMATRIX_DENSE) {
      expect_size(what, SUNDenseMatrix_Rows(matrix_.get()), SUNDenseMatrix_Columns(matrix_.get()));
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i) entries.emplace_back(i, j);
    } else if (SUNMatGetID(matrix_.get()) == SUNMATRIX_SPARSE) {
      if (like && SUNMatCopy(like, matrix_.get()) != 0) throw std::bad_alloc();
      expect_size(what, SUNSparseMatrix_Rows(matrix_.get()), SUNSparseMatrix_Columns(matrix_.get()));
      entries = sparse_entries();
    } else {
      throw Error(ErrorCode::bad_value,
                  std::string(what) + " is a SUNMatrix that is neither dense nor sparse (CSR_MAT or CSC_MAT)");
    }
    pattern_ = SparsityPattern::from_entries(rows, cols, entries);
    positions_.reserve(entries.size());
    for (const auto& [i, j] : entries) positions_.push_back(pattern_.find(i, j));
  }

  const SparsityPattern& pattern() const { return pattern_; }

  /// Zero, with the index arrays in place.
  SUNMatrix cleared() {
    std::fill_n(data(), positions_.size(), 0.0);
    if (!offsets_.empty()) {
      std::copy(offsets_.begin(), offsets_.end(), SUNSparseMatrix_IndexPointers(matrix_.get()));
      std::copy(indices_.begin(), indices_.end(), SUNSparseMatrix_IndexValues(matrix_.get()));
    }
    return matrix_.get();
  }
  /// What is in the matrix, on pattern().
  void values(VectorRef out) {
    out.setZero();
    const double* from = data();
    for (std::size_t k = 0; k < positions_.size(); ++k) out[positions_[k]] += from[k];
  }

 private:
  double* data() { return offsets_.empty() ? SUNDenseMatrix_Data(matrix_.get()) : SUNSparseMatrix_Data(matrix_.get()); }

  void expect_size(const char* what, Index rows, Index cols) const {
    if (rows != pattern_.rows || cols != pattern_.cols)
      throw Error(ErrorCode::bad_size, std::string(what) + " is " + std::to_string(rows) + " x " +
                                           std::to_string(cols) + ", expected " + std::to_string(pattern_.rows) +
                                           " x " + std::to_string(pattern_.cols));
  }

  /// (row, column) in the order of the matrix' values: rows one after the other in CSR_MAT, columns in CSC_MAT.
  std::vector<std::pair<Index, Index>> sparse_entries() {
    const bool by_rows = SUNSparseMatrix_SparseType(matrix_.get()) == CSR_MAT;
    const Index outer = by_rows ? pattern_.rows : pattern_.cols;
    const sunindextype* offsets = SUNSparseMatrix_IndexPointers(matrix_.get());
    const sunindextype* indices = SUNSparseMatrix_IndexValues(matrix_.get());
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < outer; ++i)
      for (Index k = offsets[i]; k < offsets[i + 1]; ++k)
        entries.emplace_back(by_rows ? i : indices[k], by_rows ? indices[k] : i);
    offsets_.assign(offsets, offsets + outer + 1);
    indices_.assign(indices, indices + offsets[outer]);
    return entries;
  }

  SunOwner<SUNMatrix> matrix_;
  SparsityPattern pattern_;
  std::vector<Index> positions_;  // of the matrix' entries in the pattern
  std::vector<sunindextype> offsets_, indices_;
};

}  // namespace gnomon::c_api
