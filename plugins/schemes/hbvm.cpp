/// \file
/// hbvm: Hamiltonian Boundary Value Methods HBVM(k,s) with a polynomial multiplier, for H = p^T M^-1 p/2 + U(q).
///
/// Nodes c_l and weights b_l of the k-point Gauss-Legendre quadrature on [0,1], P_j the shifted orthonormal Legendre
/// polynomials, I_j their integrals from 0, X = P^T Omega I (kernels/legendre.hpp). Over a step
///
///     q(ch) = q0 + h sum_{j<s} I_j(c) gamma_j,           q'(ch) = sum_{j<s} P_j(c) gamma_j
///     lambda(ch) = sum_{i<r} P_i(c) lambda_i,            F_l = grad U(q_l) + G(q_l)^T lambda(c_l h)
///     phi_j = sum_l b_l P_j(c_l) F_l,                    p(ch) = p0 - h sum_{j<s} I_j(c) phi_j
///
/// and the equations, in the unknowns gamma_j (velocities) and lambda_i, are
///
///     M gamma_i - delta_i0 p0 + h sum_{j<s} X_ij phi_j = 0                     i < s      (50), (54)
///     sum_l b_l P_i(c_l) G(q_l) q'(c_l h) + delta_i0 g(q0)/h = 0               i < r      i = 0: (51) divided by h
///     q1 = q0 + h gamma_0,    p1 = p0 - h phi_0                                           (52)
///
/// r = 1 is the paper. Energy: X + X^T = e_1 e_1^T and sum_j phi_j.gamma_j = sum_l b_l F_l.q'_l give
///     H1 - H0 = [U1 - U0 - h sum_l b_l grad U(q_l).q'_l] - h sum_{i<r} lambda_i.(sum_l b_l P_i(c_l) G(q_l) q'_l),
/// the first bracket is zero where the quadrature integrates grad U(q).q', of degree s deg U - 1, exactly, and the rest
/// by the constraint rows, whatever their quadrature error. A force Q(q,v,t) enters F_l as -Q(q_l, q'_l, t_l), and its
/// work h sum_l b_l Q_l.q'_l is booked: the same identity gives H1 - H0 = work (kernels/common/energy_balance.hpp).
/// U(q,t) and g(q,t) are taken at the times of the nodes, G q' + g_t in the rows; H1 - H0 is the booked work to
/// O(h^2k). The row i = 0 is g(q1)/h + O(h^2k), exact for k >= s deg g/2; its last term, g(q0)/h, takes the errors of
/// earlier steps out of g. (51) as printed, constraint=printed, does not have it: where the quadrature of U is exact H
/// is exact whatever becomes of g, which is a sum of the quadrature errors of all steps, O(h^2k) (55), or of rounding
/// errors.
///
/// Friction R(q,v,lambda) enters F_l as -R(q_l, q'_l, lambda(c_l h)), with its work booked like that of Q. It sees
/// lambda(c) itself, of lower order along the step than its mean: q has the order 2 ceil(r/2) of p then, measured.
///
/// Orders, measured from starts with lambda' != 0: q has min(2s, 4 ceil(r/2)), that is 2r + 2 for odd and 2r for even
/// r; p has 2 ceil(r/2), because G q' is orthogonal to polynomials of degree r-1 only and G M^-1 p is left over at the
/// end; p projected onto G M^-1 p = 0 (output=projected) and the multipliers (14) there have the order of q. The
/// projection takes the energy Psi.A^-1 Psi/2, Psi = G M^-1 p, A = G M^-1 G^T, out of p; the scheme conserves H with
/// it.
///
/// Hidden constraint. G M^-1 p at t_n is left over, and goes from step to step with the factor (-1)^r: it alternates,
/// and stays O(h^2 ceil(r/2)), for odd r; for even r it is summed, and wanders. The default is odd for this. Measured,
/// double spherical pendulum (start=spatial), h = .01, largest |G v| after 1e3 and 5e4 steps: (k,s,r) = (2,2,1) 1.1e-2,
/// 1.3e-2; (2,2,2) 8.5e-3, 1.5e-1; (3,3,2) 1.0e-2, 6.5e-1; (3,3,3) 3.9e-5, 5.1e-5. Where G loses rank for an instant r
/// < s does not keep the branch: n-four-bar, h = .001, t = 10, error of the last tip 3e-2 for (2,2,1), 1e-15 for
/// (3,3,3).
///
/// A mass that depends on q: the same method for H(q,p), where both q and p need coefficients (kernels/
/// general_line_integral.hpp); H is kept as far as the quadrature integrates it.
///
/// Source: Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic
/// constraints, ASC Report 3/2018, (42)-(55). The printed I = P X holds for k = s only, P^T Omega I = X always. The
/// paper proves order 2 for q; with s >= 2 it is 4.

