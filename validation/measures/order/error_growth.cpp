/// Growth of the solution error with time, against the exact solution.
#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

/// Least-squares slope of log e against log t, e = largest error of (q,p) up to t, at the eight times T/8, 2T/8 ... T.
Quantities measure_error_growth(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  if (!instance.exact) throw Error(ErrorCode::refused, "error growth is measured against an exact solution");
  const double h = c.step.front();
  Integrator integrator = started(registry, instance, c.method);
  Vector q(instance.q0.size()), p(instance.p0.size()), z(q.size() + p.size());
  std::vector<double> times, errors;
  const System* system = instance.model->mechanical();
  const Index m = system ? system->m() : 0;
  Vector v(q.size()), a(q.size()), lambda(m);
  double largest = 0, multiplier = 0;
  for (long i = 1; i <= c.steps; ++i) {
    advance(integrator, 1, h);
    const double t = instance.t0 + static_cast<double>(i) * h;
    if (m > 0) {
      instance.exact(t - h, q, p);
      system->mass().solve(p, v);
      acceleration(*system, t - h, q, v, a, lambda);
      multiplier = std::max(multiplier, (integrator.state().lambda - lambda).lpNorm<Eigen::Infinity>());
    }
    instance.exact(t, q, p);
    const Phase here = phase_of(integrator);
    z << here.q - q, here.p - p;
    largest = std::max(largest, z.lpNorm<Eigen::Infinity>());
    if (i * 8 / c.steps > (i - 1) * 8 / c.steps) {
      times.push_back(t - instance.t0);
      errors.push_back(largest);
    }
  }
  return {{"growth-exponent", log_slope(times, errors), "of the largest error of (q,p) with t"},
          {"error", largest, "largest error of (q,p), max norm"},
          {"multiplier", multiplier, "max |lambda_n - lambda(t_n)|, t_n the start of the step"},
          {"energy", integrator.monitor().energy().max_abs_error(), "max |H - H0|"},
          {"position", integrator.monitor().position_max(), "max |g|"},
          {"velocity", integrator.monitor().velocity_max(), "max |G v|"}};
}

}  // namespace gnomon::validation
