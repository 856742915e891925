#pragma once
/// \file
/// How a Newton solve ends: by corrections with the current factorisation, without a new one,
///
///     x -= J(x')^-1 F(x),     x' an iterate before x
///
/// - At the end of the iteration a last one, which no test asks for. A Newton correction d leaves an error of the size
///   of |d|^2: at |d| = 1e-7 below the rounding of the residual, which therefore cannot show it, but of the same sign
///   in every step. The energy then drifts by 1e-16 a step: 1e-12 after 1e4 steps of line-integral-ggl on the double
///   spherical pendulum, 2e-14 with the correction.
/// - Before that in the place of Newton corrections, where the matrix contracts twentyfold: it is then nearly J(x),
///   and a residual and a back substitution take the place of a Jacobian and a factorisation, too. On the chain of 1e3
///   links at h = 2.5e-4: corrections 2.7e-7, 1.2e-9, 1e-14, of Newton's method 2.7e-7, 1.2e-9.
///   Where iterative refinement follows, the last of these is left to its first pass.

#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon {

/// A Newton correction of at most so many step tolerances may be followed by corrections with its matrix.
constexpr double chord_reach = 100;

/// Where F is at its floor, corrections that no longer shrink are rounding: multipliers of fine meshes end so, above
/// the step tolerance.
inline bool is_noise(double step, double last_step) {
  return step > 0.5 * last_step && step < thresholds::unshrinking_noise;
}

enum class Ending { done, new_matrix, failed };

/// After a Newton correction of report.step_norm <= chord_reach * rule.step_tolerance, with F at the new iterate known,
/// report.residual_norm. `chord` has
///
///     bool correct()                what J^-1 F is; false where there is none
///     double step(), rate()         its norm, that of the step tolerance, and its ratio to the correction before
///     void apply()                  x -= J^-1 F
///     bool evaluate(SolveReport&)   F at x, and its norm
///
/// new_matrix: it contracts too slowly, or the iterations are used up, and x is the last iterate that it led to.
template <class ChordCorrection>
Ending take_chord_steps(ChordCorrection&& chord, const ConvergenceRule& rule, double floor, SolveReport& report) {
  // The first correction may be of other unknowns than the Newton correction was: it tells little of the matrix.
  // Below `refinable` one pass of refinement takes away what another correction would.
  constexpr double contraction = .05, first_contraction = .5;
  bool at_floor = rule.at_floor(report.residual_norm, floor);
  if (at_floor && report.step_norm <= rule.step_tolerance) {
    if (report.step_norm >= thresholds::negligible_step && chord.correct()) chord.apply();
    return Ending::done;
  }
  for (double least = first_contraction;; least = contraction) {
    if (report.iterations >= rule.max_iterations) return Ending::new_matrix;
    if (!chord.correct() || !(chord.rate() <= least))
      return at_floor && report.step_norm < thresholds::negligible_step ? Ending::done : Ending::new_matrix;
    chord.apply();
    ++report.iterations;
    report.step_norm = chord.step();
    if (least == contraction) report.contraction = static_cast<float>(chord.rate());
    if (at_floor && chord.step() * chord.rate() <= thresholds::unit_of_rounding) return Ending::done;
    if (!chord.evaluate(report)) return Ending::failed;
    at_floor = rule.at_floor(report.residual_norm, floor);
    if (at_floor && rule.refined_after && chord.step() * chord.rate() <= thresholds::refinable) return Ending::done;
  }
}

}  // namespace gnomon
