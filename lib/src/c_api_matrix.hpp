#pragma once
/// \file
/// SUNMatrix, dense or CSR, as pattern and values.

#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/error.hpp"
#include "gnomon/sparsity.hpp"
#include "gnomon/sundials_compat.hpp"

namespace gnomon::c_api {

/// Owns a matrix that a callback fills.
class MatrixBuffer {
 public:
  /// like == nullptr: dense. Throws Error(bad_size) for a matrix of another size, Error(bad_value) for one that is
  /// neither dense nor CSR.
  MatrixBuffer(const char* what, SUNMatrix like, Index rows, Index cols, SUNContext context) {
    pattern_ = SparsityPattern::dense(rows, cols);
    if (rows == 0) return;
    matrix_.reset(like ? SUNMatClone(like) : SUNDenseMatrix(rows, cols, context));
    if (!matrix_) throw std::bad_alloc();
    std::vector<std::pair<Index, Index>> entries;
    Index found_rows = 0, found_cols = 0;
    if (SUNMatGetID(matrix_.get()) == SUNMATRIX_DENSE) {
      found_rows = SUNDenseMatrix_Rows(matrix_.get());
      found_cols = SUNDenseMatrix_Columns(matrix_.get());
      for (Index j = 0; j < found_cols; ++j)
        for (Index i = 0; i < found_rows; ++i) entries.emplace_back(i, j);
    } else if (SUNMatGetID(matrix_.get()) == SUNMATRIX_SPARSE && SUNSparseMatrix_SparseType(matrix_.get()) == CSR_MAT) {
      if (like && SUNMatCopy(like, matrix_.get()) != 0) throw std::bad_alloc();
      found_rows = SUNSparseMatrix_Rows(matrix_.get());
      found_cols = SUNSparseMatrix_Columns(matrix_.get());
      const sunindextype* offsets = SUNSparseMatrix_IndexPointers(matrix_.get());
      const sunindextype* indices = SUNSparseMatrix_IndexValues(matrix_.get());
      offsets_.assign(offsets, offsets + found_rows + 1);
      indices_.assign(indices, indices + offsets[found_rows]);
      for (Index i = 0; i < found_rows; ++i)
        for (sunindextype k = offsets[i]; k < offsets[i + 1]; ++k) entries.emplace_back(i, indices[k]);
    } else {
      throw Error(ErrorCode::bad_value,
                  std::string(what) + " is a SUNMatrix that is neither dense nor sparse by rows (CSR_MAT)");
    }
    if (found_rows != rows || found_cols != cols)
      throw Error(ErrorCode::bad_size, std::string(what) + " is " + std::to_string(found_rows) + " x " +
                                           std::to_string(found_cols) + ", expected " + std::to_string(rows) + " x " +
                                           std::to_string(cols));
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

  SunOwner<SUNMatrix> matrix_;
  SparsityPattern pattern_;
  std::vector<Index> positions_;  // of the matrix' entries in the pattern
  std::vector<sunindextype> offsets_, indices_;
};

}  // namespace gnomon::c_api
