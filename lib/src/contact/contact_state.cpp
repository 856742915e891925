#include "contact/contact_state.hpp"

#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "run/state_checks.hpp"

namespace gnomon {

using namespace contact_tolerances;

ContactState::ContactState(std::shared_ptr<const System> system, const volatile std::sig_atomic_t* interrupt)
    : quantities_(std::move(system)), phases_(quantities_), interrupt_(interrupt) {
  gap_tolerance_.setZero(quantities_.n_contacts());
  heading_.setZero(quantities_.n_contacts());
}

int ContactState::slip_of(Index contact) const {
  const auto k = static_cast<std::size_t>(place(state_.closed, contact));
  return k < state_.slip.size() ? state_.slip[k] : State::loose;
}

Vector ContactState::held(const ContactKey& key) const {
  const auto& [contacts, slip] = key;
  Vector held(static_cast<Index>(slip.size()));
  if (held.size() == 0) return held;
  const Vector d = quantities_.slips(state_);
  for (std::size_t k = 0; k < slip.size(); ++k) {
    if (quantities_.in_space(contacts[k])) {
      held[static_cast<Index>(k)] = heading_[contacts[k]];
      continue;
    }
    const bool stuck = slip_of(contacts[k]) == State::sticks;
    held[static_cast<Index>(k)] =
        stuck && slip[k] == State::sticks ? state_.held[place(state_.closed, contacts[k])] : d[contacts[k]];
  }
  return held;
}

ContactGaps ContactState::start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& near) {
  state_ = State();
  state_.turns = near;
  Vector angles;
  if (const ContinuousAngles* counted = quantities_.system()->parts().angles)
    counted->count(t0, q0, state_.turns, angles);
  const Windings turns(state_.turns);
  rank_ = check_start(*quantities_.system(), t0, q0, p0);
  state_.t = t0;
  state_.q.set(q0);
  state_.p.set(p0);
  events_.clear();
  impact_ = 0;
  resting_ = false;
  largest_psi_ = 0;
  fastest_ = quantities_.speed(state_);

  // The part of a gap that comes from the rounding of q.
  const System& closed = *quantities_.closed();
  Vector values(closed.constraint_pattern().nonzeros());
  closed.constraint_jacobian(t0, q0, values);
  const Matrix C =
      to_dense(closed.constraint_pattern(), values).middleRows(quantities_.first(), quantities_.n_contacts());
  Vector lengths(closed.m());
  row_lengths(closed.constraint_pattern(), values, closed.mass().diagonal_entries(), lengths);
  lengths_ = lengths.segment(quantities_.first(), closed.m() - quantities_.m());
  const double size = std::max(q0.lpNorm<Eigen::Infinity>(), thresholds::no_division_by_zero);
  ContactGaps gaps;
  quantities_.gaps(state_, gaps);
  for (Index i = 0; i < quantities_.n_contacts(); ++i)
    gap_tolerance_[i] = thresholds::gap_rounding * std::max(C.row(i).lpNorm<1>() * size, std::abs(gaps.c[i]));
  start_energy_ = quantities_.energy(state_);
  pull_ = longest_step_ = 0;
  if (quantities_.coulomb()) {
    ContactPhase& free = phases_.at({});
    consistent(free, state_);
    pull_ = quantities_.norm(q0, free.a);
  }
  return gaps;
}

void ContactState::enter(const ContactKey& key, const Vector& held) {
  phase_ = &phases_.at(key);
  state_.closed = key.first;
  state_.slip = key.second;
  state_.held = held;
  phase_->hold(quantities_, state_, no_slips(key));
  open_.clear();
  for (Index i = 0; i < quantities_.n_contacts(); ++i)
    if (!contains(key.first, i)) open_.push_back(i);
  // The multipliers are solved for from zero, whatever they were when the phase was last entered: a run that goes on
  // from a checkpoint, or after a step that was undone, knows nothing of that.
  phase_->psi.setZero();
}

void ContactState::forget_released(const ContactGaps& now) {
  if (state_.released.empty()) return;
  const auto is_open = [&](Index i) { return now.c[i] > opened * gap_tolerance(i) && now.rate[i] > 0; };
  state_.released.erase(std::remove_if(state_.released.begin(), state_.released.end(), is_open), state_.released.end());
}

void ContactState::consistent(ContactPhase& phase, const State& z) {
  const Vector& q = z.q.value();
  const Vector& v = quantities_.velocity(q, z.p.value());
  if (phase.frictional() && quantities_.speed(z) <= thresholds::still * fastest_) {
    acceleration(*phase.model, z.t, q, v, phase.a, phase.psi);
    phase.push(z.t, q, phase.psi);
  } else {
    phase.solve_index1(z.t, q, v);
  }
  if (!all_finite(phase.a) || !all_finite(phase.psi))
    throw CannotEvaluate("accelerations or contact multipliers are not finite");
}

