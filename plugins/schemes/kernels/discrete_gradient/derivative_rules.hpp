#pragma once
/// \file
/// How the discrete derivative is chosen when a scheme is bound: what it needs of U and g, and the refusals.

#include "gnomon/base/options.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"

namespace gnomon::kernels {

/// The equivariant derivative, see require_split_potential. The correction that g needs where it is not quadratic is
/// invariant under a change of units.
inline MidpointRule equivariant_rule(const Scheme& scheme, const System& system, const std::string& general) {
  MidpointRule rule;
  rule.split_potential = require_split_potential(scheme, system, general);
  rule.weight = GeneralQuotient::Weight::mass;
  return rule;
}

inline OptionSpec weight_option() {
  return OptionSpec::choice("weight", {"identity", "mass"}, "inner product of the discrete derivative");
}
/// The general derivative: U enters the quotient where it is not quadratic.
inline MidpointRule general_rule(const System& system, const Options& options) {
  MidpointRule rule;
  rule.correct_potential = !at_most_quadratic(system.traits().potential_degree);
  if (options.is("weight", "mass")) rule.weight = GeneralQuotient::Weight::mass;
  return rule;
}

}  // namespace gnomon::kernels
