#pragma once
/// \file
/// The augmented Lagrange iteration (kernels/common/augmented_step.hpp) in (q,p) for a mass that depends on q: the
/// force at the start of the step is h G(q0)^T (Lambda + g(q1)/eps), that of an impulse with lambda = 2 (Lambda +
/// g1/eps) - mu of the last step;
///
///     first     Lambda += g1/eps                              (10) of Glowinski and Holmstroem, Hestenes and Powell
///     second    Lambda -= (d g1/d Lambda)^-1 g1               (11)
///
/// Which multiplier belongs where: see kernels/discrete_gradient/impulse_multiplier.hpp.

#include <memory>

#include "gnomon/scheme/scheme.hpp"
#include "kernels/common/augmented_step.hpp"

namespace gnomon::kernels {

std::unique_ptr<StepEquations> augmented_impulse_step(const AugmentedRule& rule, const System& system, double eps);

}  // namespace gnomon::kernels
