#pragma once
/// \file
/// How the discrete derivative is chosen when a scheme is bound: what it needs of U and g, and the refusals.

#include <memory>
#include <string>

#include "gnomon/base/options.hpp"
#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

/// Inner product of the general discrete derivative.
enum class QuotientWeight { identity, mass };

/// How U is differentiated between the two ends of a step.
struct MidpointRule {
  bool split_potential = false;    ///< equivariant: quotients in the quadratic invariants
  bool correct_potential = false;  ///< general: U enters c
  QuotientWeight weight = QuotientWeight::identity;
};

/// How a penalty is differentiated (penalty_multiplier.hpp).
enum class PenaltyDerivative { equivariant, midpoint, d_hat };

/// The equivariant derivative, see require_split_potential. The correction that g needs where it is not quadratic is
/// invariant under a change of units.
MidpointRule equivariant_rule(const Scheme& scheme, const System& system, const std::string& general);

OptionSpec weight_option();
/// The general derivative: U enters the quotient where it is not quadratic.
MidpointRule general_rule(const System& system, const Options& options);

/// The step of MidpointEquations with the EndMultiplier, for constant mass. correct: g enters c.
std::unique_ptr<StepEquations> end_multiplier_step(const System& system, const MidpointRule& rule, bool correct);

}  // namespace gnomon::kernels
