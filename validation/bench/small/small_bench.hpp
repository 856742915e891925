#pragma once
/// \file
/// Cost of a step on two small systems: Gnomon's schemes beside the same written by hand for fixed sizes.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::bench {

struct SmallBench {
  long steps = 2000;  ///< timed in a run
  TimingRule rule;
};

struct SmallRow {
  std::string problem, what, by;              ///< scheme with its options; "hand-coded" or the solver
  double h = 0, seconds = 0, iterations = 0;  ///< of one step
  double to_hand_coded = 0;                   ///< ratio to the plain one of the same method; 0: none
  std::string failure;
};

struct SmallFigure {
  std::string what;
  double measured = 0, gate = 0;
};

std::vector<SmallRow> run_small_bench(const Registry& registry, const SmallBench& bench,
                                      const std::function<void(const SmallRow&)>& print);
std::vector<SmallFigure> small_figures(const std::vector<SmallRow>& rows);

/// Where a hand-coded integrator ends.
struct SmallEnd {
  Vector q, v, inverse_mass;
};

/// `steps` steps of h by hand from the start of the instance of `problem`, "planar-pendulum" or
/// "double-spherical-pendulum", with "energy-momentum", "energy-momentum, refined", "rattle" or "gauss s=4, projected".
/// Nothing where a step fails. Throws Error(unknown_name).
std::optional<SmallEnd> small_run(const ProblemInstance& instance, const std::string& problem,
                                  const std::string& hand_coded, double h, long steps);

}  // namespace gnomon::bench
