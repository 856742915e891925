#pragma once
/// \file
/// Options of the penalty and augmented Lagrange schemes, and the step of the penalty schemes.

#include <memory>

#include "gnomon/base/options.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

OptionSpec penalty_parameter(double mu = 1e7);
OptionSpecs penalty_options(double mu = 1e7);

/// The step with P = mu R(g), R of the options. Throws Error where R is not convex, or the model has none.
std::unique_ptr<StepEquations> penalty_step(const Scheme& scheme, const System& system, const Options& options,
                                            const MidpointRule& rule, PenaltyDerivative derivative);

}  // namespace gnomon::kernels
