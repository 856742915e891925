/// Every registered solver reaches the same step: a solver changes the way, not the solution.
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "equations_walk.hpp"
#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "measure.hpp"

namespace gnomon::validation {

namespace {

constexpr double agreement = 1e-11;

struct Reached {
  Vector dq, dp, lambda;
};

Reached reach(const Registry& registry, const ProblemInstance& instance, const Method& method, const Phase& z,
              long steps, double h) {
  Integrator integrator = started(registry, instance, method, z);
  advance(integrator, steps, h);
  const State& end = integrator.state();
  return {(end.q.value() - z.q) + end.q.tail(), (end.p.value() - z.p) + end.p.tail(), end.lambda};
}

double scaled_difference(const Vector& a, const Vector& b) {
  if (a.size() == 0) return 0;
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(b.lpNorm<Eigen::Infinity>(), 1e-300);
}

/// Largest condition number of the scaled Jacobians of a step from z.
double condition_number(const Registry& registry, const ProblemInstance& instance, const Method& method, const Phase& z,
                        double h) {
  double condition = 1;
  Integrator integrator = started(registry, instance, method, z);
  walk_step(integrator, registry.solver(method.solver), h,
            [&](Index, ScaledEquations& equations, const Vector& predictor) {
              Vector values(equations.pattern().nonzeros());
              if (equations.jacobian(predictor, values) != EvaluationStatus::ok) return;
              const Eigen::JacobiSVD<Matrix> svd(to_dense(equations.pattern(), values));
              const Vector& s = svd.singularValues();
              condition = std::max(condition, s[0] / s[s.size() - 1]);
            });
  return condition;
}

}  // namespace

Quantities measure_solvers_agree(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  // A state on the way, not the start: there the velocities, and with them the increments, may vanish.
  Phase z = state_after(registry, instance, c.method, 100, h);
  if (instance.system) project_start(*instance.system, instance.t0, z.q, z.p);
  const double condition = condition_number(registry, instance, c.method, z, h);

  Quantities out;
  out.push_back({"condition", condition, {}, "of the scaled Jacobian"});
  for (const long steps : {1L, 10L}) {
    const Reached expected = reach(registry, instance, c.method, z, steps, h);
    for (const auto& name : registry.solvers()) {
      if (name == c.method.solver) continue;
      Method method = c.method;
      method.solver = name;
      method.solver_options.clear();
      const std::string label = name + "-" + std::to_string(steps);
      const std::string after = " after " + std::to_string(steps) + (steps == 1 ? " step" : " steps");
      try {
        const Reached found = reach(registry, instance, method, z, steps, h);
        const double state =
            std::max(scaled_difference(found.dq, expected.dq), scaled_difference(found.dp, expected.dp));
        out.push_back({label, state, Gate::at_most(agreement), "increments of q and p" + after + ", relative"});
        out.push_back({label + "-lambda", scaled_difference(found.lambda, expected.lambda),
                       Gate::at_most(agreement * condition), "multipliers" + after + ", relative"});
      } catch (const RunFailed& failure) {
        out.push_back({label, std::numeric_limits<double>::quiet_NaN(), Gate::at_most(agreement), failure.what()});
      } catch (const Error& error) {
        if (error.code() != ErrorCode::refused) throw;
        out.push_back({label, 0, {}, error.what()});
      }
    }
  }
  return out;
}

}  // namespace gnomon::validation
