#pragma once
/// \file
/// Which of the contacts that touch stay closed, and which of those stick. Private to the core.

#include <vector>

#include "contact/complementarity.hpp"
#include "contact/contact_impulses.hpp"
#include "contact/contact_state.hpp"

namespace gnomon {

/// Contacts that touch at an event, those of them with friction, and the compliance of all these.
struct TouchingContacts {
  Contacts all, rubbing;
  ContactImpulses impulses;
};

class ContactChoice {
 public:
  explicit ContactChoice(ContactState& contact) : contact_(contact), quantities_(contact.quantities()) {}

  /// The direction in which every rubbing contact begins to slide: that in which it would have gone without friction;
  /// zero for those whose friction has not reached its limit, and in space, where choose() finds it.
  std::vector<Slip> directions(const Contacts& letting_go, const Contacts& rubbing);
  /// Which of the contacts that touch with rate zero stay closed, and how they slip. along: of the rubbing contacts, in
  /// which direction they slide; zero: in none. Throws CannotEvaluate.
  ContactKey choose(const TouchingContacts& touching, const Contacts& candidates, const std::vector<Slip>& along);

 private:
  ContactKey choose_closed(const Contacts& candidates);
  bool find_violated(const ContactPhase& trial, const Contacts& candidates, const std::vector<bool>& closed,
                     std::size_t& violated) const;
  ContactKey choose_sticking(const TouchingContacts& touching, const Contacts& candidates,
                             const std::vector<Slip>& along);
  /// a: without contacts.
  ContactKey choose_sticking(const TouchingContacts& touching, const Contacts& candidates,
                             const std::vector<Slip>& along, const Vector& a) const;
  FrictionProblem forces_and_accelerations(const TouchingContacts& touching, const Contacts& candidates,
                                           const std::vector<Slip>& along, const Contacts& may_stick,
                                           const Vector& a) const;
  Vector friction_of(ContactPhase& phase) const;
  void loosen_dependent(const TouchingContacts& touching, ContactKey& chosen) const;

  ContactState& contact_;
  ContactQuantities& quantities_;
  bool lets_go_in_space_ = false;
  std::vector<Slip> at_limit_;  ///< of the rubbing contacts that let go: the direction against their force
};

}  // namespace gnomon
