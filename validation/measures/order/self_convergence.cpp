/// Order without a reference: with z_h = z + C h^k + ..., |z_h - z_(h/2)| falls like h^k whatever z is.

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

Quantities measure_self_convergence(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  std::vector<Phase> ends;
  for (const double h : c.step)
    ends.push_back(state_after(registry, instance, c.method, whole_steps(c.until - instance.t0, h), h));
  std::vector<double> steps, q, p;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (std::abs(c.step[i] / c.step[i + 1] - 2) > 1e-9)
      throw Error(ErrorCode::bad_value, "step of self-convergence must be a list in which each is half the one before");
    steps.push_back(c.step[i]);
    q.push_back(relative_error(ends[i].q, ends[i + 1].q));
    p.push_back(relative_error(ends[i].p, ends[i + 1].p));
  }
  return {{"order-q", log_slope(steps, q), "of |q_h - q_(h/2)|"},
          {"order-p", log_slope(steps, p), "of |p_h - p_(h/2)|"},
          {"difference-q", q.back(), "relative, at the last step but one of the list"}};
}

}  // namespace gnomon::validation
