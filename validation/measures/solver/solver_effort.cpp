/// What a solver, or a scheme, costs beside another one: iterations, factorisations and Jacobians a step, time, and
/// that both arrive at the same state.
#include <algorithm>
#include <chrono>

#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

struct Effort {
  double iterations, factorisations, jacobians, microseconds, energy;
  Phase z;
};

Effort effort(const Registry& registry, const ProblemInstance& instance, const Method& method, long steps, double h) {
  Integrator integrator = started(registry, instance, method);
  const auto begin = std::chrono::steady_clock::now();
  advance(integrator, steps, h);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  const RunCounters& counters = integrator.counters();
  const double count = static_cast<double>(steps);
  return {static_cast<double>(counters.iterations) / count,
          static_cast<double>(counters.factorisations) / count,
          static_cast<double>(counters.jacobian_evaluations) / count,
          time.count() / count,
          integrator.monitor().energy().max_abs_error() / integrator.monitor().energy_gate(),
          phase_of(integrator)};
}

}  // namespace

Quantities measure_solver_effort(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const Effort mine = effort(registry, instance, c.method, c.steps, c.step.front());
  const Effort other = effort(registry, instance, c.other, c.steps, c.step.front());
  const std::string name = c.other.scheme == c.method.scheme ? c.other.solver : c.other.scheme;
  const std::string beside = "beside " + short_number(other.iterations) + " of " + name;
  return {{"iterations", mine.iterations, "a step, " + beside},
          {"factorisations", mine.factorisations, "a step, beside " + short_number(other.factorisations)},
          {"jacobians", mine.jacobians, "a step, beside " + short_number(other.jacobians)},
          {"time", mine.microseconds, "us a step, beside " + short_number(other.microseconds)},
          {"iterations-ratio", mine.iterations / other.iterations, "to those of " + name},
          {"time-ratio", mine.microseconds / other.microseconds, "to that of " + name},
          {"energy-gate-ratio", mine.energy, "beside " + short_number(other.energy)},
          {"apart", std::max(relative_error(mine.z.q, other.z.q), relative_error(mine.z.p, other.z.p)),
           "the two states at the end, relative"}};
}

}  // namespace gnomon::validation
