/// Where in a step a contact opens or closes.
#include "contact/contact_location.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "run/switches/located_root.hpp"

namespace gnomon {

using namespace contact_tolerances;

/// Landing of an open contact, before a time `before` in the step. The gap between the ends of the step is taken as the
/// cubic with its end values and rates to find where the gap may vanish; the root itself is that of the gap after a
/// step of size s.
bool ContactLocation::find_landing(Index contact, double span, double before, double& s) {
  const double c0 = gaps_before_.c[contact], c1 = gaps_after_.c[contact];
  const double r0 = gaps_before_.rate[contact] * span, r1 = gaps_after_.rate[contact] * span;
  if (!located_) {
    s = span;
    return c1 < -contact_.gap_tolerance(contact) && r1 < 0;
  }
  // After a rebound the gap opens at once; after a launch it stays within rounding for a while.
  const double tolerance = r0 > contact_.moving(contact) * span ? 0 : contact_.gap_tolerance(contact);
  // c(x) = c0 + r0 x + k2 x^2 + k3 x^3 on [0, 1]
  const double k2 = 3 * (c1 - c0) - 2 * r0 - r1, k3 = 2 * (c0 - c1) + r0 + r1;
  const auto cubic = [&](double x) { return c0 + x * (r0 + x * (k2 + x * k3)); };
  // Where its slope r0 + 2 k2 x + 3 k3 x^2 vanishes; values outside (0, 1) and those that are none do not count.
  const double w = -(k2 + std::copysign(std::sqrt(k2 * k2 - 3 * k3 * r0), k2));
  const double turns[] = {w / (3 * k3), r0 / w};
  double below = c1 < -tolerance ? 1 : 2;
  for (const double x : turns)
    if (x > 0 && x < std::min(below, 1.0) && cubic(x) < -tolerance) below = x;
  if (below > 1) return false;
  double above = 0;
  for (const double x : turns)
    if (x > 0 && x < below && cubic(x) > cubic(above)) above = x;
  if (contains(contact_.state().released, contact) && cubic(above) <= opened * contact_.gap_tolerance(contact)) {
    // A smooth launch does not land: its gap grows with the third power of time, and what a scheme of low order makes
    // of that may dip below zero while the gap is accelerated upwards.
    contact_.consistent(contact_.phase(), after_);
    if (quantities_.gap_accelerations(after_, contact_.phase().a)[contact] >= 0) return false;
  }

  const auto gap = [&](double x) {
    if (x >= span || x <= 0) return x <= 0 ? c0 : c1;
    quantities_.gaps(state_after_(x), gaps_now_);
    return gaps_now_.c[contact];
  };
  double left = above * span, right = std::min(below * span, before);
  if (left >= right) return false;
  double at_right = gap(right);
  if (at_right >= -tolerance) {  // later than another event, or the cubic was wrong
    if (before < span || !(c1 < -tolerance)) return false;
    left = right;
    right = span;
    at_right = c1;
  }
  double at_left = gap(left);
  while (at_left <= 0 && left > thresholds::start_of_step * span) at_left = gap(left *= .5);
  // From a contact that never opened: it is hit where it stands.
  s = at_left <= 0 ? 0 : located_root(left, at_left, right, at_right, gap).first;
  return true;
}

/// The meaning of a margin that reaches zero: see ContactPhase::margins.
EventKind ContactLocation::kind_of(Index margin) const {
  const auto count = static_cast<Index>(contact_.state().closed.size());
  return margin < count ? EventKind::launch : margin < 2 * count ? EventKind::slide : EventKind::stick;
}

double ContactLocation::margin_tolerance(Index margin) const {
  if (kind_of(margin) != EventKind::stick) return thresholds::force_rounding * contact_.largest_psi();
  const Contacts& closed = contact_.state().closed;
  const auto k = static_cast<std::size_t>(margin) - 2 * closed.size();
  return contact_.moving(quantities_.slip_rows(closed[k]).first - quantities_.first());
}

double ContactLocation::margin(Index which, const State& z) {
  contact_.consistent(contact_.phase(), z);
  contact_.margins(z.t, z.q.value(), quantities_.velocity(z.q.value(), z.p.value()), now_);
  return now_[which];
}

/// Margins that are positive at both ends of the step and not between them: by the parabola through the ends and the
/// middle, whose position and velocity are those of the cubic between the ends.
template <class Offer>
void ContactLocation::find_dips(double span, Offer&& offer) {
  const Vector &q0 = before_.q.value(), &q1 = after_.q.value();
  middle_v_ = quantities_.velocity(q0, before_.p.value());
  middle_q_ = (q0 + q1) / 2 + span / 8 * middle_v_;
  const Vector& v1 = quantities_.velocity(q1, after_.p.value());
  middle_q_ -= span / 8 * v1;
  middle_v_ = 1.5 / span * (q1 - q0) - (middle_v_ + v1) / 4;
  ContactPhase& phase = contact_.phase();
  if (phase.frictional() && quantities_.norm(middle_q_, middle_v_) <= thresholds::slow * contact_.fastest()) return;
  try {
    phase.solve_index1(before_.t + span / 2, middle_q_, middle_v_);
  } catch (const CannotEvaluate&) {
    return;  // the middle is a guess, and no state of the run
  }
  contact_.margins(before_.t + span / 2, middle_q_, middle_v_, in_middle_);
  margin(0, before_);
  at_start_ = now_;
  const std::vector<Index>& closed = contact_.state().closed;
  for (Index k = 0; k < at_end_.size(); ++k) {
    const double a = at_start_[k], m = in_middle_[k], b = at_end_[k];
    // a + x (4m - 3a - b) + 2 x^2 (a + b - 2m), lowest at x
    const double slope = 4 * m - 3 * a - b, curvature = 2 * (a + b - 2 * m), x = -slope / (2 * curvature);
    if (!(b >= 0 && a >= 0 && curvature > 0 && x > 0 && x < 1)) continue;
    if (a + x * (slope + x * curvature) >= -margin_tolerance(k)) continue;
    const auto value = [&](double s) { return margin(k, s <= 0 ? before_ : state_after_(s)); };
    const double lowest = value(x * span);
    if (lowest >= -margin_tolerance(k)) continue;
    offer(a == 0 ? 0 : located_root(0, a, x * span, lowest, value).first, kind_of(k),
          closed[static_cast<std::size_t>(k) % closed.size()]);
  }
}

/// Where a margin of the phase reaches zero: detachment of a closed contact, the limit of its friction, the end of its
/// slip.
bool ContactLocation::find_margin(Index which, double at_end, double span, double& s) {
  if (!located_) {
    s = span;
    return true;
  }
  const auto value = [&](double x) { return margin(which, x >= span ? after_ : x <= 0 ? before_ : state_after_(x)); };
  double left = 0, at_left = value(0);
  // A contact that has just begun to slide does so from rest, with the third power of time, and what a scheme of low
  // order makes of that may go the other way while it is accelerated to its side.
  if (kind_of(which) == EventKind::stick && at_left <= 0) {
    const auto k = static_cast<std::size_t>(which % static_cast<Index>(contact_.state().closed.size()));
    margin(which, after_);
    const Vector curve = quantities_.row_accelerations(after_, contact_.phase().a);
    if (contact_.phase().model->rate_along(static_cast<Index>(k), curve) > 0) return false;
  }
  for (double x = span / 2; kind_of(which) == EventKind::stick && at_left <= 0 && x > thresholds::start_of_step * span;
       x /= 2)
    if (const double at_x = value(x); at_x > 0) {
      left = x;
      at_left = at_x;
    }
  s = at_left <= 0 ? 0 : located_root(left, at_left, span, at_end, value).first;
  return true;
}

/// The first event after before_ in a step of `span` to after_.
bool ContactLocation::find(double span, LocatedEvent& found) {
  bool any = false;
  const auto offer = [&](double s, EventKind kind, Index contact) {
    if (any && s >= found.s) return;
    found = {s, kind, contact};
    any = true;
  };
  double s = 0;
  if (!contact_.open().empty()) {
    quantities_.gaps(before_, gaps_before_);
    quantities_.gaps(after_, gaps_after_);
  }
  for (const Index i : contact_.open())
    if (find_landing(i, span, any ? found.s : span, s)) offer(s, EventKind::landing, i);
  const std::vector<Index>& closed = contact_.state().closed;
  if (!closed.empty()) {
    margin(0, after_);
    at_end_ = now_;
    contact_.note_multipliers(at_end_.head(static_cast<Index>(closed.size())));
    for (Index k = 0; k < at_end_.size(); ++k)
      if (at_end_[k] < -margin_tolerance(k) && find_margin(k, at_end_[k], span, s))
        offer(s, kind_of(k), closed[static_cast<std::size_t>(k) % closed.size()]);
    if (located_) find_dips(span, offer);
  }
  return any;
}

Contacts ContactLocation::at_their_limit(Index contact) {
  const State& state = contact_.state();
  margin(0, state);
  const auto count = static_cast<Index>(state.closed.size());
  Contacts found;
  for (Index k = 0; k < count; ++k) {
    const Index i = state.closed[static_cast<std::size_t>(k)];
    if (i == contact || now_[count + k] <= thresholds::limit_rounding * contact_.largest_psi()) found.push_back(i);
  }
  return found;
}

}  // namespace gnomon
