/// Work of friction and other forces outside H, as schemes book it, and the order of the energy balance: H less the
/// work is constant along solutions.
#include <cmath>

#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

Quantities measure_booked_work(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  std::vector<double> balance;
  double work = 0;
  for (const double h : c.step) {
    Integrator integrator = started(registry, instance, c.method);
    advance(integrator, whole_steps(c.until - instance.t0, h), h);
    balance.push_back(std::abs(integrator.monitor().energy().last_error()));
    work = static_cast<double>(integrator.state().work.total());
  }
  return {{"order-balance", log_slope(c.step, balance), "of |H - H0 - work| at the end"},
          {"balance", balance.back(), "|H - H0 - work| at the end, last step of the list"},
          {"work", work, "booked up to the end, last step of the list"}};
}

}  // namespace gnomon::validation
