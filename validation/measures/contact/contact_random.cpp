/// Random starts on and above the cubic surface: does every run end well, and does its energy book close?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "measures/contact/contact_run.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

constexpr double restitutions[] = {0, .3, 1};
constexpr double widest = 10, highest = 5, fastest = 15;

/// q1 in [-10, 10], every second start on the surface and the others up to 5 above it, speed up to 15 in any direction
/// (not into the surface where it starts on it).
Assignments random_start(const System& system, const Assignments& set, Uniform& uniform, long k) {
  const auto unit = [&] { return 0.5 * (1 + uniform()); };
  const double x = widest * uniform(), lift = k % 2 == 0 ? 0 : highest * unit();
  const double speed = fastest * unit(), angle = 2 * std::acos(-1.0) * unit();
  double u = speed * std::cos(angle), v = speed * std::sin(angle);
  // The slope of the surface at x, from its gap.
  Vector c(1), q(2), rates(1);
  q << x, 0;
  system.parts().obstacles->obstacles(q, c);
  q[1] = -c[0];
  Vector velocity(2);
  velocity << 1, 0;
  system.parts().obstacles->with_obstacles_closed()->constraint_velocity(0, q, velocity, rates);
  const double slope = rates[0];
  if (lift == 0 && v < slope * u) {
    u = -u;
    v = -v;
  }
  Assignments start = set;
  const auto assign = [&](const char* name, double value) { start.emplace_back(name, fmt::format("{:.17g}", value)); };
  assign("x", x);
  assign("lift", lift);
  assign("u", u);
  assign("w", v - slope * u);
  return start;
}

}  // namespace

Quantities measure_contact_random(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = with_obstacles(instance);
  if (system.n() != 2)
    throw Error(ErrorCode::refused, "contact-random: system \"" + system.traits().name + "\" is no mass on a surface");
  Uniform uniform(2026);
  long failures = 0, events = 0;
  double penetration = 0, open = 0, defect = 0;
  std::string first;
  for (long k = 0; k < c.steps; ++k) {
    const Assignments start = random_start(system, c.set, uniform, k);
    Method method = c.method;
    method.contact.emplace_back("restitution", fmt::format("{}", restitutions[k % 3]));
    Integrator integrator = started(registry, registry.build(c.problem, start), method);
    const StepReport report = integrator.advance_to(c.until, c.step.front());
    if (!report.success()) {
      if (failures++ == 0) first = fmt::format("start {}: {}", k, report.message);
      continue;
    }
    const EnergyBook book = integrator.energy_book();
    const double size = std::max({1.0, std::abs(book.start), integrator.monitor().kinetic_max()});
    events += static_cast<long>(integrator.events().size());
    penetration = std::max(penetration, integrator.deepest_penetration());
    open = std::max(open, std::abs(book.open()) / size);
    defect = std::max(defect, std::abs(book.defect) / size);
  }
  return {{"failures", static_cast<double>(failures), first},
          {"penetration", penetration, "deepest at an event"},
          {"book-open", open, "largest |E1 - E0 - work - impact - defect| / max(1, |E0|, T)"},
          {"defect", defect, "largest |defect of the scheme| / max(1, |E0|, T)"},
          {"events", static_cast<double>(events), fmt::format("in {} runs", c.steps)}};
}

}  // namespace gnomon::validation
