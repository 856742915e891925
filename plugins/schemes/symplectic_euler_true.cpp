/// \file
/// symplectic-euler-true: the consistent symplectic Euler method for forces nonlinear in the multiplier.
///
///     p(y0,Z) = p0 + h f(y0,Z) + h a r(y0,z0,A),   y1 = y0 + h v(y0,Z),   0 = g(y1)
///     p(y1,z1) = p(y0,Z) - h a r(y1,z1,A) + h r(y1,z1,B),                 0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0. A is inconsistent (a r(A) tends to half the curvature term), B tends to the multiplier
/// at the end of the step. Order 1 for every r; where r is affine it is symplectic-euler-natural, and symplectic on
/// Hamiltonian problems. Source: Small, Jay, (3.5).
///
/// The paper's results hold for any of z0, Z, z1 in the r terms: start is the z of r(y0,.,A), where z1 couples the two
/// systems, end that of r(y1,.,.). The idea applies to other Euler methods (section 1): mix=explicit has f(y0,z0),
/// mix=implicit f(y1,Z) and v(y1,Z); both have order 1 and are not symplectic. (v takes Z in all of them: A acts on y1
/// through it.)

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(const EulerChoice& choice) {
  const auto y0 = Slot::y0, y1 = Slot::y1, z0 = Slot::z0, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const double a = choice.alpha;
  const Slot y = choice.mix == EulerChoice::Mix::implicit ? y1 : y0;
  const Slot z = choice.mix == EulerChoice::Mix::explicit_force ? z0 : Z;
  const std::vector<Addend> before{h_times(-1, force(y, z)), h_times(-a, multiplier_force(y0, choice.start, A))};
  return {in_order({{Z, y1, A},
                    {{Row::stage, {momentum(y0, Z), before[0], before[1]}},
                     {Row::position, {h_times(-1, velocity(y, Z))}},
                     {Row::constraint, {constraint(y1)}}}},
                   {{z1, B},
                    {{Row::momentum,
                      {momentum(y1, z1), before[0], before[1], h_times(a, multiplier_force(y1, choice.end, A)),
                       h_times(-1, multiplier_force(y1, choice.end, B))}},
                     {Row::hidden, {hidden(y1, z1)}}}},
                   choice.start == z1)};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_true) {
  registrar.add(std::make_unique<EulerScheme>(
      EulerMethod{"symplectic-euler-true", "symplectic Euler, consistent for forces nonlinear in the multiplier",
                  "Small, Jay, Symplectic Euler methods for overdetermined DAEs, (3.5)",
                  "symplectic-euler-true-adjoint", true, false, tables, true, true}));
}
