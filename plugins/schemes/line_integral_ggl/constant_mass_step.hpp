#pragma once
/// \file
/// The step of line-integral-ggl for constant mass, with local errors by the finer method
/// (kernels/line_integral/line_integral_error.hpp).

#include <memory>

#include "kernels/line_integral/line_integral_degrees.hpp"

namespace gnomon {
class AlgebraTable;
}

namespace gnomon::kernels {

/// end_multipliers: State::lambda are the index-1 multipliers of the state. order: of the end values.
std::unique_ptr<StepEquations> constant_mass_line_step(const System& system, const AlgebraTable& table, Index k,
                                                       LineIntegralDegrees own, LineIntegralDegrees finer, int order,
                                                       bool end_multipliers);

}  // namespace gnomon::kernels
