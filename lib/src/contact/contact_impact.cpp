#include "contact/contact_impact.hpp"

#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

using namespace contact_tolerances;

namespace {

void require_restitution(const std::string& what, double e) {
  if (!(e >= 0 && e <= 1)) throw Error(ErrorCode::bad_value, what + " e = " + number_text(e) + " is outside [0, 1]");
}

TouchingContacts touching_contacts(const ContactQuantities& quantities, const State& z, const Contacts& landing) {
  Contacts all = z.closed;
  all.insert(all.end(), landing.begin(), landing.end());
  std::sort(all.begin(), all.end());
  const Contacts rubbing = quantities.with_friction(all);
  return {all, rubbing, ContactImpulses(quantities, z.t, z.q.value(), all, rubbing)};
}

}  // namespace

ImpactRules::ImpactRules(const System& system, const ContactOptions& options)
    : zeno_speed(options.zeno_speed),
      resolution(options.resolution),
      located(options.mode == ContactMode::event_driven) {
  require_restitution("restitution", options.restitution);
  const Index n_contacts = system.parts().n_obstacles();
  restitutions.setConstant(n_contacts, options.restitution);
  const Vector& own = system.traits().restitutions;
  if (own.size() != 0 && own.size() != n_contacts)
    throw Error(ErrorCode::bad_size, "system " + system.traits().name + " has " + std::to_string(own.size()) +
                                         " restitutions, expected one for each of its " + std::to_string(n_contacts) +
                                         " obstacles, or none");
  for (Index i = 0; i < own.size(); ++i) {
    if (std::isnan(own[i])) continue;
    require_restitution("restitution of obstacle " + std::to_string(i), own[i]);
    restitutions[i] = own[i];
  }
  if (!(zeno_speed >= 0 && std::isfinite(zeno_speed)))
    throw Error(ErrorCode::bad_value,
                "zeno speed " + number_text(zeno_speed) + " is not a finite number of at least zero");
}

ContactImpact::ContactImpact(ContactState& contact, const ImpactRules& rules, const Contacts& landing,
                             const Contacts& opening)
    : contact_(contact),
      quantities_(contact.quantities()),
      state_(contact.state()),
      rules_(rules),
      landing_(landing),
      opening_(opening),
      was_closed_(state_.closed),
      was_slip_(state_.slip),
      touching_(touching_contacts(quantities_, state_, landing)),
      count_(static_cast<Index>(touching_.all.size())),
      moving_(thresholds::approach * contact.fastest()),
      energy_before_(quantities_.energy(state_)) {}

/// Which rates are zero between events?
std::vector<bool> ContactImpact::held_rates() const {
  std::vector<bool> held;
  for (const Index i : touching_.all) held.push_back(was_closed(i));
  for (const Index i : touching_.rubbing)
    held.insert(held.end(), static_cast<std::size_t>(quantities_.slip_rows(i).count),
                was_closed(i) && !slides(contact_.slip_of(i)));
  return held;
}

void ContactImpact::apply(const Vector& P) {
  state_.p.add(touching_.impulses.momentum(P));
  state_.energy_left = 0;  // the motion after an impact may have no freedom to move it
  const Vector after = touching_.impulses.rates(state_.p.value());
  energy_ += 0.5 * P.cwiseProduct(rates_ + after);
  rates_ = after;
}

void ContactImpact::strike() {
  const ContactImpulses& contacts = touching_.impulses;
  const std::vector<bool> held = held_rates();
  if (contacts.violation(state_.p.value(), held) > moving_) state_.p.set(contacts.tangential(state_.p.value(), held));
  rates_ = contacts.rates(state_.p.value());
  energy_ = Vector::Zero(rates_.size());
  hit_ = false;
  for (Index k = 0; k < count_; ++k) hit_ = hit_ || rates_[k] < -moving_ * touching_.impulses.lengths()[k];
  if (!hit_) return;
  Vector rebound = Vector::Zero(count_);
  for (Index k = 0; k < count_; ++k) {
    const Index i = touching_.all[static_cast<std::size_t>(k)];
    if (contains(landing_, i) && rates_[k] < -zeno_speed(i)) rebound[k] = rules_.restitutions[i];
  }
  require_yielding();
  apply(impulses(rebound));
}

/// Where constraints that depend on time prescribe the rate of a gap, no impulse changes it.
void ContactImpact::require_yielding() const {
  if (!quantities_.system()->parts().time_dependence) return;
  const ContactImpulses& contacts = touching_.impulses;
  for (Index k = 0; k < count_; ++k) {
    const double length = contacts.lengths()[k];
    if (rates_[k] >= -moving_ * length || contacts.compliance()(k, k) > thresholds::dependent_slip * length * length)
      continue;
    throw CannotEvaluate("obstacle " + quantities_.name_of(touching_.all[static_cast<std::size_t>(k)]) +
                         " is run into with the rate " + number_text(-rates_[k]) + " at t = " + number_text(state_.t) +
                         ", which constraints that depend on time, as motors make them, do not let change");
  }
}

