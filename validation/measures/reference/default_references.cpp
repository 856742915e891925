/// References without options: where they get to, with which tolerance, and their own error.
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

Quantities measure_default_references(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Quantities out;
  for (const auto& name : c.references) {
    const Reference& reference = registry.reference(name);
    const auto solution = reference.start(instance, Options("reference " + name, reference.options(), {}));
    const ReferenceReport report = solution->advance_to(c.until);
    out.push_back({name + "-reached", report.t, report.message});
    out.push_back({name + "-rtol", report.rtol, "the tightest with which it ends"});
    if (report.own_error) out.push_back({name + "-error", *report.own_error, "of q, by a second tolerance"});
    if (report.levels) out.push_back({name + "-position", report.levels->position, report.warning});
  }
  return out;
}

}  // namespace gnomon::validation
