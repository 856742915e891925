/// Invariants over many steps, and what the steps cost.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_long_run(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  advance(integrator, c.steps, c.step.front());

  const InvariantMonitor& monitor = integrator.monitor();
  const Drift& energy = monitor.energy();
  const double largest = std::max(monitor.kinetic_max(), monitor.potential_max());
  double momentum = 0;
  for (const Drift& drift : monitor.momentum()) momentum = std::max(momentum, drift.max_abs_error());

  Quantities out;
  out.push_back({"energy", energy.max_abs_error(), "max |H - H0|"});
  out.push_back({"energy-relative", monitor.relative_energy_error(), relative_energy_error_text});
  out.push_back({"energy-gate-ratio", energy.max_abs_error() / monitor.energy_gate(), "the same / (1e-14 sqrt(N))"});
  out.push_back({"energy-slope", std::abs(energy.slope()) / monitor.energy_scale(),
                 "|drift of H| a unit of time / max(max|T|, max|U|)"});
  out.push_back({"growth-exponent", energy.growth_exponent(4 * std::numeric_limits<double>::epsilon() * largest),
                 "of max |H - H0| with N, N >= 1024"});
  out.push_back({"position", monitor.position_max(), "max |g|"});
  out.push_back({"velocity", monitor.velocity_max(), "max |G v|"});
  out.push_back({"momentum", momentum, "largest error of a momentum map"});
  out.push_back({"iterations", static_cast<double>(integrator.counters().iterations) / static_cast<double>(c.steps),
                 "Newton iterations a step"});
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  out.push_back({"memory", 1e-3 * static_cast<double>(usage.ru_maxrss), "MB, this process at most so far"});
  return out;
}

}  // namespace gnomon::validation
