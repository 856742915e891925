/// What happens at an event: impacts, the choice of the contacts that stay closed, stops under friction.
#include <algorithm>
#include <cmath>

#include "contact/contact_laws.hpp"
#include "contact/contact_tolerances.hpp"
#include "contact/impact.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

using namespace contact_tolerances;

void ContactLaws::settle(const Contacts& landing, const Contacts& opening, const Contacts& letting_go,
                         const Contacts& stopping) {
  const Contacts was_closed = state_.closed;
  const std::vector<int> was_slip = state_.slip;
  Contacts all = was_closed;
  all.insert(all.end(), landing.begin(), landing.end());
  std::sort(all.begin(), all.end());
  const auto count = static_cast<Index>(all.size());

  const Contacts rubbing = with_friction(all);
  const std::vector<int> begins = sides(letting_go, rubbing);
  const ContactImpulses contacts(*closed_, m_, n_contacts_, state_.t, state_.q.value(), all, rubbing);
  const double moving = approach * fastest_;
  std::vector<bool> held;
  for (const Index i : all) held.push_back(contains(was_closed, i));
  for (const Index i : rubbing) held.push_back(contains(was_closed, i) && slip_of(i) != 1 && slip_of(i) != -1);
  const long double energy_before = energy_of(state_);
  if (contacts.violation(state_.p.value(), held) > moving) state_.p.set(contacts.tangential(state_.p.value(), held));
  const Vector before = contacts.rates(state_.p.value());
  Vector rates = before, energy = Vector::Zero(before.size()), rebound = Vector::Zero(count);
  const auto push = [&](const Vector& P) {
    state_.p.add(contacts.momentum(P));
    const Vector after = contacts.rates(state_.p.value());
    energy += 0.5 * P.cwiseProduct(rates + after);
    rates = after;
  };
  const bool hit = count > 0 && before.head(count).minCoeff() < -moving;
  if (hit) {
    for (Index k = 0; k < count; ++k) {
      const Index i = all[static_cast<std::size_t>(k)];
      if (contains(landing, i) && before[k] < -options_.zeno_speed) rebound[k] = restitution(i);
    }
    push(impulses(contacts, all, rubbing, rates, rebound));
  }
  // A rebound that is too slow is none.
  Contacts candidates;
  std::vector<bool> hold(held.size(), false);
  bool any = false;
  for (Index k = 0; k < count; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(opening, i) || rates[k] > std::max(moving, rebound_threshold(i))) continue;
    candidates.push_back(i);
    hold[static_cast<std::size_t>(k)] = true;
    any = any || rates[k] != 0;
  }
  // To which side a contact slides; 0: it does not slip. Holding one may stop others.
  std::vector<int> side(rubbing.size(), 0);
  for (bool more = true; more; any = false) {
    more = false;
    for (std::size_t j = 0; j < rubbing.size(); ++j) {
      const Index i = rubbing[j], row = count + static_cast<Index>(j);
      if (hold[static_cast<std::size_t>(row)]) continue;
      const double rate = rates[row], none = no_slip * std::sqrt(contacts.compliance()(row, row)) * fastest_;
      const bool stopped = !hit && (begins[j] != 0 || contains(stopping, i));
      side[j] = stopped ? begins[j] : std::abs(rate) <= none ? 0 : rate > 0 ? 1 : -1;
      if ((!stopped && side[j] != 0) || !contains(candidates, i)) continue;
      hold[static_cast<std::size_t>(row)] = more = true;
      any = any || rate != 0;
    }
    if (any) push(contacts.hold(rates, hold));
  }
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    const auto k = std::find(all.begin(), all.end(), rubbing[j]) - all.begin();
    energy[k] += energy[count + static_cast<Index>(j)];
  }
  const Key chosen = rubbing.empty() ? choose_closed(candidates) : choose(contacts, all, rubbing, candidates, side);
  const Contacts& closed = chosen.first;
  const auto closes = [&](Index i) { return contains(closed, i) && !contains(was_closed, i); };
  if (located() || std::any_of(closed.begin(), closed.end(), closes)) {
    const long double inside = energy_of(state_);
    if (!located())
      lift_out(chosen);
    else if (!leaves_gaps_)
      take_up(contacts, all, rubbing, chosen);
    // What that changes in the energy belongs to the contact that closes.
    for (Index k = 0; k < count; ++k)
      if (closes(all[static_cast<std::size_t>(k)])) {
        energy[k] += static_cast<double>(energy_of(state_) - inside);
        break;
      }
  }
  impact_ += energy_of(state_) - energy_before;

  for (const Index i : all)
    if (!contains(closed, i) && contains(candidates, i) && !contains(state_.released, i)) state_.released.push_back(i);
  for (const Index i : opening) state_.released.push_back(i);
  // What friction did at contacts that stay as they are belongs to the one that was hit.
  if (hit && !landing.empty() && !rubbing.empty()) {
    const auto first = std::find(all.begin(), all.end(), landing.front()) - all.begin();
    for (Index k = 0; k < count; ++k) {
      const Index i = all[static_cast<std::size_t>(k)];
      if (!contains(was_closed, i) || !contains(closed, i)) continue;
      energy[first] += energy[k];
      energy[k] = 0;
    }
  }
  for (Index k = 0; k < count; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(closed, i)) {
      if (!contains(was_closed, i)) record(EventKind::landing, i, energy[k]);
      if (!contains(was_closed, i) || !is_frictional(i)) continue;
      const int now =
          chosen.second[static_cast<std::size_t>(std::find(closed.begin(), closed.end(), i) - closed.begin())];
      const int then =
          was_slip[static_cast<std::size_t>(std::find(was_closed.begin(), was_closed.end(), i) - was_closed.begin())];
      const bool slides = now == 1 || now == -1, slid = then == 1 || then == -1;
      if (slides ? now != then : slid)
        record(slides ? EventKind::slide : EventKind::stick, i, located() && !hit ? 0 : energy[k]);
    } else {
      record(contains(was_closed, i) ? EventKind::launch : EventKind::impact, i, energy[k]);
    }
  }
  enter(chosen, held_now(chosen));
}

