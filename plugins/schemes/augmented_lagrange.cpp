/// \file
/// augmented-lagrange: Leyendecker, Betsch, Steinmann (2004), eq. (40), for any smooth constraints.
///
///     q1 - q0 = h M^-1 p_m
///     p1 - p0 = -h (D_U(q0,q1) + G(q_m)^T (lambda + mu (g(q1) + g(q0))))
///     lambda updated until |g(q1)| < tolerance
///
/// with the equivariant discrete derivative D_U of Gonzalez (1996). The limit of the iteration is energy-momentum (38);
/// what is left of g costs the energy about lambda g. So H alone is exact, and g zero, only where the tolerance is at
/// rounding level; the momentum maps are exact whatever it is. The update as printed, lambda += 2 mu g, does not match
/// the force, which has mu g: update=consistent is mu g. update=newton needs two or three iterations everywhere.
///
/// For g that is not quadratic G(q_m) is replaced by the discrete derivatives (19) of its components, as in penalty:
/// the limit is energy-momentum-general with weight=mass, and momentum maps are not exact.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/augmented_penalty.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace {

using namespace gnomon;

class AugmentedLagrange final : public MechanicalScheme {
 public:
  std::string name() const override { return "augmented-lagrange"; }
  std::string description() const override {
    return "energy-momentum scheme by an augmented Lagrange iteration, equivariant discrete derivative";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eq. (40); Gonzalez, J. Nonlinear Sci. 6 (1996)";
  }
  OptionSpecs options() const override { return kernels::augmented_options(); }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.energy = p.position = p.momentum = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and with multipliers of one level A v + b would be open";
  }
  Binding bind(const System& system, const Options& options) const override {
    require_resting_constraints(*this, system);
    Promises promised = promises();
    promised.momentum = quadratic_constraints(system);
    kernels::promise_limit(options, promised);
    return {kernels::augmented_penalty(system, options,
                                       kernels::equivariant_rule(*this, system, "augmented-lagrange-general"),
                                       kernels::PenaltyDerivative::equivariant),
            ledger_promises(system, promised)};
  }
};

}  // namespace

GNOMON_PLUGIN(augmented_lagrange) {
  registrar.add(std::make_unique<AugmentedLagrange>());
}
