/// A mechanism whose constraints repeat each other: how many do, which ones, and that the run keeps its energy.
#include <algorithm>

#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_dependent_constraints(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  Integrator integrator =
      registry.integrator(instance, c.method.scheme, c.method.solver, c.method.options, c.method.solver_options);
  const ConstraintRank start = integrator.constraint_rank();
  std::string names;
  for (const Index i : start.dependent) names += (names.empty() ? "" : ", ") + constraint_name(system, i);

  // The rank along the way, at a hundred places.
  const double h = c.step.front();
  const long steps = whole_steps(c.until, h), stride = std::max(1L, steps / 100);
  Index least = start.rank, most = start.rank;
  double travelled = 0;
  for (long done = 0; done < steps; done += stride) {
    advance(integrator, std::min(stride, steps - done), h);
    const State& z = integrator.state();
    const ConstraintRank now = constraint_rank(system, z.t, z.q.value());
    least = std::min(least, now.rank);
    most = std::max(most, now.rank);
    travelled = std::max(travelled, (z.q.value() - instance.q0).lpNorm<Eigen::Infinity>());
  }
  const InvariantMonitor& monitor = integrator.monitor();
  const double count = static_cast<double>(system.m());
  return {{"dependent", count - static_cast<double>(start.rank), names},
          {"dependent-least", count - static_cast<double>(most), "over the run"},
          {"dependent-most", count - static_cast<double>(least), "over the run"},
          {"energy", monitor.relative_energy_error(), relative_energy_error_text},
          {"energy-gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(), ""},
          {"position", monitor.position_max(), "max |g|"},
          {"travelled", travelled, "max |q - q0|: it moves"},
          {"multipliers", integrator.state().lambda.lpNorm<Eigen::Infinity>(), "max |lambda| at the end"}};
}

}  // namespace gnomon::validation
