/// \file
/// penalty-general: Leyendecker, Betsch, Steinmann (2004), eq. (24) with the discrete derivative (19) of Gonzalez
/// (1996), for any smooth U and g.
///
///     q1 - q0 = h (M^-1 p_m + s W_p dp)
///     p1 - p0 = -h (grad U(q_m) + 2 mu G(q_m)^T g(q_m) + s W_q dq)
///     s = [U1 - U0 - grad U(q_m).dq + mu (|g1|^2 - |g0|^2 - 2 g(q_m).G(q_m) dq)] / N
///
/// The penalty's part is mu/4 delta.(g1 - g0) for quadratic g, delta_i = dq^T (Hess g_i) dq. (In the paper the long
/// fraction belongs inside the bracket that multiplies dp and dq, with a minus in the second equation.) H + mu |g|^2 is
/// exact for every step size; with another R(g) = sum_i r(g_i) the force is mu r'(g(q_m)) and s has R1 - R0 -
/// r'(g(q_m)).(g1 - g0) instead (kernels/penalty_multiplier.hpp).
///
/// Limit of the scheme: the force holds the constraint at the *midpoint* of the step. For a fixed step the distance to
/// the multiplier scheme does not vanish as mu grows, against Prop. 3.2 of the paper; penalty and penalty-dhat
/// do not have this.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"
#include "kernels/discrete_gradient/penalty_options.hpp"

namespace {

using namespace gnomon;

class PenaltyGeneral final : public MechanicalScheme {
 public:
  std::string name() const override { return "penalty-general"; }
  std::string description() const override {
    return "penalty scheme, general discrete derivative; conserves H + P; holds the constraint at the midpoint only";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eqs. (19), (24)";
  }
  OptionSpecs options() const override {
    OptionSpecs specs = kernels::penalty_options(1e3);
    specs.push_back(kernels::weight_option());
    return specs;
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.constrained_limit = false;
    p.energy = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    require_resting_constraints(*this, system);
    return {kernels::penalty_step(*this, system, options, kernels::general_rule(system, options),
                                  kernels::PenaltyDerivative::midpoint),
            ledger_promises(system, promises())};
  }
};

}  // namespace

GNOMON_PLUGIN(penalty_general) {
  registrar.add(std::make_unique<PenaltyGeneral>());
}
