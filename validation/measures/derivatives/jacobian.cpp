/// The three sources of a scheme's Jacobian agree: at the predictor, at x = 0, where discrete derivatives have a
/// removable singularity, and at points around the predictor. With friction x = 0 counts where the Jacobian is finite:
/// for some schemes it is rest, where friction has no direction.
#include <algorithm>
#include <cmath>

#include "measures/measure.hpp"
#include "measures/solver/step_equations.hpp"

namespace gnomon::validation {

Quantities measure_jacobian(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  Integrator integrator = started(registry, instance, c.method);
  double dual = 0, differences = 0, outside = 0;
  Uniform uniform(1);
  const System* system = instance.model->mechanical();
  const bool friction = system && system->parts().friction;

  const auto compare = [&](Index, ScaledEquations& equations, const Vector& predictor) {
    std::vector<Vector> points{predictor};
    const Vector zero = Vector::Zero(predictor.size());
    if (!friction || std::isfinite(compare_jacobians(equations, zero, JacobianSource::analytic, JacobianSource::dual)))
      points.push_back(zero);
    for (int k = 0; k < 3; ++k) {
      Vector noise(predictor.size());
      uniform.fill(noise);
      points.push_back(predictor + 0.1 * noise);
    }
    for (const Vector& xs : points) {
      double stray = 0;
      dual = std::max(dual, compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::dual));
      differences = std::max(
          differences, compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::differences, &stray));
      outside = std::max(outside, stray);
    }
  };
  const SolverFactory& solver = registry.solver(c.method.solver);
  visit_step_equations(integrator, solver, h, compare);  // from the start, often at rest
  advance(integrator, 20, h);
  visit_step_equations(integrator, solver, h, compare);
  return {{"jacobian-dual", dual, "dual numbers against analytic, relative to the largest entry", Gate::at_most(1e-12)},
          {"jacobian-differences", differences, "central differences against analytic", Gate::at_most(1e-6)},
          {"jacobian-outside", outside, "largest entry outside the pattern", Gate::at_most(1e-6)}};
}

}  // namespace gnomon::validation
