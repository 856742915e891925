/// \file
/// alpha-augmented: the alpha-scheme (alpha.cpp) with its multipliers from an augmented Lagrange iteration,
/// alpha_augmented_step.hpp. Conserves what alpha conserves up to lambda times what the tolerance leaves of g. Source:
/// Glowinski, Holmstroem, Algorithm 1, (10), (11). For a mass that depends on the configuration:
/// variable_mass_augmented.hpp.

#include "alpha_augmented/alpha_augmented_step.hpp"
#include "alpha_augmented/variable_mass_augmented.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/alpha/alpha_scheme.hpp"

namespace {

using namespace gnomon;

class AlphaAugmented final : public Scheme {
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
            OptionSpec::real("tolerance", 1e-15, 1e-300, 1, "unit of g", "on |g(x^{n+1})|, ends the iteration")};
  }
  Promises promises() const override {
    Promises p = kernels::alpha_promises();
    p.hidden = true;
    p.symmetric = false;  // what is left of g enters p as g/h
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().mass) return kernels::variable_mass_augmented(*this, system, options);
    kernels::AlphaRule alpha = kernels::alpha_rule(*this, system, options);
    alpha.multiplier.kind = kernels::AlphaMultiplier::Kind::augmented;
    alpha.multiplier.eps = options.real("eps");
    kernels::AlphaAugmentedStep::Rule rule;
    rule.second_order = options.is("update", "second");
    rule.tolerance = options.real("tolerance");
    const bool constrained = system.m() > 0, exact = !constrained || rule.tolerance <= 1e-15;
    Promises promised = promises();
    promised.hidden = false;
    promised.position = constrained && exact;
    promised.constrained_limit = promised.discrete_energy = exact;
    return {std::make_unique<kernels::AlphaAugmentedStep>(system, alpha, rule), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_augmented) {
  registrar.add(std::make_unique<AlphaAugmented>());
}
