/// \file
/// augmented-lagrange-general: Leyendecker, Betsch, Steinmann (2004), eqs. (29)-(31), for any smooth U and g.
///
///     q1 - q0 = h (M^-1 p_m + s W_p dp)
///     p1 - p0 = -h (grad U(q_m) + G(q_m)^T (lambda + 2 mu g(q1)) + s W_q dq)
///     s = [U1 - U0 - grad U(q_m).dq - mu |g1 - g0|^2 + (lambda + 2 mu g(q1)).e] / N,   e = g1 - g0 - G(q_m) dq
///     lambda updated until |g(q1)| < tolerance
///
/// The limit of the iteration is energy-momentum-general (23), of second order although D-hat alone is of first. The
/// energy is exact, and g zero, as far as the tolerance goes. Here the printed update lambda += 2 mu g is the
/// consistent one.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/augmented_penalty.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"

namespace {

using namespace gnomon;

class AugmentedLagrangeGeneral final : public MechanicalScheme {
 public:
  std::string name() const override { return "augmented-lagrange-general"; }
  std::string description() const override {
    return "energy-momentum scheme by an augmented Lagrange iteration, general discrete derivative: any smooth U and g";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eqs. (29)-(31)";
  }
  OptionSpecs options() const override {
    OptionSpecs specs = kernels::augmented_options();
    specs.push_back(kernels::weight_option());
    return specs;
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.energy = p.position = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and with multipliers of one level A v + b would be open";
  }
  Binding bind(const System& system, const Options& options) const override {
    require_resting_constraints(*this, system);
    Promises promised = promises();
    kernels::promise_limit(options, promised);
    return {kernels::augmented_penalty(system, options, kernels::general_rule(system, options),
                                       kernels::PenaltyDerivative::d_hat),
            ledger_promises(system, promised)};
  }
};

}  // namespace

GNOMON_PLUGIN(augmented_lagrange_general) {
  registrar.add(std::make_unique<AugmentedLagrangeGeneral>());
}
