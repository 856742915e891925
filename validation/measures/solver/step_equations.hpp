#pragma once
/// \file
/// One step of a scheme taken apart: visits the equations of each solve, scaled, at their predictor.

#include <functional>

#include "gnomon/solve/scaled_equations.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

/// Sets up the step of size h from the integrator's state and calls visit(solve, equations, predictor) for every solve
/// of it; the solution that the later solves need comes from `solver`. Throws RunFailed when a solve fails.
void visit_step_equations(
    Integrator& integrator, const SolverFactory& solver, double h,
    const std::function<void(Index solve, ScaledEquations& equations, const Vector& predictor)>& visit);

}  // namespace gnomon::validation
