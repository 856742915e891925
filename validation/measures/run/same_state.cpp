/// Two methods that are the same map on a problem reach the same state.
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_same_state(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const double h = c.step.front();
  const long steps = whole_steps(c.until - instance.t0, h);
  const Phase a = state_after(registry, instance, c.method, steps, h);
  const Phase b = state_after(registry, instance, c.other, steps, h);
  const std::string note = "relative, " + c.method.scheme + " against " + c.other.scheme;
  return {{"difference-q", relative_error(a.q, b.q), note}, {"difference-p", relative_error(a.p, b.p), note}};
}

}  // namespace gnomon::validation
