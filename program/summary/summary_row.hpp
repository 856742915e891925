#pragma once
/// \file
/// The report of a run, line by line: on a terminal, and as facts of a page.

#include <string>
#include <vector>

namespace gnomon::program {

/// Without a label it belongs to the line above.
struct SummaryRow {
  std::string label, text;
  bool alarming = false;
};

}  // namespace gnomon::program
