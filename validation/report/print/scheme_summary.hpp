#pragma once
/// \file
/// What the conformance cases found, a line for each scheme.

#include <string>
#include <vector>

#include "report/row.hpp"

namespace gnomon::validation {

/// One number over the problems: the worst where it is promised or, in brackets, where it is promised nowhere.
struct WorstFigure {
  double promised = -1, measured = -1;
  void take(double value, bool is_promised);
  /// "" where nothing was measured.
  std::string text() const;
};

struct SchemeLine {
  std::string scheme;
  long cases = 0, kept = 0, promised = 0;
  bool bad = false;  ///< a row of a conformance case failed
  double declared_low = 0, declared_high = 0, order_low = 0, order_high = 0;
  long orders = 0;
  WorstFigure energy, position, velocity;
};

/// In alphabetical order.
std::vector<SchemeLine> scheme_lines(const std::vector<Row>& rows);
/// The table with its legend; "" without conformance cases.
std::string scheme_summary(const std::vector<Row>& rows, bool colour);

}  // namespace gnomon::validation
