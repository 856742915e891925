#include "contact/contact_laws.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/start/consistency.hpp"
#include "run/state_checks.hpp"

namespace gnomon {

using namespace contact_tolerances;

static_assert(State::sticks == ContactModel::sticks);

ContactLaws::ContactLaws(std::shared_ptr<const System> system, const ContactOptions& options,
                         const volatile std::sig_atomic_t* interrupt, bool dependent_constraints)
    : system_(std::move(system)),
      closed_(system_->parts().obstacles ? system_->parts().obstacles->with_obstacles_closed() : system_),
      options_(options),
      dependent_(dependent_constraints),
      interrupt_(interrupt),
      m_(system_->m()),
      n_contacts_(system_->parts().n_obstacles()),
      coulomb_(system_->parts().coulomb),
      energy_(*system_) {
  const double zeno = options.zeno_speed;
  set_restitutions();
  if (!(zeno > 0 && std::isfinite(zeno)))
    throw Error(ErrorCode::bad_value, "zeno speed " + number_text(zeno) + " is not a finite number above zero");
  if (coulomb_ && system_->parts().friction)
    throw Error(ErrorCode::refused, "system " + system_->traits().name +
                                        " has Coulomb friction at its contacts and friction R(q,v,lambda): expected "
                                        "one of them");
  if (coulomb_ && coulomb_->friction_coefficients().size() != n_contacts_)
    throw Error(ErrorCode::bad_size, "system " + system_->traits().name + " has " +
                                         std::to_string(coulomb_->friction_coefficients().size()) +
                                         " friction coefficients, expected one for each of its " +
                                         std::to_string(n_contacts_) + " obstacles");
  gap_tolerance_.setZero(n_contacts_);
  for (Vector* x : {&velocity_, &momentum_}) x->setZero(system_->n());
  if (system_->parts().mass) mass_matrix_.setZero(system_->n(), system_->n());
  rows_.setZero(closed_->m());
  extended_rows_.setZero(closed_->m());
  values_.setZero(closed_->constraint_pattern().nonzeros());
}

void ContactLaws::set_restitutions() {
  const auto check = [](const std::string& what, double e) {
    if (!(e >= 0 && e <= 1)) throw Error(ErrorCode::bad_value, what + " e = " + number_text(e) + " is outside [0, 1]");
  };
  check("restitution", options_.restitution);
  restitutions_.setConstant(n_contacts_, options_.restitution);
  const Vector& own = system_->traits().restitutions;
  if (own.size() == 0) return;
  if (own.size() != n_contacts_)
    throw Error(ErrorCode::bad_size, "system " + system_->traits().name + " has " + std::to_string(own.size()) +
                                         " restitutions, expected one for each of its " + std::to_string(n_contacts_) +
                                         " obstacles, or none");
  for (Index i = 0; i < n_contacts_; ++i) {
    if (std::isnan(own[i])) continue;
    check("restitution of obstacle " + std::to_string(i), own[i]);
    restitutions_[i] = own[i];
  }
}

ContactLaws::Phase& ContactLaws::phase(const Key& key) {
  Phase& phase = phases_[key];
  if (phase.model) return phase;
  phase.model = std::make_shared<ContactModel>(system_, closed_, key.first, key.second);
  phase.dae = std::make_shared<MechanicalOverdetermined>(phase.model);
  if (!dependent_) phase.index1 = std::make_unique<Index1>(*phase.dae);
  phase.a = Vector::Zero(system_->n());
  phase.psi = Vector::Zero(phase.model->m());
  return phase;
}

ContactLaws::Phase& ContactLaws::everything() {
  Key key;
  for (Index i = 0; i < n_contacts_; ++i) key.first.push_back(i);
  for (Index i = 0; coulomb_ && i < n_contacts_; ++i) key.second.push_back(is_frictional(i) ? 1 : State::loose);
  return phase(key);
}

void ContactLaws::start(double t0, const Vector& q0, const Vector& p0) {
  rank_ = check_start(*system_, t0, q0, p0, 1e-10, dependent_);
  state_ = State();
  state_.t = t0;
  state_.q.set(q0);
  state_.p.set(p0);
  events_.clear();
  impact_ = 0;
  resting_ = false;
  largest_psi_ = 0;
  fastest_ = speed(state_);

  // What rounding of q makes of a gap.
  Vector values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(t0, q0, values);
  const Matrix C = to_dense(closed_->constraint_pattern(), values).middleRows(m_, n_contacts_);
  const double size = std::max(q0.lpNorm<Eigen::Infinity>(), 1e-300);
  measure(state_, gaps_);
  const Vector c = gaps_.c, rates = gaps_.rate;
  for (Index i = 0; i < n_contacts_; ++i)
    gap_tolerance_[i] = gap_rounding * std::max(C.row(i).lpNorm<1>() * size, std::abs(c[i]));

  Contacts landing;
  for (Index i = 0; i < n_contacts_; ++i) {
    const double near = touching_gap / gap_rounding * gap_tolerance_[i];
    if (c[i] <= near) landing.push_back(i);
  }
  start_energy_ = energy_of(state_);
  // Contacts that touch and are not hit make no event by being there.
  settle(landing, {});
  const auto no_event = [&](const ContactEvent& e) {
    return e.contact >= 0 && rates[e.contact] >= -approach * fastest_;
  };
  events_.erase(std::remove_if(events_.begin(), events_.end(), no_event), events_.end());
}

void ContactLaws::restore(const State& checkpoint) {
  state_ = checkpoint;
  resting_ = false;
  if (!is_key(key()) || (coulomb_ && state_.held.size() != static_cast<Index>(state_.closed.size())))
    throw Error(ErrorCode::bad_value, "the state does not say which contacts of system " + system_->traits().name +
                                          " are closed, and which of them stick");
  enter(key(), Vector(state_.held));
}

/// The state goes on with these contacts closed.
void ContactLaws::enter(const Key& key, const Vector& held) {
  phase_ = &phase(key);
  state_.closed = key.first;
  state_.slip = key.second;
  state_.held = held;
  take_hold();
  open_.clear();
  for (Index i = 0; i < n_contacts_; ++i)
    if (!contains(key.first, i)) open_.push_back(i);
  // The multipliers are solved for from zero, whatever they were when the phase was last entered: a run that goes on from
  // a checkpoint, or after a step that was undone, knows nothing of that.
  phase_->psi.setZero();
  if (at_rest_under_friction(*phase_)) set_in_motion();
  if (coulomb_ && stays()) {
    state_.p.set(Vector::Zero(system_->n()));
    resting_ = true;
    record(EventKind::rest, -1, 0);
  }
  if (!resting_) consistent(*phase_, state_);
}

void ContactLaws::note_speed() {
  note_speed(speed(state_));
}

void ContactLaws::note_speed(double speed) {
  fastest_ = std::max(fastest_, speed);
}

void ContactLaws::note_multipliers(const ConstVectorRef& psi) {
  largest_psi_ = std::max(largest_psi_, psi.lpNorm<Eigen::Infinity>());
}

void ContactLaws::save(Mark& mark) const {
  mark.state = state_;
  mark.phase = phase_;
  if (phase_ != nullptr) mark.psi = phase_->psi;
  mark.open = open_;
  mark.events = events_.size();
  mark.impact = impact_;
  mark.resting = resting_;
  mark.fastest = fastest_;
  mark.largest_psi = largest_psi_;
}

void ContactLaws::undo(const Mark& mark) {
  events_.resize(mark.events, ContactEvent{});
  impact_ = mark.impact;
  resting_ = mark.resting;
  fastest_ = mark.fastest;
  largest_psi_ = mark.largest_psi;
  state_ = mark.state;
  phase_ = mark.phase;
  if (phase_ != nullptr) phase_->psi = mark.psi;
  open_ = mark.open;
  if (coulomb_ && phase_ != nullptr) take_hold();
}

void ContactLaws::stop_if_interrupted() const {
  if (flag_is_set(interrupt_)) throw CannotEvaluate("interrupted");
}

void ContactLaws::serialize(Archive& archive) {
  archive(state_, open_, resting_, events_, start_energy_, impact_, step_, fastest_, largest_psi_, gap_tolerance_);
  require_fit(archive);
  if (archive.reading()) phase_ = &phase(key());
  const Index m = phase_->model->m();
  archive(phase_->psi);
  archive.require(phase_->psi.size() == m && phase_->psi.allFinite(), "its contact multipliers are none");
  if (archive.reading()) take_hold();
}

bool ContactLaws::is_key(const Key& key) const {
  const auto& [contacts, slip] = key;
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (contacts[k] < 0 || contacts[k] >= n_contacts_ || (k > 0 && contacts[k] <= contacts[k - 1])) return false;
  if (slip.size() != (coulomb_ ? contacts.size() : 0)) return false;
  for (std::size_t k = 0; k < slip.size(); ++k)
    if (slip[k] < -1 || slip[k] > State::loose || (slip[k] != State::loose && !is_frictional(contacts[k])))
      return false;
  return true;
}

/// What was just read is of this model. Throws Error(bad_file).
void ContactLaws::require_fit(const Archive& archive) const {
  const Index n = system_->n();
  archive.require(state_.q.value().size() == n && state_.p.value().size() == n &&
                      state_.lambda.size() == m_ + n_contacts_ && gap_tolerance_.size() == n_contacts_,
                  "its state has other sizes than the model");
  archive.require(is_finite(state_) && gap_tolerance_.allFinite(), "its state is not finite");
  archive.require(is_key(key()) && std::is_sorted(open_.begin(), open_.end()) &&
                      std::all_of(open_.begin(), open_.end(), [&](Index i) { return i >= 0 && i < n_contacts_; }) &&
                      state_.held.size() == static_cast<Index>(state_.slip.size()) && state_.held.allFinite() &&
                      static_cast<Index>(state_.closed.size() + open_.size()) == n_contacts_ &&
                      std::none_of(open_.begin(), open_.end(), [&](Index i) { return contains(state_.closed, i); }) &&
                      std::all_of(state_.released.begin(), state_.released.end(),
                                  [&](Index i) { return i >= 0 && i < n_contacts_; }),
                  "its open and closed contacts are not those of the model");
  for (const ContactEvent& event : events_)
    archive.require(std::isfinite(event.t) && std::isfinite(event.energy_change) && event.contact >= -1 &&
                        event.contact < n_contacts_,
                    "an event is none of the model");
  archive.require(std::isfinite(start_energy_ + impact_), "its energy book is not finite");
  for (const double size : {step_, fastest_, largest_psi_})
    archive.require(std::isfinite(size) && size >= 0, "the largest values of a run are no such values");
}

}  // namespace gnomon
