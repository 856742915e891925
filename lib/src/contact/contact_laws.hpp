#pragma once
/// \file
/// The laws of contact at an event, apart from the smooth pieces between events: impacts, the choice of the contacts that
/// stay closed, stops and rest under friction. Private to the core; see contact.hpp for the rules.

#include <csignal>
#include <map>
#include <memory>
#include <vector>

#include "gnomon/run/contact_options.hpp"
#include "gnomon/run/events.hpp"
#include "gnomon/run/monitor.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "model/mechanical_overdetermined.hpp"

namespace gnomon {

/// A state of a system with obstacles, the contacts that are closed there, and what happens to both at an event. Whoever
/// integrates the smooth pieces gives the state after each piece and says what happened there:
///
///     start(t, q, p);                             // phase() is the model of the first piece
///     ... state() = the end of a piece; settle(landing, opening);   // phase() is the model of the next
///
/// and while resting() nothing moves and rest() lets time pass. Keeps the events and what impacts lost.
class ContactLaws {
 public:
  using Contacts = std::vector<Index>;

  /// Everything that belongs to one set of closed contacts.
  struct Phase {
    std::shared_ptr<ContactModel> model;
    std::shared_ptr<MechanicalOverdetermined> dae;
    std::unique_ptr<Index1> index1;
    Vector a, psi;  // accelerations and multipliers, as last solved for
    bool frictional() const { return model->parts().friction; }
    void solve_index1(double t, const Vector& q, const Vector& v) {
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
    Contacts open;
    std::size_t events = 0;
    long double impact = 0;
    bool resting = false;
    double fastest = 0, largest_psi = 0;
  };

  /// `interrupt`: null, or what is not zero when the run is to stop. Throws Error(bad_value) for a restitution outside
  /// [0, 1] and a zeno speed that is none.
  ContactLaws(std::shared_ptr<const System> system, const ContactOptions& options,
              const volatile std::sig_atomic_t* interrupt);

  const std::shared_ptr<const System>& system() const { return system_; }
  Index m() const { return m_; }
  Index n_contacts() const { return n_contacts_; }
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
  void save(Mark& mark) const;
  void undo(const Mark& mark);
  void serialize(Archive& archive);
  ///@}

  /// \name Events
  ///@{
  void start(double t0, const Vector& q0, const Vector& p0);
  /// The state goes on from here, with the contacts that are closed in it.
  void restore(const State& checkpoint);
  /// Impacts of the contacts that touch, then: which of them stay closed.
  void settle(const Contacts& landing, const Contacts& opening);
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
  bool is_set(const Contacts& contacts) const;
  /// The phase of a set of closed contacts.
  Phase& phase(const Contacts& contacts);
  /// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
  void consistent(Phase& phase, const State& z);
  /// q' and M(q) v, each valid until the next call.
  const Vector& velocity(const Vector& q, const Vector& p) const;
  const Vector& momentum(const Vector& q, const Vector& v) const;
  void measure(const State& z, Gaps& out) const;
  Vector gap_accelerations(const State& z, const Vector& a) const;
  double gap_tolerance(Index contact) const { return gap_tolerance_[contact]; }
  long double energy_of(const State& z);
  double norm(const Vector& q, const Vector& v) const;  ///< (v^T M(q) v)^1/2
  double speed(const State& z) const;                   ///< that of q'
                                                        ///@}

 private:
  void require_fit(const Archive& archive) const;
  void enter(const Contacts& contacts);
  Contacts choose_closed(Contacts candidates);
  void lift_out(const Contacts& closed);
  bool at_rest_under_friction(const Phase& phase) const;
  void set_in_motion();
  bool holds(double t, Vector& p);
  double rebound_threshold(Index contact) const;
  void record(EventKind kind, Index contact, double energy_change);

  std::shared_ptr<const System> system_, closed_;
  ContactOptions options_;
  const volatile std::sig_atomic_t* interrupt_;
  Index m_, n_contacts_;
  std::map<Contacts, Phase> phases_;
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
  mutable Vector velocity_, momentum_, rows_, values_;
  mutable Matrix mass_matrix_;
};

}  // namespace gnomon
