#pragma once
/// \file
/// The symplectic form under the exact derivative of the step map.
///
/// Tangent vectors u = (dq, dp) of the bundle { g(q) = 0, G M^-1 p = 0 } at the start of a step span
///
///     G dq = 0,    G M^-1 dp + (G v)_q dq = 0,    v = M^-1 p       (with M(q): G (T_pp dp + T_pq dq) + (G v)_q dq = 0)
///
/// and the step carries them to D u, without differences (StepEquations::differentiate). Measured is, over all pairs of
/// a basis,
///
///     defect = max |omega(D u, D v) - omega(u, v)| / S(u, v)
///     omega(u, v) = sum_j (dq_j(u) dp_j(v) - dp_j(u) dq_j(v))
///     S(u, v)     = sum_j (|dq_j(u) dp_j(v)| + |dp_j(u) dq_j(v)|)
///
/// a number that no choice of units and no scaling of coordinates changes, some eps where only rounding changes omega.

#include "measures/setup.hpp"

namespace gnomon::validation {

struct ExactSymplecticity {
  double defect = 0;     ///< the largest of the steps that were measured
  Index directions = 0;  ///< dimension of the bundle
};

/// Takes `steps` steps of h and measures at some twenty of them. Throws Error(refused) where the scheme does not offer
/// the derivative of its step map, and RunFailed.
ExactSymplecticity exact_symplecticity(Integrator& integrator, long steps, double h);

}  // namespace gnomon::validation
