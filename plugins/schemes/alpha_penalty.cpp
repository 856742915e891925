/// \file
/// alpha-penalty: the alpha-scheme (alpha.cpp) with a penalty for constraints and obstacles, discretised in time,
///
///     P = sum_i w_i g_i(x)^2/(2 eps) + sum_i w_i ((-c_i(x))^+)^2/(2 eps),   g and c at most quadratic,
///
/// between the middles m- and m+ by the closed forms of alpha_multiplier.hpp; w are the system's constraint_weights.
/// No multiplier and no event: contacts may be any number. Conserved for every h: (19) + V(m+) + P(m+) at n+1/2.
/// Constraints hold up to O(eps), obstacles are penetrated by O(eps^(1/2)) for a given impact velocity. The one-sided
/// force is Lipschitz in x^{n+1}: Newton's method is semismooth and converges without line search. Source: Glowinski,
/// Holmstroem, (35), (47), (62), (63), corrected: ( )^+ on both squares, limits where the quotient is 0/0.
///
/// For a mass that depends on the configuration (gap_multiplier.hpp), with any g and c: (38)
/// discretised by (40), the implicit midpoint rule for H + P (derivative=midpoint), or by a discrete derivative in
/// (q,p) of H and of every g_i and c_i with difference quotients of P (derivative=exact), which keeps H + P less the
/// work for every h. The forces of obstacles are unknowns, so that Newton's method converges without line search for
/// stiff ones, too. The midpoint rule bounds no energy: where a step is larger than a stiff contact lasts, its end may
/// lie h v/2 inside the obstacle, with P = w (h v)^2/(8 eps) from nothing.

#include "gnomon/registry/plugin.hpp"
#include "kernels/alpha/alpha_scheme.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace {

using namespace gnomon;

class AlphaPenalty final : public MechanicalScheme {
 public:
  std::string name() const override { return "alpha-penalty"; }
  std::string description() const override {
    return "two-step alpha-scheme with a penalty for constraints (two-sided) and obstacles (one-sided)";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(35), (38), (47), (63)";
  }
  OptionSpecs options() const override {
    return {kernels::alpha_option(), kernels::penalty_eps(),
            OptionSpec::choice("derivative", {"midpoint", "exact"},
                               "where the mass depends on q: the gradient of H + P at the midpoint, or a discrete "
                               "derivative that keeps H + P"),
            kernels::weight_option()};
  }
  Promises promises() const override {
    Promises p = kernels::alpha_promises();
    p.position = p.constrained_limit = false;
    p.energy = true;
    return p;
  }
  bool holds_obstacles() const override { return true; }
  std::string refuses_velocity_constraints() const override { return "and a quadratic penalty of them is a damper"; }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().mass) return with_configuration_mass(system, options);
    std::shared_ptr<const System> closed;
    if (system.parts().n_obstacles() > 0) closed = system.parts().obstacles->with_obstacles_closed();
    const System& model = closed ? *closed : system;
    require_no_friction(*this, model, "the force of a penalty oscillates about the reaction that friction is a law of");
    kernels::AlphaRule rule = kernels::alpha_rule(*this, model, options);
    rule.multiplier.kind = kernels::AlphaRule::Kind::penalty;
    rule.multiplier.eps = options.real("eps");
    rule.multiplier.n_obstacles = system.parts().n_obstacles();
    Promises promised = promises();
    promised.energy = false;  // at n+1/2
    promised.constrained_limit = model.m() == 0;
    return {kernels::alpha_step(model, closed, rule), promised};
  }

 private:
  Binding with_configuration_mass(const System& system, const Options& options) const {
    kernels::require_quarter(*this, system, options);
    const bool exact = options.is("derivative", "exact");
    Promises promised = kernels::configuration_promises(system, exact, false);
    promised.position = promised.constrained_limit = false;
    promised.symplectic = !exact && !system.parts().force && !system.parts().time_dependence;
    return {kernels::gap_step(system, kernels::configuration_rule(exact, options), options.real("eps"), exact),
            promised};
  }
};

}  // namespace

GNOMON_PLUGIN(alpha_penalty) {
  registrar.add(std::make_unique<AlphaPenalty>());
}
