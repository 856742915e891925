#pragma once
/// \file
/// Where the entries of a block land among the values of an assembled matrix, for blocks that are written and not only
/// added. Positions of 32 bits: reading them is half of what an assembly costs.

#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon::kernels {

class EntryMap {
 public:
  EntryMap() = default;
  EntryMap(const SparsityPattern& whole, const SparsityPattern& block, Index row, Index column,
           bool transposed = false) {
    positions_.reserve(block.indices.size());
    for (Index i = 0; i < block.rows; ++i)
      for (Index k = block.offsets[at(i)]; k < block.offsets[at(i + 1)]; ++k) {
        const Index j = block.indices[at(k)];
        positions_.push_back(
            static_cast<int>(transposed ? whole.find(row + j, column + i) : whole.find(row + i, column + j)));
      }
  }
  /// values[position of entry k] = factor block_values[k]
  void set(double* values, const Vector& block_values, double factor) const {
    const double* const block = block_values.data();
    for (std::size_t k = 0; k < positions_.size(); ++k) values[positions_[k]] = factor * block[k];
  }
  /// The same, added.
  void add(double* values, const Vector& block_values, double factor) const {
    const double* const block = block_values.data();
    for (std::size_t k = 0; k < positions_.size(); ++k) values[positions_[k]] += factor * block[k];
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  std::vector<int> positions_;
};

}  // namespace gnomon::kernels
