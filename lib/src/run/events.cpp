#include "gnomon/run/events.hpp"

namespace gnomon {

void ContactEvent::serialize(Archive& archive) {
  int which = static_cast<int>(kind);
  archive(t, which, contact, energy_change);
  archive.require(which >= static_cast<int>(EventKind::landing) && which <= static_cast<int>(EventKind::slide),
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
    case EventKind::slide:
      return "slide";
  }
  return "";
}

}  // namespace gnomon
