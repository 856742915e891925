#include "measures/published/equilibrium.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// Multipliers that balance grad U best, in the mass metric: those of a system at rest.
Vector start_multipliers(const System& system, double t, const Vector& q) {
  Vector a(system.n()), lambda = Vector::Zero(system.m());
  if (system.m() > 0) acceleration(system, t, q, Vector::Zero(system.n()), a, lambda);
  return lambda;
}

Equilibrium with_levels(const System& system, double t, bool penalty, Equilibrium result) {
  result.potential = system.potential(t, result.q) + system.traits().energy_constant;
  if (system.m() == 0) return result;
  Vector g(system.m());
  system.constraints(t, result.q, g);
  result.constraint = g.lpNorm<Eigen::Infinity>();
  if (penalty) result.penalty = 0.5 * g.dot(result.lambda);
  return result;
}

std::unique_ptr<NonlinearSolver> attached(const Registry& registry, const EquilibriumSearch& search,
                                          ScaledEquations& scaled) {
  const SolverFactory& factory = registry.solver(search.solver);
  auto solver = factory.create(Options("solver " + factory.name(), factory.options(), search.solver_options));
  try {
    solver->attach(scaled);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    throw Error(ErrorCode::refused,
                "solver " + factory.name() + " does not take the equilibrium equations: " + error.what());
  }
  return solver;
}

}  // namespace

OptionSpecs equilibrium_options() {
  return {
      OptionSpec::choice("by", {"solver", "minimise"},
                         "minimise: U falls down to a minimum; solver: the equations by the solver, from the start"),
      OptionSpec::choice("method", {"exact", "penalty"}, "constraints exact, or by the penalty sum w g^2/(2 eps)"),
      OptionSpec::real("eps", 1.5e-4, -1e18, 1e18, "unit of w g^2 / energy", "penalty parameter, method=penalty"),
      OptionSpec::integer("levels", 1, 1, 20,
                          "solves with the penalty: the first has eps 10^(levels-1), every next one a tenth")};
}

Equilibrium find_equilibrium(const Registry& registry, const ProblemInstance& instance,
                             const EquilibriumSearch& search) {
  using Method = EquilibriumEquations::Method;
  const System& system = mechanical(instance);
  const bool minimised = search.options.is("by", "minimise"), penalty = search.options.is("method", "penalty");
  if (!penalty)
    for (const char* name : {"eps", "levels"})
      if (search.options.assigned(name))
        throw Error(ErrorCode::bad_value,
                    std::string(name) + " was given, but it has an effect only with method=penalty");
  const double eps = search.options.real("eps");
  const long levels = search.options.integer("levels");
  Equilibrium result;
  if (minimised && !penalty) {
    static_cast<Minimum&>(result) = find_minimum(shared_system(instance.model), instance.t0, instance.q0);
    return with_levels(system, instance.t0, false, std::move(result));
  }
  result.q = instance.q0;
  result.lambda = Vector::Zero(system.m());
  long iterations = 0;
  for (long level = levels - 1; level >= 0; --level) {
    EquilibriumEquations equations(system, instance.t0, result.q, penalty ? Method::penalty : Method::exact,
                                   eps * std::pow(10.0, static_cast<double>(level)));
    ScaledEquations scaled(equations, search.jacobian);
    const auto solver = minimised ? nullptr : attached(registry, search, scaled);
    if (!penalty) result.lambda = start_multipliers(system, instance.t0, result.q);
    Vector x = equations.start(result.lambda), xs(x.size());
    if (minimised) {
      result.report = minimise(equations, x);
    } else {
      scaled.update_scales();
      scaled.to_scaled(x, xs);
      result.report = solver->solve(xs);
      scaled.to_unscaled(xs, x);
    }
    iterations += result.report.iterations;
    ++result.solves;
    result.q = equations.position(x);
    result.lambda = equations.multipliers(x);
    if (result.report.status != SolveStatus::converged) break;
    if (level > 0) continue;
    result.second = second_order(equations, x);
    if (result.second.proved) continue;
    result.report.status = SolveStatus::not_converged;
    result.report.message = "the end is " + result.second.text();
  }
  result.report.iterations = iterations;
  return with_levels(system, instance.t0, penalty, std::move(result));
}

}  // namespace gnomon::validation