/// A contact closes where its gap was found to vanish, or within rounding of that, together with another; and one that
/// begins to stick is held at d rounded to double. What is left, c_i or d_i - held_i, would be taken out by the next
/// step, however short, and be a velocity c_i/h in it: in a sequence of ever shorter flights more than what moves. So
/// the state goes to where nothing is left before, the shortest way in the mass metric that leaves the other gaps as
/// they are, and what sticks already.
void ContactLaws::take_up(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing,
                          const Key& chosen) {
  const auto count = static_cast<Index>(all.size());
  Vector left = Vector::Zero(count + static_cast<Index>(rubbing.size()));
  std::vector<bool> hold(static_cast<std::size_t>(left.size()), true);
  measure(state_, gaps_);
  for (Index k = 0; k < count; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(chosen.first, i) && !contains(state_.closed, i)) left[k] = gaps_.c[i];
  }
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    const auto at = std::find(chosen.first.begin(), chosen.first.end(), rubbing[j]) - chosen.first.begin();
    const Index row = count + static_cast<Index>(j);
    hold[static_cast<std::size_t>(row)] = static_cast<std::size_t>(at) < chosen.second.size() &&
                                          chosen.second[static_cast<std::size_t>(at)] == State::sticks;
    if (hold[static_cast<std::size_t>(row)] && slip_of(rubbing[j]) != State::sticks)
      left[row] = rounding_of_slip(rubbing[j]);
  }
  if (left.isZero(0)) return;
  const Vector way = contacts.momentum(contacts.hold(left, hold));
  state_.q.add(velocity(state_.q.value(), way));
}

void ContactLaws::forget_released(const Gaps& now) {
  if (state_.released.empty()) return;
  const auto is_open = [&](Index i) { return now.c[i] > opened * gap_tolerance(i) && now.rate[i] > 0; };
  state_.released.erase(std::remove_if(state_.released.begin(), state_.released.end(), is_open), state_.released.end());
}

/// A contact that closes at the end of a step is as deep inside as it came in the step: the state goes the shortest way
/// in the mass metric to where it is closed.
void ContactLaws::lift_out(const Key& key) {
  Vector q = state_.q.value(), p = state_.p.value();
  Phase& lifted = phase(key);
  lifted.model->hold(held_now(key));
  project_start(*lifted.model, state_.t, q, p, dependent_);
  state_.q.add(q - state_.q.value());
  state_.p.add(p - state_.p.value());
}

/// Rates of a rebound below which there is none. Where events are not located, flights shorter than two steps cannot be
/// told from contact: a gap that is pulled shut by a lasts 2 w / a.
double ContactLaws::rebound_threshold(Index contact) const {
  const double zeno = options_.zeno_speed;
  if (located()) return zeno;
  Vector a(system_->n()), lambda(m_);
  const Vector& q = state_.q.value();
  acceleration(*system_, state_.t, q, velocity(q, state_.p.value()), a, lambda, dependent_);
  return std::max(zeno, -step_ * gap_accelerations(state_, a)[contact]);
}

