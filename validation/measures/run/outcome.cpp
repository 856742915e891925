/// How a run ends, for models at the edge of the regular: at each of the steps, or of the tolerances, of a case. With
/// tolerances and the scheme "suited" it is the scheme that `--rtol` takes.
#include <algorithm>
#include <cmath>

#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

Integrator made(const Registry& registry, const ProblemInstance& instance, const Method& method, double tolerance) {
  SchemeChoice choice{method.scheme, 0, method.options};
  if (method.scheme == suited_method) {
    SuitedRun run;
    run.start = instance;
    run.relative = tolerance;
    run.solver = &registry.solver(method.solver);
    run.solver_options = Options("solver " + method.solver, run.solver->options(), method.solver_options);
    run.options.contact = contact_options(method.contact);
    choice = suited_scheme(registry, run);
  }
  IntegratorOptions options;
  options.contact = contact_options(method.contact);
  Integrator integrator =
      registry.integrator(instance, choice.scheme, method.solver, choice.options, method.solver_options, options);
  if (tolerance > 0) integrator.set_tolerances(Tolerances(tolerance));
  return integrator;
}

/// sum_i A_ii lambda_i^2, A = G M^-1 G^T
double weighed_square(const System& system, const State& z, const Vector& lambda) {
  Vector values(system.constraint_pattern().nonzeros());
  system.constraint_jacobian(z.t, z.q.value(), values);
  const SparsityPattern& g = system.constraint_pattern();
  double sum = 0;
  for (Index i = 0; i < g.rows; ++i) {
    double square = 0;
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
      square += values[k] * values[k] / system.mass().diagonal_entries()[g.indices[k]];
    sum += square * lambda[i] * lambda[i];
  }
  return sum;
}

}  // namespace

Quantities measure_outcome(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const bool controlled = !c.tolerances.empty();
  const std::vector<double>& settings = controlled ? c.tolerances : c.step;
  double reached = c.until, energy = 0, position = 0, broken = 0, most_steps = 0, late_steps = 0, multiplier = 0;
  std::string why;
  Quantities outputs;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    Integrator run = made(registry, instance, c.method, controlled ? settings[k] : 0);
    run.start(instance.t0, instance.q0, instance.p0);
    const auto advance = [&](double t) { return controlled ? run.advance_to(t) : run.advance_to(t, settings[k]); };
    StepReport report = advance(instance.t0 + (c.until - instance.t0) / 10);
    const double before = static_cast<double>(run.counters().steps);
    if (report.success()) report = advance(c.until);
    const double steps = static_cast<double>(run.counters().steps);
    if (!report.success() && report.t < reached) {
      why = report.message;
      reached = report.t;
    }
    most_steps = std::max(most_steps, steps);
    late_steps = std::max(late_steps, steps - before);
    energy = std::max(energy, run.monitor().energy().max_abs_error() / run.monitor().energy_gate());
    position = std::max(position, run.monitor().position_max());
    broken = std::max(broken, static_cast<double>(run.check_promises().size()));
    if (!run.state().q.value().allFinite()) reached = instance.t0;
    if (system.m() > 0) multiplier = std::max(multiplier, run.index1_multipliers().lpNorm<Eigen::Infinity>());
    const std::string number = settings.size() > 1 ? "-" + std::to_string(k + 1) : "";
    outputs.push_back({"events" + number, static_cast<double>(run.events().size()), ""});
    if (system.m() > 0)
      outputs.push_back({"weighed-multipliers" + number,
                         weighed_square(system, run.state(), run.state().lambda.head(system.m())),
                         "sum A_ii lambda_i^2 of the scheme's own at the end"});
    const EvaluatedOutputs evaluated(instance);
    const Vector values = evaluated.evaluate(run);
    for (std::size_t i = 0; i < evaluated.outputs().size(); ++i)
      outputs.push_back({evaluated.outputs()[i].name + number, values[static_cast<Index>(i)], "at the end"});
  }
  Quantities all{{"reached", reached, why},
                 {"energy-gate-ratio", energy, "max |H - H_expected| by its gate"},
                 {"position", position, "max |g|"},
                 {"broken", broken, "promises"},
                 {"steps", most_steps, "the most"},
                 {"late-steps", late_steps, "in the last nine tenths of the time, the most"},
                 {"multiplier", multiplier, "max |lambda| at the end"}};
  all.insert(all.end(), outputs.begin(), outputs.end());
  return all;
}

}  // namespace gnomon::validation
