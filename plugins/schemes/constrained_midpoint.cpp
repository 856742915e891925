/// \file
/// constrained-midpoint: the implicit midpoint rule with the constraint at the end of the step.
///
///     q1 - q0 = h M^-1 p_m
///     p1 - p0 = -h (grad U(q_m) + G(q_m)^T lambda)
///     0 = g(q1)
///
/// The negative control for energy: it is eq. (38) with the gradient at the midpoint in place of the discrete
/// derivative, so the energy is exact for at most quadratic U and g, and errs at O(h^2) otherwise. Linear symmetries
/// are respected.

#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/discrete_gradient/multiplier_equations.hpp"

namespace {

using namespace gnomon;

class ConstrainedMidpoint final : public MechanicalScheme {
 public:
  std::string name() const override { return "constrained-midpoint"; }
  std::string description() const override {
    return "implicit midpoint rule with the constraint at the end: exact energy for quadratic U and g only";
  }
  std::string source() const override {
    return "Gonzalez, Physica D 132 (1999), as the scheme without discrete derivative";
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.position = p.momentum = p.symmetric = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and their motion is not symplectic, which is what this scheme keeps";
  }
  Binding bind(const System& system, const Options&) const override {
    require_conservative(*this, system);
    Promises promised = promises();
    promised.energy = at_most_quadratic(system.traits().potential_degree) && quadratic_constraints(system);
    return {kernels::multiplier_step(system, false), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(constrained_midpoint) {
  registrar.add(std::make_unique<ConstrainedMidpoint>());
}
