/// \file
/// symplectic-euler-true: the consistent symplectic Euler method for forces nonlinear in the multiplier.
///
///     p(y0,Z) = p0 + h f(y0,Z) + h a r(y0,z0,A),   y1 = y0 + h v(y0,Z),   0 = g(y1)
///     p(y1,z1) = p(y0,Z) - h a r(y1,z1,A) + h r(y1,z1,B),                 0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0. A is inconsistent (a r(A) tends to half the curvature term), B tends to the multiplier
/// at the end of the step. Order 1 for every r; where r is affine it is symplectic-euler-natural, and symplectic on
/// Hamiltonian problems. Source: Small, Jay, (3.5).

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(double a) {
  const auto y0 = Slot::y0, y1 = Slot::y1, z0 = Slot::z0, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const std::vector<Addend> before{h_times(-1, force(y0, Z)), h_times(-a, multiplier_force(y0, z0, A))};
  return {{{{Z, y1, A},
            {{Row::stage, {momentum(y0, Z), before[0], before[1]}},
             {Row::position, {h_times(-1, velocity(y0, Z))}},
             {Row::constraint, {constraint(y1)}}}},
           {{z1, B},
            {{Row::momentum,
              {momentum(y1, z1), before[0], before[1], h_times(a, multiplier_force(y1, z1, A)),
               h_times(-1, multiplier_force(y1, z1, B))}},
             {Row::hidden, {hidden(y1, z1)}}}}}};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_true) {
  EulerMethod method{"symplectic-euler-true",
                     "symplectic Euler, consistent for forces nonlinear in the multiplier",
                     "Small, Jay, Symplectic Euler methods for overdetermined DAEs, (3.5)",
                     "symplectic-euler-true-adjoint",
                     true,
                     false,
                     tables};
  registrar.add(std::make_unique<EulerScheme>(std::move(method)));
}
