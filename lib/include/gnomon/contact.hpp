#pragma once
/// \file
/// Unilateral contact: what a run with obstacles c(q) >= 0 is told, and what it reports.
///
///     c_i(q) >= 0,  psi_i >= 0,  psi_i c_i = 0;   a contact that is closed is the constraint c_i = 0, one that is open
///     is
///                                                 nothing
///     detachment   where the consistent multiplier psi_i of a closed contact reaches zero ("launch")
///     landing      where the gap c_i of an open contact reaches zero
///     impact       v+ = v- + M^-1 (C^T P + G^T L),  0 <= C v+ + e C v-  _|_  P >= 0,  G v+ = 0     (C = dc/dq of all
///                  contacts that touch; Newton's law for one, Moreau's for several; no tangential impulse)
///     Zeno         a rebound slower than zeno_speed is none: the contact closes
///
/// Event-driven: events are located on the solution by root finding, the step is cut there. Time-stepping: a step is
/// taken whole, and what happened in it happens at its end: order 1, with a gap of order h at which the contact is
/// held. Source: Small, Jay, section 4 (the complementarity conditions); Moreau, Unilateral contact and dry friction in
/// finite freedom dynamics (1988), for several impacts at once.

#include <string>

#include "gnomon/archive.hpp"
#include "gnomon/options.hpp"
#include "gnomon/types.hpp"

namespace gnomon {

enum class ContactMode { event_driven, time_stepping };

struct ContactOptions {
  ContactMode mode = ContactMode::event_driven;
  double restitution = 0;    ///< e in [0, 1]
  double zeno_speed = 1e-8;  ///< normal speed, in units of c per time, below which a contact does not open again
};

/// mode, restitution and zeno-speed as options by name.
GNOMON_EXPORT OptionSpecs contact_specs();
GNOMON_EXPORT ContactOptions contact_options(const Assignments& assignments);

enum class EventKind {
  landing,  ///< a contact closes, by an impact where it was approached
  impact,   ///< a contact is hit and opens again
  launch,   ///< a contact opens: its multiplier reached zero
  turning,  ///< the velocity passes through zero under friction, which changes its direction
  rest,     ///< the velocity reaches zero and friction holds it there
};
GNOMON_EXPORT const char* to_string(EventKind kind);

struct GNOMON_EXPORT ContactEvent {
  double t;
  EventKind kind;
  Index contact;         ///< which obstacle; -1 for turning and rest
  double energy_change;  ///< by the impulse of this contact
  void exchange(Archive& archive);
};

/// E(t) - E(0) = work + impact + defect: what friction and other forces outside H did, what impacts lost, and what the
/// scheme itself did wrong: summed up from the smooth parts of the run, not from the difference of the others.
struct EnergyBook {
  double start = 0, now = 0, work = 0, impact = 0, defect = 0;
  /// What is left over: rounding.
  double open() const { return now - start - work - impact - defect; }
};

}  // namespace gnomon
