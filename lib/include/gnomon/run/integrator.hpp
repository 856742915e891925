#pragma once
/// \file
/// Integrator: one Model, one Scheme, one NonlinearSolver; steps of a size the user chooses, or of a tolerance.

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/run/contact_options.hpp"
#include "gnomon/run/events.hpp"
#include "gnomon/run/monitor.hpp"
#include "gnomon/run/promise_watch.hpp"
#include "gnomon/run/tolerances.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

/// Totals over a run.
struct GNOMON_EXPORT RunCounters {
  long steps = 0;
  long iterations = 0;
  long residual_evaluations = 0;
  long jacobian_evaluations = 0;
  long factorisations = 0;
  long repeated_solves = 0;  ///< solves that the scheme asked to repeat: augmented Lagrange iterations but the last
  long fallback_solves = 0;  ///< solves that only IntegratorOptions::fallback finished
  /// Steps that were cut into substeps; those of a tolerance that were tried again with a fourth, or, for their cost,
  /// with a half.
  long refused_steps = 0;
  long error_test_failures = 0;  ///< tries of a step of a tolerance whose estimated error was too large
  /// Of iterative refinement: residuals in extended precision, and solves that stayed as the solver left them although
  /// the scheme offers them.
  long refinement_passes = 0, unrefined_solves = 0;
  /// Steps whose solution was followed from h -> 0, because nothing cheaper could tell that it is connected with the
  /// start of the step, and those of them where it is not: they are refused.
  long followed_steps = 0, unconnected_steps = 0;
  /// Switches of the model that steps ended at; those that steps of one size went over, and the sum of h times the
  /// largest change of an acceleration there: what velocities may be off by.
  long switches = 0, overstepped_switches = 0;
  double overstepped_change = 0;
  void serialize(Archive& archive);
};

/// What one step, or a sequence of steps, did.
struct StepReport {
  SolveStatus status = SolveStatus::converged;
  double t = 0;                                 ///< time reached
  long steps = 0;                               ///< steps taken by this call
  SolveReport last;                             ///< of the last solve
  long fallback_solves = 0, refused_steps = 0;  ///< of RunCounters, those of this call
  std::string message;                          ///< empty on success: what failed, at which time, with which residual
  bool stopped_by_observer = false;
  bool at_switch = false;  ///< a switch of the model changed in it
  bool success() const { return status == SolveStatus::converged; }
};

/// Reads the run; may stop it. Never changes the state.
class GNOMON_EXPORT Observer {
 public:
  virtual ~Observer() = default;
  /// Called after start and after every step; false stops the run.
  virtual bool observe(const State& z, long step) = 0;
};

class EventDriver;
struct IntegratorOptions;
/// Makes what takes the steps of a system with obstacles, see event_driver.hpp.
using EventDriverMaker = std::unique_ptr<EventDriver> (*)(std::shared_ptr<const System> system, const Scheme& scheme,
                                                          const Options& scheme_options, const SolverFactory& solver,
                                                          const Options& solver_options,
                                                          const IntegratorOptions& options);

struct IntegratorOptions {
  JacobianSource jacobian = JacobianSource::analytic;
  const AlgebraFactory* algebra = nullptr;  ///< the user's own linear algebra, before the solver's option; outlives it
  /// Linear algebra by name, for derivatives of steps; Registry::integrator fills it in.
  const AlgebraTable* algebras = nullptr;
  bool project_start = false;  ///< repair an inconsistent start in the mass metric
  ContactOptions contact;      ///< for systems with obstacles
  /// contact_driver of gnomon/contact/contact.hpp, for systems with obstacles; Registry::integrator fills it in.
  EventDriverMaker event_driver = nullptr;
  /// The ladder for a step on which the solver fails: this solver, with its default options, from the same start value;
  /// then two steps of half the size, each with both solvers. Null: no other solver. It lives as long as the
  /// integrator.
  const SolverFactory* fallback = nullptr;
  /// The step under way is given up, as failed, as soon as this is not 0: a signal handler may set it. Null: never.
  const volatile std::sig_atomic_t* interrupt = nullptr;
  /// Cut a refused step into up to 2^max_halvings substeps; 0: a refused step ends the run. -1: 6 where the scheme
  /// takes variable steps (Promises::variable_steps), else 0.
  int max_halvings = -1;
  /// Names of the schemes that take a tolerance for the model with their default options, for refusals of those that do
  /// not; Registry::integrator fills it in.
  std::function<std::vector<std::string>()> estimators;
};

