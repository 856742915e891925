#pragma once
/// \file
/// Work against precision: Gnomon's schemes at several steps beside IDA and CVODE at several tolerances.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "timing.hpp"

namespace gnomon::bench {

struct WorkPrecisionBench {
  std::vector<std::string> problems = {"planar-pendulum", "double-spherical-pendulum"};
  std::vector<double> until = {10, 1000};
  TimingRule rule;
};

/// One run. Errors are measured at T/5, 2T/5, ..., T: at the end alone an error may happen to cross zero.
struct WorkPrecisionRow {
  std::string problem;
  double until = 0;
  std::string method;
  bool ours = false;      ///< a scheme of Gnomon, and no reference
  double parameter = 0;   ///< step of a scheme, relative tolerance of a reference
  double seconds = 0;     ///< of the whole run, its start-up not counted
  double error = 0;       ///< root mean square of |q - q_true|/|q_true| in the 2-norm
  double energy = 0;      ///< largest |H - H0| / max(1, max|T|, max|U|)
  double constraint = 0;  ///< largest |g|
  bool followed = true;   ///< false: the true solution is unknown, and error says nothing
  std::string failure;    ///< empty, or why there is no result
};

/// q at the times of measurement, and how far two solutions at the smallest errors that double precision allows are
/// apart there: errors below that mean nothing, and where it is large (chaos) no method can follow the trajectory.
struct TrueSolution {
  std::string problem;
  double until = 0;
  std::vector<double> times;
  std::vector<Vector> q;
  double uncertainty = 0;
  std::string source;
  bool known() const { return uncertainty < 1e-3; }
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
