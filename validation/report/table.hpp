#pragma once
/// \file
/// The validation table on a terminal or in a file.

#include <cstdio>
#include <vector>

#include "report/row.hpp"

namespace gnomon::validation {

/// Prints rows as they come, in aligned columns; colour only when asked for.
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

/// How many rows of each verdict.
struct Tally {
  long pass = 0, fail = 0, known_failure = 0, unexpected_pass = 0, information = 0;
  void count(Verdict verdict);
  bool bad() const { return fail + unexpected_pass > 0; }
  std::string text() const;
};

}  // namespace gnomon::validation