/// Which of the contacts that touch with rate zero stay closed: psi >= 0 where closed, c'' >= 0 where not, by pivoting
/// with the least index from all of them closed.
ContactLaws::Key ContactLaws::choose_closed(const Contacts& candidates) {
  std::vector<bool> closed(candidates.size(), true);
  constexpr int most_pivots = 10000;
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    stop_if_interrupted();
    Key chosen;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (closed[k]) chosen.first.push_back(candidates[k]);
    if (coulomb_) chosen.second.assign(chosen.first.size(), State::loose);
    Phase& trial = phase(chosen);
    consistent(trial, state_);
    const Vector curve = gap_accelerations(state_, trial.a);
    if (candidates.empty()) return chosen;
    const double size = std::max(curve.cwiseAbs().maxCoeff(), norm(state_.q.value(), trial.a));
    std::size_t violated = candidates.size();
    Index row = m_;
    for (std::size_t k = 0; k < candidates.size() && violated == candidates.size(); ++k) {
      if (closed[k]) {
        if (trial.psi[row++] < 0) violated = k;
      } else if (curve[candidates[k]] < -1e-10 * size) {
        violated = k;
      }
    }
    if (violated == candidates.size()) return chosen;
    closed[violated] = !closed[violated];
  }
  throw CannotEvaluate("no set of closed contacts was found at t = " + number_text(state_.t));
}

/// Is the phase one with friction, at rest, where friction has no direction?
bool ContactLaws::at_rest_under_friction(const Phase& phase) const {
  return phase.frictional() && speed(state_) <= still * fastest_;
}

bool ContactLaws::stops(const State& z, double remaining) {
  if (!phase_->frictional()) return false;
  const double now = speed(z);
  if (now == 0) return true;
  if (now > slow * fastest_) return false;
  const Vector& q = z.q.value();
  const Vector v = velocity(q, z.p.value());
  // However small the velocity is, it has the direction that friction opposes.
  phase_->solve_index1(z.t, q, v);
  const double along = phase_->a.dot(z.p.value());
  if (along >= 0) return false;
  const double tau = -now * now / along;
  return tau <= remaining && norm(q, v + tau * phase_->a) <= 1e-3 * now;
}

/// q + v tau + a tau^2/2 with v + a tau = 0, after stops(z).
void ContactLaws::stop(const State& z) {
  const Vector v = velocity(z.q.value(), z.p.value());
  const double square = v.dot(z.p.value()), tau = square > 0 ? -square / phase_->a.dot(z.p.value()) : 0;
  const Vector way = tau * v + (0.5 * tau * tau) * phase_->a;
  // Constraints do no work: what acts along the way beside the potential is friction and force.
  const Vector inertia = momentum(z.q.value(), phase_->a);
  Vector gradient(v.size());
  system_->potential_gradient(z.t, z.q.value(), gradient);
  state_.work.force += (inertia + gradient).dot(way);
  state_.q.add(way);
  state_.p.set(Vector::Zero(v.size()));
  state_.advance_time(tau);
}

void ContactLaws::start_again() {
  const auto events = events_.size();
  enter(key(), Vector(state_.held));
  if (events_.size() == events) record(EventKind::turning, -1, 0);
}

/// From rest, friction opposes the motion that would follow without it. The momentum p is one below rounding in that
/// direction, which friction needs. Does friction hold the state at rest at this time?
bool ContactLaws::holds(double t, Vector& p) {
  const Vector& q = state_.q.value();
  acceleration(*phase_->model, t, q, Vector::Zero(system_->n()), phase_->a, phase_->psi, dependent_);
  const double pull = norm(q, phase_->a);
  if (!(pull > 0)) return true;
  const Vector v = phase_->a * (std::max({fastest_ * 1e-2 * still, pull * step_ * 1e-15, pull * least_time}) / pull);
  p = momentum(q, v);
  phase_->solve_index1(t, q, v);
  return phase_->a.dot(p) <= 0;
}

/// The state gets a momentum in the direction of the motion, or it stays where it is.
void ContactLaws::set_in_motion() {
  Vector p;
  if (!holds(state_.t, p)) return state_.p.set(p);
  state_.p.set(Vector::Zero(system_->n()));
  resting_ = true;
  record(EventKind::rest, -1, 0);
}

bool ContactLaws::changes_with_time() const {
  const Parts& parts = system_->parts();
  return parts.time_dependence || (parts.force && parts.force->force_depends_on_time());
}

double ContactLaws::rest(double remaining) {
  if (coulomb_) return rest_held(remaining);
  Vector p;
  if (!changes_with_time() || holds(state_.t + remaining, p)) {
    state_.advance_time(remaining);
    return remaining;
  }
  double held = 0, moves = remaining;
  while (moves - held > 4e-16 * (std::abs(state_.t) + remaining)) {
    const double middle = held + (moves - held) / 2;
    if (middle == held || middle == moves) break;
    (holds(state_.t + middle, p) ? held : moves) = middle;
  }
  state_.advance_time(moves);
  resting_ = false;
  record(EventKind::turning, -1, 0);
  enter(key(), Vector(state_.held));
  return moves;
}

}  // namespace gnomon
