/// \file
/// alpha: the two-step schemes of Glowinski and Holmstroem.
///
/// For a mass that depends on the configuration, (40), which in (q,p) is the implicit midpoint rule
///
///     q1 - q0 = h H_p(q_m, p_m),    p1 - p0 = -h (H_q(q_m, p_m) - Q(q_m, (q1 - q0)/h, t_m))
///
/// with constraints as kicks at both ends that keep both levels (kernels/variable_mass_equations.hpp). Symplectic and
/// symmetric; the energy is kept up to O(h^2) only, alpha-exact keeps it. The work of forces is booked. State::lambda
/// are the index-1 multipliers of the state, which is consistent at both levels.

#include "gnomon/plugin.hpp"
#include "kernels/variable_mass_step.hpp"

namespace {

using namespace gnomon;

class Alpha final : public Scheme {
 public:
  std::string name() const override { return "alpha"; }
  std::string description() const override {
    return "alpha-scheme: two-step; for a mass that depends on q the implicit midpoint rule in (q,p)";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Surv. Math. Ind. (1995), (40), with multipliers at the nodes";
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.position = p.hidden = p.symmetric = p.symplectic = true;
    return p;
  }
  Binding bind(const System& system, const Options&) const override {
    kernels::require_variable_mass(*this, system);
    kernels::VariableMassRule rule;
    rule.constraint = kernels::VariableMassRule::Constraint::ends;
    return {std::make_unique<kernels::VariableMassStep>(system, rule, true), kernels::promises_of(system, rule)};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha) {
  registrar.add(std::make_unique<Alpha>());
}
