/// \file
/// energy-momentum-ggl: both constraint levels, energy and momentum maps exact at the end of every step.
///
///     q1 - q0 =  h [ D_pH + (D_pPsi)^T gamma ]
///     p1 - p0 = -h [ D_qH + (D_q g)^T lambda + (D_qPsi)^T gamma ]
///     0 = g(q1),    0 = Psi(q1, p1),    Psi(q,p) = G(q) M^-1 p
///
/// D is a discrete derivative: for every f of H, g_i, Psi_i and the same pair of states z0, z1, with z = (q, p),
///
///     D_q f.dq + D_p f.dp = f(z1) - f(z0).                                                                (1)
///
/// Energy. Multiply the first equation by dp/h and the second by dq/h; the left sides agree, so by (1)
///
///     0 = D_pH.dp + D_qH.dq + lambda.(D_q g dq) + gamma.(D_qPsi dq + D_pPsi dp)
///       = H1 - H0 + lambda.(g1 - g0) + gamma.(Psi1 - Psi0),
///
/// and all four constraint values vanish: H1 = H0 for every step size, with the plain H.
///
/// The derivatives (constant M, v = M^-1 p, q_m, v_m midpoints):
///  - T: D_pT = v_m, since T1 - T0 = v_m.dp. U and g_i: D f = grad f(q_m) + c_f n/(n.dq), c_f = f1 - f0 -
///    grad f(q_m).dq, n = M dq. Where U = U2(q) + V(pi), pi quadratic invariants, the quotients in pi take the place of
///    grad V, and the correction is that of U2.
///  - Psi_i, from Psi1 - Psi0 = (G0 + G1)/2 (v1 - v0) + (G1 - G0) v_m:  D_pPsi = (G0 + G1)/2 M^-1, and D_qPsi_i is the
///    formula for f applied to phi_i(q) = G_i(q) v_m: Hess g_i(q_m) v_m + c n/(n.dq).
///  - For quadratic g and U every c vanishes identically and is left out: division free, and the pattern is sparse.
///
/// Momentum maps J = p.xi(q), xi affine in q. J1 - J0 = dp.xi(q_m) + p_m.(xi(q1) - xi(q0)) is zero if every D f
/// annihilates the generator's lift at the midpoint (xi(q_m), -xi'^T p_m). grad f(z_m) does, for invariant f; the
/// correction along M dq does not. Hence derivative=part keeps J where no correction is active (U at most quadratic or
/// in quadratic invariants, g at most quadratic). derivative=zorb makes the direction n orthogonal to the orbits: n =
/// M (dq - sum alpha_a xi_a(q_m)) for U and g, and for Psi the derivative in z, grad Psi_i(z_m) + c N/(N.dz) with
/// N = (M n_q, h^2 n_v) made orthogonal to the lifts: it keeps every declared J for any invariant U and g. Its Newton
/// matrix comes from dual numbers where a correction is active. (Joints phi - l d = 0, whose components are not
/// invariant but turn among themselves, keep J too, being zero at the midpoint; constraints that turn and are not
/// affine do not, and the promise is withdrawn.)
///
/// At dq = 0 the corrections have a removable singularity of value zero, and are skipped where n.dq < 1e-22 max(1,
/// |q|^2) max M.
///
/// Order 2 in q, p and lambda (no alternation of lambda: it is not what keeps G v bounded, gamma is); symmetric; not
/// symplectic. State::lambda: the step's lambda belongs to the midpoint; lambda=end (default) gives the index-1
/// multipliers of the state itself, A lambda = v.Hess g v - G M^-1 grad U, A = G M^-1 G^T, one banded Cholesky a step;
/// lambda=midpoint gives the step's. Where A is singular it is the step's in either case.
///
/// Forces Q(q_m, dq/h, t_m) in the second equation, and U and g that depend on time: H1 - H0 is the booked work to
/// rounding, see kernels/common/energy_balance.hpp.
///
/// Friction R(q_m, dq/h, lambda), nonlinear in the step's own lambda, which belongs to the midpoint, in the second
/// equation: order 2, and its work R.dq is booked, exactly. The multipliers of the state are the step's then.
///
/// Constraints of velocities, Psi = A(q,t) v + b(q,t) = 0, which are no derivatives of a g, have both multipliers too:
/// the force A(q_m)^T lambda, the row of gamma Psi1 = 0, and in place of g(q1) = 0
///
///     0 = A(q_m) u + b(q_m),    u = dq/h in full,
///
/// A and b averaged over the two times. The proof is the same but for lambda.A(q_m) dq = -h lambda.b(q_m), which is
/// booked. Order 2, lambda too. With one multiplier, Psi1 = 0 alone and the force [Abar + (h/4) D_q(A dv)]^T lambda are
/// exact in energy as well (u = v_m then), where there is a g only after a part of G is taken out of A, and with M(q)
/// only with a quotient by u. Errors of that form over those of this one, T = 4, h = .2 .. .025: knife edge 2.6, 2.6,
/// 2.6, 2.6; Arnold's particle 2.5, 2.2, 2.1, 2.1; a driven one .7, .7, .7, .7.
///
/// Steps of a tolerance: kernels/common/estimated_step.hpp.
///
/// For a mass that depends on q, Psi = G(q) M(q)^-1 p, the derivatives are Gonzalez' in (q,p), weighted with (W, h^2
/// W^-1), W = diag M at a typical configuration, whatever `derivative` says; a force Q enters the second equation and
/// its work Q.dq is booked, H1 - H0 = Q.dq (kernels/discrete_gradient/level_multiplier.hpp).
/// From rest a composition over it has order 3 instead of 6 (ellipse pendulum without torque, order=6, h = .04 .. .005:
/// 3.00, 3.00, 3.00; in motion 6.10, 6.05, 6.01): dq is of order h^2 there, N = dq.W dq + h^2 dp.W^-1 dp of order h^4
/// as c is, and c/N does not tend to zero with h. With weights 1 the order from rest is 5.95, in motion the error up to
/// sixty times as large.
///
/// The idea at second order: Kinon, Betsch, Schneider, Nonlinear Dynamics 111 (2023), with midpoint gradients of U;
/// discrete derivatives: Gonzalez, J. Nonlinear Sci. 6 (1996); both constraint levels: Gear, Leimkuhler, Gupta, J.
/// Comput. Appl. Math. 12 (1985).

