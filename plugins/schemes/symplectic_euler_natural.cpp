/// \file
/// symplectic-euler-natural: the symplectic Euler method as a partitioned additive Runge-Kutta method.
///
///     p(y0,Z) = p0 + h f(y0,Z) + h a r(y0,z0,A),   y1 = y0 + h v(y0,Z),   0 = g(y1)
///     p(y1,z1) = p(y0,Z) + h (1-a) r(y1,z1,B),                            0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0 and 1. Order 1 and symplectic on Hamiltonian problems where r is affine in the
/// multiplier; a A + (1-a) B is then the consistent multiplier. Where r is nonlinear it is *inconsistent*, order 0: it
/// converges to the solution of another equation (theorem 3.1). Source: Small, Jay, (3.2).

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(const EulerChoice& choice) {
  const double a = choice.alpha;
  const auto y0 = Slot::y0, y1 = Slot::y1, z0 = Slot::z0, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const std::vector<Addend> before{h_times(-1, force(y0, Z)), h_times(-a, multiplier_force(y0, z0, A))};
  return {{{{Z, y1, A},
            {{Row::stage, {momentum(y0, Z), before[0], before[1]}},
             {Row::position, {h_times(-1, velocity(y0, Z))}},
             {Row::constraint, {constraint(y1)}}}},
           {{z1, B},
            {{Row::momentum, {momentum(y1, z1), before[0], before[1], h_times(a - 1, multiplier_force(y1, z1, B))}},
             {Row::hidden, {hidden(y1, z1)}}}}},
          a,
          1 - a};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_natural) {
  registrar.add(std::make_unique<EulerScheme>(
      EulerMethod{"symplectic-euler-natural",
                  "symplectic Euler as an additive Runge-Kutta method; order 0 for forces nonlinear in the multiplier",
                  "Small, Jay, Symplectic Euler methods for overdetermined DAEs, (3.2)", "", false, true, tables}));
}
