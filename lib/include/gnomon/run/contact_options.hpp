#pragma once
/// \file
/// What a run with obstacles c(q) >= 0 is told; the rules are in gnomon/contact/contact.hpp.

#include "gnomon/base/options.hpp"

namespace gnomon {

enum class ContactMode { event_driven, time_stepping };

struct ContactOptions {
  ContactMode mode = ContactMode::event_driven;
  double restitution = 0;  ///< e in [0, 1]
  /// Normal speed, in units of c per time, below which a contact does not open again; 0: 1e-8 of the largest so far.
  double zeno_speed = 0;
  /// The relative error of a reference's positions: a rebound that rises by less than ten times as much is none.
  double resolution = 0;
};

/// mode, restitution and zeno-speed as options by name.
GNOMON_EXPORT OptionSpecs contact_specs();
GNOMON_EXPORT ContactOptions contact_options(const Assignments& assignments);

}  // namespace gnomon
