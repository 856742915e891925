#pragma once
/// \file
/// A solution that errors can be measured against: of high order, with ever smaller steps until it no longer changes,
/// beside another code.

#include <string>
#include <vector>

#include "bench/precision/timed_run.hpp"

namespace gnomon::bench {

/// One run, kept: its states at the times.
struct Solution {
  Motion motion;
  double energy_scale = 1;
  double seconds = 0;   ///< processor time
  std::string failure;  ///< empty, or why there is none

  /// Largest Motion::error of it over the times up to `count`; infinite without a solution.
  double distance(const Motion& truth) const { return distance(truth, truth.q.size()); }
  double distance(const Motion& truth, std::size_t count) const;
};

/// Refusals are failures, too.
Solution solve(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
               Judged judged, const Contender& contender, double parameter, const Patience& patience = {});

/// line-integral-ggl of order 12.
Contender high_order();

struct TrustedSolution {
  TrueSolution truth;          ///< its uncertainty: the change of the last refinement
  std::string confirmed_by;    ///< the code beside it; empty: none takes the model and gets there in its time
  double agreement = 0;        ///< largest distance to that code at rtol 1e-12
  double loose_agreement = 0;  ///< at rtol 1e-10
  double time_scale = 0;       ///< mean step of that code at rtol 1e-4, a quarter of that of order ten, or T/1000
  bool closed_form = false;
  Index freedom = -1;  ///< degrees of freedom at the start; -1: unknown
  /// Good for errors of this size: the refinement ended at a tenth of it, and the other code is within a third of it or
  /// comes closer with its tolerance (at least fivefold, to 1e-3).
  bool good_for(double error) const;
  double agreed_until = 0;  ///< last of the times up to which it would be good for the wanted error; t0: none
  std::string failure;      ///< why there is no solution at all, or empty
};

/// At the times `count` equal parts after the start, the last of them `until`. Refined up to a thousandth of `error`.
/// The other code has half of the time until the deadline.
TrustedSolution trusted_solution(const Registry& registry, const std::string& problem, const ProblemInstance& instance,
                                 double until, int count, Judged judged, double error, const Patience& patience = {});

}  // namespace gnomon::bench
