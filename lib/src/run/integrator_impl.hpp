#pragma once
/// \file
/// What an Integrator consists of: starting is in integrator.cpp, steps in integrator_step.cpp, those of a tolerance in
/// integrator_tolerance.cpp, what a checkpoint holds in integrator_checkpoint.cpp.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/formula/winding.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "gnomon/run/event_driver.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/start/border.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "run/bordered_step.hpp"
#include "run/connected_root.hpp"
#include "run/refinement.hpp"
#include "run/state_checks.hpp"
#include "run/step_control.hpp"
#include "run/switches/switch_watch.hpp"
#include "start/rank_condition.hpp"

namespace gnomon {

struct Integrator::Impl {
  std::shared_ptr<const Model> model;
  IntegratorOptions options;
  Binding binding;
  struct Solve {
    std::unique_ptr<ScaledEquations> scaled;
    std::unique_ptr<NonlinearSolver> solver, fallback;
    Vector x;                    // the unknown: unscaled for the scheme, scaled in place for the solver
    Vector start;                // scaled, of the last repetition
    Vector first, xs, residual;  // scaled, for ConnectedRoot: the start value of the first repetition, x, F
    bool nearest = false;        // of its equations: see NearestSolution
    std::unique_ptr<Refinement> refinement;
  };
  std::vector<Solve> solves;  // one a system
  State z, next;
  std::vector<State> backups;  // one a level of halving
  InvariantMonitor monitor;
  PromiseWatch watch;
  RunCounters counters;
  StepControl control;
  std::vector<Observer*> observers;
  std::unique_ptr<EventDriver> driver;  // of a system with obstacles: then binding and solves are empty
  ConstraintRank rank;
  Promises bound;  // those of bind; binding.promises are those of the run
  SingularPosition singular;
  std::optional<RankCondition> condition;   // of a mechanical system whose G, or (G, B), has full rank at the start
  static constexpr double most_turned = 2;  // rad, by an angle in one step
  Vector angles, angles_before;             // those of the model that count their turns, and at z
  SwitchWatch switches;
  enum class AtSwitches {
    watch,    // an attempt that passes one is none
    measure,  // no attempt is taken
    pass      // every one is
  };
  AtSwitches at_switches = AtSwitches::watch;
  bool passed_switch = false;  // by the last attempt, which was not taken for that
  double dips_at = 1;          // part of that attempt after which one may be passed between its ends
  std::vector<ContactEvent> flipped;
  double start_condition = 1;
  double pivot_ratio = 1, largest_pivot = 0, checked_at = 1;  // of the last step, in the run, at the last check
  Checkpoint::Identity identity;                              // of whose checkpoints it takes
  std::string scheme_name;
  const SolverFactory* factory;
  const Scheme* scheme;
  Options scheme_options;
  std::shared_ptr<Border> border;    // of constraints that repeat others; null: none does
  BorderedStep* bordered = nullptr;  // the equations, where there is one
  Options solver_options;
  bool started = false;
  bool warming_up = false;
  double short_step = 0;     // of that at the start of the run
  ConnectedRoot::Path path;  // from the start of a step to its solution
  double largest_doubt = 0;  // of the solves of the last step
  bool keeps_solved_steps = false;
  std::vector<Vector> solutions;                             // of the solves of the last attempt, where they are kept
  std::vector<SolvedStep> solved_steps, spare_solved_steps;  // of the last step, and their storage
  bool spares = false;         // a step that costs much more than a shorter one is not taken
  bool costly = false;         // whether the last attempt did, or would have,
  bool spared = false;         // and was given up for it
  bool on_constraints = true;  // false: the state that a restart gave violates them

