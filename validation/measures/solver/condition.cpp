/// Condition number of the scaled Jacobian.
#include <algorithm>

#include "measures/measure.hpp"
#include "measures/singular_values.hpp"
#include "measures/solver/step_equations.hpp"

namespace gnomon::validation {

Quantities measure_condition(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Quantities out;
  double largest = 0;
  for (std::size_t i = 0; i < c.step.size(); ++i) {
    Integrator integrator = started(registry, instance, c.method);
    double condition = 0;
    visit_step_equations(integrator, registry.solver(c.method.solver), c.step[i],
                         [&](Index, ScaledEquations& equations, const Vector& predictor) {
                           Vector values = Vector::Zero(equations.pattern().nonzeros());
                           equations.jacobian(predictor, values);
                           const Vector singular =
                               SingularValues(to_dense(equations.pattern(), values)).singularValues();
                           condition = std::max(condition, singular[0] / singular[singular.size() - 1]);
                         });
    largest = std::max(largest, condition);
    out.push_back({"condition-" + std::to_string(i + 1), condition,
                   "scaled Jacobian at the first step's predictor, h = " + short_number(c.step[i])});
  }
  out.push_back({"condition", largest, "largest of them"});
  return out;
}

}  // namespace gnomon::validation
