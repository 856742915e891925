#pragma once
/// \file
/// Every row on a line, in aligned columns: what `gnomon validate --verbose` prints.

#include <cstdio>
#include <vector>

#include "report/row.hpp"

namespace gnomon::validation {

/// Prints rows as they come; colour only when asked for.
class Table {
 public:
  /// Column widths come from the cases that will be run.
  Table(std::FILE* out, bool colour, const std::vector<Case>& cases);
  void heading();
  void row(const Row& row);

 private:
  std::FILE* out_;
  bool colour_;
  std::size_t name_width_;
};

}  // namespace gnomon::validation
