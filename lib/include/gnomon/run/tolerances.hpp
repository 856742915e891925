#pragma once
/// \file
/// Steps of a tolerance: what a user asks for, and what the steps did.

#include <utility>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// The error that is wanted of q and of v = M^-1 p. With e the estimated error of one step
/// (StepEquations::local_error), of order p: O(h^(p+1)), a step is accepted where
///
///     err = rms( e_q,i / (s w_q,i),  e_v,i / (s w_v,i) ) <= 1,
///     w_x,i = absolute_i + relative |x_i|, or relative (X_i + |x_i|)/2 where no absolute tolerance is given,
///     s = f (f relative)^(1/p),     f = 1/5 for p = 2, 1/2 above
///
/// |x_i| is the larger of both ends, X_i the largest of the run so far, of the coordinates of a block (a point, an
/// axis) together, and a thousandth of the largest X_j M_jj^(1/2)/M_ii^(1/2) or X_j, whichever is less, so that units
/// change nothing; at the start X_i is also what the motion makes of it in its own time |q|/(|v| + (|a| |q|)^(1/2)).
/// T/h steps of relative error s relative = (f relative)^((p+1)/p), h ~ (f relative)^(1/p), add up to an error
/// proportional to `relative`, whatever the order; with s = 1 it would be proportional to relative^(p/(p+1)). With f
/// the error after some ten periods of a regular motion is about `relative` (measured: 0.03 to 20 times). Tolerance
/// proportionality: Soederlind, Wang, J. Comput. Appl. Math. 185 (2006) 244.
struct GNOMON_EXPORT Tolerances {
  double relative = 0;
  double absolute = 0;            ///< in units of q and of v; 0: from the sizes of the motion
  Vector absolute_q, absolute_v;  ///< one for each component, in its place; both or none are empty

  Tolerances() = default;
  explicit Tolerances(double r) : relative(r) {}
  Tolerances(double r, double a) : relative(r), absolute(a) {}
  Tolerances(double r, Vector a_q, Vector a_v) : relative(r), absolute_q(std::move(a_q)), absolute_v(std::move(a_v)) {}

  bool operator==(const Tolerances& other) const;
  void serialize(Archive& archive);
};

/// Sizes of steps of a tolerance, all >= 0.
struct GNOMON_EXPORT StepLimits {
  double first = 0;     ///< the step that a run begins with; 0: found from q, v and the accelerations at the start
  double smallest = 0;  ///< a step that would have to be smaller fails; those that arrive at an end may be
  double largest = 0;   ///< 0: none
  long most_steps = 0;  ///< in one call of Integrator::advance_to(t_end); 0: no limit

  bool operator==(const StepLimits& other) const;
  void serialize(Archive& archive);
};

/// Throw Error(bad_value) for tolerances that are given and not finite and above zero, and for limits that are not
/// finite or contradict each other. The number of absolute tolerances is not known here.
GNOMON_EXPORT void check(const Tolerances& tolerances);
GNOMON_EXPORT void check(const StepLimits& limits);

/// What the steps of a tolerance did. Sizes are absolute values.
struct GNOMON_EXPORT StepEstimates {
  double last = 0;                   ///< size of the last accepted step
  double next = 0;                   ///< size that the next one is tried with
  double smallest = 0, largest = 0;  ///< of the accepted steps, without those that were shortened to arrive
  double error = 0;                  ///< err of the last accepted step
  Vector error_q, error_v;           ///< e of the last try
};

}  // namespace gnomon