/// Moreau's law: 0 <= w+ + e w- _|_ P >= 0, and with friction T in the cone |T| <= mu P, opposite to u+ where that is
/// not zero.
Vector ContactImpact::impulses(const Vector& restitution) const {
  const auto& [all, rubbing, contacts] = touching_;
  if (rubbing.empty()) return contacts.impact(rates_, restitution);
  const auto n = count_, s = static_cast<Index>(rates_.size()) - n;
  const Matrix& W = contacts.compliance();
  FrictionProblem problem{W.topLeftCorner(n, n),
                          W.topRightCorner(n, s),
                          W.bottomLeftCorner(s, n),
                          W.bottomRightCorner(s, s),
                          rates_.head(n) + restitution.cwiseProduct(rates_.head(n)),
                          rates_.tail(s),
                          Vector(s),
                          {}};
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    for (Index c = 0; c < contacts.slip(j).count; ++c) {
      problem.mu[static_cast<Index>(problem.normal_of.size())] = quantities_.friction_coefficients()[rubbing[j]];
      problem.normal_of.push_back(place(all, rubbing[j]));
    }
  const auto solution = problem.solve();
  if (!solution)
    throw CannotEvaluate("no impulses satisfy the impact law with friction at t = " + number_text(state_.t) +
                         ", contacts " + listed(all));
  Vector P(n + s);
  P << solution->P, solution->T;
  return P;
}

Slip ContactImpact::slip_rate(std::size_t j) const {
  const SlipRows& slip = touching_.impulses.slip(j);
  return {rates_[slip.first], slip.count == 2 ? rates_[slip.first + 1] : 0};
}

void ContactImpact::stay(const std::vector<Slip>& begins, const Contacts& stopping) {
  const auto& [all, rubbing, contacts] = touching_;
  std::vector<bool> hold(static_cast<std::size_t>(rates_.size()), false);
  bool any = false;
  for (Index k = 0; k < count_; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(opening_, i) || rates_[k] > std::max(moving_ * touching_.impulses.lengths()[k], rebound_threshold(i)))
      continue;
    candidates_.push_back(i);
    hold[static_cast<std::size_t>(k)] = true;
    any = any || rates_[k] != 0;
  }
  along_.assign(rubbing.size(), Slip{});
  // To hold one slip may stop others.
  for (bool more = true; more; any = false) {
    more = false;
    for (std::size_t j = 0; j < rubbing.size(); ++j) {
      const Index i = rubbing[j];
      const SlipRows& slip = contacts.slip(j);
      if (hold[static_cast<std::size_t>(slip.first)]) continue;
      const Slip rate = slip_rate(j);
      const double length = contacts.compliance().diagonal().segment(slip.first, slip.count).maxCoeff();
      // Slips whose direction is held end together: they differ by what that left open.
      const bool straight = !hit_ && quantities_.in_space(i) && contact_.slip_of(i) == -1;
      const double none =
          straight ? contact_.slow_slip(i) : thresholds::no_slip * std::sqrt(length) * contact_.fastest();
      const bool stopped = !hit_ && (!is_zero(begins[j]) || contains(stopping, i));
      along_[j] = stopped ? begins[j] : size_of(rate) <= none ? Slip{} : direction_of(rate);
      if ((!stopped && !is_zero(along_[j])) || !contains(candidates_, i)) continue;
      for (Index c = 0; c < slip.count; ++c) hold[static_cast<std::size_t>(slip.first + c)] = true;
      more = true;
      any = any || !is_zero(rate);
    }
    if (any) apply(contacts.hold(rates_, hold));
  }
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    for (Index c = 0; c < contacts.slip(j).count; ++c)
      energy_[place(all, rubbing[j])] += energy_[contacts.slip(j).first + c];
}

double ContactImpact::zeno_speed(Index contact) const {
  if (rules_.zeno_speed > 0) return rules_.zeno_speed;
  const double speed = std::max(contact_.fastest(), std::sqrt(2 * quantities_.energy_size()));
  return thresholds::rebound_rounding * speed * contact_.length(contact);
}

/// Rates of a rebound below which there is none. Where events are not located, flights shorter than two steps cannot be
/// told from contact: a gap that is pulled shut by a lasts 2 w / a. It rises by w^2/(2 a), which a reference must see.
double ContactImpact::rebound_threshold(Index contact) const {
  if (rules_.located && rules_.positions) return zeno_speed(contact);
  const System& system = *quantities_.system();
  Vector a(system.n()), lambda(system.m());
  const Vector& q = state_.q.value();
  acceleration(system, state_.t, q, quantities_.velocity(q, state_.p.value()), a, lambda);
  const double pull = std::max(0.0, -quantities_.gap_accelerations(state_, a)[contact]);
  if (!rules_.located) return std::max(zeno_speed(contact), contact_.step() * pull);
  const double seen =
      rebound_gaps * std::max(1.0, rules_.resolution / thresholds::gap_rounding) * contact_.gap_tolerance(contact);
  return std::max(zeno_speed(contact), std::sqrt(2 * pull * seen));
}

