#pragma once
/// \file
/// The augmented Lagrange iteration (augmented_step.hpp) around MidpointEquations with a penalty:
///
///     consistent    lambda += a mu g1,  a = dF/d(mu g1) = 1 (equivariant) or 2 (D-hat): contraction 1/(1 + a mu w)
///     printed       lambda += 2 mu g1, which with a = 1 contracts by (1 - mu w)/(1 + mu w) only, -1 for large mu
///     newton        lambda += S^-1 g1, S = -d g1/d lambda of the discrete step, by one factorisation of
///                   [J, h (0, Gm^T); G1, 0], J the step's own Jacobian (with d[F1; F2]/ds e^T/N beside (0, Gm^T)
///                   where g is not quadratic, e = g1 - g0 - Gm dq)
///
/// w are the eigenvalues of (h^2/2) G M^-1 G^T. The limit is the multiplier scheme.

#include <memory>

#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

OptionSpecs augmented_options();
/// What holds to rounding only where the iteration goes down to rounding: order, energy, g = 0.
/// Symmetry is not promised: what is left of g enters p as g/h.
void promise_limit(const Options& options, Promises& promises);
/// The step of a scheme with these options and this penalty.
std::unique_ptr<StepEquations> augmented_penalty(const System& system, const Options& options, const MidpointRule& rule,
                                                 PenaltyDerivative derivative);

}  // namespace gnomon::kernels
