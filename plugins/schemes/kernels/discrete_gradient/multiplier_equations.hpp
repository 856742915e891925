#pragma once
/// \file
/// The residual of the multiplier schemes whose discrete derivative needs no correction (s = 0 in
/// midpoint_equations.hpp), without dp among the unknowns, x = [dq | lambda]. Its second row
///
///     dp = -h (u + G(q_m)^T lambda)
///
/// is explicit in dp, and put into the first one, M dq/h - p0 - dp/2 = 0, it leaves
///
///     F1 = M dq/h - p0 + h/2 (u + G(q_m)^T lambda)
///     F3 = g(q1)          (end_multiplier.hpp)
///
/// with u = grad U(q_m), or the quotients of split_gradient.hpp, less a force Q(q_m, dq/h, t_m) and
/// friction R(q_m, dq/h, lambda). Same solutions, 4
/// unknowns a point mass and rod instead of 7; dp follows from F1 at the refined solution
/// x + low, at Extended.
/// MultiplierStep is the step of energy-momentum and constrained-midpoint.

#include <memory>

#include "gnomon/scheme/scheme.hpp"

namespace gnomon::kernels {

/// split_potential: u are the quotients of split_gradient.hpp.
std::unique_ptr<StepEquations> multiplier_step(const System& system, bool split_potential);

}  // namespace gnomon::kernels
