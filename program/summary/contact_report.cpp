#include "program/summary/contact_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gnomon/run/evaluated_outputs.hpp"
#include "program/cli/say.hpp"
#include "report/json.hpp"

namespace gnomon::program {

using validation::to_json;

namespace {

/// The obstacle or the switch of an event, by name; "" where it belongs to none.
std::string name_of(const System& system, const ContactEvent& event) {
  const Index contact = event.contact;
  if (event.kind == EventKind::switched) return system.parts().switches->switch_name(contact);
  if (contact < 0) return "";
  const auto names = system.parts().obstacles->obstacle_names();
  const auto k = static_cast<std::size_t>(contact);
  return k < names.size() ? names[k] : fmt::format("c[{}]", contact);
}

}  // namespace

/// Where the integrator opens and closes contacts, the state has a multiplier for each obstacle; where the scheme holds
/// the obstacles it has none. Friction without obstacles may stop the motion.
bool has_contacts(const Integrator& integrator) {
  const System* system = integrator.model().mechanical();
  return system && (system->parts().obstacles || system->parts().friction) &&
         integrator.state().lambda.size() == n_state_multipliers(*system);
}

void add_switches(std::vector<SummaryRow>& rows, const Integrator& integrator) {
  const RunCounters& counters = integrator.counters();
  if (counters.switches > 0) {
    std::vector<Index> seen;
    for (const ContactEvent& event : integrator.events())
      if (event.kind == EventKind::switched && std::find(seen.begin(), seen.end(), event.contact) == seen.end())
        seen.push_back(event.contact);
    rows.push_back({"switches", fmt::format("steps end at {}, of {}{}", counters.switches,
                                            integrator.system().parts().switches->switch_name(seen.front()),
                                            seen.size() > 1 ? fmt::format(" and {} more", seen.size() - 1) : "")});
  }
  if (counters.overstepped_switches > 0)
    rows.push_back({"WARNING",
                    fmt::format("{} steps, which must have one size, went over a switch: velocities are off by up to "
                                "{:.2g}; a scheme that takes variable steps ends them there",
                                counters.overstepped_switches, counters.overstepped_change),
                    true});
}

Json::Value switches_json(const Integrator& integrator) {
  Json::Value out;
  out["count"] = Json::Int64(integrator.counters().switches);
  out["overstepped"] = Json::Int64(integrator.counters().overstepped_switches);
  out["velocity_bound"] = to_json(integrator.counters().overstepped_change);
  out["events"] = Json::Value(Json::arrayValue);
  for (const ContactEvent& event : integrator.events()) {
    if (event.kind != EventKind::switched) continue;
    Json::Value one;
    one["t"] = to_json(event.t);
    one["switch"] = name_of(integrator.system(), event);
    out["events"].append(one);
  }
  return out;
}

bool has_switches(const Integrator& integrator) {
  const System* system = integrator.model().mechanical();
  return system && system->parts().switches;
}

void add_contact(std::vector<SummaryRow>& rows, const Integrator& integrator) {
  const EnergyBook book = integrator.energy_book();
  const auto of_contacts = std::count_if(integrator.events().begin(), integrator.events().end(),
                                         [](const ContactEvent& event) { return event.kind != EventKind::switched; });
  rows.push_back({"contact", fmt::format("{} events, deepest penetration at one {:.2e}", of_contacts,
                                         integrator.deepest_penetration())});
  rows.push_back(
      {"energy book", fmt::format("H1 - H0 = {:.10g} = work {:.10g} + impacts {:.10g} + defect of the scheme {:.3e}",
                                  book.now - book.start, book.work, book.impact, book.defect)});
}

std::vector<std::array<std::string, 4>> event_rows(const System& system, const std::vector<ContactEvent>& events) {
  std::vector<std::array<std::string, 4>> rows;
  for (const ContactEvent& event : events)
    rows.push_back({fmt::format("{:.14g}", event.t), to_string(event.kind), name_of(system, event),
                    event.energy_change != 0 ? fmt::format("{:.8g}", event.energy_change) : ""});
  return rows;
}

void print_events(std::FILE* out, const std::vector<std::array<std::string, 4>>& events) {
  const auto line = [out](const std::array<std::string, 4>& row) {
    say(out, "  {:>20}  {:8}  {:12}  {:>14}\n", row[0], row[1], row[2], row[3]);
  };
  say(out, "\n");
  line({"t", "event", "obstacle", "energy change"});
  for (const auto& row : events) line(row);
}

Json::Value contact_json(const Integrator& integrator) {
  Json::Value out;
  out["events"] = Json::Value(Json::arrayValue);
  for (const ContactEvent& event : integrator.events()) {
    Json::Value one;
    one["t"] = to_json(event.t);
    one["kind"] = to_string(event.kind);
    one["contact"] = name_of(integrator.system(), event);
    one["energy_change"] = to_json(event.energy_change);
    out["events"].append(one);
  }
  const EnergyBook book = integrator.energy_book();
  out["book"]["start"] = to_json(book.start);
  out["book"]["end"] = to_json(book.now);
  out["book"]["work"] = to_json(book.work);
  out["book"]["impact"] = to_json(book.impact);
  out["book"]["defect"] = to_json(book.defect);
  out["penetration_max"] = to_json(integrator.deepest_penetration());
  return out;
}

}  // namespace gnomon::program