double ContactState::onto_constraints(const State& z, Vector& p) const {
  const Vector& q = z.q.value();
  p = z.p.value();
  const double before = quantities_.velocity(q, p).dot(p);
  project_momenta(*phase_->model, z.t, q, p);
  return 0.5 * (before - quantities_.velocity(q, p).dot(p));
}

void ContactState::multipliers_at_rest(Vector& lambda) {
  consistent(*phase_, state_);
  spread(phase_->psi, lambda);
}

void ContactState::spread(const ConstVectorRef& inner, Vector& lambda) const {
  const Vector& q = state_.q.value();
  phase_->spread(quantities_, largest_psi_, {state_.t, q, quantities_.velocity(q, state_.p.value())}, inner, lambda);
}

void ContactState::stop_if_interrupted() const {
  if (flag_is_set(interrupt_)) throw CannotEvaluate("interrupted");
}

void ContactState::save(Mark& mark) const {
  mark.state = state_;
  mark.phase = phase_;
  if (phase_ != nullptr) mark.psi = phase_->psi;
  mark.open = open_;
  mark.events = events_.size();
  mark.impact = impact_;
  mark.resting = resting_;
  mark.fastest = fastest_;
  mark.longest_step = longest_step_;
  mark.largest_psi = largest_psi_;
}

void ContactState::undo(const Mark& mark) {
  events_.resize(mark.events, ContactEvent{});
  impact_ = mark.impact;
  resting_ = mark.resting;
  fastest_ = mark.fastest;
  longest_step_ = mark.longest_step;
  largest_psi_ = mark.largest_psi;
  state_ = mark.state;
  phase_ = mark.phase;
  if (phase_ != nullptr) phase_->psi = mark.psi;
  open_ = mark.open;
  if (quantities_.coulomb() && phase_ != nullptr) phase_->hold(quantities_, state_, no_slips(key()));
}

void ContactState::serialize(Archive& archive) {
  archive(state_, open_, resting_, events_, start_energy_, impact_, step_, longest_step_, fastest_, pull_, largest_psi_,
          gap_tolerance_, lengths_);
  require_fit(archive);
  if (archive.reading()) phase_ = &phases_.at(key());
  const Index m = phase_->model->m();
  archive(phase_->psi);
  archive.require(phase_->psi.size() == m && phase_->psi.allFinite(), "its contact multipliers are none");
  if (archive.reading()) phase_->hold(quantities_, state_, no_slips(key()));
}

/// Checks that the values just read belong to this model. Throws Error(bad_file).
void ContactState::require_fit(const Archive& archive) const {
  const Index n = quantities_.system()->n(), n_contacts = quantities_.n_contacts();
  archive.require(state_.q.value().size() == n && state_.p.value().size() == n &&
                      state_.lambda.size() == n_state_multipliers(*quantities_.system()) &&
                      gap_tolerance_.size() == n_contacts &&
                      lengths_.size() == quantities_.closed()->m() - quantities_.m(),
                  "its state has other sizes than the model");
  archive.require(is_finite(state_) && gap_tolerance_.allFinite() && lengths_.allFinite(), "its state is not finite");
  const auto is_contact = [&](Index i) { return i >= 0 && i < n_contacts; };
  archive.require(phases_.is_key(key()) && std::is_sorted(open_.begin(), open_.end()) &&
                      std::all_of(open_.begin(), open_.end(), is_contact) &&
                      state_.held.size() == static_cast<Index>(state_.slip.size()) && state_.held.allFinite() &&
                      static_cast<Index>(state_.closed.size() + open_.size()) == n_contacts &&
                      std::none_of(open_.begin(), open_.end(), [&](Index i) { return contains(state_.closed, i); }) &&
                      std::all_of(state_.released.begin(), state_.released.end(), is_contact),
                  "its open and closed contacts are not those of the model");
  for (const ContactEvent& event : events_)
    archive.require(std::isfinite(event.t) && std::isfinite(event.energy_change) && event.contact >= -1 &&
                        event.contact < (event.kind == EventKind::switched ? quantities_.system()->parts().n_switches()
                                                                           : n_contacts),
                    "an event is none of the model");
  archive.require(std::isfinite(start_energy_ + impact_), "its energy book is not finite");
  for (const double size : {step_, longest_step_, fastest_, pull_, largest_psi_})
    archive.require(std::isfinite(size) && size >= 0, "the largest values of a run are no such values");
}

}  // namespace gnomon
