#pragma once
/// \file
/// The steps of general_line_integral.hpp for H = T(q,p) + U(q,t) of a system with a mass that depends on q.

#include <memory>

#include "kernels/line_integral/line_integral_degrees.hpp"

namespace gnomon {
class AlgebraTable;
}

namespace gnomon::kernels {

/// With the constraints of PositionLevel.
std::unique_ptr<StepEquations> position_line_step(const System& system, Index k, Index s, Index r);
/// With those of BothLevels, and local errors by the finer method (line_integral_error.hpp). order: of the end values.
std::unique_ptr<StepEquations> both_levels_line_step(const System& system, const AlgebraTable& table, Index k,
                                                     LineIntegralDegrees own, LineIntegralDegrees finer, int order);

}  // namespace gnomon::kernels
