/// \file
/// symplectic-euler-true-adjoint: what undoes a step of symplectic-euler-true over -h; one coupled system.
///
///     p(y1,Z) = p0 - h a r(y0,z0,A) + h r(y0,z0,B),   y1 = y0 + h v(y1,Z),   0 = g(y1)
///     p(y1,z1) = p(y1,Z) + h f(y1,Z) + h a r(y1,z1,A),                       0 = g_y v (y1,z1)
///
/// a = alpha, any number but 0. It is (3.5) of the paper with the ends of the step exchanged and h replaced by -h:
/// where r is nonlinear in the multiplier, the paper's conjugate method (3.8) is another one. Order 1; followed or
/// preceded by symplectic-euler-true of the same size it makes a symmetric map of order 2. The multiplier it reports,
/// B, belongs to the start of the step. Source: Small, Jay, (3.5).
/// Its options are those of the method whose adjoint it is.

#include "kernels/euler/euler_scheme.hpp"

namespace {

using namespace gnomon::kernels;

EulerTables tables(const EulerChoice& choice) {
  const double a = choice.alpha;
  const auto y0 = Slot::y0, y1 = Slot::y1, Z = Slot::Z, z1 = Slot::z1, A = Slot::first, B = Slot::second;
  const Slot start = reflected(choice.end), end = reflected(choice.start);
  const Slot y = choice.mix == EulerChoice::Mix::implicit ? y0 : y1;
  const Slot z = choice.mix == EulerChoice::Mix::explicit_force ? z1 : Z;
  const std::vector<Addend> before{h_times(a, multiplier_force(y0, start, A)),
                                   h_times(-1, multiplier_force(y0, start, B))};
  return {{{{Z, y1, A, z1, B},
            {{Row::stage, {momentum(y1, Z), before[0], before[1]}},
             {Row::position, {h_times(-1, velocity(y, Z))}},
             {Row::constraint, {constraint(y1)}},
             {Row::momentum,
              {momentum(y1, z1), before[0], before[1], h_times(-1, force(y, z)),
               h_times(-a, multiplier_force(y1, end, A))}},
             {Row::hidden, {hidden(y1, z1)}}}}},
          0,
          1,
          true};
}

}  // namespace

GNOMON_PLUGIN(symplectic_euler_true_adjoint) {
  registrar.add(std::make_unique<EulerScheme>(
      EulerMethod{"symplectic-euler-true-adjoint", "adjoint of symplectic-euler-true, one coupled system",
                  "the adjoint of (3.5) of Small, Jay, Symplectic Euler methods for overdetermined DAEs",
                  "symplectic-euler-true", true, false, tables, true, true}));
}
