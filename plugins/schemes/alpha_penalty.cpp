/// \file
/// alpha-penalty: alpha with a penalty for constraints and obstacles, P = sum w_i r(y_i)/(2 eps), one-sided for
/// obstacles (kernels/gap_penalty.hpp).
///
/// For a mass that depends on the configuration (kernels/variable_mass_equations.hpp): (38) discretised by (40), the
/// implicit midpoint rule for H + P (derivative=midpoint), or by a discrete derivative in z of H and of every y_i, with
/// difference quotients of P (derivative=exact), which keeps H + P less the work for every step size.

#include "gnomon/plugin.hpp"
#include "kernels/derivative_rules.hpp"
#include "kernels/variable_mass_step.hpp"

namespace {

using namespace gnomon;

class AlphaPenalty final : public Scheme {
 public:
  std::string name() const override { return "alpha-penalty"; }
  std::string description() const override { return "alpha-scheme with a penalty for constraints and obstacles"; }
  std::string source() const override {
    return "Glowinski, Holmstroem, Surv. Math. Ind. (1995), (35), (38), (40); closed forms of the quotients in place "
           "of (51)";
  }
  OptionSpecs options() const override {
    return {kernels::penalty_softness(),
            OptionSpec::choice("derivative", {"midpoint", "exact"},
                               "for a mass that depends on q: the gradient of H + P at the midpoint, or a discrete "
                               "derivative that keeps H + P"),
            kernels::weight_option()};
  }
  bool holds_obstacles() const override { return true; }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.constrained_limit = false;
    p.energy = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    kernels::require_variable_mass(*this, system);
    kernels::VariableMassRule rule;
    rule.constraint = kernels::VariableMassRule::Constraint::penalty;
    rule.eps = options.real("eps");
    rule.exact = options.is("derivative", "exact");
    if (options.is("weight", "mass")) rule.weight = kernels::GeneralQuotient::Weight::mass;
    return {std::make_unique<kernels::VariableMassStep>(system, rule), kernels::promises_of(system, rule)};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_penalty) {
  registrar.add(std::make_unique<AlphaPenalty>());
}
