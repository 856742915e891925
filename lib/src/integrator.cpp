#include "gnomon/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "contact_run.hpp"
#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "gnomon/overdetermined_consistency.hpp"

namespace gnomon {

namespace {

/// A scheme that asks for more repetitions of one system than this in one step has stalled.
constexpr int max_repetitions = 10000;

}  // namespace

struct Integrator::Impl {
  std::shared_ptr<const System> system;                        // one of the two
  std::shared_ptr<const OverdeterminedSystem> overdetermined;  // is null
  IntegratorOptions options;
  Binding binding;
  struct Solve {
    std::unique_ptr<ScaledEquations> scaled;
    std::unique_ptr<NonlinearSolver> solver;
    Vector x, xs;
  };
  std::vector<Solve> solves;  // one a system
  State z, next;
  std::vector<State> backups;  // one a level of halving
  InvariantMonitor monitor;
  RunCounters counters;
  std::vector<Observer*> observers;
  std::unique_ptr<ContactRun> contacts;  // of a system with obstacles: then binding and solves are empty
  ConstraintRank rank;
  bool started = false;

  Impl(std::shared_ptr<const System> s, const Scheme& scheme, const Options& scheme_options,
       const SolverFactory& factory, const Options& solver_options, IntegratorOptions o)
      : system(std::move(s)), options(o), monitor(*system) {
    if (system->traits().n_obstacles > 0 && !scheme.holds_obstacles()) {
      contacts = std::make_unique<ContactRun>(system, scheme, scheme_options, factory, solver_options, options);
      return;
    }
    binding = scheme.bind(*system, scheme_options);
    attach(scheme.name(), factory, solver_options);
  }

  Impl(std::shared_ptr<const OverdeterminedSystem> s, const Scheme& scheme, const Options& scheme_options,
       const SolverFactory& factory, const Options& solver_options, IntegratorOptions o)
      : overdetermined(std::move(s)),
        options(o),
        binding(scheme.bind_overdetermined(overdetermined, scheme_options)),
        monitor(*overdetermined) {
    attach(scheme.name(), factory, solver_options);
  }

  void attach(const std::string& scheme, const SolverFactory& factory, const Options& solver_options) {
    StepEquations& equations = *binding.equations;
    for (Index k = 0; k < equations.n_systems(); ++k) {
      Solve solve;
      solve.scaled = std::make_unique<ScaledEquations>(equations.system(k), options.jacobian);
      solve.scaled->attach_algebra(options.algebra);
      solve.scaled->expect_singular(options.dependent_constraints);
      solve.solver = factory.create(solver_options);
      try {
        solve.solver->attach(*solve.scaled);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::refused) throw;
        throw Error(ErrorCode::refused,
                    "solver " + factory.name() + " does not take scheme " + scheme + ": " + error.what());
      }
      solve.x.setZero(solve.scaled->size());
      solve.xs.setZero(solve.scaled->size());
      solves.push_back(std::move(solve));
    }
  }

  void count(const SolveReport& report) {
    counters.iterations += report.iterations;
    counters.residual_evaluations += report.residual_evaluations;
    counters.jacobian_evaluations += report.jacobian_evaluations;
    counters.factorisations += report.factorisations;
  }

  /// One step of h from z; z is untouched unless it succeeds.
  bool attempt(double h, StepReport& report) {
    try {
      StepEquations& equations = *binding.equations;
      equations.begin(z, h);
      for (Index k = 0; k < equations.n_solves(); ++k) {
        Solve& solve = solves[static_cast<std::size_t>(equations.system_of(k))];
        Next then = Next::repeat;
        for (int repetition = 0; then == Next::repeat; ++repetition) {
          equations.predict(k, solve.x);
          if (rank.rank < (system ? system->m() : 0) && options.dependent_constraints) shorten_multipliers(solve);
          solve.scaled->update_scales();
          solve.scaled->to_scaled(solve.x, solve.xs);
          report.last = solve.solver->solve(solve.xs);
          count(report.last);
          if (report.last.status != SolveStatus::converged) {
            const char* diagnosis = equations.diagnosis(k);
            return fail(report, report.last.status,
                        diagnosis ? report.last.message + "; " + diagnosis : report.last.message);
          }
          solve.scaled->to_unscaled(solve.xs, solve.x);
          then = equations.accept(k, solve.x);
          if (then == Next::fail || repetition == max_repetitions)
            return fail(report, SolveStatus::not_converged, equations.failure());
          if (then == Next::repeat) ++counters.repeated_solves;
        }
      }
      next = z;
      equations.finish(next);
      if (!monitor.evaluate(next, equations.added_energy(next)))
        return fail(report, SolveStatus::evaluation_failed, "an invariant of the new state is not finite");
    } catch (const std::exception& error) {
      return fail(report, SolveStatus::evaluation_failed, error.what());
    } catch (...) {
      return fail(report, SolveStatus::evaluation_failed, "a callback threw something that is no std::exception");
    }
    std::swap(z, next);
    return true;
  }

