#pragma once
/// \file
/// Slips in space that begin, turn or end. Private to the core.

#include "contact/contact_state.hpp"

namespace gnomon {

class ContactSlips {
 public:
  explicit ContactSlips(ContactState& contact) : contact_(contact), quantities_(contact.quantities()) {}

  /// From the present state, z, slips that begin, or end within a time `remaining` and turn so little until then, are
  /// near a direction that is held, others in space have that of their slip: see ContactModel. A slip that friction
  /// ends has no sign that changes: a piece ends where nine tenths of it are gone, or it turns by half a radian.
  /// `remaining` is infinity for pieces that are no single steps, which end where the slip is no longer slow.
  struct Held {
    double span;   ///< for how long a piece may be
    bool changed;  ///< is the phase, or a direction that is held, another one?
  };
  Held hold_directions(const State& z, double remaining);

 private:
  ContactState& contact_;
  ContactQuantities& quantities_;
};

}  // namespace gnomon
