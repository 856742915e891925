#pragma once
/// \file
/// What steps of a tolerance cost by each scheme and order, for the table of gnomon/registry/suited_scheme.hpp.

#include <functional>
#include <string>
#include <vector>

#include "bench/precision/timed_run.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::bench {

/// One run of one candidate.
struct ToleranceRow {
  std::string problem, model_class;
  SchemeChoice choice;
  double tolerance = 0;
  int order = 0;
  bool keeps = false;  ///< promises energy and both constraint levels
  WorkPrecisionRow run;
  /// Seconds of a run whose error is the tolerance: steps of length error^(1/order).
  double cost() const;
};

/// A problem of the bench, with a regular motion.
struct ToleranceProblem {
  std::string problem;  ///< of the registry, or one of peer_mechanisms()
  Assignments parameters;
  double until = 0;
};
const std::vector<ToleranceProblem>& tolerance_problems();

struct ToleranceBench {
  std::vector<double> tolerances = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  std::vector<std::string> problems;  ///< of tolerance_problems(); empty: all
  double most_seconds = 20;           ///< a run
};
std::vector<ToleranceRow> run_tolerance_bench(const Registry& registry, const ToleranceBench& bench,
                                              const std::function<void(const std::string&)>& begin,
                                              const std::function<void(const ToleranceRow&)>& print);

/// The table: of each class, tolerance and candidate the geometric mean, over the problems that it takes, of its cost
/// over that of the cheapest. A run that failed, or that was not begun because it is too dear, counts as 1000.
struct SuitedCost {
  std::string model_class;
  double tolerance = 0;
  std::string scheme;
  int stages = 0;
  double cost = 0;
};
std::vector<SuitedCost> suited_costs(const std::vector<ToleranceRow>& rows);

}  // namespace gnomon::bench
