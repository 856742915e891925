#include "kernels/discrete_gradient/derivative_rules.hpp"

#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"

namespace gnomon::kernels {

MidpointRule equivariant_rule(const Scheme& scheme, const System& system, const std::string& general) {
  MidpointRule rule;
  rule.split_potential = require_split_potential(scheme, system, general);
  rule.weight = QuotientWeight::mass;
  return rule;
}

OptionSpec weight_option() {
  return OptionSpec::choice("weight", {"identity", "mass"}, "inner product of the discrete derivative");
}

MidpointRule general_rule(const System& system, const Options& options) {
  MidpointRule rule;
  rule.correct_potential = !at_most_quadratic(system.traits().potential_degree);
  if (options.is("weight", "mass")) rule.weight = QuotientWeight::mass;
  return rule;
}

std::unique_ptr<StepEquations> end_multiplier_step(const System& system, const MidpointRule& rule, bool correct) {
  return std::make_unique<MidpointStep<EndMultiplier>>(system, rule, EndMultiplier::Rule{correct});
}

}  // namespace gnomon::kernels
