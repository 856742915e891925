#include "program/run/contact_report.hpp"

#include <fmt/format.h>

#include "report/json.hpp"

namespace gnomon::program {

using validation::to_json;

namespace {

/// The obstacle of an event, by name; "" where it belongs to none.
std::string contact_name(const Integrator& integrator, Index contact) {
  if (contact < 0) return "";
  const auto names = integrator.system().parts().obstacles->obstacle_names();
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

void print_contact(std::FILE* out, const Integrator& integrator, bool with_events) {
  const EnergyBook book = integrator.energy_book();
  fmt::print(out, "  {:12} {} events, deepest penetration at one {:.2e}\n", "contact", integrator.events().size(),
             integrator.deepest_penetration());
  fmt::print(out, "  {:12} H1 - H0 = {:.10g} = work {:.10g} + impacts {:.10g} + defect of the scheme {:.3e}\n",
             "energy book", book.now - book.start, book.work, book.impact, book.defect);
  if (!with_events) return;
  fmt::print(out, "\n  {:>20}  {:8}  {:12}  {:>14}\n", "t", "event", "obstacle", "energy change");
  for (const ContactEvent& event : integrator.events())
    fmt::print(out, "  {:20.14g}  {:8}  {:12}  {:>14}\n", event.t, to_string(event.kind),
               contact_name(integrator, event.contact),
               event.energy_change != 0 ? fmt::format("{:.8g}", event.energy_change) : "");
}

Json::Value contact_json(const Integrator& integrator) {
  Json::Value out;
  out["events"] = Json::Value(Json::arrayValue);
  for (const ContactEvent& event : integrator.events()) {
    Json::Value one;
    one["t"] = to_json(event.t);
    one["kind"] = to_string(event.kind);
    one["contact"] = contact_name(integrator, event.contact);
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
