#pragma once
/// \file
/// The laws of contact at an event, apart from the smooth pieces between events: impacts, the choice of the contacts
/// that stay closed and of those that stick, stops and rest under friction. Private to the core; see contact.hpp for
/// the rules.

#include <Eigen/Cholesky>
#include <csignal>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "contact/impact.hpp"
#include "gnomon/run/contact_options.hpp"
#include "gnomon/run/events.hpp"
#include "gnomon/run/monitor.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "model/mechanical_overdetermined.hpp"
#include "start/friction_acceleration.hpp"

namespace gnomon {

/// A state of a system with obstacles or friction, the contacts that are closed there, and what happens to both at an
/// event. Whoever integrates the smooth pieces gives the state after each piece and says what happened there:
///
///     start(t, q, p);                             // phase() is the model of the first piece
///     ... state() = the end of a piece; settle(landing, opening);   // phase() is the model of the next
///
/// A piece lasts while no gap closes and all margins() are at least zero, and while resting() nothing moves and rest()
/// lets time pass. Keeps the events and what impacts lost.
class ContactLaws {
 public:
  using Contacts = std::vector<Index>;

  /// The closed contacts, and with Coulomb friction how each of them slips: see State::slip.
  using Key = std::pair<Contacts, std::vector<int>>;

  /// Everything that belongs to one set of closed contacts, of which some stick and others slide.
  struct Phase {
    std::shared_ptr<ContactModel> model;
    std::shared_ptr<MechanicalOverdetermined> dae;
    std::unique_ptr<Index1> index1;  // null: constraints may repeat others
    Vector a, psi;                   // accelerations and multipliers, as last solved for
    /// Contacts that stick and hold each other: columns of `shared` are forces of the closed contacts, normal and
    /// tangential, that together do nothing.
    Matrix shared, share_matrix;
    Vector share_right, share, push, grip;
    Eigen::LDLT<Matrix> share_solver;
    /// Has friction that opposes the motion of the whole system?
    bool frictional() const { return model->opposes_motion(); }
    Key key() const { return {model->contacts(), model->slip()}; }
    void solve_index1(double t, const Vector& q, const Vector& v) {
      if (!index1) return friction_acceleration(*model, t, q, v, a, psi);
      dae->hold(t);
      index1->solve(q, v, a, psi);
    }
  };
  /// c and its rate, one entry an obstacle.
  struct Gaps {
    Vector c, rate;
  };
  /// What undo() needs of a moment.
  struct Mark {
    State state;
    Phase* phase = nullptr;
    Vector psi;
    Contacts open;
    std::size_t events = 0;
    long double impact = 0;
    bool resting = false;
    double fastest = 0, largest_psi = 0;
  };

  /// `interrupt`: null, or what is not zero when the run is to stop. dependent_constraints: as in IntegratorOptions.
  /// The restitution of an obstacle is its own, SystemTraits::restitutions, or that of the options. Throws
  /// Error(bad_value) for one outside [0, 1] and a zeno speed that is none.
  ContactLaws(std::shared_ptr<const System> system, const ContactOptions& options,
              const volatile std::sig_atomic_t* interrupt, bool dependent_constraints = false);

  const std::shared_ptr<const System>& system() const { return system_; }
  Index m() const { return m_; }
  Index n_contacts() const { return n_contacts_; }
  bool coulomb() const { return coulomb_ != nullptr; }
  double restitution(Index contact) const { return restitutions_[contact]; }
  bool located() const { return options_.mode == ContactMode::event_driven; }

  /// \name The run
  ///@{
  State& state() { return state_; }
  const State& state() const { return state_; }
  Phase& phase() { return *phase_; }
  const Phase& phase() const { return *phase_; }
  const Contacts& open() const { return open_; }
  bool resting() const { return resting_; }
  const std::vector<ContactEvent>& events() const { return events_; }
  /// Of the constraints of the system at the start.
  const ConstraintRank& constraint_rank() const { return rank_; }
  long double impact_losses() const { return impact_; }
  /// H at the start, before what touches there was hit.
  long double start_energy() const { return start_energy_; }
  /// Largest speed (mass norm) and contact multiplier so far.
  double fastest() const { return fastest_; }
  double largest_psi() const { return largest_psi_; }
  void note_speed();
  void note_speed(double speed);
  void note_multipliers(const ConstVectorRef& psi);
  /// The step in which the next pieces lie.
  void set_step(double h) { step_ = h; }
  /// Pieces begin with a projection onto their constraints, so that an event leaves small gaps to it.
  void leave_gaps() { leaves_gaps_ = true; }
  void save(Mark& mark) const;
  void undo(const Mark& mark);
  void serialize(Archive& archive);
  ///@}

