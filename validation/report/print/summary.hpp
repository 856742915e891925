#pragma once
/// \file
/// What a person reads of a run of `gnomon validate`.

#include <cstdio>

#include "report/outcome.hpp"

namespace gnomon::validation {

/// The overall result, a table of the schemes, the papers' tables, and what did not pass.
void print_summary(std::FILE* out, const Outcome& outcome, bool colour);

}  // namespace gnomon::validation
