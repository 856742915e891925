#pragma once
/// \file
/// The laws of contact at an event, apart from the smooth pieces between events. Private to the core; see contact.hpp
/// for the rules.

#include "contact/contact_choice.hpp"
#include "contact/contact_impact.hpp"
#include "contact/contact_rest.hpp"
#include "contact/contact_slips.hpp"
#include "contact/contact_state.hpp"

namespace gnomon {

/// The changes that an event makes to the state of a run and to its closed contacts. Whoever integrates the smooth
/// pieces gives the state after each piece and says what happened there:
///
///     start(t, q, p);                             // contact.phase() is the model of the first piece
///     ... contact.state() = the end of a piece; settle(landing, opening);   // contact.phase() is that of the next
///
/// A piece lasts while no gap closes and all margins are at least zero, and while contact.resting() nothing moves and
/// rest() lets time pass.
class ContactLaws {
 public:
  ContactLaws(ContactState& contact, const ContactOptions& options)
      : contact_(contact),
        rules_(*contact.quantities().system(), options),
        choice_(contact),
        rest_(contact),
        slips_(contact) {}

  bool located() const { return rules_.located; }
  /// Pieces begin with a projection onto their constraints, so that an event leaves small gaps to it.
  void leave_gaps() { rules_.positions = false; }

  void start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& turns = {});
  /// The state goes on from here, with the contacts that are closed in it.
  void restore(const State& checkpoint);
  /// Impacts of the contacts that touch, then: which of them stay closed, and which of those stick. letting_go:
  /// contacts that stuck and whose friction has reached its limit; stopping: those that slid and whose slip rate has
  /// reached zero.
  void settle(const Contacts& landing, const Contacts& opening, const Contacts& letting_go = {},
              const Contacts& stopping = {});
  /// As ContactRest and ContactSlips, and on from there.
  bool stops(const State& z, double remaining) { return rest_.stops(z, remaining); }
  void stop(const State& z) { rest_.stop(z); }
  void start_again();
  double rest(double remaining);
  ContactSlips::Held hold_directions(const State& z, double remaining) { return slips_.hold_directions(z, remaining); }

 private:
  void enter(const ContactKey& key, const Vector& held);

  ContactState& contact_;
  ImpactRules rules_;
  ContactChoice choice_;
  ContactRest rest_;
  ContactSlips slips_;
};

}  // namespace gnomon
