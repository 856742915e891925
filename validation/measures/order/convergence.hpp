#pragma once
/// \file
/// Order of convergence, measured.

#include <string>
#include <vector>

#include "measures/setup.hpp"

namespace gnomon::validation {

/// The solution that errors are measured against, and how accurate it is.
struct Comparison {
  std::string name;
  Phase z;
  double accuracy = 0;  ///< estimated relative error of z
};

/// The exact solution at t if the problem has one; else ida-ggl, its accuracy estimated from a second tolerance;
/// else any other reference that accepts the problem. Throws Error(refused) when there is none.
Comparison best_comparison(const Registry& registry, const ProblemInstance& instance, double t);

/// Least-squares slope of log(errors) against log(steps); NaN with fewer than two points.
double log_slope(const std::vector<double>& steps, const std::vector<double>& errors);

/// Errors of q and p over a refinement, and the slopes of the finest points that lie above the round-off plateau.
struct Convergence {
  double position_order = 0, momentum_order = 0;
  int points = 0;   ///< used for the slope that has fewer
  double bend = 0;  ///< largest difference of the slopes between neighbours of these points: small once asymptotic
  std::vector<double> steps, position_errors, momentum_errors;
};

/// Doubles (or multiplies by `growth`) the number of steps over [t0, t0 + length] from 8 up to `max_steps`, and fits,
/// for q and p each, the three finest points whose error is above ten times the accuracy of the comparison, both below
/// 0.1. Steps so large that a solve fails are left out.
Convergence refine(const Registry& registry, const ProblemInstance& instance, const Method& method,
                   const Comparison& comparison, double length, long max_steps, double growth = 2);

}  // namespace gnomon::validation
