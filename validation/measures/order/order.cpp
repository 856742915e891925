/// Order and error coefficient over a list of steps, as the papers plot them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

Quantities measure_order(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System* system = instance.model->mechanical();
  const double length = c.until - instance.t0;
  Comparison comparison;
  if (!c.table.empty())
    comparison = {c.table.file, table_state(c, instance), 0};
  else if (!c.references.empty())
    comparison = {c.references.front(), reference_state(registry, instance, c.references.front(), 1e-12, c.until), 0};
  else
    comparison = best_comparison(registry, instance, c.until);

  std::vector<double> steps, q_errors, p_errors, tangent_errors;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  int order = 0;
  for (const double h : c.step) {
    Integrator integrator = started(registry, instance, c.method);
    order = integrator.promises().order;
    advance(integrator, whole_steps(length, h), h);
    const double error = relative_error(integrator.state().q.value(), comparison.z.q);
    steps.push_back(h);
    q_errors.push_back(error);
    auto [q, p] = phase_of(integrator);
    p_errors.push_back(relative_error(p, comparison.z.p));
    if (!system) continue;
    project_start(*system, c.until, q, p);
    tangent_errors.push_back(relative_error(p, comparison.z.p));
    const double coefficient = error / std::pow(h, order);
    lowest = std::min(lowest, coefficient);
    highest = std::max(highest, coefficient);
  }
  const std::string note = "against " + comparison.name;
  const std::string power = "h^" + std::to_string(order);
  Quantities out{{"order-q", log_slope(steps, q_errors), note},
                 {"order-p", log_slope(steps, p_errors), note},
                 {"coefficient-min", lowest, "smallest |q - q_ref| / |q_ref| / " + power},
                 {"coefficient-max", highest, "largest |q - q_ref| / |q_ref| / " + power},
                 {"error", q_errors.back(), "|q - q_ref| / |q_ref| at the last step of the list"},
                 {"distance", q_errors.back() * comparison.z.q.norm(), "|q - q_ref| there"}};
  if (system) out.push_back({"order-p-projected", log_slope(steps, tangent_errors), "p projected onto G M^-1 p = 0"});
  return out;
}

}  // namespace gnomon::validation
