#pragma once
/// \file
/// The impacts of one event and what they lose. Private to the core.

#include <vector>

#include "contact/contact_choice.hpp"
#include "contact/contact_state.hpp"
#include "gnomon/run/contact_options.hpp"

namespace gnomon {

/// The rule of an impact: the restitution of each obstacle, the Zeno speed and the mode.
struct ImpactRules {
  /// The restitution of an obstacle is its own, SystemTraits::restitutions, or that of the options. Throws
  /// Error(bad_value) for one outside [0, 1] and a Zeno speed that is not above zero.
  ImpactRules(const System& system, const ContactOptions& options);

  Vector restitutions;  // one an obstacle
  double zeno_speed, resolution;
  bool located;           // event-driven
  bool positions = true;  // the state moves to where contacts that close are closed
};

/// One event, in the order of its member functions: impacts of the contacts that touch; which of these have come to
/// rest, where others begin to slip; the choice of the contacts that stay closed; what that changes, and the books.
class ContactImpact {
 public:
  /// opening: contacts whose multiplier has reached zero. The sets of contacts have to outlive the object.
  ContactImpact(ContactState& contact, const ImpactRules& rules, const Contacts& landing, const Contacts& opening);

  const TouchingContacts& touching() const { return touching_; }
  /// Frees the momentum from rates of the contacts that are held; then Moreau's impacts, where a contact is approached.
  void strike();
  /// Takes the remaining rates of contacts whose rebound is too slow to zero. begins: of the rubbing contacts, the
  /// direction in which each begins to slide; stopping: contacts that slid and whose slip rate has reached zero.
  void stay(const std::vector<Slip>& begins, const Contacts& stopping);
  const Contacts& candidates() const { return candidates_; }  ///< to stay closed
  const std::vector<Slip>& along() const { return along_; }   ///< where a rubbing contact slides; zero: it does not
  /// The positions with the chosen contacts closed.
  void close(const ContactKey& chosen);
  /// Losses, events and released contacts.
  void book(const ContactKey& chosen);

 private:
  bool was_closed(Index contact) const { return contains(was_closed_, contact); }
  std::vector<bool> held_rates() const;
  void require_yielding() const;
  void apply(const Vector& P);
  Vector impulses(const Vector& restitution) const;
  double zeno_speed(Index contact) const;
  double rebound_threshold(Index contact) const;
  void remove_penetration(const ContactKey& chosen);
  void remove_rounding(const ContactKey& chosen);
  /// The slip rate of the j-th rubbing contact.
  Slip slip_rate(std::size_t j) const;
  void record_change(std::size_t k, const ContactKey& chosen);

  ContactState& contact_;
  ContactQuantities& quantities_;
  State& state_;
  const ImpactRules& rules_;
  const Contacts &landing_, &opening_;
  const Contacts was_closed_;
  const std::vector<int> was_slip_;
  const TouchingContacts touching_;
  const Index count_;    // of the contacts that touch
  const double moving_;  // rates above it are motion
  const long double energy_before_;
  bool hit_ = false;
  Vector rates_, energy_;  // energy changes, one a rate
  Contacts candidates_;
  std::vector<Slip> along_;
};

}  // namespace gnomon
