/// Orders of positions, velocities, accelerations and multipliers at the end of the run, for schemes whose state
/// carries accelerations: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016) call all of theirs of sixth order.
#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

/// The errors are measured against a fine solution: `other` with half of the smallest step, whose accelerations and
/// multipliers are those of the equations of motion at its (q, v). Self-comparison of a method of order k is wrong by
/// 2^-k of the last error.
Quantities measure_order_levels(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const double length = c.until - instance.t0, fine = *std::min_element(c.step.begin(), c.step.end()) / 2;
  const Phase reference = state_after(registry, instance, c.other, whole_steps(length, fine), fine);
  Vector v(system.n()), w(system.n()), lambda(system.m()), v_h(system.n());
  system.mass().solve(reference.p, v);
  acceleration(system, c.until, reference.q, v, w, lambda);

  std::vector<double> steps, errors[4];
  for (const double h : c.step) {
    Integrator integrator = started(registry, instance, c.method);
    const State& z = integrator.state();
    if (z.scheme_data.size() < system.n())
      throw Error(ErrorCode::refused,
                  "measure order-levels needs the accelerations that scheme " + c.method.scheme + " does not carry");
    advance(integrator, whole_steps(length, h), h);
    system.mass().solve(z.p.value(), v_h);
    steps.push_back(h);
    errors[0].push_back(relative_error(z.q.value(), reference.q));
    errors[1].push_back(relative_error(v_h, v));
    errors[2].push_back(relative_error(z.scheme_data.head(system.n()), w));
    errors[3].push_back(relative_error(z.lambda, lambda));
  }
  Quantities out;
  const char* const names[] = {"q", "v", "w", "lambda"};
  for (int k = 0; k < 4; ++k)
    out.push_back({std::string("order-") + names[k], log_slope(steps, errors[k]),
                   "against " + c.other.scheme + " with half the smallest step"});
  for (int k = 0; k < 4; ++k)
    out.push_back({std::string("error-") + names[k], errors[k].back(), "relative, at the last step of the list"});
  return out;
}

}  // namespace gnomon::validation
