/// Energy, position constraints, and the first integrals that a problem declares and no scheme promises: largest errors
/// along the run against the step.
#include <fmt/format.h>

#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_integral_error(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const Index count = system.parts().n_integrals();
  std::vector<std::vector<double>> errors(static_cast<std::size_t>(count));
  std::vector<double> energies, positions;
  Quantities out;
  for (const double h : c.step) {
    Integrator integrator = started(registry, instance, c.method);
    advance(integrator, whole_steps(c.until - instance.t0, h), h);
    energies.push_back(integrator.monitor().energy().max_abs_error());
    positions.push_back(integrator.monitor().position_max());
    for (Index a = 0; a < count; ++a) {
      const double error = integrator.monitor().integrals()[static_cast<std::size_t>(a)].max_abs_error();
      errors[static_cast<std::size_t>(a)].push_back(error);
      out.push_back({fmt::format("integral-{}-{:g}", a, h), error,
                     fmt::format("max error of the {}, h = {:g}", system.parts().integrals->integral_name(a), h)});
    }
  }
  for (Index a = 0; a < count && c.step.size() > 1; ++a)
    out.push_back({fmt::format("order-{}", a), log_slope(c.step, errors[static_cast<std::size_t>(a)]),
                   "slope of the same against h"});
  const std::string at = fmt::format(", h = {:g}", c.step.back());
  out.push_back({"energy", energies.back(), "max |H - H0|" + at});
  out.push_back({"position", positions.back(), "max |g|" + at});
  if (c.step.size() > 1) {
    out.push_back({"energy-order", log_slope(c.step, energies), "slope of max |H - H0| against h"});
    out.push_back({"position-order", log_slope(c.step, positions), "slope of max |g| against h"});
  }
  return out;
}

}  // namespace gnomon::validation
