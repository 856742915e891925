#include "kernels/discrete_gradient/configuration_schemes.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/discrete_gradient/gap_multiplier.hpp"
#include "kernels/discrete_gradient/impulse_multiplier.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"

namespace gnomon::kernels {

namespace {

template <class Multiplier>
using ConfigurationStep = MidpointStep<Multiplier, ConfigurationInertia>;

/// Mass M(q).
void require_configuration_mass(const Scheme& scheme, const System& system) {
  if (!system.parts().mass) refuse(scheme, system, "its mass does not depend on the configuration");
}

/// Symmetries whose generators are affine, which the constraints keep, and nothing that takes momentum.
bool keeps_momentum(const System& system) {
  const Parts& parts = system.parts();
  return parts.symmetries && !parts.velocity_constraints && !parts.force && !parts.friction && !parts.time_dependence &&
         !parts.obstacles && affine_symmetries(system) && constraint_symmetry(system) != ConstraintSymmetry::other;
}

}  // namespace

void require_quarter(const Scheme& scheme, const System& system, const Options& options) {
  require_configuration_mass(scheme, system);
  require_no_friction(scheme, system, "its impulses at both ends have multipliers of their own");
  if (options.real("alpha") != 0.25)
    refuse(scheme, system,
           "its mass depends on the configuration, for which alpha = " + number_text(options.real("alpha")) +
               " has no meaning: (40) is for alpha = 1/4");
}

MidpointRule configuration_rule(bool exact, const Options& options) {
  MidpointRule rule;
  rule.correct_potential = exact;
  if (options.is("weight", "mass")) rule.weight = QuotientWeight::mass;
  return rule;
}

Promises configuration_promises(const System& system, bool exact, bool impulses) {
  Promises p;
  p.order = 2;
  p.energy = exact;
  p.position = system.m() > 0;
  p.hidden = p.position && impulses;
  p.symmetric = true;
  p.momentum = keeps_momentum(system);
  p.symplectic = !system.parts().force && !system.parts().time_dependence && !exact && (impulses || !p.position);
  return p;
}

Binding configuration_exact(const Scheme& scheme, const System& system, const Options& options) {
  require_configuration_mass(scheme, system);
  return {std::make_unique<ConfigurationStep<EndMultiplier>>(system, configuration_rule(true, options),
                                                             EndMultiplier::Rule{true}),
          configuration_promises(system, true, false)};
}

std::unique_ptr<StepEquations> impulse_step(const System& system) {
  return std::make_unique<ConfigurationStep<ImpulseMultiplier>>(system, MidpointRule{}, ImpulseMultiplier::Rule{},
                                                                true);
}

std::unique_ptr<StepEquations> gap_step(const System& system, const MidpointRule& rule, double eps, bool exact) {
  return std::make_unique<ConfigurationStep<GapMultiplier>>(system, rule, GapMultiplier::Rule{eps, exact});
}

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<
    gnomon::kernels::MidpointEquations<gnomon::kernels::ImpulseMultiplier, gnomon::kernels::ConfigurationInertia>,
    false>;