/// Where the constraints come close to losing rank, the smallest pivot of a Newton matrix falls with the square of the
/// distance. Found where it is, by the largest pivot, a thousandth of what it was at most in the run, and the condition
/// number of G M^-1/2, rows scaled to length one, is more than thirty times that of the start. (A run with steps of h
/// over a position with speed v comes as close as v h/2: no fixed small number is reached at every step size.)
struct SingularPosition {
  long step = 0;               ///< the first such step; 0: none
  double t = 0;                ///< at its end
  double pivot_ratio = 0;      ///< of its Newton matrix
  double velocity_before = 0;  ///< largest hidden constraint error up to there
};

/// A step: from where, over what, and the unknowns of its solves, unscaled, in their order. The history of the start is
/// left out.
struct SolvedStep {
  State start;
  double h = 0;
  std::vector<Vector> solutions;
};

class GNOMON_EXPORT Integrator {
 public:
  /// Throws Error(refused) when scheme, solver and model do not fit together. A System with obstacles c(q) >= 0 is run
  /// by options.event_driver, with the contacts that options.contact describes, unless the scheme holds obstacles
  /// itself; scheme and solver factory must then outlive the integrator.
  /// The state of an overdetermined DAE is q = y, p = p(y,z), scheme_data = z.
  Integrator(std::shared_ptr<const Model> model, const Scheme& scheme, const Options& scheme_options,
             const SolverFactory& solver, const Options& solver_options, IntegratorOptions options = {});
  ~Integrator();
  Integrator(Integrator&&) noexcept;

