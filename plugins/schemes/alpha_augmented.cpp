/// \file
/// alpha-augmented: alpha with an augmented Lagrange iteration for its constraints, |g| < tolerance at the end of every
/// step. For a mass that depends on the configuration: kernels/variable_mass_augmented.hpp.

#include "gnomon/plugin.hpp"
#include "kernels/variable_mass_augmented.hpp"

namespace {

using namespace gnomon;

class AlphaAugmented final : public Scheme {
 public:
  std::string name() const override { return "alpha-augmented"; }
  std::string description() const override { return "alpha-scheme with an augmented Lagrange iteration"; }
  std::string source() const override {
    return "Glowinski, Holmstroem, Surv. Math. Ind. (1995), Algorithm 1 with (10), (11), (40); multipliers at the "
           "nodes";
  }
  OptionSpecs options() const override {
    return {kernels::penalty_softness(),
            OptionSpec::choice("update", {"second", "first"}, "of the multipliers: (11), or (10)"),
            OptionSpec::real("tolerance", 1e-9, 1e-300, 1e6, "unit of g", "on |g| at the end of the step")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.hidden = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    kernels::require_variable_mass(*this, system);
    kernels::VariableMassRule rule;
    rule.constraint = kernels::VariableMassRule::Constraint::augmented;
    rule.eps = options.real("eps");
    const double tolerance = options.real("tolerance");
    Promises promised = kernels::promises_of(system, rule);
    promised.constrained_limit = system.m() == 0 || tolerance <= 1e-13;
    return {
        std::make_unique<kernels::VariableMassAugmentedStep>(system, rule, options.is("update", "second"), tolerance),
        promised};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_augmented) {
  registrar.add(std::make_unique<AlphaAugmented>());
}
