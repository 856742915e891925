#include "contact/contact_laws.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

void ContactLaws::start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& turns) {
  const ContactGaps gaps = contact_.start(t0, q0, p0, turns);
  Contacts landing;
  for (Index i = 0; i < gaps.c.size(); ++i) {
    const double near = thresholds::touching_gap / thresholds::gap_rounding * contact_.gap_tolerance(i);
    if (gaps.c[i] <= near) landing.push_back(i);
  }
  settle(landing, {});
  // Contacts that touch and are not approached make no event by being there.
  std::vector<ContactEvent>& events = contact_.events();
  const auto no_event = [&](const ContactEvent& e) {
    return e.contact >= 0 && gaps.rate[e.contact] >= -contact_.moving(e.contact);
  };
  events.erase(std::remove_if(events.begin(), events.end(), no_event), events.end());
}

void ContactLaws::restore(const State& checkpoint) {
  contact_.state() = checkpoint;
  contact_.set_resting(false);
  const ContactQuantities& quantities = contact_.quantities();
  if (!contact_.phases().is_key(contact_.key()) ||
      (quantities.coulomb() && checkpoint.held.size() != static_cast<Index>(checkpoint.closed.size())))
    throw Error(ErrorCode::bad_value, "the state does not say which contacts of system " +
                                          quantities.system()->traits().name + " are closed, and which of them stick");
  enter(contact_.key(), Vector(contact_.state().held));
}

void ContactLaws::settle(const Contacts& landing, const Contacts& opening, const Contacts& letting_go,
                         const Contacts& stopping) {
  ContactImpact impact(contact_, rules_, landing, opening);
  const std::vector<Slip> begins = choice_.directions(letting_go, impact.touching().rubbing);
  impact.strike();
  impact.stay(begins, stopping);
  const ContactKey chosen = choice_.choose(impact.touching(), impact.candidates(), impact.along());
  impact.close(chosen);
  impact.book(chosen);
  enter(chosen, contact_.held(chosen));
}

void ContactLaws::enter(const ContactKey& key, const Vector& held) {
  contact_.enter(key, held);
  rest_.begin();
}

void ContactLaws::start_again() {
  const auto events = contact_.events().size();
  enter(contact_.key(), Vector(contact_.state().held));
  if (contact_.events().size() == events) contact_.record(EventKind::turning, -1, 0);
}

double ContactLaws::rest(double remaining) {
  const double passed = rest_.wait(remaining);
  if (contact_.resting()) return passed;
  if (contact_.quantities().coulomb()) {
    Contacts opening, letting_go;
    rest_.find_released(opening, letting_go);
    settle({}, opening, letting_go);
  } else {
    contact_.record(EventKind::turning, -1, 0);
    enter(contact_.key(), Vector(contact_.state().held));
  }
  return passed;
}

}  // namespace gnomon
