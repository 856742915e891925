#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/run/stop_cause.hpp"
#include "gnomon/start/consistency.hpp"
#include "run/integrator_impl.hpp"
#include "start/short_time.hpp"

namespace gnomon {

namespace {

/// The state after a step, with the history of the one before as long as nobody objects: given back, as it was, unless
/// the step is kept.
class Successor {
 public:
  Successor(State& before, State& after) : before_(before), after_(after), mark_(before.history.mark()) {
    after_.take_over(before_);
  }
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;
  ~Successor() {
    if (kept_) return;
    after_.history.swap(before_.history);
    before_.history.rewind(mark_);
  }
  /// The state before becomes the one after.
  void keep() {
    before_.swap(after_);
    kept_ = true;
  }

 private:
  State &before_, &after_;
  History::Mark mark_;
  bool kept_ = false;
};

/// A scheme that asks for more repetitions of one system than this in one step has stalled.
constexpr int max_repetitions = 10000;

/// See SingularPosition.
constexpr double singular_condition = 30;

}  // namespace

void Integrator::Impl::count(const SolveReport& report) {
  counters.iterations += report.iterations;
  counters.residual_evaluations += report.residual_evaluations;
  counters.jacobian_evaluations += report.jacobian_evaluations;
  counters.factorisations += report.factorisations;
}

/// The storage of an earlier step is taken again.
void Integrator::Impl::keep_solved_step(double h) {
  SolvedStep step;
  if (!spare_solved_steps.empty()) {
    step = std::move(spare_solved_steps.back());
    spare_solved_steps.pop_back();
  }
  step.start = z;
  step.h = h;
  step.solutions = solutions;
  solved_steps.push_back(std::move(step));
}

void Integrator::Impl::drop_solved_steps(std::size_t from) {
  while (solved_steps.size() > from) {
    spare_solved_steps.push_back(std::move(solved_steps.back()));
    solved_steps.pop_back();
  }
}

bool Integrator::Impl::attempt(double h, StepReport& report) {
  passed_switch = costly = spared = false;
  try {
    if (!solve_all(h, Purpose::step, report)) return false;
    if (largest_doubt > 1 && !warming_up && (spare(StepControl::following_cost) || !follow(h, report))) return false;
    StepEquations& equations = *binding.equations;
    Successor successor(z, next);
    equations.finish(next);
    if (bordered) bordered->require_agreement();
    if (control.judges) {
      const double cost = StepControl::estimate_cost * newton_cost();
      equations.spare_estimates(spares && control.spares(cost));
      if (!equations.local_error(z, next, control.error_q(), control.error_v()))
        return !spare(cost) && fail(report, SolveStatus::evaluation_failed,
                                    "the local error cannot be estimated where G has lost rank");
      if (!control.passes(z, next)) return fail(report, SolveStatus::error_too_large, too_large());
    }
    if (!monitor.evaluate(next, equations.added_energy(next)) ||
        (equations.discrete_energy_name() != nullptr && !monitor.evaluate_discrete(equations.discrete_energy(next))))
      return fail(report, SolveStatus::evaluation_failed, "an invariant of the new state is not finite");
    next.energy_scale = std::max(z.energy_scale, monitor.size_now());
    if (!is_finite(next))
      return fail(report, SolveStatus::evaluation_failed, "multipliers or history of the new state are not finite");
    if (const std::string why = turn_text(); !why.empty()) return fail(report, SolveStatus::not_converged, why);
    if (passes_switch(h)) return false;
    angles_before.swap(angles);
    if (keeps_solved_steps) keep_solved_step(h);
    successor.keep();
    on_constraints = true;
    if (switches.any() && !warming_up) {
      switches.accept();
      arrive_at_switches(h, report);
    }
  } catch (...) {
    return fail(report, SolveStatus::evaluation_failed, thrown_text());
  }
  return true;
}

double Integrator::Impl::newton_cost() const {
  Index largest = 0;
  for (const Solve& solve : solves) largest = std::max(largest, solve.x.size());
  const Index unknowns = z.q.value().size() + z.lambda.size();
  return StepControl::newton_cost(static_cast<double>(largest) / static_cast<double>(unknowns), unknowns);
}

bool Integrator::Impl::spare(double cost) {
  costly = true;
  return spared = spares && control.spares(cost);
}

bool Integrator::Impl::solve_all(double h, Purpose purpose, StepReport& report) {
  StepEquations& equations = *binding.equations;
  equations.begin(z, h);
  pivot_ratio = 1;
  largest_doubt = 0;
  if (purpose == Purpose::path) path.expect(equations.n_solves());
  for (Index k = 0; k < equations.n_solves(); ++k) {
    Solve& solve = solves[static_cast<std::size_t>(equations.system_of(k))];
    if (warming_up) path.make_room(k, solve.x.size());
    Next then = Next::repeat;
    long matrices = 0;
    for (int repetition = 0; then == Next::repeat; ++repetition) {
      set_start(k, repetition, purpose, solve);
      const bool judged = purpose == Purpose::step && control.judges && control.moves(thresholds::smallest_size);
      solve.scaled->allow(judged ? thresholds::unsolved_motion * control.tolerances().relative : 0, &control,
                          spares && control.spares(newton_cost()));
      NonlinearSolver* solver = solve_one(solve, report.last);
      pivot_ratio = std::min(pivot_ratio, solver->pivot_ratio());
      if (report.last.status != SolveStatus::converged &&
          !(purpose == Purpose::path && ConnectedRoot::is_solved(report.last))) {
        const char* diagnosis = equations.diagnosis(k);
        return fail(report, report.last.status,
                    diagnosis ? report.last.message + "; " + diagnosis : report.last.message);
      }
      const double way = ConnectedRoot::distance(solve.x, solve.first);
      matrices = std::max(matrices, report.last.jacobian_evaluations);
      solve.scaled->to_unscaled(solve.x, solve.x);
      const Refinement::Report refined = refine(solve, *solver, report.last);
      if (!refined.solved)
        return fail(report, SolveStatus::not_converged,
                    "with the Jacobian at the solution, corrections of " + number_text(refined.last) +
                        " of the unknowns' scales remain");
      const bool on_path = purpose != Purpose::end || ends_path(k, solve, *solver, refined.offered);
      const double doubted =
          doubt(solve, *solver, way, repetition > 0, matrices, purpose, refined.offered, report.last);
      if (purpose == Purpose::path) path.found(k, solve.x);
      if (keeps_solved_steps) keep_solution(k, solve.x);
      then = equations.accept(k, solve.x);
      if (then == Next::fail || repetition == max_repetitions)
        return fail(report, SolveStatus::not_converged, equations.failure());
      if (then == Next::repeat) {
        ++counters.repeated_solves;
        continue;
      }
      largest_doubt = std::max(largest_doubt, doubted);
      if (!on_path)
        return fail(report, SolveStatus::not_converged,
                    "the solution found is not the one that h -> 0 leads to, which is another");
    }
  }
  return true;
}

void Integrator::Impl::keep_solution(Index k, const Vector& x) {
  const auto place = static_cast<std::size_t>(k);
  if (solutions.size() <= place) solutions.resize(place + 1);
  solutions[place] = x;
}

void Integrator::Impl::set_start(Index k, int repetition, Purpose purpose, Solve& solve) {
  binding.equations->predict(k, solve.x);
  if (purpose == Purpose::path && !solve.nearest) {
    if (repetition == 0)
      path.predict(k, solve.x);
    else
      path.again(k, solve.x);
  }
  solve.scaled->update_scales();
  solve.scaled->to_scaled(solve.x, solve.x);
  if (solve.fallback) solve.start = solve.x;
  if (repetition == 0) solve.first = solve.x;
}

NonlinearSolver* Integrator::Impl::solve_one(Solve& solve, SolveReport& report) {
  report = solve.solver->solve(solve.x);
  if (report.costly) spare(newton_cost());
  count(report);
  if (!solve.fallback || (!warming_up && report.status == SolveStatus::converged)) return solve.solver.get();
  fall_back(solve, report);
  return solve.fallback.get();
}

double Integrator::Impl::doubt(Solve& solve, NonlinearSolver& solver, double way, bool repeated, long matrices,
                               Purpose purpose, bool refined, const SolveReport& solved) const {
  const bool near = ConnectedRoot::is_near(way), on_path = purpose == Purpose::path;
  if (ConnectedRoot::is_nothing(way, on_path) || (!on_path && ConnectedRoot::is_fast(way, solved, matrices)) ||
      !bound.constrained_limit || ConnectedRoot::is_noise(way, *solve.scaled) ||
      (solve.nearest && ConnectedRoot::is_next(way)) || (near && repeated))
    return 0;
  constexpr double all = std::numeric_limits<double>::infinity();
  if (!near && matrices > (on_path ? ConnectedRoot::path_matrices : ConnectedRoot::step_matrices)) return all;
  solve.scaled->to_scaled(solve.x, solve.xs);
  const double contraction = ConnectedRoot::contraction(
      *solve.scaled, [&](VectorRef f) { return solve.refinement->correct(solve.x, refined, solver, f); }, solve.xs,
      solve.first, solve.residual);
  return !std::isnan(contraction) ? contraction / ConnectedRoot::largest_contraction : near ? 0 : all;
}

bool Integrator::Impl::ends_path(Index k, Solve& solve, NonlinearSolver& solver, bool refined) const {
  if (solve.nearest) return true;
  solve.scaled->to_scaled(solve.x, solve.xs);
  path.end(k, solve.start);
  solve.scaled->to_scaled(solve.start, solve.start);
  return ConnectedRoot::same(
      *solve.scaled, [&](VectorRef f) { return solve.refinement->correct(solve.x, refined, solver, f); }, solve.xs,
      solve.start, solve.residual);
}

bool Integrator::Impl::follow(double h, StepReport& report) {
  // Where G loses rank motions branch, and with them the solutions of steps however short. From a state off the
  // constraints there is no motion: corrections of one size stay in every step.
  if (!on_constraints || near_singular_position()) return true;
  const RunCounters before = counters;
  StepReport on_path;
  bool followed = true;
  for (path.begin(); followed && !path.at_end() && !path.tired();) {
    on_path = StepReport();
    bool solved = false;
    forget_matrices();  // those of another s
    try {
      solved = solve_all(path.next() * h, Purpose::path, on_path) && largest_doubt <= 1;
    } catch (...) {  // as where it is not solved
      fail(on_path, SolveStatus::evaluation_failed, thrown_text());
    }
    if (solved)
      path.accept(largest_doubt);
    else
      followed = path.shorten() && !flag_is_set(options.interrupt);
  }
  // A path on which no step is short enough to begin, one that turns too often to be followed, and one of solves that
  // are repeated, whose penalty turns with h, decide nothing.
  const bool repeats = counters.repeated_solves > before.repeated_solves;
  const bool undecided = !path.at_end() && (!path.began() || path.tired() || repeats);
  const bool same = (followed || undecided) && solve_all(h, undecided ? Purpose::step : Purpose::end, report);
  counters = before;
  ++counters.followed_steps;
  if (same) return true;
  if (on_path.status == SolveStatus::evaluation_failed) return fail(report, on_path.status, on_path.message);
  if (undecided) return false;
  ++counters.unconnected_steps;
  return !followed && fail(report, SolveStatus::not_converged,
                           "the solution found is not the one that h -> 0 leads to, which ends at " +
                               number_text(path.reached()) + " of the step");
}

Refinement::Report Integrator::Impl::refine(Solve& solve, NonlinearSolver& solver, const SolveReport& solved) {
  const Refinement::Report report = solve.refinement->refine(solve.x, solver, solved);
  counters.refinement_passes += report.passes;
  counters.factorisations += report.factorisations;
  counters.jacobian_evaluations += report.factorisations;
  if (report.offered && !report.refined) ++counters.unrefined_solves;
  return report;
}

void Integrator::Impl::fall_back(Solve& solve, SolveReport& report) {
  const std::string first = std::move(report.message);
  solve.x = solve.start;
  report = solve.fallback->solve(solve.x);
  count(report);
  if (report.status == SolveStatus::converged)
    ++counters.fallback_solves;
  else
    report.message = first + "; with " + options.fallback->name() + ": " + report.message;
}

bool Integrator::Impl::fail(StepReport& report, SolveStatus status, const std::string& why) {
  report.status = status;
  report.message = why;
  return false;
}

std::string Integrator::Impl::too_large() const {
  return "the estimated local error is " + number_text(control.error()) + " of what the tolerance allows";
}

bool Integrator::Impl::attempt_or_halve(double h, int level, StepReport& report) {
  if (attempt(h, report)) return true;
  return passed_switch ? through_switches(h, level, report) : halve(h, level, report);
}

bool Integrator::Impl::halve(double h, int level, StepReport& report) {
  if (level >= options.max_halvings || report.status == SolveStatus::held_at_switch) return false;
  ++counters.refused_steps;
  if (const double part = kept_before_switch(h, report); part != h) {
    const State start = z;
    report.status = SolveStatus::converged;
    report.message.clear();
    if ((part == 0 || attempt_or_halve(part, level, report)) && attempt_or_halve(h - part, level, report)) return true;
    z = start;
    find_turns();
    return false;
  }
  State& backup = backups[static_cast<std::size_t>(level)];
  const std::size_t solved = solved_steps.size();
  backup = z;
  report.status = SolveStatus::converged;
  report.message.clear();
  if (attempt_or_halve(h / 2, level + 1, report) && attempt_or_halve(h / 2, level + 1, report)) {
    binding.promises.symmetric = binding.promises.symplectic = false;
    return true;
  }
  z = backup;
  drop_solved_steps(solved);
  find_turns();
  return false;
}

void Integrator::Impl::warm_up(double h) {
  StepReport ignored;
  next = State();
  next.assign_without_histories(z);  // the history of z passes to and fro between the two
  next.substeps = z.substeps;
  const History::Mark mark = z.history.mark();
  const RunCounters counted = counters;
  warming_up = true;
  if (attempt(h, ignored)) {
    if (control.active()) {
      Vector error_q = Vector::Zero(z.q.value().size()), error_v = error_q;
      try {
        binding.equations->local_error(next, z, error_q, error_v);
      } catch (...) {  // as where the step fails
      }
    }
    z.swap(next);
    z.history.swap(next.history);
    z.history.rewind(mark);
    find_turns();
  }
  warming_up = false;
  counters = counted;
  drop_solved_steps(0);
  forget_matrices();  // that of a step that is thrown away is none of the run
}

void Integrator::Impl::warm_up() {
  Vector v = Vector::Zero(z.q.value().size()), scratch = v;
  model->velocity(z.view(), scratch, v);
  warm_up(short_time(z.q.value(), v, v));
}

void Integrator::Impl::forget_matrices() {
  for (Solve& solve : solves) {
    solve.solver->forget_matrix();
    if (solve.fallback) solve.fallback->forget_matrix();
  }
}

void Integrator::Impl::prepare_rank_watch() {
  condition.reset();
  const System* system = model->mechanical();
  if (!driver && system && (border || rank.rank == system->m()))
    condition.emplace(border ? *border->system() : *system);
}

void Integrator::Impl::begin_rank_watch() {
  singular = SingularPosition();
  checked_at = 1;
  largest_pivot = 0;
  prepare_rank_watch();
  if (condition) start_condition = condition->estimates() ? condition->at(z.t, z.q.value()) : rank.condition;
}

void Integrator::Impl::forget_singular_after(const State& from) {
  if (singular.step == 0 || (singular.t - from.t) * z.last_h <= 0) return;
  singular = SingularPosition();
  checked_at = 1;
}

bool Integrator::Impl::near_singular_position() {
  return condition && condition->at(z.t, z.q.value()) > singular_condition * start_condition;
}

void Integrator::Impl::watch_rank() {
  if (driver) {
    const SingularPosition& found = driver->singular_position();
    if (singular.step == 0 && found.step > 0)
      singular = {counters.steps, found.t, found.pivot_ratio, monitor.velocity_max()};
    return;
  }
  if (pivot_ratio < 1) largest_pivot = std::max(largest_pivot, pivot_ratio);  // 1: not known
  // Checked again where the pivot is ten times smaller only: a matrix that is ill-conditioned for another reason
  // costs a few of these.
  if (singular.step > 0 || !(pivot_ratio < std::min(thresholds::fallen_pivot * largest_pivot, 0.1 * checked_at)))
    return;
  checked_at = pivot_ratio;
  if (near_singular_position()) singular = {counters.steps, z.t, pivot_ratio, monitor.velocity_max()};
}

std::string Integrator::Impl::cause_of(double h, SolveStatus status) const {
  if (status == SolveStatus::held_at_switch || flag_is_set(options.interrupt)) return {};
  // Steps that got shorter and shorter stand before the place by far more than themselves: by steps of the run.
  const double ordinary = status == SolveStatus::step_too_small
                              ? std::abs(z.t) / static_cast<double>(std::max<long>(1, counters.steps))
                              : std::abs(z.last_h);
  StopSearch search;
  search.reach = std::copysign(std::max(std::abs(h), ordinary), h);
  search.formulas_only = status == SolveStatus::evaluation_failed;
  search.repeats = model->m() - rank.rank;
  search.condition = start_condition;
  return stop_cause(*model, z, search);
}

std::string Integrator::Impl::remedies(SolveStatus status) {
  // Where an evaluation failed nothing more is evaluated: the callback may have said that it is over. What failed under
  // a driver is a step of one of its integrators, which says the remedies.
  if (driver || status == SolveStatus::evaluation_failed || status == SolveStatus::step_too_small ||
      status == SolveStatus::held_at_switch)
    return {};
  std::string text = near_singular_position() ? "; near a position where G loses rank" : "";
  text += "; remedies: a smaller step";
  if (!options.fallback) text += ", a fallback solver";
  if (options.max_halvings == 0)
    text += bound.variable_steps ? ", halved steps" : ", a scheme that takes variable steps and halves them";
  return text;
}

bool Integrator::Impl::notify() {
  bool go_on = true;
  for (Observer* observer : observers) go_on = observer->observe(z, counters.steps) && go_on;
  return go_on;
}

bool Integrator::Impl::driven_step(double h, StepReport& report) {
  // Tries of a step of a tolerance are counted here, what they did is counted there.
  const RunCounters before = counters;
  const long own_refusals = counters.refused_steps - driver->counters().refused_steps;
  const bool taken = driver->step(h, report, control.judges ? &control : nullptr);
  counters = driver->counters();
  counters.steps = before.steps;
  counters.error_test_failures = before.error_test_failures;
  counters.refused_steps += own_refusals;
  if (!taken) {
    if (report.status == SolveStatus::error_too_large) report.message = too_large();
    return false;
  }
  z = driver->state();
  std::string why;
  try {
    if (monitor.evaluate(z, -driver->impact_losses())) return true;
    why = "an invariant of the new state is not finite";
  } catch (...) {
    why = thrown_text();
  }
  driver->undo();
  z = driver->state();
  return fail(report, SolveStatus::evaluation_failed, why);
}

void Integrator::Impl::measure_again() {
  try {
    monitor.evaluate(z, driver ? -driver->impact_losses() : binding.equations->added_energy(z));
  } catch (...) {  // what failed may fail here too, and is no part of the run
  }
}

void Integrator::Impl::one_step(double h, StepReport& report) {
  const RunCounters before = counters;
  drop_solved_steps(0);
  record_step(take_step(h, report), h, report, before);
}

bool Integrator::Impl::take_step(double h, StepReport& report) {
  return driver ? driven_step(h, report) : attempt_or_halve(h, 0, report);
}

void Integrator::Impl::record_step(bool success, double h, StepReport& report, const RunCounters& before) {
  if (success) {
    ++counters.steps;
    ++report.steps;
    watch_rank();
    if (border && border->is_outgrown(z.t, z.q.value())) Border::set_position(z.t, z.q.value(), z.border);
    monitor.record();
    if ((counters.steps & (counters.steps - 1)) == 0) check_promises();
    report.stopped_by_observer = !notify();
  } else {
    const std::string cause = cause_of(h, report.status);
    const std::string said = std::move(report.message);
    report.message = "step " + std::to_string(counters.steps + 1) + " from t = " + number_text(z.t) +
                     " over h = " + number_text(h) + ": " + to_string(report.status);
    if (cause.empty())
      report.message += (said.empty() ? "" : ": " + said) + remedies(report.status);
    else
      report.message += ": " + cause + (said.empty() ? "" : " (" + said + ")");
    measure_again();
  }
  report.fallback_solves += counters.fallback_solves - before.fallback_solves;
  report.refused_steps += counters.refused_steps - before.refused_steps;
}

}  // namespace gnomon
