#pragma once
/// \file
/// Layout: the blocks of the unknown and of the rows of one system of equations. Each is named once; pattern, offsets
/// and the places of the parts of the Jacobian follow.

#include <string>
#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// In the constructor of the equations, x = [dq | lambda], F = [balance | position]:
///
///     const Block dq = layout_.unknown("dq", n), lambda = layout_.unknown("lambda", m);
///     const Block balance = layout_.rows(n), position = layout_.rows(m);
///     layout_.place(mass_, balance, dq, mass.pattern());
///     layout_.place(force_, balance, lambda, g, Layout::transposed);
///     layout_.place(position_, position, dq, g);
///     layout_.finish();
///
/// and dF1/d(dq) += c M is then mass_.add(values, mass.values(), c).
class GNOMON_EXPORT Layout {
 public:
  enum Orientation { as_is, transposed };

  /// The next block of the unknown. One of size zero has no name among blocks().
  Block unknown(std::string name, Index size);
  /// The next block of rows.
  Block rows(Index size);

  /// The derivative of these rows by these unknowns has entries where the part, or its transpose, has them. finish()
  /// sets the map, which must stay where it is until then.
  void place(BlockMap& map, const Block& rows, const Block& unknown, const SparsityPattern& part,
             Orientation orientation = as_is);
  /// The same without a map, for entries that are found otherwise.
  void place(const Block& rows, const Block& unknown, const SparsityPattern& part, Orientation orientation = as_is);
  /// These rows depend on every unknown.
  void place_dense(const Block& rows);
  /// Builds the pattern and sets the maps. Throws Error(bad_size) where the rows are not as many as the unknowns, or
  /// where a part does not have the size of its blocks.
  void finish();

  const std::vector<Block>& blocks() const { return blocks_; }
  Index size() const { return columns_; }
  /// After finish(), like entry().
  const SparsityPattern& pattern() const { return pattern_; }
  /// Position of entry (i, j) of a part among the values of the matrix.
  Index entry(const Block& rows, const Block& unknown, Index i, Index j) const {
    return pattern_.find(rows.offset + i, unknown.offset + j);
  }

 private:
  struct Part {
    BlockMap* map;
    SparsityPattern pattern;
    Index row, column;
    bool transposed;
  };
  Index rows_ = 0, columns_ = 0;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;
  std::vector<Block> dense_;
  SparsityPattern pattern_;
};

}  // namespace gnomon
