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
#include "kernels/discrete_gradient/penalty_scheme.hpp"

GNOMON_PLUGIN(penalty_general) {
  using namespace gnomon::kernels;
  registrar.add(std::make_unique<PenaltyScheme>(PenaltyMethod{
      "penalty-general",
      "penalty scheme, general discrete derivative; conserves H + P; holds the constraint at the midpoint only",
      "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eqs. (19), (24)", PenaltyDerivative::midpoint, 1e3}));
}
