#pragma once
/// \file
/// What a run with events reports: when something happened, and the energy book.

#include "gnomon/base/archive.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

enum class EventKind {
  landing,  ///< a contact closes, by an impact where it was approached
  impact,   ///< a contact is hit and opens again
  launch,   ///< a contact opens: its multiplier reached zero
  turning,  ///< the velocity passes through zero under friction, which changes its direction
  rest,     ///< the velocity reaches zero and friction holds it there
  stick,    ///< a contact with Coulomb friction stops sliding
  slide,    ///< it begins to slide, or slides back
  switched  ///< a branch of the model's functions changes: `contact` is the switch
};
GNOMON_EXPORT const char* to_string(EventKind kind);

struct GNOMON_EXPORT ContactEvent {
  double t;
  EventKind kind;
  Index contact;         ///< which obstacle, or switch; -1 for turning and rest
  double energy_change;  ///< by the impulse of this contact
  void serialize(Archive& archive);
};

/// E(t) - E(0) = work + impact + defect: what friction and other forces outside H did, what impacts lost, and what the
/// scheme itself did wrong: summed up from the smooth parts of the run, not from the difference of the others.
struct EnergyBook {
  double start = 0, now = 0, work = 0, impact = 0, defect = 0;
  /// What is left over: rounding.
  double open() const { return now - start - work - impact - defect; }
};

}  // namespace gnomon
