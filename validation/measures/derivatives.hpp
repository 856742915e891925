#pragma once
/// \file
/// A problem's derivatives, checked.

#include "setup.hpp"

namespace gnomon::validation {

/// Every function of the instance's system against central differences and against its other functions, at the start
/// and at three points near it: relative disagreements with their tolerances, one row a function.
Quantities check_derivatives(const ProblemInstance& instance);

}  // namespace gnomon::validation
