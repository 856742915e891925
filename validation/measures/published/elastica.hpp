#pragma once
/// \file
/// Equilibria of an inextensible elastic line under its weight, by multiple shooting: what a discretised beam tends to.

#include "gnomon/base/types.hpp"

namespace gnomon::validation {

/// What holds an end: nothing, its position, or its position and direction.
struct ElasticaEnd {
  enum class Kind { free, fixed, clamped };
  Kind kind = Kind::fixed;
  Vector x, direction;  ///< direction of length one
};

/// x(s) with |x'| = 1 where int [EI |x''|^2/2 + weight x_up] ds is stationary. With t = x', v = t':
///
///     x' = t,   t' = v,   v' = c - (c.t + |v|^2) t,   c = (weight (L - s) e_up - F)/EI,   F constant
///     fixed x, v = 0     clamped x, t     free v = 0 and F = 0 at B, F = weight L e_up at A
struct Elastica {
  double length = 1, stiffness = 1, weight = 0;  ///< L, EI, force a unit of length; the last axis points upwards
  ElasticaEnd a, b;

  struct Solution {
    Matrix points;           ///< dimension x (segments + 1), at s = k L/segments
    double energy = 0;       ///< of the line
    double residual = 0;     ///< largest mismatch of a segment or of a condition at the ends
    double integration = 0;  ///< the same with half the steps
    int iterations = 0;
  };
  /// Newton's method on the states at the segments' starts; a segment is 16 steps of Runge-Kutta-Fehlberg 8.
  /// Start values by differences of `guess`, points as many as wanted. Throws RunFailed.
  Solution solve(const Matrix& guess) const;
};

}  // namespace gnomon::validation
