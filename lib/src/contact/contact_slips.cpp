#include "contact/contact_slips.hpp"

#include <cmath>
#include <limits>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

ContactSlips::Held ContactSlips::hold_directions(const State& z, double remaining) {
  ContactPhase& phase = contact_.phase();
  constexpr double never = std::numeric_limits<double>::infinity();
  Held result{never, false};
  if (!phase.model->slides_in_space()) return result;
  contact_.consistent(phase, z);
  const Vector rates = quantities_.row_rates(z.t, z.q.value(), quantities_.velocity(z.q.value(), z.p.value())),
               curve = quantities_.row_accelerations(z, phase.a);
  constexpr double part = .9, turn = .5, held_turn = .1, tenfold = 10;
  ContactKey key = contact_.key();
  Vector held = contact_.state().held;
  for (std::size_t k = 0; k < key.first.size(); ++k) {
    const Index i = key.first[k];
    if (!quantities_.in_space(i) || !slides(key.second[k])) continue;
    const Slip u = quantities_.slip_of(rates, i), du = quantities_.slip_of(curve, i);
    const bool was_held = key.second[k] == -1;
    double& angle = held[static_cast<Index>(k)];
    const Slip e{std::cos(angle), std::sin(angle)};
    const double rate = size_of(u), across = std::abs(u[0] * du[1] - u[1] * du[0]),
                 along = was_held ? rate * (e[0] * du[0] + e[1] * du[1]) : u[0] * du[0] + u[1] * du[1];
    const double none =
        std::max(contact_.no_slip(i), thresholds::no_slip * size_of(du) * std::min(remaining, contact_.step()));
    const double slow = contact_.slow_slip(i), ends = along < 0 ? rate * rate / -along : never;
    // Friction itself holds the direction to that in which |u| changes least: a short turn towards it limits no piece.
    const double friction = quantities_.friction_coefficients()[i] *
                            phase.psi[quantities_.first() + static_cast<Index>(k)] * contact_.compliance(i);
    const bool begins = rate <= slow || (remaining < never && along * remaining > tenfold * rate * rate &&
                                         across <= held_turn * std::max(rate * friction, along));
    if (begins || (ends <= remaining && ends * across / rate <= none)) {
      key.second[k] = -1;
      const double aside = std::abs(e[0] * u[1] - e[1] * u[0]);
      if (was_held ? rate > slow && aside > turn * ContactModel::near * rate : rate > none)
        angle = std::atan2(u[1], u[0]);
      continue;
    }
    key.second[k] = 1;
    result.span = std::min(result.span, part * ends);
    if (across > held_turn * rate * friction) result.span = std::min(result.span, turn * rate * rate / across);
  }
  result.changed = key != contact_.key() || held != contact_.state().held;
  if (result.changed) contact_.enter(key, held);
  return result;
}

}  // namespace gnomon
