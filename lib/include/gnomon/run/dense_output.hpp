#pragma once
/// \file
/// Dense output: the solution between two ends of a step.

#include <memory>

#include "gnomon/model/model.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// q(t) is the polynomial of degree 5 with the positions, velocities and index-1 accelerations of both ends (Hermite),
///
///     q(t0) = q0, q'(t0) = v0, q''(t0) = a0,  q(t1) = q1, q'(t1) = v1, q''(t1) = a1,      p(t) = M q'(t),
///
/// which is O(h^6) from the solution in q and O(h^5) in p. With a mass M(q), p is the polynomial of degree 5 with
/// M(q) q' and its derivative along q(t) at both ends and in the middle, O(h^5) too. It is no state of any scheme:
/// between the ends it keeps energy and constraints to that order only, not to rounding.
///
/// Beside a tolerance: steps of order 4 and 6 are so short that q between them is as accurate as at their ends. Those
/// of order 8 and 10 are longer than a polynomial of degree 5 can follow: at rtol = 1e-8 .. 1e-10 q is up to 4000 rtol
/// off between them (measured on pendulums, a chain and Andrews' squeezer). There Integrator::advance_to(t), which ends
/// a step at t, is what gives output to the tolerance.
///
/// Of an overdetermined DAE y is the same, with y' = v(y,z) and y'' = v_y y' + v_z z', and z the polynomial of degree 3
/// with z and the index-1 slope z' of both ends: O(h^4).
///
/// Of a system with obstacles it is valid between two events, with the contacts that are closed there.
class GNOMON_EXPORT StepInterpolant {
 public:
  /// The model outlives it.
  explicit StepInterpolant(const Model& model);
  ~StepInterpolant();
  StepInterpolant(StepInterpolant&&) noexcept;
  StepInterpolant& operator=(StepInterpolant&&) noexcept;

  /// From one state to another of the same run, without an event between them. Throws Error(refused) where other
  /// contacts are closed at the end than at the start, Error(rank_deficient) where the accelerations are not defined,
  /// Error(callback_failed) where they cannot be evaluated: under friction where the velocity is zero, say.
  void set(const State& z0, const State& z1);
  /// The k-th derivative, k = 0, 1 or 2, of q and p, or of y and z, at t; t outside the step extrapolates.
  void evaluate(double t, int k, VectorRef first, VectorRef second) const;
  /// The multipliers of a system with obstacles that belong to a state in the step by itself, in the order of those of
  /// a state of a run. Tangential forces of contacts whose slip is fixed by others stay as they are. Throws as set().
  void multipliers(const State& at, Vector& lambda) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gnomon
