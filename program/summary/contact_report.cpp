#include "program/summary/contact_report.hpp"

#include <fmt/format.h>

#include "report/json.hpp"

namespace gnomon::program {

using validation::to_json;

namespace {

/// The obstacle of an event, by name; "" where it belongs to none.
std::string contact_name(const System& system, Index contact) {
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
         integrator.state().lambda.size() == system->m() + system->parts().n_obstacles();
}

void add_contact(std::vector<SummaryRow>& rows, const Integrator& integrator) {
  const EnergyBook book = integrator.energy_book();
  rows.push_back({"contact", fmt::format("{} events, deepest penetration at one {:.2e}", integrator.events().size(),
                                         integrator.deepest_penetration())});
  rows.push_back(
      {"energy book", fmt::format("H1 - H0 = {:.10g} = work {:.10g} + impacts {:.10g} + defect of the scheme {:.3e}",
                                  book.now - book.start, book.work, book.impact, book.defect)});
}

std::vector<std::array<std::string, 4>> event_rows(const System& system, const std::vector<ContactEvent>& events) {
  std::vector<std::array<std::string, 4>> rows;
  for (const ContactEvent& event : events)
    rows.push_back({fmt::format("{:.14g}", event.t), to_string(event.kind), contact_name(system, event.contact),
                    event.energy_change != 0 ? fmt::format("{:.8g}", event.energy_change) : ""});
  return rows;
}

void print_events(std::FILE* out, const std::vector<std::array<std::string, 4>>& events) {
  const auto line = [out](const std::array<std::string, 4>& row) {
    fmt::print(out, "  {:>20}  {:8}  {:12}  {:>14}\n", row[0], row[1], row[2], row[3]);
  };
  fmt::print(out, "\n");
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
    one["contact"] = contact_name(integrator.system(), event.contact);
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
