/// What a run with contacts takes and what it reports.
#include "gnomon/run/contact_options.hpp"
#include "gnomon/run/events.hpp"

namespace gnomon {

OptionSpecs contact_specs() {
  const ContactOptions defaults;
  return {
      OptionSpec::choice("mode", {"event-driven", "time-stepping"},
                         "events are located by root finding, or happen at the end of a step (order 1)"),
      OptionSpec::real("restitution", defaults.restitution, 0, 1, "",
                       "e of impacts, of obstacles without one of their own"),
      OptionSpec::real("zeno-speed", defaults.zeno_speed, 0, 1e300, "",
                       "normal speed below which a contact does not open again, in units of c per time; 0: 1e-8 of the "
                       "largest speed so far")};
}

ContactOptions contact_options(const Assignments& assignments) {
  const Options options("contact", contact_specs(), assignments);
  ContactOptions contact;
  if (options.is("mode", "time-stepping")) contact.mode = ContactMode::time_stepping;
  contact.restitution = options.real("restitution");
  contact.zeno_speed = options.real("zeno-speed");
  return contact;
}

void ContactEvent::serialize(Archive& archive) {
  int which = static_cast<int>(kind);
  archive(t, which, contact, energy_change);
  archive.require(which >= static_cast<int>(EventKind::landing) && which <= static_cast<int>(EventKind::switched),
                  "an event is of no known kind");
  kind = static_cast<EventKind>(which);
}

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::landing:
      return "landing";
    case EventKind::impact:
      return "impact";
    case EventKind::launch:
      return "launch";
    case EventKind::turning:
      return "turning";
    case EventKind::rest:
      return "rest";
    case EventKind::stick:
      return "stick";
    case EventKind::switched:
      return "switch";
    case EventKind::slide:
      return "slide";
  }
  return "";
}

}  // namespace gnomon
