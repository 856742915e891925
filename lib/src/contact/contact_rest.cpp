#include "contact/contact_rest.hpp"

#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

bool ContactRest::stops(const State& z, double remaining) {
  ContactPhase& phase = contact_.phase();
  if (!phase.frictional()) return false;
  const double now = quantities_.speed(z);
  if (now == 0) return true;
  if (now > thresholds::slow * contact_.fastest()) return false;
  const Vector& q = z.q.value();
  const Vector v = quantities_.velocity(q, z.p.value());
  // However small the velocity is, it has the direction that friction opposes.
  phase.solve_index1(z.t, q, v);
  const double along = phase.a.dot(z.p.value());
  if (along >= 0) return false;
  const double tau = -now * now / along;
  return tau <= remaining && quantities_.norm(q, v + tau * phase.a) <= thresholds::stopped * now;
}

/// q + v tau + a tau^2/2 with v + a tau = 0, after stops(z), v on the constraints.
void ContactRest::stop(const State& z) {
  const Vector& a = contact_.phase().a;
  Vector p = z.p.value();
  const double lost = p.isZero(0) ? 0 : contact_.onto_constraints(z, p);
  const Vector v = quantities_.velocity(z.q.value(), p);
  const double square = v.dot(p), tau = square > 0 ? -square / a.dot(p) : 0;
  const Vector way = tau * v + (0.5 * tau * tau) * a;
  // Constraints do no work: what acts along the way beside the potential is friction and force.
  const Vector inertia = quantities_.momentum(z.q.value(), a);
  Vector gradient(v.size());
  quantities_.system()->potential_gradient(z.t, z.q.value(), gradient);
  State& state = contact_.state();
  state.work.force += (inertia + gradient).dot(way) - lost;
  state.q.add(way);
  state.p.set(Vector::Zero(v.size()));
  state.advance_time(tau);
}

void ContactRest::begin() {
  State& state = contact_.state();
  if (contact_.phase().frictional() && quantities_.speed(state) <= thresholds::still * contact_.fastest()) {
    Vector p;
    if (holds_motion(state.t, p))
      rest();
    else
      state.p.set(p);
  }
  if (quantities_.coulomb() && sticks()) rest();
  if (!contact_.resting()) contact_.consistent(contact_.phase(), state);
}

void ContactRest::rest() {
  contact_.state().p.set(Vector::Zero(quantities_.system()->n()));
  contact_.set_resting(true);
  contact_.record(EventKind::rest, -1, 0);
}

/// Is there no motion, and will there be none? Either no freedom is left, or no acceleration and no force that changes.
bool ContactRest::sticks() {
  const State& state = contact_.state();
  ContactPhase& phase = contact_.phase();
  if (quantities_.speed(state) > thresholds::no_slip * contact_.fastest()) return false;
  if (std::any_of(state.slip.begin(), state.slip.end(), slides)) return false;
  for (const double part : {0.0, 0.5, 1.0})
    if (is_moved(state.t + part * contact_.step())) return false;
  const Index n = quantities_.system()->n(), m = phase.model->m();
  if (m >= n && constraint_rank(*phase.model, state.t, state.q.value()).rank == n) return true;
  if (quantities_.changes_with_time()) return false;
  contact_.consistent(phase, state);
  ContactPhase& free = contact_.phases().at({});
  if (&free == &phase) return phase.a.isZero(0);
  contact_.consistent(free, state);
  return quantities_.norm(state.q.value(), phase.a) <= thresholds::no_slip * quantities_.norm(state.q.value(), free.a);
}

/// From rest, friction opposes the motion that would follow without it. The momentum p is one below rounding in that
/// direction, which friction needs. Does friction hold the state at rest at this time?
bool ContactRest::holds_motion(double t, Vector& p) {
  ContactPhase& phase = contact_.phase();
  const Vector& q = contact_.state().q.value();
  acceleration(*phase.model, t, q, Vector::Zero(q.size()), phase.a, phase.psi);
  const double pull = quantities_.norm(q, phase.a);
  if (!(pull > 0)) return true;
  const double least = std::max({contact_.fastest() * thresholds::part_of_still * thresholds::still,
                                 pull * contact_.step() * thresholds::no_step, pull * thresholds::direction});
  const Vector v = phase.a * (least / pull);
  p = quantities_.momentum(q, v);
  phase.solve_index1(t, q, v);
  return phase.a.dot(p) <= 0;
}

/// Do the contacts with Coulomb friction hold the state at rest at this time?
bool ContactRest::holds_contacts(double t) {
  const Vector& q = contact_.state().q.value();
  const Vector v = Vector::Zero(q.size());
  contact_.phase().solve_index1(t, q, v);
  contact_.margins(t, q, v, margins_);
  // Where they no longer hold by more than rounding, the motion that begins is one.
  const double passed = thresholds::limit_passed * contact_.phase().normal.lpNorm<Eigen::Infinity>();
  return margins_.size() == 0 || margins_.minCoeff() >= -passed;
}

bool ContactRest::is_moved(double t) {
  const System& model = *contact_.phase().model;
  if (!model.parts().time_dependence) return false;
  Vector rates(model.m());
  model.constraint_velocity(t, contact_.state().q.value(), Vector::Zero(model.n()), rates);
  return !rates.isZero(0);
}

bool ContactRest::holds(double t) {
  if (is_moved(t)) return false;
  Vector p;
  return quantities_.coulomb() ? holds_contacts(t) : holds_motion(t, p);
}

/// Coulomb friction is evaluated at the middle too: forces may overcome it there and not at the end.
double ContactRest::wait(double remaining) {
  State& state = contact_.state();
  const bool coulomb = quantities_.coulomb();
  const double middle_time = state.t + remaining / 2;
  if (!quantities_.changes_with_time() || ((!coulomb || holds(middle_time)) && holds(state.t + remaining))) {
    state.advance_time(remaining);
    return remaining;
  }
  double held = 0, moves = !coulomb || holds(middle_time) ? remaining : remaining / 2;
  while (moves - held > thresholds::resolved_root * (std::abs(state.t) + remaining)) {
    const double middle = held + (moves - held) / 2;
    if (middle == held || middle == moves) break;
    (holds(state.t + middle) ? held : moves) = middle;
  }
  state.advance_time(moves);
  contact_.set_resting(false);
  return moves;
}

void ContactRest::find_released(Contacts& opening, Contacts& letting_go) {
  const State& state = contact_.state();
  holds_contacts(state.t);
  const auto count = static_cast<Index>(state.closed.size());
  const double none = thresholds::limit_rounding * contact_.phase().normal.lpNorm<Eigen::Infinity>();
  for (Index k = 0; k < count; ++k) {
    const Index i = state.closed[static_cast<std::size_t>(k)];
    if (margins_[k] <= none)
      opening.push_back(i);
    else if (margins_[count + k] <= none)
      letting_go.push_back(i);
  }
}

}  // namespace gnomon
