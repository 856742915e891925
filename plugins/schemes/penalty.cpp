/// \file
/// penalty: Leyendecker, Betsch, Steinmann (2004), eq. (39), for any smooth constraints.
///
///     q1 - q0 = h M^-1 p_m
///     p1 - p0 = -h (D_U(q0,q1) + mu G(q_m)^T D_R),   D_R,i = [r(g_i(q1)) - r(g_i(q0))] / [g_i(q1) - g_i(q0)]
///
/// with R(g) = sum_i r(g_i), by default |g|^2 where D_R = g(q1) + g(q0), and the equivariant discrete derivative D_U of
/// Gonzalez (1996). The paper prints the penalty force as a quotient of
/// differences, 0/0 where nothing moves, and with a factor that holds for invariants |x|^2 only; for quadratic g the
/// quotient is g1 + g0, without a division. H + mu R and the momentum maps are exact for every step size. The
/// constraints are met up to O(1/mu): as mu grows the scheme tends to energy-momentum (Prop. 3.2). A symmetry that
/// turns the constraints among themselves (a joint in components) needs R = |g|^2.
///
/// For g that is not quadratic every G(q_m)_i is replaced by the discrete derivative (19) of g_i,
///
///     G_i + [g1_i - g0_i - G_i dq] (W dq)^T / N,    N = dq.W dq + h^2 dp.W^-1 dp,  W = M
///
/// (with its part by p in the first equation): H + mu R stays exact, momentum maps do not, and the limit is
/// energy-momentum-general with weight=mass.

#include "gnomon/registry/plugin.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"
#include "kernels/discrete_gradient/penalty_options.hpp"

namespace {

using namespace gnomon;

class Penalty final : public MechanicalScheme {
 public:
  std::string name() const override { return "penalty"; }
  std::string description() const override {
    return "energy-momentum scheme with a penalty for the constraints, equivariant discrete derivative; conserves H + "
           "P";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eq. (39); Gonzalez, J. Nonlinear Sci. 6 (1996)";
  }
  OptionSpecs options() const override { return kernels::penalty_options(); }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.constrained_limit = false;
    p.energy = p.momentum = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    require_resting_constraints(*this, system);
    Promises promised = promises();
    // |g|^2 keeps a symmetry that turns the constraints among themselves; sum r(g_i) keeps it where each g_i does.
    promised.momentum = quadratic_constraints(system) &&
                        (options.is("penalty", "quadratic") || kernels::symmetries_keep_constraints(system));
    return {kernels::penalty_step(*this, system, options, kernels::equivariant_rule(*this, system, "penalty-general"),
                                  kernels::PenaltyDerivative::equivariant),
            ledger_promises(system, promised)};
  }
};

}  // namespace

GNOMON_PLUGIN(penalty) {
  registrar.add(std::make_unique<Penalty>());
}
