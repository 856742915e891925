#pragma once
/// \file
/// From a case to its rows: measures, gates, verdicts.

#include <vector>

#include "measures/measure.hpp"
#include "report/row.hpp"

namespace gnomon::validation {

/// Runs the case's measure and tests every quantity against its gate. Never throws for what the case does: an Error
/// becomes a failed row "error", a failed run a failed row "run"; both can be known failures.
std::vector<Row> run_case(const Registry& registry, const Case& c);

}  // namespace gnomon::validation
