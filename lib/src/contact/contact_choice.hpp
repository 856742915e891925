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

  /// The side to which every rubbing contact begins to slide: that to which it would have gone without friction;
  /// 0 for those whose friction has not reached its limit.
  std::vector<int> sides(const Contacts& letting_go, const Contacts& rubbing);
  /// Which of the contacts that touch with rate zero stay closed, and how they slip. side: of the rubbing contacts, to
  /// which side they slide; 0: to none. Throws CannotEvaluate.
  ContactKey choose(const TouchingContacts& touching, const Contacts& candidates, const std::vector<int>& side);

 private:
  ContactKey choose_closed(const Contacts& candidates);
  bool find_violated(const ContactPhase& trial, const Contacts& candidates, const std::vector<bool>& closed,
                     std::size_t& violated) const;
  ContactKey choose_sticking(const TouchingContacts& touching, const Contacts& candidates,
                             const std::vector<int>& side);
  /// a: without contacts.
  ContactKey choose_sticking(const TouchingContacts& touching, const Contacts& candidates, const std::vector<int>& side,
                             const Vector& a) const;
  FrictionProblem forces_and_accelerations(const TouchingContacts& touching, const Contacts& candidates,
                                           const std::vector<int>& side, const Contacts& may_stick,
                                           const Vector& a) const;
  Vector friction_of(ContactPhase& phase) const;
  void loosen_dependent(const TouchingContacts& touching, ContactKey& chosen) const;

  ContactState& contact_;
  ContactQuantities& quantities_;
};

}  // namespace gnomon