  /// What has no force in the start value of the multipliers is not determined by the step either: it would go on from
  /// step to step, and extrapolation would make it grow.
  void shorten_multipliers(Solve& solve) const {
    for (const Block& block : solve.scaled->equations().blocks())
      if (block.name == "lambda" && block.size == system->m())
        least_norm(*system, z.t, z.q.value(), solve.x.segment(block.offset, block.size));
  }

  static bool fail(StepReport& report, SolveStatus status, const std::string& why) {
    report.status = status;
    report.message = why;
    return false;
  }

  /// One step of h, cut into halves where refused and allowed. On failure z is as before.
  bool attempt_or_halve(double h, int level, StepReport& report) {
    if (attempt(h, report)) return true;
    if (level >= options.max_halvings) return false;
    ++counters.refused_steps;
    State& backup = backups[static_cast<std::size_t>(level)];
    backup = z;
    report.status = SolveStatus::converged;
    if (attempt_or_halve(h / 2, level + 1, report) && attempt_or_halve(h / 2, level + 1, report)) return true;
    z = backup;
    return false;
  }

  /// One step whose result is thrown away, so that what a linear solver allocates at its first factorisation is
  /// allocated before the run. The scaled equations hardly depend on h: any step that is short for the start will do.
  /// Its failure means nothing.
  void rehearse(const Vector& v, const Vector& a) {
    const auto largest = [](const Vector& x) { return x.size() ? x.lpNorm<Eigen::Infinity>() : 0.0; };
    const double length = std::max(largest(z.q.value()), 1e-3);
    const double speed = largest(v) + std::sqrt(largest(a) * length);
    StepReport ignored;
    next = z;
    const State start = z;
    attempt(speed > 0 ? 1e-3 * length / speed : 1e-3, ignored);
    z = next = start;
  }

  bool notify() {
    bool go_on = true;
    for (Observer* observer : observers) go_on = observer->observe(z, counters.steps) && go_on;
    return go_on;
  }

  /// One step of a system with obstacles.
  bool contact_step(double h, StepReport& report) {
    if (!contacts->step(h, report)) return false;
    z = contacts->state();
    const long steps = counters.steps;
    counters = contacts->counters();
    counters.steps = steps;
    if (monitor.evaluate(z, -contacts->booked())) return true;
    return fail(report, SolveStatus::evaluation_failed, "an invariant of the new state is not finite");
  }

  void one_step(double h, StepReport& report) {
    if (!(contacts ? contact_step(h, report) : attempt_or_halve(h, 0, report))) {
      report.message = "step " + std::to_string(counters.steps + 1) + " from t = " + number_text(z.t) +
                       " over h = " + number_text(h) + ": " + to_string(report.status) +
                       (report.message.empty() ? "" : ": " + report.message);
      return;
    }
    ++counters.steps;
    ++report.steps;
    monitor.record();
    report.stopped_by_observer = !notify();
  }
};

Integrator::Integrator(std::shared_ptr<const System> system, const Scheme& scheme, const Options& scheme_options,
                       const SolverFactory& solver, const Options& solver_options, IntegratorOptions options)
    : impl_(std::make_unique<Impl>(std::move(system), scheme, scheme_options, solver, solver_options, options)) {}

Integrator::Integrator(std::shared_ptr<const OverdeterminedSystem> system, const Scheme& scheme,
                       const Options& scheme_options, const SolverFactory& solver, const Options& solver_options,
                       IntegratorOptions options)
    : impl_(std::make_unique<Impl>(std::move(system), scheme, scheme_options, solver, solver_options, options)) {}

Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

void Integrator::start(double t0, const Vector& q0, const Vector& p0) {
  if (impl_->contacts) {
    Vector q = q0, p = p0;
    if (impl_->options.project_start && q.size() == impl_->system->n() && p.size() == impl_->system->n())
      project_start(*impl_->system, t0, q, p);
    impl_->contacts->start(t0, q, p);
    impl_->z = impl_->contacts->state();
    impl_->monitor.evaluate(impl_->z, -impl_->contacts->booked());
    impl_->monitor.start();
    impl_->counters = RunCounters();
    impl_->started = true;
    impl_->notify();
    return;
  }
  State z;
  z.t = t0;
  Vector v, a;  // q' and its slope
  if (impl_->system) {
    const System& system = *impl_->system;
    Vector q = q0, p = p0;
    if (impl_->options.project_start && q.size() == system.n() && p.size() == system.n())
      project_start(system, t0, q, p, impl_->options.dependent_constraints);
    impl_->rank = check_start(system, t0, q, p, 1e-10, impl_->options.dependent_constraints);
    z.q.set(q);
    z.p.set(p);
    z.lambda = Vector::Zero(system.m());
    v.setZero(system.n());
    a.setZero(system.n());
    system.mass().solve(p, v);
    if (system.m() > 0) acceleration(system, t0, q, v, a, z.lambda, impl_->options.dependent_constraints);
  } else {
    const OverdeterminedSystem& system = *impl_->overdetermined;
    if (impl_->options.project_start)
      throw Error(ErrorCode::refused,
                  "an inconsistent start is repaired in the mass metric, which the overdetermined "
                  "DAE \"" +
                      system.traits().name + "\" does not have: give a consistent one");
    check_start(system, q0, p0);
    z.lambda = Vector::Zero(system.traits().m);
    v.setZero(system.traits().ny);
    a.setZero(system.traits().nz);
    Index1(system).solve(q0, p0, a, z.lambda);
    const OverdeterminedPoint at{q0, p0, z.lambda};
    system.evaluate(Term::velocity, at, v);
    Vector p(system.traits().nz);
    system.evaluate(Term::momentum, at, p);
    z.q.set(q0);
    z.p.set(p);
    z.carried = p0;
  }
  impl_->binding.equations->prepare(z);
  impl_->z = z;
  impl_->rehearse(v, a);
  impl_->backups.assign(static_cast<std::size_t>(impl_->options.max_halvings), z);
  impl_->monitor.evaluate(z, impl_->binding.equations->added_energy(z));
  impl_->monitor.start();
  impl_->counters = RunCounters();
  impl_->started = true;
  impl_->notify();
}

