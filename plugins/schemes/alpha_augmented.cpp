/// \file
/// alpha-augmented: the alpha-scheme (alpha.cpp) with its multipliers from an augmented Lagrange iteration,
/// augmented_alpha.hpp. Conserves what alpha conserves; with update=first, up to lambda times what the tolerance leaves
/// of g. Source: Glowinski, Holmstroem, Algorithm 1, (10), (11). For a mass that depends on the configuration:
/// augmented_impulses.hpp.

#include "alpha_augmented/augmented_alpha.hpp"
#include "alpha_augmented/augmented_impulses.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/alpha/alpha_scheme.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"

namespace {

using namespace gnomon;

class AlphaAugmented final : public MechanicalScheme {
 public:
  std::string name() const override { return "alpha-augmented"; }
  std::string description() const override {
    return "two-step alpha-scheme by an augmented Lagrange iteration; conserves an energy at n+1/2";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(10), (11), (16)";
  }
  OptionSpecs options() const override {
    return {kernels::alpha_option(), kernels::penalty_eps(),
            OptionSpec::choice("update", {"second", "first"}, "how the multipliers are updated: (11) or (10)"),
            kernels::tolerance_of_g()};
  }
  Promises promises() const override {
    Promises p = kernels::alpha_promises();
    p.hidden = true;
    p.symmetric = false;  // what is left of g enters p as g/h
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    kernels::AugmentedRule rule;
    rule.second_order = options.is("update", "second");
    rule.tolerance = options.real("tolerance");
    if (system.parts().mass) return with_impulses(system, options, rule);
    require_no_friction(*this, system, "the multipliers of its iteration must not act on its forces");
    kernels::AlphaRule alpha = kernels::alpha_rule(*this, system, options);
    alpha.multiplier.kind = kernels::AlphaRule::Kind::augmented;
    alpha.multiplier.eps = options.real("eps");
    const bool constrained = system.m() > 0, exact = !constrained || rule.tolerance == 0;
    Promises promised = promises();
    promised.hidden = false;
    promised.position = constrained && exact;
    promised.constrained_limit = promised.discrete_energy = exact;
    return {kernels::augmented_alpha_step(rule, system, alpha), promised};
  }

 private:
  Binding with_impulses(const System& system, const Options& options, const kernels::AugmentedRule& rule) const {
    kernels::require_quarter(*this, system, options);
    Promises promised = kernels::configuration_promises(system, false, true);
    promised.position = promised.symmetric = promised.symplectic = false;
    promised.constrained_limit = system.m() == 0 || rule.tolerance <= thresholds::constrained_limit;
    return {kernels::augmented_impulse_step(rule, system, options.real("eps")), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_augmented) {
  registrar.add(std::make_unique<AlphaAugmented>());
}
