#pragma once
/// \file
/// Work against precision: Gnomon's schemes at several steps beside IDA and CVODE at several tolerances.

#include <functional>
#include <string>
#include <vector>

#include "bench/precision/timed_run.hpp"
#include "bench/timing.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::bench {

/// Problems with their start: "double-spherical-pendulum hanging" is one with start=hanging.
struct WorkPrecisionBench {
  std::vector<std::string> problems = {"planar-pendulum", "double-spherical-pendulum spatial",
                                       "double-spherical-pendulum hanging"};
  std::vector<double> until = {10, 1000};
  TimingRule rule;
};

/// The closed form where the problem has one, else line-integral-ggl of order 12 at two step sizes.
TrueSolution true_solution(const Registry& registry, const std::string& problem, double until);

std::vector<WorkPrecisionRow> run_work_precision(const Registry& registry, const WorkPrecisionBench& bench,
                                                 const std::function<void(const TrueSolution&)>& begin,
                                                 const std::function<void(const WorkPrecisionRow&)>& print);

/// The fastest of ours and the fastest reference at an error of q (of the energy, where the trajectory cannot be
/// followed), from straight lines between the runs of each method in the logarithms of error and time. No name where
/// none gets there.
struct Duel {
  std::string problem;
  double until = 0, error = 0;
  bool of_energy = false;
  std::string ours, theirs;
  double our_seconds = 0, their_seconds = 0;
};
std::vector<Duel> duels(const std::vector<WorkPrecisionRow>& rows);

}  // namespace gnomon::bench
