/// The fallback for steps on which the solver fails: where the run ends without it, and how it ends with it. `other`
/// names the solver to fall back to; after it come smaller steps.
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

constexpr int max_halvings = 6;

Integrator make(const Registry& registry, const ProblemInstance& instance, const Method& method,
                const IntegratorOptions& options) {
  return registry.integrator(instance, method.scheme, method.solver, method.options, method.solver_options, options);
}

}  // namespace

Quantities measure_fallback(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  Integrator alone = make(registry, instance, c.method, {});
  const StepReport refused = alone.advance(c.steps, h);

  IntegratorOptions options;
  options.fallback = &registry.solver(c.other.solver);
  options.max_halvings = max_halvings;
  Integrator helped = make(registry, instance, c.method, options);
  advance(helped, c.steps, h);
  const RunCounters& counters = helped.counters();
  return {{"alone", static_cast<double>(alone.counters().steps), "steps; " + refused.message},
          {"fallback-solves", static_cast<double>(counters.fallback_solves), "by " + c.other.solver},
          {"refused-steps", static_cast<double>(counters.refused_steps), "cut into halves"},
          {"energy-gate-ratio", helped.monitor().energy().max_abs_error() / helped.monitor().energy_gate(),
           "max |H - H0| / (1e-14 sqrt(N) max(max|T|, max|U|))"},
          {"position", helped.monitor().position_max(), "max |g|"}};
}

}  // namespace gnomon::validation
