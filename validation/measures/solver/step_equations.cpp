#include "measures/solver/step_equations.hpp"

#include "gnomon/run/evaluated_outputs.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

/// What the equations start from: of a run that is cut at events the state of the piece, whose multipliers are those of
/// the constraints and the closed contacts.
State state_of_equations(const Integrator& integrator) {
  State state = integrator.state();
  const System* system = integrator.model().mechanical();
  if (!system || !system->parts().obstacles) return state;
  const Index m = system->m();
  if (state.lambda.size() != n_state_multipliers(*system)) return state;
  Vector lambda(m + static_cast<Index>(state.closed.size()));
  lambda.head(m) = state.lambda.head(m);
  for (std::size_t k = 0; k < state.closed.size(); ++k)
    lambda[m + static_cast<Index>(k)] = state.lambda[m + state.closed[k]];
  state.lambda = lambda;
  return state;
}

}  // namespace

void visit_step_equations(Integrator& integrator, const SolverFactory& solver, double h,
                          const std::function<void(Index, ScaledEquations&, const Vector&)>& visit) {
  StepEquations& step = integrator.equations();
  const State z0 = state_of_equations(integrator);
  step.begin(z0, h);
  for (Index k = 0; k < step.n_solves(); ++k) {
    ScaledEquations equations(step.system(step.system_of(k)), JacobianSource::analytic);
    const auto strategy = solver.create(Options("solver " + solver.name(), solver.options()));
    strategy->attach(equations);
    Vector x(equations.size()), xs(equations.size());
    step.predict(k, x);
    equations.update_scales();
    equations.to_scaled(x, xs);
    visit(k, equations, xs);

    const SolveReport report = strategy->solve(xs);
    if (report.status != SolveStatus::converged) throw RunFailed(z0.t, solver.name() + ": " + report.message);
    equations.to_unscaled(xs, x);
    step.accept(k, x);
  }
}

}  // namespace gnomon::validation
