#include "gnomon/run/integrator.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/nearest_solution.hpp"
#include "gnomon/solve/body_condensation.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "gnomon/start/verify.hpp"
#include "run/integrator_impl.hpp"
#include "start/short_time.hpp"

namespace gnomon {

namespace {

/// Levels of a scheme that takes variable steps.
constexpr int default_halvings = 6;

}  // namespace

Integrator::Impl::Impl(std::shared_ptr<const Model> integrated, const Scheme& scheme, const Options& scheme_options,
                       const SolverFactory& factory, const Options& solver_options, IntegratorOptions o)
    : model(std::move(integrated)),
      options(o),
      monitor(*model),
      watch(*model),
      switches(*model),
      scheme_name(scheme.name()),
      factory(&factory),
      scheme(&scheme),
      scheme_options(scheme_options),
      solver_options(solver_options) {
  identify(scheme, scheme_options, factory, solver_options);
  const System* system = model->mechanical();
  const bool obstacles = system && system->parts().obstacles && !scheme.holds_obstacles();
  // Friction may stop the motion: that is an event too.
  if (obstacles || (system && system->parts().friction && !system->parts().obstacles && options.event_driver)) {
    if (!options.event_driver)
      throw Error(ErrorCode::refused, "system " + model->name() +
                                          " has obstacles, and IntegratorOptions::event_driver is null: set it to "
                                          "contact_driver of gnomon/contact/contact.hpp, or use Registry::integrator");
    driver = options.event_driver(shared_system(model), scheme, scheme_options, factory, solver_options, options);
    return;
  }
  if (system && system->parts().obstacles && options.contact.restitution != 0)
    throw Error(ErrorCode::refused, "scheme " + scheme.name() +
                                        " keeps obstacles by itself, without impacts: restitution = " +
                                        number_text(options.contact.restitution) +
                                        " is for schemes whose contacts the integrator opens and closes");
  if (system && system->parts().obstacles && (system->traits().restitutions.array() > 0).any())
    throw Error(ErrorCode::refused, "scheme " + scheme.name() + " keeps obstacles by itself, without impacts: system " +
                                        model->name() + " has obstacles with a restitution of their own");
  if (system && system->parts().coulomb)
    throw Error(ErrorCode::refused, "scheme " + scheme.name() +
                                        " keeps obstacles by itself, without friction: system " + model->name() +
                                        " has Coulomb friction at its contacts");
  binding = scheme.bind(*model, scheme_options);
  bound = binding.promises;
  if (options.max_halvings < 0) options.max_halvings = bound.variable_steps ? default_halvings : 0;
  attach();
}

void Integrator::Impl::find_border(double t, const Vector& q) {
  const System* system = model->mechanical();
  const bool repeat = system && rank.rank < system->m() && (bound.constrained_limit || bound.position);
  set_border(repeat ? Border::find(shared_system(model), t, q) : nullptr);
}

void Integrator::Impl::set_border(std::shared_ptr<Border> found) {
  rank.open.clear();
  if (found) rank.open = found->rows();
  if (!found && !border) return;
  border = std::move(found);
  bordered = nullptr;
  binding.equations = scheme->bind(border ? *border->system() : *model, scheme_options).equations;
  if (border) {
    auto step = std::make_unique<BorderedStep>(std::move(binding.equations), border, model->mechanical()->n());
    bordered = step.get();
    binding.equations = std::move(step);
  }
  if (estimating) binding.equations->estimate_errors(true);
  attach();
}

void Integrator::Impl::attach() {
  solves.clear();
  StepEquations& equations = *binding.equations;
  const System* system = model->mechanical();
  const auto functions =
      system && !system->parts().extended ? Refinement::Functions::first_order : Refinement::Functions::extended;
  std::vector<int> bodies;
  if (system) bodies = body_of_coordinates(border ? border->system()->traits() : system->traits());
  for (Index k = 0; k < equations.n_systems(); ++k) {
    Solve solve;
    solve.scaled = std::make_unique<ScaledEquations>(equations.system(k), options.jacobian);
    solve.scaled->set_bodies(bodies);
    solve.scaled->attach_algebra(options.algebra);
    solve.scaled->watch(options.interrupt);
    solve.nearest = dynamic_cast<const NearestSolution*>(&equations.system(k)) != nullptr;
    solve.solver = attached(*factory, solver_options, scheme_name, *solve.scaled);
    if (options.fallback) {
      const SolverFactory& other = *options.fallback;
      solve.fallback = attached(other, Options("solver " + other.name(), other.options()), scheme_name, *solve.scaled);
    }
    solve.x.setZero(solve.scaled->size());
    solve.refinement = std::make_unique<Refinement>(*solve.scaled, functions);
    for (Vector* v : {&solve.start, &solve.first, &solve.xs, &solve.residual}) v->setZero(solve.scaled->size());
    solves.push_back(std::move(solve));
  }
}

std::unique_ptr<NonlinearSolver> Integrator::Impl::attached(const SolverFactory& factory, const Options& solver_options,
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

Integrator::Integrator(std::shared_ptr<const Model> model, const Scheme& scheme, const Options& scheme_options,
                       const SolverFactory& solver, const Options& solver_options, IntegratorOptions options)
    : impl_(std::make_unique<Impl>(std::move(model), scheme, scheme_options, solver, solver_options, options)) {}

Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;

void Integrator::Impl::find_turns() {
  const ContinuousAngles* counted = model->mechanical() ? model->mechanical()->parts().angles : nullptr;
  if (counted) counted->count(z.t, z.q.value(), z.turns, angles_before);
  if (switches.any()) switches.begin(z, rank.rank);
}

std::vector<int> Integrator::Impl::turns_at(double t0, const ConsistentStart& start, const std::vector<int>& near) {
  State at;
  at.turns = near;
  at.t = t0;
  at.q.set(start.q);
  at.p.set(start.p);
  at.lambda = start.lambda;
  if (const System* system = model->mechanical()) {
    if (const ContinuousAngles* counted = system->parts().angles) counted->count(t0, start.q, at.turns, angles);
    if (SwitchWatch found(*system); found.any()) found.begin(at, start.rank.rank);
  }
  return at.turns;
}

std::string Integrator::Impl::turn_text() {
  const ContinuousAngles* counted = model->mechanical() ? model->mechanical()->parts().angles : nullptr;
  if (!counted) return {};
  counted->count(next.t, next.q.value(), next.turns, angles);
  Index most = 0;
  const double turned = (angles - angles_before).cwiseAbs().maxCoeff(&most);
  if (turned <= most_turned) return {};
  return counted->angle_name(most) + " turns by " + number_text(turned) + " rad in one step, and at most " +
         number_text(most_turned) + " rad can be told from as much the other way";
}

void Integrator::start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& near) try {
  const Windings at_start(near);
  const bool project = impl_->options.project_start;
  if (impl_->driver) {
    Vector q = q0, p = p0;
    if (project && q.size() == system().n() && p.size() == system().n()) project_start(system(), t0, q, p);
    impl_->started = false;
    impl_->driver->start(t0, q, p, near);
    const Windings held(impl_->driver->state().turns);
    check_declarations(*impl_->model, t0, q, p);
    impl_->rank = impl_->driver->constraint_rank();
    impl_->z = impl_->driver->state();
    impl_->watch_start(-impl_->driver->impact_losses());
    if (impl_->control.active()) impl_->control.start(impl_->z);
  } else {
    const ConsistentStart start = consistent_start(*impl_->model, t0, q0, p0, project);
    const std::vector<int> turns = impl_->turns_at(t0, start, near);
    const Windings held(turns);
    check_declarations(*impl_->model, t0, start.q, impl_->model->mechanical() ? start.p : start.z);
    impl_->started = false;
    impl_->rank = start.rank;
    impl_->find_border(t0, start.q);
    State& z = impl_->z;
    z = State();
    z.turns = turns;
    z.t = t0;
    z.q.set(start.q);
    z.p.set(start.p);
    z.lambda = start.lambda;
    z.scheme_data = start.z;
    impl_->find_turns();
    impl_->binding.equations->prepare(z);
    impl_->short_step = short_time(start.q, start.v, start.a);
    impl_->warm_up(impl_->short_step);
    impl_->backups.assign(static_cast<std::size_t>(impl_->options.max_halvings), z);
    impl_->watch_start(impl_->binding.equations->added_energy(z));
    if (impl_->control.active()) impl_->control.start(z);
  }
  impl_->counters = RunCounters();
  impl_->flipped.clear();
  impl_->binding.promises = impl_->bound;
  impl_->watch.start(impl_->z, impl_->promises(), impl_->monitor);
  impl_->begin_rank_watch();
  impl_->started = true;
  impl_->notify();
} catch (const CannotEvaluate& error) {
  throw Error(ErrorCode::callback_failed, "system " + impl_->model->name() + ": at the start " + error.what());
}

void Integrator::Impl::watch_start(long double added_energy) {
  if (!is_finite(z))
    throw Error(ErrorCode::not_finite, "the multipliers of the start, or what the scheme makes of it, are not finite");
  if (!monitor.evaluate(z, added_energy))
    throw Error(ErrorCode::not_finite, "the energy, a constraint or an invariant of the start is not finite");
  monitor.start(z);
  z.energy_scale = std::max(z.energy_scale, monitor.size_now());
}

void Integrator::restart(const State& from) {
  const Windings turns(from.turns);
  impl_->forget_singular_after(from);
  if (impl_->driver) {
    State fresh = from;
    fresh.last_h = 0;
    impl_->driver->restore(fresh);
    impl_->z = impl_->driver->state();
    return;
  }
  State& z = impl_->z;
  z = from;
  z.last_h = 0;
  impl_->switches.forget_flips(z);
  impl_->find_turns();
  const Windings held(z.turns);
  if (const System* mechanical = impl_->model->mechanical(); mechanical && !impl_->started) {
    impl_->rank = gnomon::constraint_rank(*mechanical, z.t, z.q.value());
    impl_->find_border(z.t, z.q.value());
  }
  impl_->binding.equations->prepare(z);
  if (!is_finite(z)) throw CannotEvaluate("what the scheme carries from step to step is not finite");
  const long double added = impl_->binding.equations->added_energy(z);
  if (impl_->started) {
    impl_->monitor.evaluate(z, added);
    z.energy_scale = std::max(z.energy_scale, impl_->monitor.size_now());
    impl_->on_constraints = !impl_->monitor.is_off_constraints(z);
    return impl_->monitor.shift();
  }
  impl_->next = z;
  impl_->backups.assign(static_cast<std::size_t>(impl_->options.max_halvings), z);
  impl_->watch_start(added);
  if (impl_->control.active()) impl_->control.start(z);
  impl_->watch.start(z, impl_->promises(), impl_->monitor);
  impl_->begin_rank_watch();
  impl_->started = true;
}

void Integrator::restore(const State& checkpoint) {
  impl_->forget_singular_after(checkpoint);
  if (impl_->driver) {
    const Windings turns(checkpoint.turns);
    impl_->driver->restore(checkpoint);
    impl_->z = impl_->driver->state();
    return;
  }
  impl_->z = checkpoint;
  impl_->switches.forget_flips(impl_->z);
  impl_->find_turns();
}

StepReport Integrator::step(double h) {
  return advance(1, h);
}

StepReport Integrator::step_to_switch(double h) {
  Impl& run = *impl_;
  if (!run.switches.any() || !run.bound.variable_steps) return step(h);
  const Windings turns(run.z.turns);
  StepReport report;
  const RunCounters before = run.counters;
  double size = h;
  bool taken = run.attempt(h, report);
  while (!taken && run.passed_switch) {
    size = h;
    taken = run.end_at_switch(size, report) && (size != 0 || run.attempt(h, report));
  }
  if (!taken) taken = run.halve(h, 0, report);
  run.record_step(taken, h, report, before);
  report.t = run.z.t;
  return report;
}

StepReport Integrator::advance(long count, double h) {
  const Windings turns(impl_->z.turns);
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: call start(t0, q0, p0) first");
  if (!std::isfinite(h) || h == 0)
    throw Error(ErrorCode::bad_value, "step h = " + number_text(h) + " is not a finite number other than zero");
  // One such piece of a step may lie between two events.
  if (const double t = impl_->z.t; t + h == t && (count > 1 || impl_->z.last_h == h))
    throw Error(ErrorCode::bad_value,
                "step h = " + number_text(h) + " is below the rounding of t = " + number_text(t) +
                    ", so that no two times of the run differ; expected a start time nearer to 0");
  StepReport report;
  for (long i = 0; i < count && report.success() && !report.stopped_by_observer; ++i) impl_->one_step(h, report);
  report.t = impl_->z.t;
  if (report.steps > 1) impl_->check_promises();
  return report;
}

StepReport Integrator::advance_to(double t_end, double h) {
  const Windings turns(impl_->z.turns);
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: call start(t0, q0, p0) first");
  if (!std::isfinite(h) || h == 0)
    throw Error(ErrorCode::bad_value, "step h = " + number_text(h) + " is not a finite number other than zero");
  const double length = t_end - impl_->z.t;
  if (!std::isfinite(length) || length * h < 0)
    throw Error(ErrorCode::bad_value, "end time " + number_text(t_end) + " cannot be reached from t = " +
                                          number_text(impl_->z.t) + " with steps of " + number_text(h));
  const double whole = std::floor(length / h + thresholds::end_of_step);
  if (whole > 9e15)
    throw Error(ErrorCode::bad_value,
                "end time " + number_text(t_end) + " is more than 9e15 steps of " + number_text(h) + " away");
  StepReport report = advance(static_cast<long>(whole), h);
  const double rest = (t_end - impl_->z.t) - impl_->z.t_tail;
  if (report.success() && !report.stopped_by_observer && std::abs(rest) > thresholds::end_of_step * std::abs(h)) {
    impl_->one_step(rest, report);
    report.t = impl_->z.t;
    if (report.steps > 1) impl_->check_promises();
  }
  return report;
}

void Integrator::add_observer(Observer& observer) {
  impl_->observers.push_back(&observer);
}
const State& Integrator::state() const {
  return impl_->z;
}
Vector Integrator::index1_multipliers() const {
  if (!impl_->started) throw Error(ErrorCode::bad_value, "the integrator was not started: there is no state yet");
  const Windings turns(impl_->z.turns);
  return impl_->driver ? impl_->driver->index1_multipliers()
                       : gnomon::index1_multipliers(*impl_->model, impl_->z.view(), impl_->rank.rank);
}
const InvariantMonitor& Integrator::monitor() const {
  return impl_->monitor;
}
const Promises& Integrator::promises() const {
  return impl_->promises();
}
const std::vector<BrokenPromise>& Integrator::broken_promises() const {
  return impl_->watch.broken();
}
const std::vector<BrokenPromise>& Integrator::check_promises() {
  const Windings turns(impl_->z.turns);
  if (impl_->started) impl_->check_promises();
  return impl_->watch.broken();
}
const SingularPosition& Integrator::singular_position() const {
  return impl_->singular;
}
const RunCounters& Integrator::counters() const {
  return impl_->counters;
}
const IntegratorOptions& Integrator::options() const {
  return impl_->options;
}
const Model& Integrator::model() const {
  return *impl_->model;
}
const System& Integrator::system() const {
  if (const System* system = impl_->model->mechanical()) return *system;
  throw Error(ErrorCode::refused, "the overdetermined DAE \"" + impl_->model->name() +
                                      "\" is no mechanical system with mass and potential, which is needed here");
}
void Integrator::keep_solved_steps(bool on) {
  impl_->keeps_solved_steps = on;
  if (impl_->driver) impl_->driver->keep_solved_steps(on);
}

const std::vector<SolvedStep>& Integrator::solved_steps() const {
  return impl_->driver ? impl_->driver->solved_steps() : impl_->solved_steps;
}

StepEquations& Integrator::equations() {
  return impl_->driver ? impl_->driver->equations() : *impl_->binding.equations;
}
const StepEquations& Integrator::equations() const {
  return impl_->driver ? impl_->driver->equations() : *impl_->binding.equations;
}
const std::vector<ContactEvent>& Integrator::events() const {
  return impl_->driver ? impl_->driver->events() : impl_->flipped;
}
EnergyBook Integrator::energy_book() const {
  return impl_->driver ? impl_->driver->book() : EnergyBook();
}
const ConstraintRank& Integrator::constraint_rank() const {
  return impl_->rank;
}
double Integrator::deepest_penetration() const {
  return impl_->driver ? impl_->driver->deepest_penetration() : 0;
}

}  // namespace gnomon
