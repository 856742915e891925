#pragma once
/// \file
/// Every scheme and every reference that takes a model, with the options that make it one of higher order.

#include <string>
#include <utility>
#include <vector>

#include "bench/precision/advice.hpp"

namespace gnomon::bench {

/// Schemes first, high orders before low ones, with steps of one size and those of tolerance_candidates with steps of a
/// tolerance. What does not take the model, does not tend to its motion or is another name of one of these is in
/// `left_out` with the reason.
std::vector<Series> contenders(const Registry& registry, const ProblemInstance& instance,
                               std::vector<std::pair<std::string, std::string>>& left_out);

}  // namespace gnomon::bench
