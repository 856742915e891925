/// \file
/// rattle: the symplectic baseline, in two systems solved in order.
///
///     positions  x = [dq | lambda]:   M dq/h - p0 + h/2 (F0 + G0^T lambda) = 0,    g(q1,t1) = 0
///     momenta    x = [dv | mu]:       M dv + h/2 (F1 + G1^T mu) = 0,               G1 (v_h + dv) + g_t(q1,t1) = 0
///     p_h = p0 - h/2 (F0 + G0^T lambda),  v_h = M^-1 p_h = dq/h,   p1 = p_h - h/2 (F1 + G1^T mu)
///     F0 = grad U(q0,t0) - Q(q0, dq/h, t0),   F1 = grad U(q1,t1) - Q(q1, dq/h, t1)
///
/// With a mass M(q), T = p.M(q)^-1 p/2, it is implicit in p_h and q1 together,
///
///     positions  x = [dq | dp | lambda]:  dq = h/2 (T_p(q0,p_h) + T_p(q1,p_h)),    g(q1,t1) = 0
///                                         p_h = p0 + dp = p0 - h/2 (T_q(q0,p_h) + F0 + G0^T lambda)
///     momenta    x = [dp | mu]:           p1 = p_h + dp = p_h - h/2 (T_q(q1,p_h) + F1 + G1^T mu)
///                                         G1 T_p(q1,p1) + g_t(q1,t1) = 0
///
/// which of a constant mass is the same step. The equations: rattle/rattle_equations.hpp. Where M is constant and
/// diagonal and there is no force, dq, dv and p_h are explicit in the multipliers, and x = lambda, x = mu are all the
/// unknowns (rattle/multiplier_equations.hpp): the same solutions. T is quadratic in p, and so is the equation of p_h:
/// at steps over which M(q) changes much it has other roots, far from p0, or none.
///
/// A force Q(q,v,t) has the velocity of the middle at both ends, which is symmetric: implicit in dq in the first half,
/// known in the second one. Its work is booked by the trapezoidal rule, dq.(Q0 + Q1)/2, of U and g that depend on time
/// by D_t U (kernels/common/energy_balance.hpp) and h (lambda.g_t(q0,t0) + mu.g_t(q1,t1))/2: of order 2, as the energy.
///
/// Order 2, symmetric, without forces symplectic; both constraint levels and the momentum maps are exact, the energy
/// oscillates at O(h^2). Momentum maps p.xi(q): with M(q) where xi is affine in q. Each half step is a symplectic Euler
/// step with the energy and the constraints at one pair (q,p_h); there p_h.xi'(q) H_p = xi(q).H_q, and for affine xi
/// this is the change of p.xi. A constant mass has affine symmetries only.
///
/// Source: Andersen, J. Comput. Phys. 52 (1983); Leimkuhler, Skeel, J. Comput. Phys. 112 (1994); for any H(q,p): Jay,
/// SIAM J. Numer. Anal. 33 (1996); Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4.

#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "rattle/rattle_step.hpp"

namespace {

using namespace gnomon;

class Rattle final : public MechanicalScheme {
 public:
  std::string name() const override { return "rattle"; }
  std::string description() const override { return "RATTLE: symplectic, both constraint levels; energy bounded"; }
  std::string source() const override {
    return "Andersen, J. Comput. Phys. 52 (1983); Leimkuhler, Skeel, J. Comput. Phys. 112 (1994); M(q): Jay, SIAM J. "
           "Numer. Anal. 33 (1996)";
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.position = p.hidden = p.momentum = p.symmetric = p.symplectic = p.variable_steps = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and their motion is not symplectic, which is what this scheme keeps";
  }
  Binding bind(const System& system, const Options&) const override {
    require_no_friction(*this, system,
                        "a step has two multipliers, each of which would need half of it: that is composition over "
                        "symplectic-euler-true");
    Promises promised = promises();
    if (system.parts().mass) promised.momentum = kernels::affine_symmetries(system);
    return {kernels::rattle_step(system), ledger_promises(system, promised)};
  }
};

}  // namespace

GNOMON_PLUGIN(rattle) {
  registrar.add(std::make_unique<Rattle>());
}
