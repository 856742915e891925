#include "gnomon/scheme/equations.hpp"

#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon {

Block Layout::unknown(std::string name, Index size) {
  const Block block{std::move(name), columns_, size};
  columns_ += size;
  if (size > 0) blocks_.push_back(block);
  return block;
}

Block Layout::rows(Index size) {
  const Block block{{}, rows_, size};
  rows_ += size;
  return block;
}

void Layout::place(BlockMap& map, const Block& rows, const Block& unknown, const SparsityPattern& part,
                   Orientation orientation) {
  place(rows, unknown, part, orientation);
  parts_.back().map = &map;
}

void Layout::place(const Block& rows, const Block& unknown, const SparsityPattern& part, Orientation orientation) {
  const bool turned = orientation == transposed;
  const Index height = turned ? part.cols : part.rows, width = turned ? part.rows : part.cols;
  if (height != rows.size || width != unknown.size)
    throw Error(ErrorCode::bad_size, "a part of " + std::to_string(height) + " x " + std::to_string(width) +
                                         " is placed in " + std::to_string(rows.size) + " rows and the " +
                                         std::to_string(unknown.size) + " unknowns \"" + unknown.name + "\"");
  parts_.push_back({nullptr, part, rows.offset, unknown.offset, turned});
}

void Layout::place_dense(const Block& rows) {
  dense_.push_back(rows);
}

void Layout::finish() {
  if (rows_ != columns_)
    throw Error(ErrorCode::bad_size, "a system of equations has " + std::to_string(rows_) + " rows and " +
                                         std::to_string(columns_) + " unknowns, which should be as many");
  PatternBuilder builder(rows_, columns_);
  for (const Part& part : parts_) builder.add(part.pattern, part.row, part.column, part.transposed);
  for (const Block& rows : dense_) builder.add(SparsityPattern::dense(rows.size, columns_), rows.offset, 0);
  pattern_ = builder.build();
  for (const Part& part : parts_)
    if (part.map != nullptr) *part.map = BlockMap(pattern_, part.pattern, part.row, part.column, part.transposed);
  parts_.clear();
  dense_.clear();
}

void NonlinearEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  auto& [colouring, direction, product] = columns_;
  if (colouring.colours == 0) {
    colouring = colour_columns(pattern());
    direction.setZero(x.size());
    product.setZero(x.size());
  }
  for (std::size_t colour = 0; colour < colouring.columns.size(); ++colour) {
    direction.setZero();
    for (const Index j : colouring.columns[colour]) direction[j] = 1;
    tangent(x, direction, product);
    for (const auto& [row, position] : colouring.entries[colour]) values[position] = product[row];
  }
}

}  // namespace gnomon
