#pragma once
/// \file
/// The state of a run with obstacles or friction. Private to the core.

#include <csignal>
#include <memory>
#include <vector>

#include "contact/contact_phase.hpp"
#include "contact/contact_quantities.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/run/events.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

/// The state of a run, its closed and open contacts, its events, and what impacts lost.
class ContactState {
 public:
  /// The values of a moment that undo() brings back.
  struct Mark {
    State state;
    ContactPhase* phase = nullptr;
    Vector psi;
    Contacts open;
    std::size_t events = 0;
    long double impact = 0;
    bool resting = false;
    double fastest = 0, longest_step = 0, largest_psi = 0;
  };

  /// `interrupt`: null, or what is not zero when the run is to stop.
  ContactState(std::shared_ptr<const System> system, const volatile std::sig_atomic_t* interrupt);

  ContactQuantities& quantities() { return quantities_; }
  ContactPhases& phases() { return phases_; }

  State& state() { return state_; }
  const State& state() const { return state_; }
  /// The phase of the contacts that are closed now.
  ContactPhase& phase() { return *phase_; }
  const ContactPhase& phase() const { return *phase_; }
  ContactKey key() const { return {state_.closed, state_.slip}; }
  const Contacts& open() const { return open_; }
  /// How a closed contact slips; loose where it is open or there is no Coulomb friction.
  int slip_of(Index contact) const;
  /// State::held for a key: d where contacts are, or were when they began to stick; of those in space the angle of the
  /// direction in which they slide, or begin to.
  Vector held(const ContactKey& key) const;
  /// The direction in which a contact in space slides or begins to slide, for held().
  void set_heading(Index contact, const Slip& along) { heading_[contact] = std::atan2(along[1], along[0]); }
  /// The slip rate that is none.
  double no_slip(Index contact) const { return thresholds::no_slip * fastest() * std::sqrt(compliance(contact)); }
  /// Slip rates by impulses along them, at the start and without constraints.
  double compliance(Index contact) const {
    const SlipRows& slip = quantities_.slip_rows(contact);
    const double length = lengths_.segment(slip.first - quantities_.first(), slip.count).maxCoeff();
    return length * length;
  }
  /// The one up to which the direction of a slip in space that ends is held.
  double slow_slip(Index contact) const { return thresholds::slow_slip / thresholds::no_slip * no_slip(contact); }
  /// The rates that are none of the contacts of a key, with Coulomb friction.
  Vector no_slips(const ContactKey& key) const {
    Vector none(static_cast<Index>(key.second.size()));
    for (std::size_t k = 0; k < key.second.size(); ++k) none[static_cast<Index>(k)] = no_slip(key.first[k]);
    return none;
  }
  bool resting() const { return resting_; }
  void set_resting(bool resting) { resting_ = resting; }

  /// A new run. Returns the gaps.
  ContactGaps start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& near);
  /// The state goes on with these contacts closed.
  void enter(const ContactKey& key, const Vector& held);
  /// A released contact is an open one like others as soon as its gap, measured in `now`, has opened.
  void forget_released(const ContactGaps& now);
  /// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
  void consistent(ContactPhase& phase, const State& z);
  /// p: the momenta of z, moved to G v + g_t = 0 of the present phase. Returns the kinetic energy that this takes.
  double onto_constraints(const State& z, Vector& p) const;
  /// Multipliers of the present phase as those of a state, at the present one.
  void spread(const ConstVectorRef& inner, Vector& lambda) const;
  /// Multipliers at rest, as those of a state: they follow from the forces there.
  void multipliers_at_rest(Vector& lambda);
  /// ContactPhase::margins of the present phase.
  void margins(double t, const Vector& q, const Vector& v, Vector& out) {
    phase_->margins(quantities_, largest_psi_, t, q, v, out);
  }

  const std::vector<ContactEvent>& events() const { return events_; }
  std::vector<ContactEvent>& events() { return events_; }
  void record(EventKind kind, Index contact, double energy_change) {
    events_.push_back({state_.t, kind, contact, energy_change});
  }
  /// The rank of the constraints of the system at the start.
  const ConstraintRank& constraint_rank() const { return rank_; }
  long double impact_losses() const { return impact_; }
  void book_impact(long double energy_change) { impact_ += energy_change; }
  /// H at the start, before impacts of what touches there.
  long double start_energy() const { return start_energy_; }
  /// The largest speed (mass norm) so far, or with Coulomb friction, by which motion begins from exact rest, what the
  /// forces at the start make in the longest step without contacts; and the largest contact multiplier.
  double fastest() const { return std::max(fastest_, pull_ * longest_step_); }
  double largest_psi() const { return largest_psi_; }
  void note_speed(double speed) { fastest_ = std::max(fastest_, speed); }
  void note_multipliers(const ConstVectorRef& psi) {
    largest_psi_ = std::max(largest_psi_, psi.lpNorm<Eigen::Infinity>());
  }
  double gap_tolerance(Index contact) const { return gap_tolerance_[contact]; }
  /// (c_q M^-1 c_q^T)^1/2 of a gap at the start, and after all gaps those of the slips: rates by speeds in the mass
  /// norm.
  double length(Index row) const { return lengths_[row]; }
  /// The rate of a gap or slip beyond which it moves.
  double moving(Index row) const { return thresholds::approach * fastest() * lengths_[row]; }
  /// The step in which the next pieces lie.
  double step() const { return step_; }
  void set_step(double h) {
    step_ = h;
    longest_step_ = std::max(longest_step_, h);
  }

  /// Throws CannotEvaluate.
  void stop_if_interrupted() const;
  void save(Mark& mark) const;
  void undo(const Mark& mark);
  void serialize(Archive& archive);

 private:
  void require_fit(const Archive& archive) const;

  ContactQuantities quantities_;
  ContactPhases phases_;
  const volatile std::sig_atomic_t* interrupt_;
  ConstraintRank rank_;
  State state_;
  ContactPhase* phase_ = nullptr;
  Contacts open_;
  bool resting_ = false;
  std::vector<ContactEvent> events_;
  long double start_energy_ = 0, impact_ = 0;
  double step_ = 0, longest_step_ = 0, fastest_ = 0, largest_psi_ = 0, pull_ = 0;
  Vector gap_tolerance_, lengths_, heading_;
};

}  // namespace gnomon