#include <algorithm>

#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "hbvm/hbvm_step.hpp"
#include "kernels/common/momentum_maps.hpp"
#include "kernels/line_integral/general_line_step.hpp"

namespace {

using namespace gnomon;

class Hbvm final : public MechanicalScheme {
 public:
  std::string name() const override { return "hbvm"; }
  std::string description() const override {
    return "line-integral method HBVM(k,s) with a polynomial multiplier; energy-exact for polynomials";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (42)-(55)";
  }
  OptionSpecs options() const override {
    const Index most = kernels::max_nodes;
    return {OptionSpec::integer("k", 0, 0, most,
                                "quadrature nodes, at least s; 0: the fewest that are exact for polynomial U and g, "
                                "s + 4 where they are not polynomial"),
            OptionSpec::integer("s", 2, 1, most, "degree of q(t) in a step"),
            OptionSpec::integer("r", 0, 0, most,
                                "coefficients of the multiplier, a polynomial of degree r - 1 in a step; at most s; 0: "
                                "the largest odd number up to s"),
            OptionSpec::choice("constraint", {"position", "printed"},
                               "the first constraint row: g(q1) = 0, or g(q1) = g(q0) as (51) is printed"),
            OptionSpec::choice("output", {"raw", "projected"},
                               "p of the state and the multiplier of the step: the scheme's own, or p projected onto "
                               "G M^-1 p = 0 and the index-1 multipliers there; the scheme goes on from its own")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 4;
    p.momentum_order = 2;
    p.energy = p.position = p.momentum = p.symmetric = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override {
    return "and with multipliers of one level A v + b would be open";
  }
  Binding bind(const System& system, const Options& options) const override {
    const Index s = options.integer("s"), r = options.integer("r") == 0 ? s - (s + 1) % 2 : options.integer("r");
    const SystemTraits& traits = system.traits();
    const int constraint_degree = system.m() > 0 ? traits.constraint_degree : 0;
    Index k = options.integer("k");
    if (k == 0) {
      k = s;
      for (const int degree : {traits.potential_degree, constraint_degree})
        k = std::max(k, degree == SystemTraits::not_polynomial || system.parts().time_dependence
                            ? s + 4
                            : kernels::exact_nodes(s, degree));
      k = std::min(k, kernels::max_nodes);
    }
    kernels::check_degrees(*this, k, s, r);
    Promises p;
    const bool constrained = system.m() > 0;
    const bool projected = constrained && options.is("output", "projected");
    if (projected && system.parts().mass)
      refuse(*this, system,
             "its mass depends on the configuration, and output=projected needs a "
             "constant one");
    if (projected && system.parts().time_dependence)
      refuse(*this, system, "its potential or constraints depend on time, and output=projected needs them at rest");
    const bool printed = constrained && options.is("constraint", "printed");
    if (printed && system.parts().mass)
      refuse(*this, system,
             "its mass depends on the configuration, and constraint=printed, the row (51) of the paper, is for a "
             "constant one");
    const Index pairs = (r + 1) / 2;  // ceil(r/2)
    p.order = static_cast<int>(constrained ? std::min(2 * s, 4 * pairs) : 2 * s);
    p.momentum_order = constrained && !projected ? static_cast<int>(2 * pairs) : p.order;
    if (constrained && system.parts().friction) p.order = static_cast<int>(2 * pairs);
    // A function of time is no polynomial.
    p.energy = !system.parts().time_dependence && kernels::nodes_are_exact(k, s, traits.potential_degree) &&
               (printed || kernels::nodes_are_exact(k, s, constraint_degree));
    p.position = !printed && !system.parts().time_dependence && kernels::nodes_are_exact(k, s, constraint_degree);
    p.hidden = projected;
    p.momentum = k == s && kernels::symmetries_keep_constraints(system);
    // The row of g is symmetric up to its quadrature, g(q1) = O(h^(2k+1)); with k = s that is an error of the method's
    // order.
    p.symmetric = !constrained || printed || p.position || k > s;
    p.symplectic = !constrained && k == s;
    if (system.parts().mass) {
      p.energy = false;  // T is no polynomial
      return {kernels::position_line_step(system, k, s, r), ledger_promises(system, p)};
    }
    return {kernels::hbvm_step(system, k, s, r, printed, projected), ledger_promises(system, p)};
  }
};

}  // namespace

GNOMON_PLUGIN(hbvm) {
  registrar.add(std::make_unique<Hbvm>());
}