#include "energy_momentum_ggl/steps.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/discrete_gradient/configuration_schemes.hpp"

namespace {

using namespace gnomon;

class EnergyMomentumGgl final : public MechanicalScheme {
 public:
  std::string name() const override { return "energy-momentum-ggl"; }
  std::string description() const override {
    return "energy-momentum scheme with position and hidden constraints, any smooth U and g";
  }
  std::string source() const override {
    return "derived in the file's header; Kinon, Betsch, Schneider, Nonlinear Dyn. 111 (2023); Gonzalez, J. Nonlinear "
           "Sci. 6 (1996)";
  }
  OptionSpecs options() const override {
    return {
        OptionSpec::choice("derivative", {"part", "zorb"},
                           "discrete derivative of U and g that are not quadratic: along M dq, or orthogonal to the "
                           "orbits of the symmetries, which keeps their momentum maps"),
        OptionSpec::choice("lambda", {"end", "midpoint"},
                           "multipliers of the state: index-1 at its time, or the step's at its midpoint")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.energy = p.position = p.hidden = p.momentum = p.symmetric = p.variable_steps = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override { return {}; }
  Binding bind(const System& system, const Options& options) const override {
    if (system.parts().mass) return with_configuration_mass(system, options.is("lambda", "end"));
    kernels::GglRule rule;
    const bool quadratic_u = at_most_quadratic(system.traits().potential_degree);
    rule.split_potential = !quadratic_u && system.parts().n_invariants() > 0;
    rule.correct_potential =
        !quadratic_u && !(rule.split_potential && at_most_quadratic(system.traits().regular_degree));
    rule.correct_constraints = !quadratic_constraints(system);
    rule.orthogonal = options.is("derivative", "zorb");
    Promises promised = promises();
    const kernels::ConstraintSymmetry symmetry = kernels::constraint_symmetry(system);
    promised.momentum = symmetry != kernels::ConstraintSymmetry::other && (rule.orthogonal || !rule.corrected());
    return {kernels::ggl_step(system, options.is("lambda", "end"), rule), ledger_promises(system, promised)};
  }

 private:
  Binding with_configuration_mass(const System& system, bool end_multipliers) const {
    kernels::MidpointRule rule;
    rule.correct_potential = true;
    rule.weight = kernels::QuotientWeight::mass;
    Promises promised = kernels::configuration_promises(system, true, false);
    promised.hidden = system.m() > 0;
    promised.variable_steps = true;
    return {kernels::level_step(system, end_multipliers, rule), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(energy_momentum_ggl) {
  registrar.add(std::make_unique<EnergyMomentumGgl>());
}
