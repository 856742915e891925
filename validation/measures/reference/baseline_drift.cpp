/// What general-purpose codes do to the invariants over a long run at ordinary tolerances, beside the scheme.
///
/// For every reference and every tolerance, sampled along the way: the relative energy error, its
/// slope, and both constraint levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

constexpr int samples = 200;

void follow(const ProblemInstance& instance, ReferenceSolution& solution, const std::string& name, double until,
            double energy_scale, Quantities& out) {
  const System& system = mechanical(instance);
  Vector v(system.n()), g(system.m());
  const auto energy = [&](double t, const Vector& q, const Vector& p) {
    system.mass().solve(p, v);
    return p.dot(v) / 2 + system.potential(t, q);
  };
  Drift drift;
  drift.start(energy(instance.t0, instance.q0, instance.p0));
  double position = 0, velocity = 0;
  ReferenceReport report;
  for (int k = 1; k <= samples; ++k) {
    report = solution.advance_to(instance.t0 + k * (until - instance.t0) / samples);
    if (!report.success) break;
    drift.record(report.t, energy(report.t, report.q, report.p));
    system.constraints(report.t, report.q, g);
    position = std::max(position, max_norm(g));
    system.constraint_velocity(report.t, report.q, v, g);
    velocity = std::max(velocity, max_norm(g));
  }
  if (!report.success) {
    out.push_back({name + "-reached", report.t, report.message});
    return;
  }
  out.push_back({name + "-energy", drift.max_abs_error() / energy_scale,
                 fmt::format("{} at {} times, {} steps", relative_energy_error_text, samples, report.steps)});
  out.push_back({name + "-slope", drift.slope() / energy_scale, "of the same against time"});
  out.push_back({name + "-position", position, "max |g|"});
  out.push_back({name + "-hidden", velocity, "max |G v|"});
}

}  // namespace

Quantities measure_baseline_drift(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  advance(integrator, whole_steps(c.until - instance.t0, c.step.front()), c.step.front());
  const InvariantMonitor& monitor = integrator.monitor();
  const double scale = monitor.energy_scale();

  Quantities out;
  out.push_back({"energy-gate-ratio", monitor.energy().max_abs_error() / monitor.energy_gate(),
                 "max |H - H_expected| / (1e-14 sqrt(N) max(max|T|, max|U|))"});
  out.push_back({"energy", monitor.relative_energy_error(), std::string(relative_energy_error_text) + ", every step"});
  out.push_back({"slope", monitor.energy().slope() / scale, "of the same against time"});
  out.push_back({"position", monitor.position_max(), "max |g|"});
  for (const auto& name : c.references)
    for (const double tolerance : c.tolerances) {
      const auto solution = start_reference(registry, instance, c, name, tolerance);
      follow(instance, *solution, fmt::format("{}-{:g}", name, tolerance), c.until, scale, out);
    }
  return out;
}

}  // namespace gnomon::validation
