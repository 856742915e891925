/// \file
/// line-integral-ggl: both constraint levels and the energy exact, of any even order.
///
/// q and p are polynomials of degree s on the step, lambda and gamma of degree r-1, in the orthonormal shifted Legendre
/// polynomials P_j with I_j(c) = int_0^c P_j; nodes c_l and weights b_l of Gauss(k); Psi(q,p) = G(q) M^-1 p:
///
///     q(c) = q0 + h sum_j I_j(c) u_j,   p(c) = p0 + sum_j I_j(c) pi_j,   lambda(c) = sum_{i<r} P_i(c) lambda_i
///
///     u_j  =    sum_l b_l P_j(c_l) [ H_p + Psi_p^T gamma ]_l                                              (j < s)
///     pi_j = -h sum_l b_l P_j(c_l) [ H_q + G^T lambda + Psi_q^T gamma ]_l                                 (j < s)
///     0 = g(q1)/h,    0 = Psi(q1, p1)                                                                     (i = 0)
///     0 = sum_l b_l P_i(c_l) [ G q' ]_l,    0 = sum_l b_l P_i(c_l) [ h Psi_q q' + Psi_p p' ]_l        (0 < i < r)
///
/// with q' = sum_j P_j u_j (so that dq/dc = h q') and p' = sum_j P_j pi_j.
///
/// Energy, from the line integral, the discrete derivative along the polynomial: dH/dc = h H_q.q' + H_p.p', hence
///
///     H1 - H0 = sum_j [ h u_j . int P_j H_q + pi_j . int P_j H_p ].
///
/// If the quadrature is exact for these, the first two equations replace the integrals: h int P_j H_q = -pi_j - h sum_l
/// b_l P_j [G^T lambda + Psi_q^T gamma]_l, int P_j H_p = u_j - sum_l b_l P_j [Psi_p^T gamma]_l. The terms u_j.pi_j
/// cancel, and what is left is
///
///     H1 - H0 = -sum_i lambda_i . h sum_l b_l P_i [G q']_l - sum_i gamma_i . sum_l b_l P_i [h Psi_q q' + Psi_p p']_l.
///
/// Terms 0 < i < r are zero by the last two equations. For i = 0 (P_0 = 1) the sums are g1 - g0 = 0 and Psi1 - Psi0 = 0
/// if the quadrature is exact for them. U and g of degree d in q need degree d s - 1 <= 2k - 1, that is k >= s d/2: k =
/// s for quadratic ones. Otherwise the energy error is O(h^2k).
///
/// Momentum maps p.xi(q), xi affine, are quadratic: with k = s the polynomials satisfy q', p' = [..] at the nodes,
/// where d/dc (p.xi(q)) is zero by invariance, and the quadrature of its degree 2s - 1 is exact. k > s loses them.
/// Joints in components (phi - l d = 0), which are not invariant one by one, need r = s, so that they hold along the
/// polynomial.
///
/// Order of q, p and the index-1 lambda: min(2s, 2r+2), so that r = s - 1 is enough; without constraints 2s. Symmetric,
/// not symplectic. Unknowns x = [u_j | y_j = M^-1 pi_j | mu_i = h lambda_i | gamma_i]; rows multiplied by M.
/// State::lambda are the index-1 multipliers of the state; where G has lost rank, lambda(1).
///
/// Forces, friction R(q, q', lambda) at the nodes with the lambda of the node, and U(q,t), g(q,t) at the nodes'
/// times: H1 - H0 is the booked work, with time to O(h^2k) (kernels/common/energy_balance.hpp). With friction
/// the order is min(2s, 2r), since R sees lambda(c), and lambda(1) is the state's.
///
/// Constraints of velocities, Psi = A(q,t) v + b(q,t) = 0, have both multipliers too, force -A^T lambda; for them G q'
/// is A q' + b, and the row of i = 0 is sum_l b_l [ A q' + b ]_l = 0. So H1 - H0 = h sum_l b_l [ lambda.b ]_l. The
/// order is min(2s, 2r) (Arnold's particle, T = 2, h = .2 .. .05: (s,r) = (2,1) 2.0, (2,2) 4.0, (3,2) 4.0, (3,3) 6.0),
/// hence r = s; with the line integral alone it would be 2 for s = 2.
///
/// A mass that depends on q: the same equations with H_p, H_q and Psi = G(q) M(q)^-1 p (kernels/line_integral/
/// general_line_integral.hpp); H is kept as far as the quadrature integrates it.
///
/// Local errors: the finer method with s + 1 (kernels/line_integral/line_integral_error.hpp). A simplified Newton
/// matrix for few constraints: line_integral_ggl/simplified_ggl_inverse.hpp. Start values:
/// kernels/line_integral/line_start.hpp.
///
/// Sources: the line integral of Brugnano, Iavernaro, Line Integral Methods for Conservative Problems (2016); the
/// multiplier polynomials, the second constraint level and the proof above are this file's.

