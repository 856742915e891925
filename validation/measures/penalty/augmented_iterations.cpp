/// One step of an augmented Lagrange scheme, iteration by iteration: what is left of g after each solve, and how far
/// position and (updated) multipliers are from the multiplier scheme on the same grid, and the factors by which the
/// iteration reduces them.
#include <algorithm>
#include <cmath>
#include <string>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// Geometric mean of the factors by which the second half of the errors falls.
double reduction(const std::vector<double>& errors) {
  const std::size_t last = errors.size() - 1, middle = last / 2;
  return std::pow(errors[last] / errors[middle], 1.0 / static_cast<double>(last - middle));
}

}  // namespace

Quantities measure_augmented_iterations(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  if (c.steps < 1) throw Error(ErrorCode::bad_value, "steps must be at least 1: the number of the step to look into");
  Integrator exact = started(registry, instance, c.other);
  advance(exact, c.steps, h);
  const State& z_exact = exact.state();

  Integrator integrator = started(registry, instance, c.method);
  if (c.steps > 1) advance(integrator, c.steps - 1, h);
  const State z0 = integrator.state();
  StepEquations& step = integrator.equations();
  ScaledEquations equations(step.system(0), JacobianSource::analytic);
  const SolverFactory& solver = registry.solver(c.method.solver);
  const auto strategy = solver.create(Options("solver " + solver.name(), solver.options(), c.method.solver_options));
  strategy->attach(equations);
  Vector x(equations.size()), xs(equations.size()), g(mechanical(instance).m()),
      scratch(mechanical(instance).constraint_pattern().nonzeros());

  Quantities out;
  std::vector<double> multipliers, positions;
  step.begin(z0, h);
  int iterations = 0;
  for (Next then = Next::repeat; then == Next::repeat;) {
    step.predict(0, x);
    equations.update_scales();
    equations.to_scaled(x, xs);
    const SolveReport report = strategy->solve(xs);
    if (report.status != SolveStatus::converged) throw RunFailed(z0.t, report.message);
    equations.to_unscaled(xs, x);
    then = step.accept(0, x);
    if (then == Next::fail) throw RunFailed(z0.t, step.failure());
    State z = z0;
    step.finish(z);
    mechanical(instance).constraints_compensated(z.t, z.q.value(), z.q.tail(), g, scratch);
    const Vector dq = (z.q.value() - z_exact.q.value()) + (z.q.tail() - z_exact.q.tail());
    multipliers.push_back((z.lambda - z_exact.lambda).norm());
    positions.push_back(dq.norm());
    if (++iterations > 9) continue;
    const std::string number = std::to_string(iterations), in = "in augmented iteration " + number;
    out.push_back({"constraints-" + number, g.norm(), "|g(q)|_2 " + in});
    out.push_back({"multipliers-" + number, multipliers.back(), "|lambda - lambda_LM|_2 " + in});
    out.push_back({"position-" + number, positions.back(), "|q - q_LM|_2 " + in});
  }
  out.push_back({"iterations", static_cast<double>(iterations), "augmented iterations of this step"});
  if (iterations < 2) return out;
  out.push_back({"multipliers-last", multipliers.back(), "|lambda - lambda_LM|_2 after the last iteration"});
  out.push_back({"position-last", positions.back(), "|q - q_LM|_2 after the last iteration"});
  const std::string over = "an iteration, mean of the second half of the iterations";
  out.push_back({"multipliers-factor", reduction(multipliers), "of |lambda - lambda_LM|_2 " + over});
  out.push_back({"position-factor", reduction(positions), "of |q - q_LM|_2 " + over});
  return out;
}

Quantities measure_augmented_run(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  long most = 0;
  for (long i = 0; i < c.steps; ++i) {
    const long before = integrator.counters().repeated_solves;
    advance(integrator, 1, c.step.front());
    most = std::max(most, 1 + integrator.counters().repeated_solves - before);
  }
  const double repeats = static_cast<double>(integrator.counters().repeated_solves);
  return {{"iterations-mean", 1 + repeats / static_cast<double>(c.steps), "augmented iterations a step"},
          {"iterations-max", static_cast<double>(most), "augmented iterations of the worst step"},
          {"position", integrator.monitor().position_max(), "max |g|"}};
}

}  // namespace gnomon::validation
