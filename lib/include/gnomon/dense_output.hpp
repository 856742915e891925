#pragma once
/// \file
/// Dense output: the solution between two ends of a step.

#include "gnomon/state.hpp"
#include "gnomon/system.hpp"

namespace gnomon {

/// q(t) is the polynomial of degree 5 with the positions, velocities and index-1 accelerations of both ends (Hermite),
///
///     q(t0) = q0, q'(t0) = v0, q''(t0) = a0,  q(t1) = q1, q'(t1) = v1, q''(t1) = a1,      p(t) = M q'(t),
///
/// which is O(h^6) from the solution in q and O(h^5) in p. It is no state of any scheme: between the ends it keeps
/// energy and constraints to that order only, not to rounding.
class StepInterpolant {
 public:
  /// The system outlives it. Throws Error(refused) where the mass depends on q, and for obstacles, whose contacts open
  /// and close inside of steps.
  explicit StepInterpolant(const System& system);

  /// From one state to another of the same run. Throws Error(rank_deficient) where the accelerations are not defined.
  void set(const State& z0, const State& z1);
  /// The k-th derivative, k = 0, 1 or 2, of q and p at t; t outside the step extrapolates.
  void evaluate(double t, int k, VectorRef q, VectorRef p) const;

 private:
  const System* system_;
  double t0_ = 0, h_ = 0;
  Matrix c_;  // n x 6: q = sum_j c_j s^j, s = (t - t0) / h
  Vector v0_, v1_, a0_, a1_, lambda_;
};

}  // namespace gnomon
