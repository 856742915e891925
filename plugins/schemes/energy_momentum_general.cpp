/// \file
/// energy-momentum-general: Leyendecker, Betsch, Steinmann (2004), eq. (23) with the discrete derivative (19) of
/// Gonzalez (1996), for any smooth U and g.
///
///     q1 - q0 = h (M^-1 p_m + s W_p dp)
///     p1 - p0 = -h (grad U(q_m) + G(q_m)^T lambda + s W_q dq)
///     0 = g(q1)
///     s = [U1 - U0 - grad U(q_m).dq + lambda.(g1 - g0 - G(q_m) dq)] / N,    N = dq.W_q dq + dp.W_p dp
///
/// The paper prints only -lambda.(G_m dq)/N for the multiplier part, which is (19) for g0 = g1 = 0; the full quotient
/// is used here. weight=identity (W_q = W_p = 1) is (19) as printed and not invariant under a change of units;
/// weight=mass takes W_q = M, W_p = h^2 M^-1. Parts of s that vanish identically (U or g at most quadratic) are left
/// out unless quotient=always; at dz = 0 the quotient has a removable singularity of value zero and is skipped there.
/// Energy is exact for every step size; momentum maps where s vanishes identically, and with M(q).
///
/// For a mass that depends on q the same equations have H = p^T M(q)^-1 p/2 + U in place of T and U: grad H(z_m) for
/// (M^-1 p_m, grad U), H1 - H0 - grad H(z_m).dz in s, weight=mass W_q = diag M at a typical configuration; a force Q
/// enters the second equation, and its work Q.dq is booked (kernels/discrete_gradient/configuration_inertia.hpp).
///
/// Where U or g depends on time, the derivatives are those of their average over the two times, g(q1,t1) = 0 is the
/// row, and H1 - H0 is the booked work (kernels/common/energy_balance.hpp).
///
/// Cost: where s is active the Jacobian's first 2n rows are dense.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace {

using namespace gnomon;

class EnergyMomentumGeneral final : public MechanicalScheme {
 public:
  std::string name() const override { return "energy-momentum-general"; }
  std::string description() const override {
    return "energy-momentum scheme with Lagrange multipliers, general discrete derivative: any smooth U and g";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eqs. (19), (23)";
  }
  OptionSpecs options() const override {
    return {kernels::weight_option(),
            OptionSpec::choice("quotient", {"auto", "always"},
                               "auto leaves out the parts of the quotient that vanish identically")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.energy = p.position = p.momentum = p.symmetric = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and with multipliers of one level A v + b would be open";
  }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().mass) return kernels::configuration_exact(*this, system, options);
    kernels::MidpointRule rule = kernels::general_rule(system, options);
    const bool always = options.is("quotient", "always");
    const bool quadratic_u = at_most_quadratic(system.traits().potential_degree);
    const bool quadratic_g = quadratic_constraints(system);
    if (always) rule.correct_potential = true;
    const bool correct = system.m() > 0 && (always || !quadratic_g);
    Promises promised = promises();
    promised.momentum = quadratic_u && quadratic_g;
    return {kernels::end_multiplier_step(system, rule, correct), ledger_promises(system, promised)};
  }
};

}  // namespace

GNOMON_PLUGIN(energy_momentum_general) {
  registrar.add(std::make_unique<EnergyMomentumGeneral>());
}
