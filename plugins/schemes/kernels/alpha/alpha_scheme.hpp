#pragma once
/// \file
/// What the alpha-schemes for constant mass take, what they promise, and their step.

#include <memory>

#include "gnomon/base/options.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/alpha/alpha_rule.hpp"

namespace gnomon::kernels {

OptionSpec alpha_option();
OptionSpec penalty_eps();
Promises alpha_promises();

/// Throws Error(refused).
AlphaRule alpha_rule(const Scheme& scheme, const System& system, const Options& options);

/// owner: keeps `system` alive where it is not the caller's, else null.
std::unique_ptr<StepEquations> alpha_step(const System& system, std::shared_ptr<const System> owner,
                                          const AlphaRule& rule);

}  // namespace gnomon::kernels
