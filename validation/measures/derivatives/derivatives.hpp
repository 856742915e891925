#pragma once
/// \file
/// A problem's derivatives, checked.

#include "gnomon/model/overdetermined.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

/// Every function of the instance's system against central differences and against its other functions, at the start
/// and at three points near it: relative disagreements with their tolerances, one row a function.
Quantities check_derivatives(const ProblemInstance& instance);

/// Of an overdetermined DAE every term's tangent against differences, every Jacobian against tangents, and, where it
/// has an energy, the power against dE/dt along the index-1 slope: at the start and at three points near it.
Quantities check_overdetermined(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0);

}  // namespace gnomon::validation
