#pragma once
/// \file
/// How many rows of each verdict.

#include "report/row.hpp"

namespace gnomon::validation {

struct Tally {
  long pass = 0, fail = 0, known_failure = 0, unexpected_pass = 0, better = 0, information = 0;
  void count(Verdict verdict);
  bool bad() const { return fail + unexpected_pass > 0; }
  /// Those with a gate.
  long gated() const { return pass + fail + known_failure + unexpected_pass + better; }
};

}  // namespace gnomon::validation
