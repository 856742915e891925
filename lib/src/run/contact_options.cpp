#include "gnomon/run/contact_options.hpp"

namespace gnomon {

OptionSpecs contact_specs() {
  const ContactOptions defaults;
  return {OptionSpec::choice("mode", {"event-driven", "time-stepping"},
                             "events are located by root finding, or happen at the end of a step (order 1)"),
          OptionSpec::real("restitution", defaults.restitution, 0, 1, "",
                           "e of impacts, of obstacles without one of their own"),
          OptionSpec::real("zeno-speed", defaults.zeno_speed, 1e-300, 1e300, "",
                           "normal speed below which a contact does not open again, in units of c per time")};
}

ContactOptions contact_options(const Assignments& assignments) {
  const Options options("contact", contact_specs(), assignments);
  ContactOptions contact;
  if (options.is("mode", "time-stepping")) contact.mode = ContactMode::time_stepping;
  contact.restitution = options.real("restitution");
  contact.zeno_speed = options.real("zeno-speed");
  return contact;
}

}  // namespace gnomon
