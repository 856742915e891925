/// \file
/// symplectic-euler-conjugate-natural: the conjugate symplectic Euler method as a partitioned additive Runge-Kutta
/// method.
///
///     p(y1,Z) = p0 + h a r(y0,z0,A),   y1 = y0 + h v(y1,Z),   0 = g(y1)
///     p(y1,z1) = p(y1,Z) + h f(y1,Z) + h (1-a) r(y1,z1,B),    0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0 and 1. The adjoint of symplectic-euler-natural with alpha = 1-a: order 1 and symplectic
/// on Hamiltonian problems where r is affine in the multiplier, order 0 elsewhere. Source: Small, Jay, (3.6), (3.7).

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(const EulerChoice& choice) {
  const double a = choice.alpha;
  const auto y0 = Slot::y0, y1 = Slot::y1, z0 = Slot::z0, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const Addend before = h_times(-a, multiplier_force(y0, z0, A));
  return {{{{Z, y1, A},
            {{Row::stage, {momentum(y1, Z), before}},
             {Row::position, {h_times(-1, velocity(y1, Z))}},
             {Row::constraint, {constraint(y1)}}}},
           {{z1, B},
            {{Row::momentum,
              {momentum(y1, z1), before, h_times(-1, force(y1, Z)), h_times(a - 1, multiplier_force(y1, z1, B))}},
             {Row::hidden, {hidden(y1, z1)}}}}},
          a,
          1 - a};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_conjugate_natural) {
  registrar.add(std::make_unique<EulerScheme>(
      EulerMethod{"symplectic-euler-conjugate-natural",
                  "conjugate symplectic Euler as an additive Runge-Kutta method; order 0 for forces nonlinear in the "
                  "multiplier",
                  "Small, Jay, Symplectic Euler methods for overdetermined DAEs, (3.7)", "", false, true, tables}));
}
