#pragma once
/// \file
/// What a user of `gnomon run` said.

#include <optional>
#include <string>
#include <vector>

namespace gnomon::program {

struct RunArguments {
  std::string problem, scheme = "energy-momentum", solver = "kinsol-newton";
  std::string step, until, steps, every = "1", max_halvings = "0";
  std::vector<std::string> set, options, solver_options, reference_options, contact;
  std::string jacobian = "analytic";
  std::optional<std::string> output, reference, checkpoint, checkpoint_every, restart;
  bool json = false, project_start = false, events = false;
};

}  // namespace gnomon::program
