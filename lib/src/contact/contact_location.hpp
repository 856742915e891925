#pragma once
/// \file
/// The first event in a step of a smooth piece. Private to the core.

#include <functional>

#include "contact/contact_state.hpp"

namespace gnomon {

/// An event that was found in a step: when, at which contact.
struct LocatedEvent {
  double s;
  EventKind kind;
  Index contact;
};

class ContactLocation {
 public:
  /// before, after: the ends of the step, which have to outlive the object; state_after(s): the state a time s after
  /// `before`, by one step. located: events lie where they happen, and not at the end of the step.
  ContactLocation(ContactState& contact, bool located, const State& before, const State& after,
                  std::function<const State&(double)> state_after)
      : contact_(contact),
        quantities_(contact.quantities()),
        located_(located),
        before_(before),
        after_(after),
        state_after_(std::move(state_after)) {}

  /// In a step of `span`. False: there is none.
  bool find(double span, LocatedEvent& found);
  /// The contacts whose friction is at its limit together with that of this one.
  Contacts at_their_limit(Index contact);

 private:
  bool find_landing(Index contact, double span, double before, double& s);
  EventKind kind_of(Index margin) const;
  double margin_tolerance(Index margin) const;
  double margin(Index which, const State& z);
  bool find_margin(Index which, double at_end, double span, double& s);
  template <class Offer>
  void find_dips(double span, Offer&& offer);

  ContactState& contact_;
  ContactQuantities& quantities_;
  bool located_;
  const State &before_, &after_;
  std::function<const State&(double)> state_after_;
  ContactGaps gaps_before_, gaps_after_, gaps_now_;
  Vector at_start_, in_middle_, at_end_, now_, middle_q_, middle_v_;
};

}  // namespace gnomon
