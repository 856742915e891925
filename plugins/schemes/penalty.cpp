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
#include "kernels/discrete_gradient/penalty_scheme.hpp"

GNOMON_PLUGIN(penalty) {
  using namespace gnomon::kernels;
  registrar.add(std::make_unique<PenaltyScheme>(PenaltyMethod{
      "penalty",
      "energy-momentum scheme with a penalty for the constraints, equivariant discrete derivative; conserves H + P",
      "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eq. (39); Gonzalez, J. Nonlinear Sci. 6 (1996)",
      PenaltyDerivative::equivariant}));
}
