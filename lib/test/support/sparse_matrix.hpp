#pragma once
/// \file
/// A dense matrix as pattern and values: the entries that are not zero, and the diagonal.

#include <utility>
#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon::test {

struct SparseMatrix {
  SparsityPattern pattern;
  Vector values;

  explicit SparseMatrix(const Matrix& a) {
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < a.cols(); ++j)
        if (a(i, j) != 0 || i == j) entries.emplace_back(i, j);
    pattern = SparsityPattern::from_entries(a.rows(), a.cols(), entries);
    values.resize(pattern.nonzeros());
    for (Index i = 0; i < a.rows(); ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) values[k] = a(i, pattern.indices[k]);
  }
};

}  // namespace gnomon::test
