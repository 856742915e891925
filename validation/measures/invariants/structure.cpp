#include "measures/invariants/structure.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

double scaled_distance(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(b.lpNorm<Eigen::Infinity>(), 1e-300);
}

/// z + size * direction, back on the bundle.
Phase displaced(const ProblemInstance& instance, const Phase& z, const Phase& direction, double size) {
  Phase moved{z.q + size * direction.q, z.p + size * direction.p};
  project_start(mechanical(instance), instance.t0, moved.q, moved.p);
  return moved;
}

Phase image(const Registry& registry, const ProblemInstance& instance, const Method& method, const Phase& z, double h,
            long steps) {
  Integrator integrator = started(registry, instance, method, z);
  advance(integrator, steps, h);
  return phase_of(integrator);
}

double omega(const Phase& a, const Phase& b) {
  return a.q.dot(b.p) - a.p.dot(b.q);
}
double norm(const Phase& a) {
  return std::sqrt(a.q.squaredNorm() + a.p.squaredNorm());
}

}  // namespace

double symmetry_defect(const Registry& registry, const ProblemInstance& instance, const Method& method, double h,
                       int visits, long between) {
  Integrator integrator = started(registry, instance, method);
  double defect = 0;
  for (int visit = 0; visit < visits; ++visit) {
    advance(integrator, between, h);
    const State before = integrator.state();
    advance(integrator, 1, h);
    advance(integrator, 1, -h);
    defect = std::max({defect, scaled_distance(integrator.state().q.value(), before.q.value()),
                       scaled_distance(integrator.state().p.value(), before.p.value())});
  }
  return defect;
}

double symplectic_defect(const Registry& registry, const ProblemInstance& instance, const Method& method, double h,
                         long steps) {
  const Phase z = start_of(instance);
  const Index n = z.q.size();
  // Momenta are displaced in proportion to the masses, so that both halves of a displacement turn alike.
  const Vector& mass = mechanical(instance).mass().diagonal_entries();
  constexpr double size = 1e-5;
  constexpr int vectors = 4;
  Uniform uniform(7);

  std::vector<Phase> before, after;
  for (int k = 0; k < vectors; ++k) {
    Phase direction{Vector(n), Vector(n)};
    uniform.fill(direction.q);
    uniform.fill(direction.p);
    direction.p = direction.p.cwiseProduct(mass);
    const Phase plus = displaced(instance, z, direction, size), minus = displaced(instance, z, direction, -size);
    const Phase plus1 = image(registry, instance, method, plus, h, steps);
    const Phase minus1 = image(registry, instance, method, minus, h, steps);
    before.push_back({(plus.q - minus.q) / (2 * size), (plus.p - minus.p) / (2 * size)});
    after.push_back({(plus1.q - minus1.q) / (2 * size), (plus1.p - minus1.p) / (2 * size)});
  }
  double defect = 0;
  for (int i = 0; i < vectors; ++i)
    for (int j = 0; j < i; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      defect = std::max(defect, std::abs(omega(after[a], after[b]) - omega(before[a], before[b])) /
                                    (norm(before[a]) * norm(before[b])));
    }
  return defect;
}

}  // namespace gnomon::validation
