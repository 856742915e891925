/// A run that gets to the end with the constraints kept; and how far the references get on the same problem.
#include <cmath>

#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

double energy(const System& system, double t, const Vector& q, const Vector& p) {
  Vector v(p.size()), scratch(p.size());
  system.velocity(q, p, scratch, v);
  return p.dot(v) / 2 + system.potential(t, q);
}

}  // namespace

Quantities measure_completes(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  const StepReport report = integrator.advance_to(c.until, c.step.front());
  const InvariantMonitor& monitor = integrator.monitor();

  Quantities out;
  out.push_back({"reached", report.t, report.success() ? "time reached" : report.message});
  out.push_back({"energy-gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(),
                 "max |H - H_expected| / (1e-14 sqrt(N) max(max|T|, max|U|))"});
  out.push_back({"position", monitor.position_max(), "max |g|"});
  out.push_back({"hidden", monitor.velocity_max(), "max |G v|"});
  if (integrator.singular_position().step > 0)
    out.push_back({"singular-at", integrator.singular_position().t, "time at which G was found to lose rank"});

  for (const auto& name : c.references) {
    const double tolerance = c.tolerances.empty() ? 0 : c.tolerances.front();
    try {
      const Phase end = reference_state(registry, instance, c, name, tolerance, c.until);
      const double drift = energy(mechanical(instance), c.until, end.q, end.p) - monitor.energy().initial();
      out.push_back({name + "-reached", c.until, "time " + name + " reaches"});
      out.push_back({name + "-distance", (integrator.state().q.value() - end.q).norm() / end.q.norm(),
                     "|q - q of " + name + "| / |q of " + name + "| there"});
      out.push_back(
          {name + "-energy", std::abs(drift) / monitor.energy_scale(), "its |H - H0| there / max(max|T|, max|U|)"});
    } catch (const RunFailed& failure) {
      out.push_back({name + "-reached", failure.t(), failure.what()});
    }
  }
  return out;
}

}  // namespace gnomon::validation
