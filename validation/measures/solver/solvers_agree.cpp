/// Every strategy reaches the same step: a solver changes the iteration, not the solution. One that does not converge
/// has a row of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/setup.hpp"
#include "measures/singular_values.hpp"
#include "measures/solver/kinsol_messages.hpp"
#include "measures/solver/step_equations.hpp"
#include "measures/solver/strategies.hpp"

namespace gnomon::validation {

namespace {

constexpr double agreement = 1e-11;
constexpr double inexact_agreement = 1e-6;  // of the state, for solvers that stop at a tolerance of their own
constexpr long steps_before = 100;          // where the case does not say how many
constexpr long step_counts[] = {1, 10};

struct Reached {
  Vector dq, dp, lambda;
  long allocations, contacts, events;
};

/// Does it need more of a scheme than its equations, so that it may refuse: an approximate inverse, or a multiplier
/// iteration?
bool may_refuse(const Strategy& strategy) {
  return strategy.solver == "uzawa" || std::any_of(strategy.options.begin(), strategy.options.end(),
                                                   [](const auto& option) { return option.second == "leading"; });
}

/// From where every strategy takes its steps.
struct Start {
  Phase z;
  /// Where a scheme keeps obstacles by a penalty: the state as a whole, which may be inside an obstacle, where no run
  /// starts.
  std::optional<State> inside;
};

Integrator started(const Registry& registry, const ProblemInstance& instance, const Method& method,
                   const Start& start) {
  if (!start.inside) return started(registry, instance, method, start.z);
  Integrator integrator = started(registry, instance, method);
  integrator.restore(*start.inside);
  return integrator;
}

bool has_obstacles(const ProblemInstance& instance) {
  const System* system = instance.model->mechanical();
  return system && system->parts().obstacles;
}

/// One that an event driver takes steps of has a multiplier for every obstacle.
bool cut_at_events(const Integrator& integrator, const ProblemInstance& instance) {
  return has_obstacles(instance) && integrator.state().lambda.size() > instance.model->m();
}

/// A state on the way, not the start: there the velocities, and with them the increments, may vanish. The instance
/// starts at its time.
Start on_the_way(const Registry& registry, ProblemInstance& instance, const Method& method, long steps, double h) {
  Integrator integrator = started(registry, instance, method);
  advance(integrator, steps, h);
  Start start{phase_of(integrator), std::nullopt};
  if (has_obstacles(instance) && !cut_at_events(integrator, instance)) {
    start.inside = integrator.state();
    return start;
  }
  instance.t0 += static_cast<double>(steps) * h;
  if (const System* system = instance.model->mechanical()) project_start(*system, instance.t0, start.z.q, start.z.p);
  return start;
}

/// How many contacts are closed, or overlap where a scheme keeps obstacles by a penalty.
long contacts(const Integrator& integrator) {
  const System* system = integrator.model().mechanical();
  if (!system || !system->parts().obstacles) return 0;
  const State& state = integrator.state();
  Vector c(system->parts().n_obstacles());
  system->parts().obstacles->obstacles(state.q.value(), c);
  return static_cast<long>(state.closed.size()) + (state.closed.empty() ? (c.array() < 0).count() : 0);
}

/// After each of step_counts.
std::vector<Reached> reach(const Registry& registry, const ProblemInstance& instance, const Method& method,
                           const Start& start, double h) {
  Integrator integrator = started(registry, instance, method, start);
  const Phase& z = start.z;
  const bool cut = cut_at_events(integrator, instance);
  std::vector<Reached> reached;
  long done = 0;
  bool late = false;
  for (const long steps : step_counts) {
    StepReport report;
    long allocations = 0;
    {
      const CountAllocations counting;
      report = integrator.advance(steps - done, h);
      allocations = counting.count();
    }
    if (!report.success()) throw RunFailed(report.t, report.message);
    // The first step of a run that is cut at events sizes what they need, an event makes the phase that it enters.
    if (cut && (done == 0 || !integrator.events().empty())) allocations = 0;
    if (allocations > 0 && makes_matrices_late(integrator)) {
      late = true;
      allocations = 0;
    }
    done = steps;
    const State& end = integrator.state();
    reached.push_back({(end.q.value() - z.q) + end.q.tail(), (end.p.value() - z.p) + end.p.tail(), end.lambda,
                       allocations, contacts(integrator), static_cast<long>(integrator.events().size())});
  }
  if (late) {  // the steps after it allocate nothing
    const CountAllocations counting;
    integrator.advance(done, h);
    reached.back().allocations = counting.count();
  }
  return reached;
}

double scaled_difference(const Vector& a, const Vector& b) {
  if (a.size() == 0) return 0;
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(b.lpNorm<Eigen::Infinity>(), 1e-300);
}

/// Largest condition number of the scaled Jacobians of a step from z.
double condition_number(const Registry& registry, const ProblemInstance& instance, const Method& method,
                        const Start& start, double h) {
  double condition = 1;
  Integrator integrator = started(registry, instance, method, start);
  visit_step_equations(integrator, registry.solver(method.solver), h,
                       [&](Index, ScaledEquations& equations, const Vector& predictor) {
                         Vector values(equations.pattern().nonzeros());
                         if (equations.jacobian(predictor, values) != EvaluationStatus::ok) return;
                         const SingularValues svd(to_dense(equations.pattern(), values));
                         const Vector& s = svd.singularValues();
                         condition = std::max(condition, s[0] / s[s.size() - 1]);
                       });
  return condition;
}

/// The largest difference of all strategies, and which one it is.
struct Worst {
  double value = 0;
  std::string label = "none";
  void take(double difference, const std::string& whose) {
    if (difference <= value || std::isnan(value)) return;
    value = difference;
    label = whose;
  }
};

/// A solver with a tolerance stops above rounding: block relaxation does.
bool inexact(const SolverFactory& factory) {
  const OptionSpecs specs = factory.options();
  return std::any_of(specs.begin(), specs.end(), [](const OptionSpec& spec) { return spec.name == "tolerance"; });
}

double state_difference(const Reached& a, const Reached& b, const Phase& z) {
  return std::max((a.dq - b.dq).lpNorm<Eigen::Infinity>() / std::max(z.q.lpNorm<Eigen::Infinity>(), 1e-300),
                  (a.dp - b.dp).lpNorm<Eigen::Infinity>() / std::max(z.p.lpNorm<Eigen::Infinity>(), 1e-300));
}

}  // namespace

Quantities measure_solvers_agree(const Registry& registry, const Case& c) {
  ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  const Start start = on_the_way(registry, instance, c.method, c.steps > 0 ? c.steps : steps_before, h);
  const double condition = condition_number(registry, instance, c.method, start, h);
  const std::vector<Reached> expected = reach(registry, instance, c.method, start, h);

  Quantities out, failures;
  out.push_back({"condition", condition, "of the scaled Jacobian"});
  Worst state[2], lambda[2], relaxed, allocations, messages;
  long agreeing = 0;
  Quantities refusals;
  const std::vector<Strategy> all = strategies(registry);
  for (const Strategy& strategy : all) {
    Method method = c.method;
    method.solver = strategy.solver;
    method.solver_options = strategy.options;
    const std::string label = strategy.label();
    try {
      const std::vector<Reached> found = reach(registry, instance, method, start, h);
      for (std::size_t i = 0; i < 2; ++i) {
        (formats_messages(strategy.solver) ? messages : allocations)
            .take(static_cast<double>(found[i].allocations), label);
        if (inexact(registry.solver(strategy.solver))) {
          relaxed.take(state_difference(found[i], expected[i], start.z), label);
          continue;
        }
        state[i].take(
            std::max(scaled_difference(found[i].dq, expected[i].dq), scaled_difference(found[i].dp, expected[i].dp)),
            label);
        lambda[i].take(scaled_difference(found[i].lambda, expected[i].lambda), label);
      }
      ++agreeing;
    } catch (const RunFailed& failure) {
      failures.push_back({label, std::numeric_limits<double>::quiet_NaN(), failure.what(), Gate::at_most(agreement)});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      refusals.push_back({label + "-refused", 1, error.what()});
    }
  }
  const auto must_run = static_cast<long>(all.size()) - std::count_if(all.begin(), all.end(), may_refuse);
  out.push_back({"strategies", static_cast<double>(agreeing),
                 fmt::format("that ran, of {}; {} refused", all.size(), refusals.size()),
                 Gate::at_least(static_cast<double>(must_run))});
  if (has_obstacles(instance)) {
    out.push_back({"contacts", static_cast<double>(std::max(expected[0].contacts, expected[1].contacts)),
                   "closed, or overlapping, after 1 or 10 steps"});
    out.push_back({"events", static_cast<double>(expected[1].events), "in 10 steps"});
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string steps = std::to_string(step_counts[i]);
    out.push_back({"increments-" + steps, state[i].value, "of q and p, relative, the largest: " + state[i].label,
                   Gate::at_most(agreement)});
    out.push_back({"multipliers-" + steps, lambda[i].value, "relative, the largest: " + lambda[i].label,
                   Gate::at_most(agreement * condition)});
  }
  if (relaxed.label != "none")
    out.push_back({"inexact", relaxed.value, "of the state after 10 steps, relative, the largest: " + relaxed.label,
                   Gate::at_most(inexact_agreement)});
  if (CountAllocations::available()) {
    out.push_back({"allocations", allocations.value, "the most: " + allocations.label, Gate::at_most(0)});
    if (messages.label != "none")
      out.push_back(
          {"allocations-kinsol", messages.value, "the most: " + messages.label, Gate::at_most(0), kinsol_messages});
  }
  out.insert(out.end(), failures.begin(), failures.end());
  out.insert(out.end(), refusals.begin(), refusals.end());
  return out;
}

}  // namespace gnomon::validation
