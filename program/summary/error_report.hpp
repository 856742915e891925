#pragma once
/// \file
/// What a run says of its own error, estimated from halved steps.

#include <json/json.h>

#include "measures/run/error_estimate.hpp"
#include "program/summary/summary_row.hpp"

namespace gnomon::program {

/// One line a part of the state, and a warning where the error grows exponentially.
void add_estimate(std::vector<SummaryRow>& rows, const validation::ErrorEstimate& estimate);

/// {t, steps_left_out, q | y, v | z, lambda | psi: {order, max_abs_error, t_of_max, end_abs_error, max_rel_error,
/// end_rel_error}, growth: {law: "exponential" | "power", rate, exponent, residual_exponential, residual_power, until}
/// (see GrowthLaw) or null, message where the second run
/// ended early}; relative errors are of the largest value of the part over the run.
Json::Value estimate_json(const validation::ErrorEstimate& estimate);

}  // namespace gnomon::program
