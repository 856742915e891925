#pragma once
/// \file
/// An integration with obstacles or friction: smooth pieces by ordinary integrators, one for each set of closed
/// contacts and the way they slip, and the events between them, which ContactLocation finds and which follow
/// ContactLaws. Private to the core; see contact.hpp for the rules.
///
/// The errors e_i of the pieces of a step of a tolerance, of lengths s_i, are added up: the error at the end of the
/// step is, to leading order, the sum of what each piece leaves, carried on by the maps behind it, whose derivatives
/// are 1 + O(h), and of order one at impacts. A piece is judged over all that is left of the step, before its events
/// are looked for: they are found on a solution that is true to the tolerance. Where an event cuts it to s it counts as
/// e_i (s/s_i)^(p+1), which needs no other estimate. Events are located to rounding, not to a part of the tolerance: a
/// gap that a closed contact begins with is a velocity in the next step, and energy.

#include <map>
#include <memory>
#include <vector>

#include "contact/contact_laws.hpp"
#include "contact/contact_location.hpp"
#include "gnomon/run/event_driver.hpp"

namespace gnomon {

class ContactRun final : public EventDriver {
 public:
  /// See contact_driver.
  ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
             const SolverFactory& solver, Options solver_options, const IntegratorOptions& options);

  void start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& turns) override;
  bool step(double h, StepReport& report, StepJudge* judge = nullptr) override;
  int estimate_errors(bool on) override;
  bool interrupted() const override { return contact_.events().size() > saved_.contact.events; }
  bool waits() const override { return contact_.resting() && quantities_.changes_with_time(); }
  void undo() override;

  const State& state() const override { return contact_.state(); }
  void restore(const State& checkpoint) override;
  Vector index1_multipliers() const override;
  void serialize(Archive& archive) override;
  const std::vector<ContactEvent>& events() const override { return contact_.events(); }
  EnergyBook book() const override;
  long double impact_losses() const override { return contact_.impact_losses(); }
  double deepest_penetration() const override { return deepest_; }
  const Promises& promises() const override { return promises_; }
  const RunCounters& counters() const override { return counters_; }
  const ConstraintRank& constraint_rank() const override { return contact_.constraint_rank(); }
  const SingularPosition& singular_position() const override { return singular_; }
  StepEquations& equations() override;
  void keep_solved_steps(bool on) override;
  const std::vector<SolvedStep>& solved_steps() const override {
    return integrator_ ? integrator_->solved_steps() : none_;
  }

 private:
  Integrator& integrator_of(const ContactPhase& phase);
  void enter_piece();
  void leave_piece();
  void warm_up();
  bool fail(const std::string& why, StepReport& report);
  void add_counters(const RunCounters& before);
  void book_smooth();

  void save_step(double h);
  bool whole_step(double h, StepReport& report, StepJudge* judge);
  bool forward(double h, StepReport& report, StepJudge* judge);
  bool backward(double h, StepReport& report, StepJudge* judge);
  double hold_directions(double remaining);
  bool piece(double& remaining, double h, StepReport& report, StepJudge* judge);
  bool take(double& span, double h, StepReport& report);
  bool turns_round(const State& reached, double span);
  double stopping_time(double span);
  bool judge_piece(StepJudge& judge, StepReport& report);
  double stop_piece();
  void settle(const LocatedEvent& event);
  const State& state_after(double s);

  ContactState contact_;
  ContactQuantities& quantities_;
  ContactLaws laws_;
  ContactLocation location_;
  const Scheme& scheme_;
  Options scheme_options_;
  const SolverFactory& solver_;
  Options solver_options_;
  IntegratorOptions options_;
  Index n_contacts_;
  std::map<ContactKey, std::unique_ptr<Integrator>> integrators_;
  Integrator* integrator_ = nullptr;  // of the present phase; null: at rest in one that never moved
  Promises bound_, promises_;         // of bind, of the run
  RunCounters counters_;
  SingularPosition singular_;

  State before_, after_;
  long double now_energy_ = 0, defect_ = 0;
  double deepest_ = 0;
  long solves_left_ = 0;    // to locate events in the present step
  long refusals_left_ = 0;  // of its pieces
  bool moved_ = false;      // the integrator has left after_ to locate an event

  int order_ = 0;        // of the estimates of errors; 0: there are none
  bool judged_ = false;  // steps of the run were of a tolerance
  bool keeps_solved_steps_ = false;
  const std::vector<SolvedStep> none_;
  Vector error_q_, error_v_, piece_q_, piece_v_, sum_q_, sum_v_;

  /// Everything that a failed step must leave as it was.
  struct Saved {
    ContactState::Mark contact;
    State inner;
    Integrator* integrator = nullptr;
    SingularPosition singular;
    long double defect = 0, now = 0;
    double deepest = 0;
    long switches = 0;
  };
  Saved saved_;
  ContactGaps gaps_;
  Contacts kept_closed_, kept_released_;
  Vector kept_lambda_, way_;
};

}  // namespace gnomon
