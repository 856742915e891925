#pragma once
/// \file
/// The augmented Lagrange iteration (kernels/common/augmented_step.hpp) around a step of the alpha-scheme. The force is
/// G((x^{n+1} + x^{n-1})/2)^T (lambda + w g(x^{n+1})/eps):
///
///     first     lambda += w g/eps                                                        (10)
///     second    lambda += [J H^-1 J^T]^-1 g                                              (11)
///
/// with H the derivative of the step's equation, penalty included, and J the two constraint Jacobians of it; by one
/// factorisation of [H J^T; J 0]. The limit is the scheme alpha. (With multipliers and g at the middles of steps, as
/// printed for (40), lambda carries an undamped (-1)^n: they belong to the nodes.)

#include <memory>

#include "gnomon/scheme/scheme.hpp"
#include "kernels/alpha/alpha_rule.hpp"
#include "kernels/common/augmented_step.hpp"

namespace gnomon::kernels {

std::unique_ptr<StepEquations> augmented_alpha_step(const AugmentedRule& rule, const System& system,
                                                    const AlphaRule& alpha);

}  // namespace gnomon::kernels
