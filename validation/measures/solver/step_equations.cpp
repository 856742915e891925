#include "measures/solver/step_equations.hpp"

#include "measures/measure.hpp"

namespace gnomon::validation {

void visit_step_equations(Integrator& integrator, const SolverFactory& solver, double h,
                          const std::function<void(Index, ScaledEquations&, const Vector&)>& visit) {
  StepEquations& step = integrator.equations();
  const State z0 = integrator.state();
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