  Impl(std::shared_ptr<const Model> integrated, const Scheme& scheme, const Options& scheme_options,
       const SolverFactory& factory, const Options& solver_options, IntegratorOptions o);
  void identify(const Scheme& scheme, const Options& scheme_options, const SolverFactory& factory,
                const Options& solver_options);
  void attach();
  /// Looks for constraints that repeat others, where `rank` says so, and binds the scheme to a system without.
  void find_border(double t, const Vector& q);
  /// The angles of z and the quarter turns near them.
  void find_turns();
  /// Those at a start.
  std::vector<int> turns_at(double t0, const ConsistentStart& start, const std::vector<int>& near);
  /// Of an attempted step: empty, with the quarter turns of `next` moved; or the angle that turns by more than can be
  /// told.
  std::string turn_text();
  /// After an attempted step of h: whether a switch changed its side within it.
  bool passes_switch(double h);
  void arrive_at_switches(double h, StepReport& report);
  void note_switch(Index which, StepReport& report);
  bool measure_after(double x, StepReport& report);
  std::pair<double, double> locate_switch(Index which, double at_start, double right, double at_right, double way);
  bool end_at_switch(double& h, StepReport& report);
  bool find_end_at_switch(double& h, StepReport& report);
  void forget_flips(std::size_t known);
  bool flip(Index which, StepReport& report);
  bool through_switches(double h, int level, StepReport& report);
  double kept_before_switch(double h, StepReport& report);
  bool halve(double h, int level, StepReport& report);
  void set_border(std::shared_ptr<Border> found);
  static std::unique_ptr<NonlinearSolver> attached(const SolverFactory& factory, const Options& solver_options,
                                                   const std::string& scheme, ScaledEquations& scaled);
  void count(const SolveReport& report);
  /// One step of h from z; z is untouched unless it succeeds.
  void keep_solved_step(double h);
  void drop_solved_steps(std::size_t from);
  bool attempt(double h, StepReport& report);
  /// Whether the step under way is given up for that cost, see StepControl::spares.
  bool spare(double cost);
  /// StepControl::newton_cost of the largest of the systems that a step solves.
  double newton_cost() const;
  /// What the solves of a step are for: its solution, that of a part of it on a path, or its solution again, which is
  /// to be the end of the path.
  enum class Purpose { step, path, end };
  /// The solves of a step of h from z.
  bool solve_all(double h, Purpose purpose, StepReport& report);
  void keep_solution(Index k, const Vector& x);
  /// The start value of solve k, scaled.
  void set_start(Index k, int repetition, Purpose purpose, Solve& solve);
  /// Solves with both solvers; the one that found the solution.
  NonlinearSolver* solve_one(Solve& solve, SolveReport& report);
  /// Of whether the solution solve.x, unscaled, is the root next to its start value, from where the solve went this way
  /// with so many Newton matrices: it is where this is at most one.
  double doubt(Solve& solve, NonlinearSolver& solver, double way, bool repeated, long matrices, Purpose purpose,
               bool refined, const SolveReport& solved) const;
  /// Whether the solution of solve k is that at the end of the path.
  bool ends_path(Index k, Solve& solve, NonlinearSolver& solver, bool refined) const;
  /// Whether the solution of a step of h is connected with its start, see ConnectedRoot; if so it is solved again.
  bool follow(double h, StepReport& report);
  /// Iterative refinement of the solution solve.x, which the solver reported as `solved`.
  Refinement::Report refine(Solve& solve, NonlinearSolver& solver, const SolveReport& solved);
  /// The other solver, from the same start value.
  void fall_back(Solve& solve, SolveReport& report);
  static bool fail(StepReport& report, SolveStatus status, const std::string& why);
  /// Why a step of a tolerance was rejected.
  std::string too_large() const;
  /// "; it is taken by a and b with default options", of the schemes that are known, or nothing.
  std::string estimators() const;
  /// One step of h, cut into halves where refused and allowed. On failure z is as before.
  bool attempt_or_halve(double h, int level, StepReport& report);
  /// One step whose result is thrown away, so that what a linear solver allocates at its first factorisation is
  /// allocated before the run. The scaled equations hardly depend on h: any step that is short for the start will do.
  /// Its failure means nothing.
  void warm_up(double h);
  /// From the state of a run whose start was not seen, and whose accelerations are not known.
  void warm_up();
  void forget_matrices();
  void serialize_solvers(Archive& archive);
  void serialize(Archive& archive);
  /// z and rank, just read, are of this model. Throws Error(bad_file).
  void require_fit(const Archive& archive) const;
  /// Begins the monitor at z. Throws Error(not_finite) where something of it is not finite.
  void watch_start(long double added_energy);
  /// What start() does beside setting the state.
  void resume();
  /// The same for a control of steps that was read.
  void resume_control(const Archive& archive);
  /// Looks for a singular position after a step with a small pivot, or at one that failed.
  bool near_singular_position();
  /// Sets `condition`, for a mechanical system whose G, or (G, B), has full rank. With a driver its integrators watch.
  void prepare_rank_watch();
  /// The same, and begins the watch at z.
  void begin_rank_watch();
  void watch_rank();
  /// Going back to a state takes back what was found after it.
  void forget_singular_after(const State& from);
  void serialize_rank_watch(Archive& archive);
  std::string remedies(SolveStatus status);
  /// What a failed step of h is due to; empty where nothing is found.
  std::string cause_of(double h, SolveStatus status) const;
  const Promises& promises() const { return driver ? driver->promises() : binding.promises; }
  void check_promises() { watch.check(z, counters.steps, promises(), monitor); }
  bool notify();
  /// One step of a system with obstacles or friction; judged by its error where control.judges.
  bool driven_step(double h, StepReport& report);
  void one_step(double h, StepReport& report);
  bool take_step(double h, StepReport& report);
  /// One accepted step of a tolerance; `rest` is what is left to the end, with its sign. Leaves the size of the last
  /// try in h.
  bool take_controlled_step(double rest, double& h, StepReport& report);
  /// Steps of a tolerance, at most `count`, until t_end.
  StepReport controlled_steps(double t_end, long count);
  void set_tolerances(const Tolerances& tolerances, const StepLimits& limits);
  /// From now on steps estimate their errors, or no longer; returns their order, 0 without an estimate.
  int estimate_errors(bool on);
  bool estimating = false;
  /// What both kinds of steps end with, whether they succeeded or not.
  void record_step(bool success, double h, StepReport& report, const RunCounters& before);
  /// After a step that was given up: the monitor has seen where it would have led.
  void measure_again();
};

}  // namespace gnomon
