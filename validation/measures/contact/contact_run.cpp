#include "measures/contact/contact_run.hpp"

#include <fmt/format.h>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

std::map<std::string, double> event_times(const Integrator& integrator) {
  std::map<std::string, double> times;
  std::map<EventKind, int> count;
  for (const ContactEvent& event : integrator.events()) {
    times[fmt::format("{}-{}", to_string(event.kind), ++count[event.kind])] = event.t;
    times[fmt::format("{}-last", to_string(event.kind))] = event.t;
  }
  return times;
}

const System& with_obstacles(const ProblemInstance& instance) {
  const System& system = mechanical(instance);
  if (!system.parts().obstacles)
    throw Error(ErrorCode::refused, "system \"" + system.traits().name + "\" has no obstacles");
  return system;
}

Integrator contact_run(const Registry& registry, const Case& c, const Method& method, double h) {
  const ProblemInstance instance = build(registry, c);
  if (!mechanical(instance).parts().friction) with_obstacles(instance);
  Integrator integrator = started(registry, instance, method);
  const StepReport report = integrator.advance_to(c.until, h);
  if (!report.success()) throw RunFailed(report.t, report.message);
  return integrator;
}

}  // namespace gnomon::validation