void ContactImpact::close(const ContactKey& chosen) {
  const auto closes = [&](Index i) { return contains(chosen.first, i) && !was_closed(i); };
  if (!rules_.located && std::none_of(chosen.first.begin(), chosen.first.end(), closes)) return;
  const long double inside = quantities_.energy(state_);
  if (!rules_.located)
    remove_penetration(chosen);
  else if (rules_.positions)
    remove_rounding(chosen);
  // The energy that this changes belongs to the contact that closes.
  const auto first = std::find_if(touching_.all.begin(), touching_.all.end(), closes);
  if (first == touching_.all.end()) return;
  energy_[first - touching_.all.begin()] += static_cast<double>(quantities_.energy(state_) - inside);
}

/// A contact that closes at the end of a step is as deep inside as it came in the step: the state goes the shortest way
/// in the mass metric to where it is closed.
void ContactImpact::remove_penetration(const ContactKey& chosen) {
  Vector q = state_.q.value(), p = state_.p.value();
  ContactModel& model = *contact_.phases().at(chosen).model;
  model.hold(contact_.held(chosen), contact_.no_slips(chosen));
  project_start(model, state_.t, q, p);
  state_.q.add(q - state_.q.value());
  state_.p.add(p - state_.p.value());
}

/// A contact closes where its gap was found to vanish, or within rounding of that, together with another; and one that
/// begins to stick is held at d rounded to double. What is left, c_i or d_i - held_i, would be taken out by the next
/// step, however short, and be a velocity c_i/h in it: in a sequence of ever shorter flights more than what moves. So
/// the state goes to where nothing is left before, the shortest way in the mass metric that leaves the other gaps as
/// they are, and what sticks already.
void ContactImpact::remove_rounding(const ContactKey& chosen) {
  const auto& [all, rubbing, contacts] = touching_;
  const auto& [closed, slip] = chosen;
  Vector left = Vector::Zero(rates_.size());
  std::vector<bool> hold(static_cast<std::size_t>(left.size()), true);
  ContactGaps gaps;
  quantities_.gaps(state_, gaps);
  for (Index k = 0; k < count_; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(closed, i) && !was_closed(i)) left[k] = gaps.c[i];
  }
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    const auto at = static_cast<std::size_t>(place(closed, rubbing[j]));
    const SlipRows& rows = contacts.slip(j);
    const bool sticks = at < slip.size() && slip[at] == State::sticks;
    for (Index c = 0; c < rows.count; ++c) hold[static_cast<std::size_t>(rows.first + c)] = sticks;
    if (sticks && contact_.slip_of(rubbing[j]) != State::sticks && rows.count == 1)
      left[rows.first] = quantities_.rounding_of_slip(state_, rubbing[j]);
  }
  if (left.isZero(0)) return;
  const Vector way = contacts.momentum(contacts.hold(left, hold));
  state_.q.add(quantities_.velocity(state_.q.value(), way));
}

void ContactImpact::book(const ContactKey& chosen) {
  const Contacts &all = touching_.all, &closed = chosen.first;
  contact_.book_impact(quantities_.energy(state_) - energy_before_);
  for (const Index i : all)
    if (!contains(closed, i) && contains(candidates_, i) && !contains(state_.released, i)) state_.released.push_back(i);
  for (const Index i : opening_) state_.released.push_back(i);
  // The work of friction at contacts that stay as they are belongs to the one that was hit.
  if (hit_ && !landing_.empty() && !touching_.rubbing.empty()) {
    const Index first = place(all, landing_.front());
    for (Index k = 0; k < count_; ++k) {
      const Index i = all[static_cast<std::size_t>(k)];
      if (!was_closed(i) || !contains(closed, i)) continue;
      energy_[first] += energy_[k];
      energy_[k] = 0;
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) record_change(k, chosen);
}

/// The event that the contact all[k] has had.
void ContactImpact::record_change(std::size_t k, const ContactKey& chosen) {
  const Index i = touching_.all[k];
  const double energy = energy_[static_cast<Index>(k)];
  const auto& [closed, slip] = chosen;
  if (!contains(closed, i)) return contact_.record(was_closed(i) ? EventKind::launch : EventKind::impact, i, energy);
  if (!was_closed(i)) return contact_.record(EventKind::landing, i, energy);
  if (!quantities_.is_frictional(i)) return;
  const int now = slip[static_cast<std::size_t>(place(closed, i))];
  const int then = was_slip_[static_cast<std::size_t>(place(was_closed_, i))];
  const bool turns_back = !quantities_.in_space(i) && now != then;
  if (slides(now) ? turns_back || !slides(then) : slides(then))
    contact_.record(slides(now) ? EventKind::slide : EventKind::stick, i, rules_.located && !hit_ ? 0 : energy);
}

}  // namespace gnomon
