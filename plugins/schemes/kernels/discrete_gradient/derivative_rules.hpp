#pragma once
/// \file
/// How the discrete derivative is chosen when a scheme is bound: what it needs of U and g, and the refusals.

#include "gnomon/base/options.hpp"
#include "kernels/common/requirements.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"

namespace gnomon::kernels {

/// Throws Error(refused); `general`, where there is one, names the scheme that takes such constraints.
inline void require_quadratic_constraints(const Scheme& scheme, const System& system, const std::string& general = "") {
  if (quadratic_constraints(system)) return;
  throw refusal(
      scheme, system,
      "its constraints are not declared to be at most quadratic" + (general.empty() ? "" : "; use " + general));
}

/// The equivariant derivative: U at most quadratic, or written in quadratic invariants. Throws Error(refused) else;
/// `general` names the scheme that takes any U.
inline MidpointRule equivariant_rule(const Scheme& scheme, const System& system, const std::string& general) {
  MidpointRule rule;
  rule.split_potential = !at_most_quadratic(system.traits().potential_degree);
  if (rule.split_potential && system.traits().n_invariants == 0)
    throw refusal(scheme, system,
                  "its potential is neither declared to be at most quadratic nor written in quadratic invariants; "
                  "use " +
                      general);
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
