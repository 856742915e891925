#pragma once
/// \file
/// Which scheme, at which step, reaches a wanted error of q, v and the multipliers at the least cost: measured on the
/// problem itself.

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/precision/trusted_solution.hpp"

namespace gnomon::bench {

struct AdviceRequest {
  std::string problem;  ///< what it is called in rows
  double until = 0;
  double error = 1e-6;  ///< wanted: largest Motion::error at ten instants up to `until`
  double budget = 60;   ///< seconds of processor time for all of it
  const volatile std::sig_atomic_t* interrupt = nullptr;  ///< ends it where this is not 0
};

/// The runs of one method, coarse ones first, and why there are no more.
struct Series {
  Contender contender;
  int order = 0;        ///< of q, as the scheme declares it; 0 for references
  bool energy = false;  ///< it promises the energy at rounding level
  std::vector<WorkPrecisionRow> rows;
  std::string end;
};

/// A method at the step (tolerance) that is recommended, and what a run of it there did.
struct Choice {
  Contender contender;
  double parameter = 0;
  long steps = 0;               ///< of a scheme
  double expected_seconds = 0;  ///< interpolated
  WorkPrecisionRow run;         ///< verified: run.largest is at most the wanted error
};

struct Advice {
  TrustedSolution reference;
  std::vector<Series> series;                                 ///< schemes, then references
  std::vector<std::pair<std::string, std::string>> left_out;  ///< scheme or reference, reason
  /// The cheapest of ours, of ours that promise the energy, and of IDA and CVODE; none: nothing verified.
  std::optional<Choice> ours, exact_energy, theirs;
  bool interrupted = false;  ///< what was measured until then is here, and nothing is chosen
  double seconds = 0;        ///< processor time of all of it
};

/// Refines the steps of every scheme that takes the model, its tolerances where it takes those, at the orders of
/// tolerance_candidates, and the tolerances of IDA and CVODE, in turns, until each is
/// four times as accurate as wanted, is eight times as dear as the cheapest of its side that gets there (or, by its
/// order, will be fifteen times as dear as the cheapest), no longer gains, or the budget is spent; times what counts
/// again, in turns; interpolates; runs the cheapest at the step it found and takes a smaller one until the error is
/// kept. Steps of a tolerance are run without a stop at the instants, too, as the advised command does, and the error
/// at the end counts. `known` is told the reference. Without one that is good for the wanted error nothing is run.
/// Throws Error(refused) where no scheme takes the model.
Advice advise(const Registry& registry, const ProblemInstance& instance, const AdviceRequest& request,
              const std::function<void(const TrustedSolution&)>& known);

}  // namespace gnomon::bench
