#include "gnomon/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "contact_run.hpp"
#include "gnomon/checkpoint.hpp"
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
    std::unique_ptr<NonlinearSolver> solver, fallback;
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
  Checkpoint::Identity identity;  // of whose checkpoints it takes
  bool started = false;
  bool rehearsing = false;

  Impl(std::shared_ptr<const System> s, const Scheme& scheme, const Options& scheme_options,
       const SolverFactory& factory, const Options& solver_options, IntegratorOptions o)
      : system(std::move(s)), options(o), monitor(*system) {
    identify(scheme, scheme_options, factory, solver_options);
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
    identify(scheme, scheme_options, factory, solver_options);
    attach(scheme.name(), factory, solver_options);
  }

  void identify(const Scheme& scheme, const Options& scheme_options, const SolverFactory& factory,
                const Options& solver_options) {
    const auto number = [](auto value) { return std::to_string(value); };
    identity = {{"version of Gnomon", GNOMON_VERSION}};
    if (system)
      identity.insert(identity.end(), {{"system", system->traits().name},
                                       {"number of coordinates", number(system->n())},
                                       {"number of constraints", number(system->m())},
                                       {"number of obstacles", number(system->traits().n_obstacles)}});
    else
      identity.insert(identity.end(), {{"system", overdetermined->traits().name},
                                       {"number of y", number(overdetermined->traits().ny)},
                                       {"number of z", number(overdetermined->traits().nz)},
                                       {"number of constraints", number(overdetermined->traits().m)}});
    identity.insert(identity.end(), {{"scheme", scheme.name()},
                                     {"options of the scheme", scheme_options.to_text()},
                                     {"solver", factory.name()},
                                     {"options of the solver", solver_options.to_text()},
                                     {"source of the Jacobian", to_string(options.jacobian)},
                                     {"fallback", options.fallback ? options.fallback->name() : "none"},
                                     {"largest number of halvings", number(options.max_halvings)},
                                     {"mode of contact", number(static_cast<int>(options.contact.mode))},
                                     {"restitution", number_text(options.contact.restitution)},
                                     {"zeno speed", number_text(options.contact.zeno_speed)}});
  }

  void attach(const std::string& scheme, const SolverFactory& factory, const Options& solver_options) {
    StepEquations& equations = *binding.equations;
    for (Index k = 0; k < equations.n_systems(); ++k) {
      Solve solve;
      solve.scaled = std::make_unique<ScaledEquations>(equations.system(k), options.jacobian);
      solve.scaled->attach_algebra(options.algebra);
      solve.scaled->expect_singular(options.dependent_constraints);
      solve.solver = attached(factory, solver_options, scheme, *solve.scaled);
      if (options.fallback) {
        const SolverFactory& other = *options.fallback;
        solve.fallback = attached(other, Options("solver " + other.name(), other.options()), scheme, *solve.scaled);
      }
      solve.x.setZero(solve.scaled->size());
      solve.xs.setZero(solve.scaled->size());
      solves.push_back(std::move(solve));
    }
  }

  static std::unique_ptr<NonlinearSolver> attached(const SolverFactory& factory, const Options& solver_options,
                                                   const std::string& scheme, ScaledEquations& scaled) {
    auto solver = factory.create(solver_options);
    try {
      solver->attach(scaled);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      throw Error(ErrorCode::refused,
                  "solver " + factory.name() + " does not take scheme " + scheme + ": " + error.what());
    }
    return solver;
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
          if (solve.fallback && (rehearsing || report.last.status != SolveStatus::converged))
            fall_back(solve, report.last);
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

  /// The other solver, from the same start value.
  void fall_back(Solve& solve, SolveReport& report) {
    const std::string first = std::move(report.message);
    solve.scaled->to_scaled(solve.x, solve.xs);
    report = solve.fallback->solve(solve.xs);
    count(report);
    if (report.status == SolveStatus::converged)
      ++counters.fallback_solves;
    else
      report.message = first + "; with " + options.fallback->name() + ": " + report.message;
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
    report.message.clear();
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
    const RunCounters counted = counters;
    rehearsing = true;
    attempt(speed > 0 ? 1e-3 * length / speed : 1e-3, ignored);
    rehearsing = false;
    z = next = start;
    counters = counted;
  }

  void exchange_solvers(Archive& archive) {
    for (Solve& solve : solves) {
      solve.solver->exchange(archive);
      if (solve.fallback) solve.fallback->exchange(archive);
    }
  }

  void exchange(Archive& archive) {
    archive(counters);
    if (contacts) {
      archive(*contacts);
      z = contacts->state();
      if (archive.reading()) monitor.evaluate(z, -contacts->booked());
    } else {
      archive(z);
      if (archive.reading()) resume();
      exchange_solvers(archive);
    }
    archive(monitor);
  }

  /// What start() does beside setting the state.
  void resume() {
    State fresh = z;
    binding.equations->prepare(fresh);
    if (fresh.history.size() != z.history.size() || fresh.history.depth() != z.history.depth() ||
        fresh.carried.size() != z.carried.size() || fresh.substeps.size() != z.substeps.size())
      throw Error(ErrorCode::bad_file, "its state is not what this scheme carries from step to step");
    Vector v = Vector::Zero(z.p.value().size());
    if (system) system->mass().solve(z.p.value(), v);
    rehearse(v, v);
    backups.assign(static_cast<std::size_t>(options.max_halvings), z);
    monitor.evaluate(z, binding.equations->added_energy(z));
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
    const RunCounters before = counters;
    tell_step(h, report);
    report.fallback_solves += counters.fallback_solves - before.fallback_solves;
    report.refused_steps += counters.refused_steps - before.refused_steps;
  }

  void tell_step(double h, StepReport& report) {
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

void RunCounters::exchange(Archive& archive) {
  archive(steps, iterations, residual_evaluations, jacobian_evaluations, factorisations, repeated_solves,
          fallback_solves, refused_steps);
}

void Integrator::exchange_solvers(Archive& archive) {
  impl_->exchange_solvers(archive);
}

void Integrator::save(const std::string& file, const std::string& note) const {
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: there is no state to write to \"" + file + "\"");
  Archive archive;
  impl_->exchange(archive);
  write_checkpoint(file, {impl_->identity, note, archive.bytes()});
}

void Integrator::load(const std::string& file) {
  const Checkpoint checkpoint = read_checkpoint(file);
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" does not fit: " + why);
  };
  const Checkpoint::Identity &theirs = checkpoint.identity, &ours = impl_->identity;
  for (std::size_t k = 0; k < std::max(theirs.size(), ours.size()); ++k) {
    if (k >= theirs.size() || k >= ours.size() || theirs[k].first != ours[k].first)
      throw refuse("it was written for another kind of model");
    if (theirs[k].second != ours[k].second)
      throw refuse("its " + ours[k].first + " is \"" + theirs[k].second + "\", and \"" + ours[k].second +
                   "\" is expected");
  }
  Archive archive(checkpoint.state);
  impl_->started = false;
  try {
    impl_->exchange(archive);
    if (!archive.at_end()) throw Error(ErrorCode::bad_file, "it holds more than this run can carry");
  } catch (const Error& error) {
    throw refuse(error.what());
  }
  impl_->started = true;
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
