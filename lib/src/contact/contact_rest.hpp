#pragma once
/// \file
/// Stops under friction, rest, and the start from rest. Private to the core.

#include "contact/contact_state.hpp"

namespace gnomon {

class ContactRest {
 public:
  explicit ContactRest(ContactState& contact) : contact_(contact), quantities_(contact.quantities()) {}

  /// Will friction stop the motion from z within a time `remaining`, so soon that the deceleration is constant until
  /// then?
  bool stops(const State& z, double remaining);
  /// The last bit of that motion, to where it stops.
  void stop(const State& z);
  /// Decides for a phase that was just entered whether a state at rest under friction is set in motion.
  void begin();
  /// Time passes at rest: all of it, or until forces that depend on time overcome friction, and the contact is not
  /// resting any longer. Returns how much.
  double wait(double remaining);
  /// Then, with Coulomb friction: the contacts whose normal force has reached zero, and those whose friction has
  /// reached its limit.
  void find_released(Contacts& opening, Contacts& letting_go);

 private:
  void rest();
  bool sticks();
  bool holds(double t);
  /// Do constraints that depend on time move the system at this time?
  bool is_moved(double t);
  bool holds_motion(double t, Vector& p);
  bool holds_contacts(double t);

  ContactState& contact_;
  ContactQuantities& quantities_;
  Vector margins_;
};

}  // namespace gnomon
