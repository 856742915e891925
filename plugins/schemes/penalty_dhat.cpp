/// \file
/// penalty-dhat: the penalty scheme with the modified discrete derivative D-hat of Leyendecker, Betsch, Steinmann
/// (2004), eq. (31), for any smooth U and g.
///
///     q1 - q0 = h (M^-1 p_m + s W_p dp)
///     p1 - p0 = -h (grad U(q_m) + 2 mu G(q_m)^T g(q1) + s W_q dq)
///     s = [U1 - U0 - grad U(q_m).dq - mu |g1 - g0|^2 + 2 mu g(q1).e] / N,   e = g1 - g0 - G(q_m) dq
///
/// The penalty force looks at the end of the step, so the constraint is held there, but the scheme is not symmetric
/// and, on its own, of first order. H + mu |g|^2 is exact for every step size (other R as in penalty-general, with
/// r'(g1)). Inside the augmented Lagrange iteration (augmented-lagrange-general) the limit is the multiplier scheme, of
/// second order.

#include "gnomon/registry/plugin.hpp"
#include "kernels/discrete_gradient/penalty_scheme.hpp"

GNOMON_PLUGIN(penalty_dhat) {
  using namespace gnomon::kernels;
  registrar.add(std::make_unique<PenaltyScheme>(PenaltyMethod{
      "penalty-dhat",
      "penalty scheme, discrete derivative D-hat: the force of the end of the step; order 1; conserves H + P",
      "Leyendecker, Betsch, Steinmann, Comput. Mech. 33 (2004), eq. (31)", PenaltyDerivative::d_hat}));
}
