#pragma once
/// \file
/// An integration with obstacles: smooth pieces by ordinary integrators, one for each set of closed contacts, and the
/// events between them. Private to the core; see contact.hpp for the rules.

#include <map>
#include <memory>
#include <vector>

#include "gnomon/run/event_driver.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "model/mechanical_overdetermined.hpp"

namespace gnomon {

class ContactRun final : public EventDriver {
 public:
  /// See contact_driver.
  ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
             const SolverFactory& solver, Options solver_options, const IntegratorOptions& options);

  void start(double t0, const Vector& q0, const Vector& p0) override;
  bool step(double h, StepReport& report) override;
  void undo() override;

  const State& state() const override { return state_; }
  void restore(const State& checkpoint) override;
  Vector index1_multipliers() const override;
  void serialize(Archive& archive) override;
  const std::vector<ContactEvent>& events() const override { return events_; }
  EnergyBook book() const override;
  long double impact_losses() const override { return impact_; }
  double deepest_penetration() const override { return deepest_; }
  const Promises& promises() const override { return promises_; }
  const RunCounters& counters() const override { return counters_; }
  StepEquations& equations() override;

 private:
  using Contacts = std::vector<Index>;

  /// Everything that belongs to one set of closed contacts.
  struct Phase {
    std::shared_ptr<ContactModel> model;
    std::unique_ptr<Integrator> integrator;
    std::shared_ptr<MechanicalOverdetermined> dae;
    std::unique_ptr<Index1> index1;
    Vector a, psi;  // accelerations and multipliers, as last solved for
    bool frictional() const { return model->parts().friction; }
    void solve_index1(double t, const Vector& q, const Vector& v) {
      dae->hold(t);
      index1->solve(q, v, a, psi);
    }
  };
  /// An event that was found in a step: when, at which contact.
  struct Found {
    double s;
    EventKind kind;
    Index contact;
  };

  Phase& phase(const Contacts& contacts);
  bool is_set(const Contacts& contacts) const;
  void require_fit(const Archive& archive) const;
  void enter(const Contacts& contacts);
  Integrator& integrator_of(Phase& phase);
  void leave_inner_state();
  bool fail(const std::string& why, StepReport& report);
  void add_counters(const RunCounters& before);

  bool take(double& span, double h, StepReport& report);
  bool find(double span, Found& found);
  bool find_landing(Index contact, double span, double& s);
  bool find_launch(std::size_t k, double at_end, double span, double& s);
  template <class Offer>
  void find_dips(double span, Offer&& offer);
  template <class F>
  double root(double a, double fa, double b, double fb, F&& f) const;
  const State& after(double s);
  void stop_if_interrupted() const;

  void settle(const Contacts& landing, const Contacts& opening);
  Contacts choose_closed(Contacts candidates);
  void lift_out(const Contacts& closed);
  bool at_rest_under_friction(const Phase& phase);
  bool stops(double remaining);
  void turn();
  void set_in_motion();
  bool holds(double t, Vector& p);
  double rest(double remaining);
  void book_smooth();

  void consistent(Phase& phase, const State& z);
  /// q' and M(q) v, each valid until the next call.
  const Vector& velocity(const Vector& q, const Vector& p) const;
  const Vector& momentum(const Vector& q, const Vector& v) const;
  /// c and its rate, one entry an obstacle.
  struct Gaps {
    Vector c, rate;
  };
  void measure(const State& z, Gaps& out) const;
  Vector gap_accelerations(const State& z, const Vector& a) const;
  void forget_released();
  double gap_tolerance(Index contact) const { return gap_tolerance_[contact]; }
  long double energy_of(const State& z);
  double norm(const Vector& q, const Vector& v) const;  ///< (v^T M(q) v)^1/2
  double speed(const State& z) const;                   ///< that of q'
  double rebound_threshold(Index contact) const;
  bool located() const { return options_.contact.mode == ContactMode::event_driven; }
  void record(EventKind kind, Index contact, double energy_change);

  std::shared_ptr<const System> system_, closed_;
  const Scheme& scheme_;
  Options scheme_options_;
  const SolverFactory& solver_;
  Options solver_options_;
  IntegratorOptions options_;
  Index m_, n_contacts_;
  std::map<Contacts, Phase> phases_;
  Phase* phase_ = nullptr;
  InvariantMonitor energy_;
  Promises promises_;
  RunCounters counters_;

  State state_, before_, after_;
  Contacts open_;
  bool resting_ = false;
  std::vector<ContactEvent> events_;
  long double start_energy_ = 0, now_energy_ = 0, impact_ = 0, defect_ = 0;
  double step_ = 0, deepest_ = 0;
  long solves_left_ = 0;                  // to locate events in the present step
  double fastest_ = 0, largest_psi_ = 0;  // largest speed (mass norm) and contact multiplier so far
  Vector gap_tolerance_;

  /// Everything that a failed step must leave as it was.
  struct Saved {
    State state, inner;
    Phase* phase = nullptr;
    Contacts open;
    std::size_t events = 0;
    long double impact = 0, defect = 0, now = 0;
    bool resting = false;
    double deepest = 0, fastest = 0, largest_psi = 0;
  };
  Saved saved_;
  Gaps gaps_before_, gaps_after_, gaps_now_;
  Contacts kept_closed_, kept_released_;
  Vector kept_lambda_, psi_at_start_, psi_in_middle_, psi_at_end_, middle_q_, middle_v_;
  mutable Vector velocity_, momentum_, rows_, values_;
  mutable Matrix mass_matrix_;
};

}  // namespace gnomon