#include <algorithm>

#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/line_integral/general_line_step.hpp"
#include "line_integral_ggl/constant_mass_step.hpp"

namespace {

using namespace gnomon;

class LineIntegralGgl final : public MechanicalScheme {
 public:
  explicit LineIntegralGgl(const AlgebraTable& algebras) : algebras_(&algebras) {}

  std::string name() const override { return "line-integral-ggl"; }
  std::string description() const override {
    return "line-integral scheme of order min(2s, 2r+2) with position and hidden constraints";
  }
  std::string source() const override {
    return "derived in the file's header; Brugnano, Iavernaro, Line Integral Methods for Conservative Problems (2016)";
  }
  OptionSpecs options() const override {
    const Index most = kernels::max_nodes;
    return {
        OptionSpec::integer("k", 0, 0, most,
                            "quadrature nodes, k >= s; 0: as many as s, s + 4 for a mass that depends on q, a model "
                            "that depends on time, or constraints of velocities"),
        OptionSpec::integer("s", 2, 1, most, "degree of q and p on a step"),
        OptionSpec::integer(
            "r", 0, 0, most,
            "multiplier polynomials, r <= s; 0: s - 1, but at least 1, s with friction or constraints of velocities")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 4;
    p.energy = p.position = p.hidden = p.momentum = p.symmetric = p.variable_steps = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override { return {}; }
  Binding bind(const System& system, const Options& options) const override {
    const Index s = options.integer("s");
    const bool constant_mass = !system.parts().mass;
    const bool moving = system.parts().time_dependence;
    const bool velocities = system.parts().velocity_constraints;
    const Index enough = constant_mass && !moving && !velocities ? s : std::min(s + 4, kernels::max_nodes);
    const Index k = options.integer("k") == 0 ? enough : options.integer("k");
    const bool friction = system.parts().friction;
    const Index natural = friction || velocities ? s : std::max<Index>(s - 1, 1);
    const Index r = options.integer("r") == 0 ? natural : options.integer("r");
    kernels::check_degrees(*this, k, s, r);
    const auto exact = [&](int degree) { return kernels::nodes_are_exact(k, s, degree); };
    const kernels::ConstraintSymmetry symmetry = kernels::constraint_symmetry(system);
    Promises promised = promises();
    // Friction sees lambda(c) itself, which is of order r along the step.
    const Index of_multipliers = friction || velocities ? 2 * r : 2 * r + 2;
    promised.order = static_cast<int>(system.m() > 0 ? std::min(2 * s, of_multipliers) : 2 * s);
    promised.energy = !moving && exact(system.traits().potential_degree) &&
                      (system.m() == 0 || exact(system.traits().constraint_degree));
    promised.momentum = k == s && (symmetry == kernels::ConstraintSymmetry::invariant ||
                                   (symmetry == kernels::ConstraintSymmetry::affine && r == s));
    const kernels::LineIntegralDegrees own{s, r}, finer{s + 1, of_multipliers > 2 * s ? r : r + 1};
    if (!constant_mass) {
      promised.energy = promised.momentum = false;  // T is no polynomial
      promised.position = promised.hidden = true;
      return {kernels::both_levels_line_step(system, *algebras_, k, own, finer, promised.order),
              ledger_promises(system, promised)};
    }
    return {kernels::constant_mass_line_step(system, *algebras_, k, own, finer, promised.order, !friction),
            ledger_promises(system, promised)};
  }

 private:
  const AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(line_integral_ggl) {
  registrar.add(std::make_unique<LineIntegralGgl>(registrar.algebras()));
}
