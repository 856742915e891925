/// With which order event times, the state at the end and the scheme's defect tend to those of another method.
#include <algorithm>
#include <cmath>

#include "measures/contact/contact_run.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"

namespace gnomon::validation {

Quantities measure_contact_order(const Registry& registry, const Case& c) {
  // The other method runs with the last, smallest step.
  const Integrator exact = contact_run(registry, c, c.other, c.step.back());
  const auto expected = event_times(exact);
  std::map<std::string, std::vector<double>> errors;
  for (const double h : c.step) {
    const Integrator run = contact_run(registry, c, c.method, h);
    const auto times = event_times(run);
    for (const char* kind : {"launch", "landing", "turning", "stick", "slide", "rest"}) {
      const std::string name = std::string(kind) + "-last";
      const auto is = times.find(name), should = expected.find(name);
      if (should == expected.end()) continue;
      if (is == times.end()) throw RunFailed(c.until, "no " + std::string(kind) + " with step " + short_number(h));
      errors[kind].push_back(std::abs(is->second - should->second));
    }
    errors["q"].push_back((run.state().q.value() - exact.state().q.value()).norm());
    errors["p"].push_back((run.state().p.value() - exact.state().p.value()).norm());
    errors["defect"].push_back(std::abs(run.energy_book().defect));
    errors["work"].push_back(std::abs(run.energy_book().work - exact.energy_book().work));
    errors["penetration"].push_back(run.deepest_penetration());
    errors["impact"].push_back(std::abs(run.energy_book().impact - exact.energy_book().impact));
  }
  Quantities out;
  for (const auto& [name, list] : errors) {
    if (*std::min_element(list.begin(), list.end()) <= 0) continue;  // there are no impacts, say
    out.push_back({"order-" + name, log_slope(c.step, list), "slope of |error| over the steps"});
    out.push_back({"error-" + name, list.back(), "at the smallest step"});
  }
  return out;
}

}  // namespace gnomon::validation
