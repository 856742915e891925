/// Penalty schemes against the multiplier scheme of the same step, as the penalty parameter grows: positions, and the
/// penalty's force mu D_R, the effective multiplier of the step, beside lambda. A penalty on obstacles against a run
/// whose contacts open and close. Schemes with a parameter eps get 1/mu.
#include <fmt/format.h>

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

namespace {

Method with_mu(const Registry& registry, const Method& method, double mu) {
  Method result = method;
  const OptionSpecs options = registry.scheme(method.scheme).options();
  const bool inverse =
      std::any_of(options.begin(), options.end(), [](const OptionSpec& option) { return option.name == "eps"; });
  result.options.emplace_back(inverse ? "eps" : "mu", fmt::format("{:.17g}", inverse ? 1 / mu : mu));
  return result;
}

/// The largest -c of a state, or zero.
double depth(const System& system, const Vector& q, Vector& c) {
  if (c.size() == 0) return 0;
  system.parts().obstacles->obstacles(q, c);
  return std::max(0.0, -c.minCoeff());
}

Quantities against_mu(const Registry& registry, const Case& c, long steps) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  if (c.mu.size() < 2) throw Error(ErrorCode::bad_value, "mu must be a list of at least two penalty parameters");
  Integrator limit = started(registry, instance, c.other);
  std::vector<Vector> exact;
  for (long i = 0; i < steps; ++i) {
    advance(limit, 1, h);
    exact.push_back(limit.state().q.value());
  }
  const Vector lambda = limit.state().lambda;
  const System& system = limit.system();
  const bool constrained = system.m() > 0;
  Vector gaps = Vector::Zero(system.parts().n_obstacles());
  std::vector<double> violations, errors, multipliers;
  double end = 0;
  for (const double mu : c.mu) {
    Integrator integrator = started(registry, instance, with_mu(registry, c.method, mu));
    double largest = 0, deepest = 0;
    for (const Vector& q : exact) {
      advance(integrator, 1, h);
      end = relative_error(integrator.state().q.value(), q);
      deepest = std::max(deepest, depth(system, integrator.state().q.value(), gaps));
      largest = std::max(largest, end);
    }
    violations.push_back(std::max(integrator.monitor().position_max(), deepest));
    errors.push_back(largest);
    if (constrained) multipliers.push_back(relative_error(integrator.state().lambda, lambda));
  }
  const std::string at = fmt::format(" at mu = {:g}", c.mu.back());
  Quantities out{{"violation-slope", log_slope(c.mu, violations), "of log max |g| or -c over the run against log mu"},
                 {"violation", violations.back(), "max |g| or -c over the run" + at},
                 {"distance-slope", log_slope(c.mu, errors), "of log distance against log mu"},
                 {"distance", errors.back(), "max |q - q_LM| / |q_LM| over the run" + at},
                 {"distance-end", end, "the same at its end"},
                 {"distance-first", errors.front(), fmt::format("distance at mu = {:g}", c.mu.front())}};
  if (!constrained) return out;
  out.push_back({"multiplier-slope", log_slope(c.mu, multipliers), "of log multiplier against log mu"});
  out.push_back({"multiplier", multipliers.back(), "|mu D_R - lambda_LM| / |lambda_LM| of the last step" + at});
  return out;
}

}  // namespace

Quantities measure_penalty_limit(const Registry& registry, const Case& c) {
  return against_mu(registry, c, whole_steps(c.until - registry.build(c.problem, c.set).t0, c.step.front()));
}

Quantities measure_penalty_one_step(const Registry& registry, const Case& c) {
  return against_mu(registry, c, c.steps);
}

}  // namespace gnomon::validation
