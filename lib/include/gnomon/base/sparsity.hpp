#pragma once
/// \file
/// Fixed sparsity: a row-compressed pattern, maps that place one pattern inside another, and a column colouring.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// A named range of a vector.
struct Block {
  std::string name;
  Index offset = 0, size = 0;

  /// The i-th of its parts of this size.
  Block part(Index i, Index part_size) const { return {name, offset + i * part_size, part_size}; }
  /// That range of x.
  template <class V>
  auto operator()(V& x) const {
    return x.segment(offset, size);
  }
};

/// Row-compressed pattern: row i owns the columns indices[offsets[i] .. offsets[i+1]), ascending. Values of a matrix
/// with this pattern are a plain vector of length nonzeros() in the same order.
struct GNOMON_EXPORT SparsityPattern {
  Index rows = 0, cols = 0;
  std::vector<Index> offsets{0};
  std::vector<Index> indices;

  Index nonzeros() const { return static_cast<Index>(indices.size()); }
  /// Position of entry (i, j) in the value vector, or -1.
  Index find(Index i, Index j) const;

  static SparsityPattern dense(Index rows, Index cols);
  static SparsityPattern diagonal(Index n);
  /// From any list of (row, column) pairs; duplicates are merged.
  static SparsityPattern from_entries(Index rows, Index cols, const std::vector<std::pair<Index, Index>>& entries);
  bool is_dense() const { return nonzeros() == rows * cols; }
};

/// Collects blocks and builds the pattern of an assembled matrix.
class GNOMON_EXPORT PatternBuilder {
 public:
  PatternBuilder(Index rows, Index cols) : rows_(rows), cols_(cols) {}
  void add(Index i, Index j) { entries_.emplace_back(i, j); }
  /// Places `block` (or its transpose) with its top left corner at (row, col).
  void add(const SparsityPattern& block, Index row, Index col, bool transposed = false);
  SparsityPattern build() const { return SparsityPattern::from_entries(rows_, cols_, entries_); }

 private:
  Index rows_, cols_;
  std::vector<std::pair<Index, Index>> entries_;
};

/// Where the entries of a block pattern land in an assembled pattern. Positions of 32 bits: reading them is half of
/// what an assembly costs.
class GNOMON_EXPORT BlockMap {
 public:
  BlockMap() = default;
  BlockMap(const SparsityPattern& whole, const SparsityPattern& block, Index row, Index col, bool transposed = false);
  /// values[position of entry k] += factor * block_values[k]
  void add(VectorRef values, const ConstVectorRef& block_values, double factor) const {
    double* const to = values.data();
    const double* const from = block_values.data();
    const std::size_t count = positions_.size();
    for (std::size_t k = 0; k < count; ++k) to[positions_[k]] += factor * from[k];
  }
  /// The same, written instead of added.
  void set(VectorRef values, const ConstVectorRef& block_values, double factor) const {
    double* const to = values.data();
    const double* const from = block_values.data();
    const std::size_t count = positions_.size();
    for (std::size_t k = 0; k < count; ++k) to[positions_[k]] = factor * from[k];
  }
  /// The same for a block whose entries are all equal.
  void add(VectorRef values, double entry) const {
    double* const to = values.data();
    for (const int k : positions_) to[k] += entry;
  }

 private:
  std::vector<int> positions_;
};

/// Out = A x and out = A^T y for a pattern with values.
GNOMON_EXPORT void multiply(const SparsityPattern& a, const ConstVectorRef& values, const ConstVectorRef& x,
                            VectorRef out);
GNOMON_EXPORT void multiply_transposed(const SparsityPattern& a, const ConstVectorRef& values, const ConstVectorRef& y,
                                       VectorRef out);
GNOMON_EXPORT Matrix to_dense(const SparsityPattern& a, const ConstVectorRef& values);

/// Curtis-Powell-Reid colouring: columns of one colour share no row, so one directional derivative serves them all.
struct Colouring {
  Index colours = 0;
  std::vector<Index> colour_of;             ///< per column
  std::vector<std::vector<Index>> columns;  ///< per colour
  /// An entry of the matrix: its row and its position among the values.
  struct Entry {
    Index row, position;
  };
  std::vector<std::vector<Entry>> entries;  ///< per colour
};
GNOMON_EXPORT Colouring colour_columns(const SparsityPattern& pattern);

}  // namespace gnomon
