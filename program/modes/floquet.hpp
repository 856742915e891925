#pragma once
/// \file
/// gnomon linearise --period: the monodromy matrix of a periodic motion, its multipliers as a table, CSV and JSON.

#include <optional>
#include <string>

#include "gnomon/registry/registry.hpp"

namespace gnomon::program {

struct FloquetArguments {
  std::string problem, period;
  std::optional<std::string> scheme, step;  ///< without a step: steps of a tolerance
  Assignments set;
  std::optional<std::string> output;
  bool json = false;
};

/// The status of the program. Throws as monodromy() does.
int print_monodromy(const Registry& registry, const ProblemInstance& instance, const FloquetArguments& a);

}  // namespace gnomon::program
