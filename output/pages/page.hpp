#pragma once
/// \file
/// A report as one HTML file: style, program and data are in it, and it needs no network.

#include <string>
#include <vector>

#include "pages/blocks.hpp"

namespace gnomon::pages {

/// What is wrong in a block throws std::invalid_argument with a sentence that names the block: lengths of a series that
/// differ, points of a run that do not fit the times and curves, a dimension other than 2 and 3.
class Page {
 public:
  /// Texts are UTF-8 and plain: nothing in them is read as HTML.
  Page(std::string title, std::string subtitle);
  void add(Block block);
  /// Those of all blocks, in their order.
  std::vector<const Chart*> charts() const;
  /// The whole file.
  std::string html() const;

 private:
  std::string title_, subtitle_;
  std::vector<Block> blocks_;
};

/// Four digits, as in tables; "" for what is not finite.
std::string cell_number(double value);

}  // namespace gnomon::pages
