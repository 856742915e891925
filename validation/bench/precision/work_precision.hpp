#pragma once
/// \file
/// Work against precision: Gnomon's schemes at several steps beside IDA and CVODE at several tolerances, relative and
/// absolute.

#include <array>
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

/// How the runs are made and the duels decided, in words: lines of a text, or one paragraph.
inline constexpr std::array rules_of_duels{
    "Schemes run by the solver newton at step h or by rtol; references at a relative tolerance rtol and an absolute",
    "one of rtol, rtol/10 and rtol/1000. Each scheme with its options is a curve, each reference with its ratio of",
    "tolerances too; at each error the fastest curve of either side is chosen afterwards, which nobody knows before."};

/// The fastest curve of ours and the fastest of the references at an error of q (of the energy, where the trajectory
/// cannot be followed), from straight lines between the runs of each method in the logarithms of error and time. No
/// name where none gets there.
struct Duel {
  std::string problem;
  double until = 0, error = 0;
  bool of_energy = false;
  std::string ours, theirs;
  double our_seconds = 0, their_seconds = 0;
};
std::vector<Duel> duels(const std::vector<WorkPrecisionRow>& rows);

}  // namespace gnomon::bench
