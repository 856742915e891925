#pragma once
/// \file
/// What a person reads of a run of `gnomon validate`.

#include <cstdio>
#include <string>

#include "report/outcome.hpp"

namespace gnomon::validation {

/// The sentence behind PASSED or FAILED: "all 9 gated rows hold but for 1 known failure", "2 of 9 gated rows fail".
std::string verdict_text(const Tally& tally);

/// The overall result, a table of the schemes, the papers' tables, and what did not pass.
void print_summary(std::FILE* out, const Outcome& outcome, bool colour);

}  // namespace gnomon::validation
