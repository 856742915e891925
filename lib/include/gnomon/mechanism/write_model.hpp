#pragma once
/// \file
/// A problem as the text of a model file.

#include <string>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// The model and its start, with the numbers that its parameters have: read_model_text() of the result is the same
/// model, to rounding. First integrals, penalty functions, split forms and curves have no formulas and are left out,
/// which a comment in the text says. Throws Error(refused) with the reason for a model that has no formulas: one that
/// is written by hand or branches on a value, an overdetermined DAE.
GNOMON_EXPORT std::string model_text(const ProblemInstance& instance, const std::string& name,
                                     const std::string& description = {});

}  // namespace gnomon