  /// \name Events
  ///@{
  void start(double t0, const Vector& q0, const Vector& p0);
  /// The state goes on from here, with the contacts that are closed in it.
  void restore(const State& checkpoint);
  /// Impacts of the contacts that touch, then: which of them stay closed, and which of those stick. letting_go:
  /// contacts that stuck and whose friction has reached its limit; stopping: those that slid and whose slip rate has
  /// reached zero.
  void settle(const Contacts& landing, const Contacts& opening, const Contacts& letting_go = {},
              const Contacts& stopping = {});
  /// A released contact is an open one like others as soon as its gap, measured in `now`, has opened.
  void forget_released(const Gaps& now);
  /// Will friction stop the motion from z within a time `remaining`, so soon that the deceleration is constant until
  /// then?
  bool stops(const State& z, double remaining);
  /// The last bit of that motion, to where it stops; and on from there.
  void stop(const State& z);
  void start_again();
  /// Time passes at rest: all of it, or until forces that depend on time overcome friction. Returns how much.
  double rest(double remaining);
  ///@}

  /// \name Quantities of a state
  ///@{
  /// Throws CannotEvaluate.
  void stop_if_interrupted() const;
  bool is_key(const Key& key) const;
  Phase& phase(const Key& key);
  /// All contacts closed, and all that have friction sliding.
  Phase& everything();
  /// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
  void consistent(Phase& phase, const State& z);
  /// Do forces or constraints depend on time?
  bool changes_with_time() const;
  /// What is at least zero as long as a phase lasts, after its accelerations and multipliers were solved for at (t, q,
  /// v): one entry a closed contact, psi; with Coulomb friction then mu psi - |T| of those that stick, and after these
  /// the slip rate of those that slide, to their side. Infinity where there is no such thing.
  void margins(Phase& phase, double t, const Vector& q, const Vector& v, Vector& out) const;
  /// q' and M(q) v, each valid until the next call.
  const Vector& velocity(const Vector& q, const Vector& p) const;
  const Vector& momentum(const Vector& q, const Vector& v) const;
  void measure(const State& z, Gaps& out) const;
  /// Second derivatives of the rows (g, -c, d) for the acceleration a.
  Vector row_accelerations(const State& z, const Vector& a) const;
  Vector gap_accelerations(const State& z, const Vector& a) const;
  double gap_tolerance(Index contact) const { return gap_tolerance_[contact]; }
  long double energy_of(const State& z);
  double norm(const Vector& q, const Vector& v) const;  ///< (v^T M(q) v)^1/2
  double speed(const State& z) const;                   ///< that of q'
                                                        ///@}

 private:
  void set_restitutions();
  void require_fit(const Archive& archive) const;
  Key key() const { return {state_.closed, state_.slip}; }
  void enter(const Key& key, const Vector& held);
  void take_hold();
  bool stays();
  bool is_frictional(Index contact) const { return coulomb_ && coulomb_->friction_coefficients()[contact] > 0; }
  int slip_of(Index contact) const;
  Vector slips(const State& z) const;
  double rounding_of_slip(Index contact) const;
  Vector held_now(const Key& key) const;
  Contacts with_friction(const Contacts& contacts) const;
  std::vector<int> sides(const Contacts& letting_go, const Contacts& rubbing);
  Vector impulses(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing, const Vector& rates,
                  const Vector& restitution) const;
  Key choose(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing, const Contacts& candidates,
             const std::vector<int>& side);
  void loosen_dependent(const Matrix& compliance, const Contacts& all, const Contacts& rubbing, Key& chosen) const;
  Key choose_closed(const Contacts& candidates);
  void share_forces(Phase& phase) const;
  void take_up(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing, const Key& chosen);
  void lift_out(const Key& key);
  bool is_held(double t);
  double rest_held(double remaining);
  bool at_rest_under_friction(const Phase& phase) const;
  void set_in_motion();
  bool holds(double t, Vector& p);
  double rebound_threshold(Index contact) const;
  void record(EventKind kind, Index contact, double energy_change);

  std::shared_ptr<const System> system_, closed_;
  ContactOptions options_;
  Vector restitutions_;  // one an obstacle
  bool dependent_;       // constraints may repeat others
  bool leaves_gaps_ = false;
  ConstraintRank rank_;
  const volatile std::sig_atomic_t* interrupt_;
  Index m_, n_contacts_;
  const CoulombFriction* coulomb_;  // null: without
  std::map<Key, Phase> phases_;
  Phase* phase_ = nullptr;
  InvariantMonitor energy_;

  State state_;
  Contacts open_;
  bool resting_ = false;
  std::vector<ContactEvent> events_;
  long double start_energy_ = 0, impact_ = 0;
  double step_ = 0, fastest_ = 0, largest_psi_ = 0;
  Vector gap_tolerance_;
  Gaps gaps_;
  Vector margins_;
  mutable Vector velocity_, momentum_, rows_, values_;
  mutable Matrix mass_matrix_;
  mutable VectorOf<Extended> extended_rows_;
};

}  // namespace gnomon
