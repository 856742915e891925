/// \file
/// symplectic-euler-conjugate-true: the conjugate symplectic Euler method, consistent for forces nonlinear in the
/// multiplier.
///
///     p(y1,Z) = p0 + h a r(y0,z0,A),   y1 = y0 + h v(y1,Z),   0 = g(y1)
///     p(y1,z1) = p(y1,Z) + h f(y1,Z) - h a r(y1,z1,A) + h r(y1,z1,B),    0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0. Order 1 for every r; symplectic on Hamiltonian problems. It is *not* the adjoint of
/// symplectic-euler-true where r is nonlinear, see symplectic-euler-true-adjoint. Source: Small, Jay, (3.8).
/// Of start and end, the z of r(y0,.,A) and of r(y1,.,.), see symplectic-euler-true.

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(const EulerChoice& choice) {
  const double a = choice.alpha;
  const auto y0 = Slot::y0, y1 = Slot::y1, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const Addend before = h_times(-a, multiplier_force(y0, choice.start, A));
  return {
      in_order({{Z, y1, A},
                {{Row::stage, {momentum(y1, Z), before}},
                 {Row::position, {h_times(-1, velocity(y1, Z))}},
                 {Row::constraint, {constraint(y1)}}}},
               {{z1, B},
                {{Row::momentum,
                  {momentum(y1, z1), before, h_times(-1, force(y1, Z)), h_times(a, multiplier_force(y1, choice.end, A)),
                   h_times(-1, multiplier_force(y1, choice.end, B))}},
                 {Row::hidden, {hidden(y1, z1)}}}},
               choice.start == z1)};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_conjugate_true) {
  registrar.add(std::make_unique<EulerScheme>(EulerMethod{
      "symplectic-euler-conjugate-true",
      "conjugate symplectic Euler, consistent for forces nonlinear in the multiplier",
      "Small, Jay, Symplectic Euler methods for overdetermined DAEs, (3.8)", "", true, false, tables, true, false}));
}