  /// Checks the data (see check_start) and what the model declares (see check_declarations), sets the state, resets
  /// monitor and counters. After this nothing allocates. Data that is refused leaves a run as it was; where
  /// the scheme then fails at the start, or with obstacles, the integrator is not started.
  /// An overdetermined DAE starts from y0 and z0. Angles are counted from `near`, State::turns of a run that this one
  /// goes on from with another model of the same coordinates; empty: from none.
  void start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& near = {});
  /// Goes on from t, q and p (work and counters too) of a state of this model, in particular after an event that
  /// changed p: what schemes keep of earlier steps is forgotten, monitor and counters go on, and what the change made
  /// of energy and momentum maps is no error. Instead of start() where the state is known to be good: there are no
  /// checks.
  void restart(const State& from);
  /// Goes on from a state that this integrator has had; a singular position after that is forgotten.
  void restore(const State& checkpoint);
  /// Writes everything that a restart needs to go on bit by bit: the state with what the scheme carries, monitor,
  /// counters, contacts and what the solvers keep. `note` is the caller's own text, see read_checkpoint. The file
  /// appears whole or not at all, whatever happens meanwhile: it is written under another name, stored and renamed.
  /// Throws Error(bad_file), and Error(bad_value) when the integrator was not started.
  void save(const std::string& file, const std::string& note = {}) const;
  /// Instead of start(): goes on from a file that save() of an integrator with the same model, scheme, solver and
  /// options wrote. Throws Error(bad_file) when the file is damaged or was written by another one; the integrator is
  /// then as it was.
  void load(const std::string& file);
  /// One step of size h != 0. On failure the state is as before the call. Throws Error(bad_value) for h = 0 or not
  /// finite.
  StepReport step(double h);
  /// The same, or a shorter one that ends at a switch of the model, StepReport::at_switch.
  StepReport step_to_switch(double h);
  /// Steps of size h until t_end; the last one is shortened to arrive, unless t_end is within 1e-9 h of the grid.
  StepReport advance_to(double t_end, double h);
  /// `count` steps of size h.
  StepReport advance(long count, double h);

  /// From now on there are steps of a tolerance: step_to() and advance_to(t_end). Before or after start(), and again
  /// between two steps of a run, whose next step is then chosen anew if they changed. In a run that has begun without,
  /// what the scheme keeps of earlier steps is forgotten. step(h) and advance(count, h) stay what they are.
  /// A step with contacts or friction may go over events, which are found to rounding: its error is the sum of those of
  /// its smooth pieces, and a rejected one takes its events back.
  /// Throws Error(bad_value) for tolerances that are not above zero or below what rounding lets steps of the scheme's
  /// order meet (start() does, where that comes later) and for limits that contradict each other, Error(bad_size), and
  /// Error(refused) with the reason for a scheme that takes no steps of varying size or has no estimate of its error,
  /// and for contacts in ContactMode::time_stepping.
  void set_tolerances(const Tolerances& tolerances, const StepLimits& limits = {});
  /// Null: there are none.
  const Tolerances* tolerances() const;
  const StepLimits& step_limits() const;
  /// One accepted step of a tolerance towards t_end, which it does not pass; none where it is there, within the
  /// rounding of t. A try with too large an error is repeated with a smaller step, one on which the solver fails with a
  /// fourth. The last two steps share what is left, so that none is tiny. Fails where the step would fall below
  /// StepLimits::smallest or the rounding of t; the state is then as before the call. Such a run is not symmetric and
  /// not symplectic. Throws Error(bad_value) without tolerances.
  StepReport step_to(double t_end);
  /// Steps of a tolerance until t_end: the state is a state of the scheme there.
  StepReport advance_to(double t_end);
  const StepEstimates& step_estimates() const;

  void add_observer(Observer& observer);
  const State& state() const;
  /// The multipliers that belong to state() by itself, as accurate as q and p are, whatever the scheme: see
  /// index1_multipliers in consistent_start.hpp. With obstacles there is one for each of them, too. It allocates.
  Vector index1_multipliers() const;
  const InvariantMonitor& monitor() const;
  /// Of this run: one with halved steps is not symmetric or symplectic any more.
  const Promises& promises() const;
  /// Promises that the monitor saw broken, at the gates of PromiseWatch: after steps 1, 2, 4, 8, ... of the run, at the
  /// end of each call that took several steps, and where check_promises() was called. An Observer that returns false
  /// when there is one stops the run there.
  const std::vector<BrokenPromise>& broken_promises() const;
  /// The same after a check now.
  const std::vector<BrokenPromise>& check_promises();
  const RunCounters& counters() const;
  /// Events and energy book of a system with obstacles; for others the switches that steps ended at, and a book of
  /// zeros.
  const std::vector<ContactEvent>& events() const;
  EnergyBook energy_book() const;
  /// The rank of the constraints at the start, and those that repeat others.
  const ConstraintRank& constraint_rank() const;
  /// Where G nearly lost its rank; with obstacles, where the constraints of a phase did, closed contacts among them.
  const SingularPosition& singular_position() const;
  /// Deepest penetration at an event, in units of c.
  double deepest_penetration() const;
  const Model& model() const;
  const IntegratorOptions& options() const;
  /// The model as a System. Throws Error(refused) for an overdetermined DAE.
  const System& system() const;
  /// As StepEquations::estimate_errors, for who judges the steps from outside; start() and restart() keep it.
  int estimate_errors(bool on);
  /// Whether solved_steps() are kept. Off at first.
  void keep_solved_steps(bool on);
  /// The last step, for who takes it again: itself or the shorter ones that it was cut into.
  const std::vector<SolvedStep>& solved_steps() const;
  StepEquations& equations();
  const StepEquations& equations() const;
  /// What the solvers keep from solve to solve, and what was seen of the rank, for the checkpoint of an EventDriver.
  void serialize_solvers(Archive& archive);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gnomon
