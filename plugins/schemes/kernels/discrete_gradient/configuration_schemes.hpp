#pragma once
/// \file
/// The schemes in (q,p) for a mass that depends on q: what they require, promise, and their steps.

#include <memory>

#include "gnomon/base/options.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace gnomon::kernels {

/// Mass M(q), no friction. Throws Error(refused) for the option alpha other than 1/4, too, which has a meaning for a
/// constant mass only.
void require_quarter(const Scheme& scheme, const System& system, const Options& options);

/// A discrete derivative of H, or its gradient at the midpoint.
MidpointRule configuration_rule(bool exact, const Options& options);

/// Promises of order 2; with `impulses`, which keep both levels, symplectic where no force acts.
Promises configuration_promises(const System& system, bool exact, bool impulses);

/// The exact scheme with multipliers: energy-momentum-general, alpha-exact.
Binding configuration_exact(const Scheme& scheme, const System& system, const Options& options);

/// With impulses at both ends that keep both levels (impulse_multiplier.hpp).
std::unique_ptr<StepEquations> impulse_step(const System& system);
/// With a penalty on constraints and obstacles (gap_multiplier.hpp). exact: its discrete derivative.
std::unique_ptr<StepEquations> gap_step(const System& system, const MidpointRule& rule, double eps, bool exact);

}  // namespace gnomon::kernels