void Integrator::restart(const State& from) {
  if (impl_->contacts) {
    impl_->contacts->restore(from);
    impl_->z = impl_->contacts->state();
    return;
  }
  State& z = impl_->z;
  z = from;
  z.last_h = 0;
  impl_->binding.equations->prepare(z);
  if (impl_->started) return;
  impl_->next = z;
  impl_->backups.assign(static_cast<std::size_t>(impl_->options.max_halvings), z);
  impl_->monitor.evaluate(z, impl_->binding.equations->added_energy(z));
  impl_->monitor.start();
  impl_->started = true;
}

void Integrator::restore(const State& checkpoint) {
  if (impl_->contacts) return restart(checkpoint);
  impl_->z = checkpoint;
}

StepReport Integrator::step(double h) {
  return advance(1, h);
}

StepReport Integrator::advance(long count, double h) {
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: call start(t0, q0, p0) first");
  if (!std::isfinite(h) || h == 0)
    throw Error(ErrorCode::bad_value, "step h = " + number_text(h) + " is not a finite number other than zero");
  StepReport report;
  for (long i = 0; i < count && report.success() && !report.stopped_by_observer; ++i) impl_->one_step(h, report);
  report.t = impl_->z.t;
  return report;
}

StepReport Integrator::advance_to(double t_end, double h) {
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: call start(t0, q0, p0) first");
  if (!std::isfinite(h) || h == 0)
    throw Error(ErrorCode::bad_value, "step h = " + number_text(h) + " is not a finite number other than zero");
  const double length = t_end - impl_->z.t;
  if (!std::isfinite(length) || length * h < 0)
    throw Error(ErrorCode::bad_value, "end time " + number_text(t_end) + " cannot be reached from t = " +
                                          number_text(impl_->z.t) + " with steps of " + number_text(h));
  const double whole = std::floor(length / h + 1e-9);
  if (whole > 9e15)
    throw Error(ErrorCode::bad_value,
                "end time " + number_text(t_end) + " is more than 9e15 steps of " + number_text(h) + " away");
  StepReport report = advance(static_cast<long>(whole), h);
  const double rest = (t_end - impl_->z.t) - impl_->z.t_tail;
  if (report.success() && !report.stopped_by_observer && std::abs(rest) > 1e-9 * std::abs(h)) {
    impl_->one_step(rest, report);
    report.t = impl_->z.t;
  }
  return report;
}

void Integrator::add_observer(Observer& observer) {
  impl_->observers.push_back(&observer);
}
const State& Integrator::state() const {
  return impl_->z;
}
const InvariantMonitor& Integrator::monitor() const {
  return impl_->monitor;
}
const Promises& Integrator::promises() const {
  return impl_->contacts ? impl_->contacts->promises() : impl_->binding.promises;
}
const RunCounters& Integrator::counters() const {
  return impl_->counters;
}
const System& Integrator::system() const {
  if (!impl_->system)
    throw Error(ErrorCode::refused, "the overdetermined DAE \"" + impl_->overdetermined->traits().name +
                                        "\" is no mechanical system with mass and potential, which is needed here");
  return *impl_->system;
}
const OverdeterminedSystem* Integrator::overdetermined() const {
  return impl_->overdetermined.get();
}
StepEquations& Integrator::equations() {
  return impl_->contacts ? impl_->contacts->equations() : *impl_->binding.equations;
}
const std::vector<ContactEvent>& Integrator::events() const {
  static const std::vector<ContactEvent> none;
  return impl_->contacts ? impl_->contacts->events() : none;
}
EnergyBook Integrator::energy_book() const {
  return impl_->contacts ? impl_->contacts->book() : EnergyBook();
}
const ConstraintRank& Integrator::constraint_rank() const {
  return impl_->rank;
}
double Integrator::deepest_penetration() const {
  return impl_->contacts ? impl_->contacts->deepest_penetration() : 0;
}

}  // namespace gnomon
