#pragma once
/// \file
/// The monodromy matrix of a periodic motion and its Floquet multipliers.

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/run/integrator.hpp"
#include "gnomon/solve/linearisation.hpp"

namespace gnomon {

/// With the coordinates (y, w) of the linearisation at the start of a motion that comes back to it after the period,
///
///     [y; w](t0 + period) = X [y; w](t0),        dq = N y, dp = M W w + S y at both ends
///
/// X the derivative of the motion as it is stepped, see Sensitivities, and its eigenvalues the Floquet multipliers.
/// Without velocity constraints (y, w) are canonical: X of a symplectic scheme is symplectic.
struct GNOMON_EXPORT Monodromy {
  Matrix matrix;                                  ///< X, by (y, w)
  std::vector<std::complex<double>> multipliers;  ///< all of them, by |.|, the largest first
  Linearisation linear;                           ///< at the start
  double period = 0;
  long steps = 0;
  std::string stopped;   ///< why the run ended before the period, which leaves X empty; empty: it did not
  double remainder = 0;  ///< Sensitivities::largest_remainder()
  double gap = 0;  ///< from the start to the end, a part of the largest distance from the start; distances are below
};

/// A run of the instance from its start, which has started, with IntegratorOptions::project_start.
using StartedRun = std::function<Integrator(const ProblemInstance& instance)>;
/// Takes the steps of a run over the period, at each call the same ones.
using OverPeriod = std::function<StepReport(Integrator& run)>;

/// Distances are (|dq|^2 + (period/2 pi)^2 |dp|^2)^(1/2), |dq|^2 = dq^T M dq and |dp|^2 = dp^T M^-1 dp. The start is
/// that of the instance, projected onto the constraints; a motion that stays there, to rounding, closes. Throws
/// Error(refused) where the run does not come back to it by a thousandth of its largest distance from there, where the
/// start has no derivative, and as linearise and Sensitivities do.
GNOMON_EXPORT Monodromy monodromy(const ProblemInstance& instance, const StartedRun& start, double period,
                                  const OverPeriod& over);

}  // namespace gnomon
