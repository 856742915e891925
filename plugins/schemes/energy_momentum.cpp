/// \file
/// energy-momentum: Leyendecker, Betsch, Steinmann (2004), eq. (38), for any system with quadratic constraints.
///
///     q1 - q0 = h M^-1 p_m
///     p1 - p0 = -h (D_U(q0,q1) + G(q_m)^T lambda)
///     0 = g(q1)
///
/// with the equivariant discrete derivative D_U of Gonzalez (1996): grad U(q_m) where U is at most quadratic, and the
/// difference quotient in each quadratic invariant pi_k where U contains V_k(pi_k). (The paper prints gravity with the
/// opposite sign of its own (35).) Energy, position constraints and momentum maps are exact for every step size; the
/// hidden constraints are violated at O(h^2) by design, and the lambda of the step, which belongs to
/// the midpoint, alternates at O(h); outputs have the index-1 multipliers of the state.
///
/// A force enters as Q(q_m, dq/h, t_m), friction as R(q_m, dq/h, lambda) (kernels/common/applied_friction.hpp), and U
/// and g may depend on time where they are quadratic in q: H1 - H0 is then the booked work, to rounding
/// (kernels/common/energy_balance.hpp).

#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/multiplier_equations.hpp"

namespace {

using namespace gnomon;

class EnergyMomentum final : public MechanicalScheme {
 public:
  std::string name() const override { return "energy-momentum"; }
  std::string description() const override {
    return "energy-momentum scheme with Lagrange multipliers, equivariant discrete derivative";
  }
  std::string source() const override {
    return "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eq. (38); Gonzalez, J. Nonlinear Sci. 6 (1996)";
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
  Binding bind(const System& system, const Options&) const override {
    require_constant_mass(*this, system);
    const std::string general = "energy-momentum-general";
    require_quadratic_constraints(*this, system, general);
    const bool split = require_split_potential(*this, system, general);
    return {kernels::multiplier_step(system, split), ledger_promises(system, promises())};
  }
};

}  // namespace

GNOMON_PLUGIN(energy_momentum) {
  registrar.add(std::make_unique<EnergyMomentum>());
}
