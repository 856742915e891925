#include "kernels/alpha/alpha_scheme.hpp"

#include <utility>

#include "gnomon/scheme/requirements.hpp"
#include "kernels/alpha/alpha_step.hpp"

namespace gnomon::kernels {

OptionSpec alpha_option() {
  return OptionSpec::real("alpha", 0.25, 0, 0.5, "",
                          "weight of x^{n+1} and x^{n-1} in A x, below 1/4 stable up to (23)");
}

OptionSpec penalty_eps() {
  return OptionSpec::real("eps", 1e-6, 1e-300, 1e300, "unit of w g^2 per energy",
                          "penalty parameter: P = sum w g^2/(2 eps)");
}

Promises alpha_promises() {
  Promises p;
  p.order = 2;
  p.discrete_energy = p.position = p.symmetric = true;
  return p;
}

AlphaRule alpha_rule(const Scheme& scheme, const System& system, const Options& options) {
  if (system.parts().mass) refuse(scheme, system, "its mass depends on the configuration");
  if (!quadratic_constraints(system))
    refuse(scheme, system, "its constraints are not declared to be at most quadratic");
  AlphaRule rule;
  rule.alpha = options.real("alpha");
  rule.split_potential = require_split_potential(scheme, system);
  return rule;
}

std::unique_ptr<StepEquations> alpha_step(const System& system, std::shared_ptr<const System> owner,
                                          const AlphaRule& rule) {
  return std::make_unique<AlphaStep>(system, std::move(owner), rule);
}

}  // namespace gnomon::kernels
