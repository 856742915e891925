#pragma once
/// \file
/// All rows of a run of `gnomon validate`.

#include <vector>

#include "report/row.hpp"
#include "report/tally.hpp"

namespace gnomon::validation {

struct Outcome {
  Tier tier = Tier::standard;
  long cases = 0;
  double seconds = 0;
  Tally tally;
  std::vector<Row> rows;

  void add(Row row) {
    tally.count(row.verdict);
    rows.push_back(std::move(row));
  }
};

}  // namespace gnomon::validation
