/// A run that is cut at events, event-driven, against references that follow the same laws: the events in their order,
/// their times, and the state at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "measures/contact/contact_run.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

using Key = std::pair<EventKind, Index>;

/// Times of the events of each kind at each contact.
std::map<Key, std::vector<double>> by_contact(const std::vector<ContactEvent>& events) {
  std::map<Key, std::vector<double>> times;
  for (const ContactEvent& event : events) times[{event.kind, event.contact}].push_back(event.t);
  return times;
}

struct Compared {
  long unmatched = 0;  ///< events of one that the other has not
  double time = 0;     ///< largest |t - t'| of the others
};

Compared compare(const std::vector<ContactEvent>& a, const std::vector<ContactEvent>& b) {
  auto ours = by_contact(a), theirs = by_contact(b);
  for (const auto& [key, times] : theirs) ours[key];
  Compared result;
  for (const auto& [key, times] : ours) {
    const std::vector<double>& other = theirs[key];
    const std::size_t both = std::min(times.size(), other.size());
    result.unmatched += static_cast<long>(std::max(times.size(), other.size()) - both);
    for (std::size_t i = 0; i < both; ++i) result.time = std::max(result.time, std::abs(times[i] - other[i]));
  }
  return result;
}

ReferenceReport reference_run(const Registry& registry, const ProblemInstance& instance, const Case& c,
                              const std::string& name, double tolerance) {
  Assignments options = contact_of_reference(c.method.contact, registry.reference(name).options());
  const auto own = c.reference_options.find(name);
  if (own != c.reference_options.end()) options.insert(options.end(), own->second.begin(), own->second.end());
  ReferenceReport report = start_reference(registry, instance, name, tolerance, options)->advance_to(c.until);
  if (!report.success) throw RunFailed(report.t, name + ": " + report.message);
  return report;
}

}  // namespace

Quantities measure_contact_agreement(const Registry& registry, const Case& c) {
  if (c.tolerances.size() != 2)
    throw Error(ErrorCode::bad_value, "tolerances must be two numbers: the one used, and a second to compare with");
  const ProblemInstance instance = build(registry, c);
  const Integrator integrator = contact_run(registry, c, c.method, c.step.front());
  const State& end = integrator.state();
  Quantities out{{"events", static_cast<double>(integrator.events().size()), "of " + c.method.scheme}};
  for (const auto& name : c.references) {
    const ReferenceReport tight = reference_run(registry, instance, c, name, c.tolerances[0]);
    const ReferenceReport loose = reference_run(registry, instance, c, name, c.tolerances[1]);
    const Compared self = compare(loose.events, tight.events), ours = compare(integrator.events(), tight.events);
    out.push_back({name + "-self", relative_error(loose.q, tight.q), "q at the end, two tolerances of " + name});
    out.push_back({name + "-self-times", self.time, "of events, two tolerances of " + name});
    out.push_back({name + "-unmatched", static_cast<double>(ours.unmatched),
                   fmt::format("events of one that the other has not; {} has {}", name, tight.events.size()),
                   Gate::at_most(0)});
    out.push_back({name + "-times", ours.time, "largest |t - t'| of an event"});
    out.push_back({name + "-q", relative_error(end.q.value(), tight.q), "at the end"});
    out.push_back({name + "-p", relative_error(end.p.value(), tight.p), "at the end"});
    if (tight.own_lambda.size() > 0)
      out.push_back({name + "-lambda", relative_error(integrator.index1_multipliers(), tight.own_lambda),
                     "consistent multipliers at the end against its own, those of contacts included"});
  }
  return out;
}

}  // namespace gnomon::validation
