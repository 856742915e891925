#include "contact/contact_run.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"

namespace gnomon {

using namespace contact_tolerances;

ContactRun::ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
                       const SolverFactory& solver, Options solver_options, const IntegratorOptions& options)
    : laws_(std::move(system), options.contact, options.interrupt, options.dependent_constraints),
      scheme_(scheme),
      scheme_options_(std::move(scheme_options)),
      solver_(solver),
      solver_options_(std::move(solver_options)),
      options_(options),
      m_(laws_.m()),
      n_contacts_(laws_.n_contacts()) {
  for (Vector* v : {&error_q_, &error_v_, &piece_q_, &piece_v_, &sum_q_, &sum_v_}) v->setZero(laws_.system()->n());
  bound_ = scheme.bind(*laws_.everything().model, scheme_options_).promises;
  if (n_contacts_ > 0) {
    bound_.symmetric = bound_.symplectic = bound_.momentum = bound_.discrete_energy = false;
    if (!laws_.located()) bound_.order = std::min(bound_.order, 1);
    if (!bound_.constrained_limit) bound_.energy = false;  // the book across events has no penalty potential
  }
  promises_ = bound_;
}

int ContactRun::estimate_errors(bool on) {
  int order = 0;
  if (on) {
    // With all contacts closed and with none: some have an order of their own without multipliers.
    order = scheme_.bind(*laws_.everything().model, scheme_options_).equations->estimate_errors(true);
    if (n_contacts_ > 0)
      order = std::min(order, scheme_.bind(*laws_.phase({}).model, scheme_options_).equations->estimate_errors(true));
    if (order == 0) return 0;
  }
  const bool changes = (order > 0) != (order_ > 0);
  order_ = order;
  if (!changes) return order_;
  for (const auto& entry : integrators_) entry.second->equations().estimate_errors(on);
  if (integrator_ != nullptr && !laws_.resting()) {
    integrator_->restart(State(integrator_->state()));
    leave_piece();
  }
  return order_;
}

StepEquations& ContactRun::equations() {
  if (integrator_ == nullptr)
    throw Error(ErrorCode::refused,
                "system " + laws_.system()->traits().name + " is at rest and has no equations to solve");
  return integrator_->equations();
}

Integrator& ContactRun::integrator_of(const Phase& phase) {
  std::unique_ptr<Integrator>& integrator = integrators_[phase.key()];
  if (!integrator) {
    IntegratorOptions options = options_;
    options.project_start = false;
    options.event_driver = nullptr;
    integrator = std::make_unique<Integrator>(phase.model, scheme_, scheme_options_, solver_, solver_options_, options);
    if (order_ > 0) integrator->equations().estimate_errors(true);
  }
  return *integrator;
}

/// The integrator of the phase that the laws have chosen goes on from their state.
void ContactRun::enter_piece() {
  if (laws_.resting()) {
    const auto found = integrators_.find(laws_.phase().key());
    integrator_ = found == integrators_.end() ? nullptr : found->second.get();
    return;
  }
  State inner = laws_.state();
  inner.lambda = laws_.phase().psi;
  integrator_ = &integrator_of(laws_.phase());
  integrator_->restart(inner);
}

/// The state of the laws from that of the integrator: multipliers one for each constraint and obstacle.
void ContactRun::leave_piece() {
  State& state = laws_.state();
  const State& inner = integrator_->state();
  // What has another size or content there is swapped out of the way, so that the assignment allocates nothing.
  const auto keep = [&] {
    state.closed.swap(kept_closed_);
    state.released.swap(kept_released_);
    state.lambda.swap(kept_lambda_);
  };
  keep();
  state = inner;
  keep();
  state.lambda.setZero(m_ + n_contacts_);
  state.lambda.head(m_) = inner.lambda.head(m_);
  for (std::size_t k = 0; k < state.closed.size(); ++k)
    state.lambda[m_ + state.closed[k]] = inner.lambda[m_ + static_cast<Index>(k)];
  if (singular_.step == 0) singular_ = integrator_->singular_position();
  laws_.note_speed();
}

void ContactRun::add_counters(const RunCounters& before) {
  const RunCounters& now = integrator_->counters();
  counters_.iterations += now.iterations - before.iterations;
  counters_.residual_evaluations += now.residual_evaluations - before.residual_evaluations;
  counters_.jacobian_evaluations += now.jacobian_evaluations - before.jacobian_evaluations;
  counters_.factorisations += now.factorisations - before.factorisations;
  counters_.repeated_solves += now.repeated_solves - before.repeated_solves;
  counters_.refinement_passes += now.refinement_passes - before.refinement_passes;
  counters_.unrefined_solves += now.unrefined_solves - before.unrefined_solves;
  counters_.fallback_solves += now.fallback_solves - before.fallback_solves;
  counters_.refused_steps += now.refused_steps - before.refused_steps;
}

void ContactRun::start(double t0, const Vector& q0, const Vector& p0) {
  counters_ = RunCounters();
  singular_ = SingularPosition();
  integrators_.clear();
  integrator_ = nullptr;
  promises_ = bound_;
  judged_ = false;
  defect_ = 0;
  deepest_ = 0;
  laws_.start(t0, q0, p0);
  enter_piece();
  now_energy_ = laws_.energy_of(laws_.state());
  if (laws_.resting()) return;
  leave_piece();
  if (n_contacts_ == 0) warm_up();
}

/// One step that is thrown away, so that what is allocated once is allocated before the run: where there are no
/// contacts the run is to be as one without events. Its failure means nothing.
void ContactRun::warm_up() {
  const State& state = laws_.state();
  const double length = std::max(state.q.value().lpNorm<Eigen::Infinity>(), 1e-3);
  const double speed = laws_.velocity(state.q.value(), state.p.value()).lpNorm<Eigen::Infinity>() +
                       std::sqrt(laws_.phase().a.lpNorm<Eigen::Infinity>() * length);
  struct : StepJudge {
    bool passes(const State&, const State&, const Vector&, const Vector&) override { return true; }
  } any;
  StepReport ignored;
  if (whole_step(speed > 0 ? 1e-3 * length / speed : 1e-3, ignored, order_ > 0 ? &any : nullptr)) undo();
  counters_ = RunCounters();
}

void ContactRun::restore(const State& checkpoint) {
  laws_.restore(checkpoint);
  enter_piece();
  if (!laws_.resting()) leave_piece();
}

Vector ContactRun::index1_multipliers() const {
  const State& state = laws_.state();
  if (laws_.resting()) return state.lambda;
  const Vector inner = integrator_->index1_multipliers();
  Vector lambda = Vector::Zero(m_ + n_contacts_);
  lambda.head(m_) = inner.head(m_);
  for (std::size_t k = 0; k < state.closed.size(); ++k)
    lambda[m_ + state.closed[k]] = inner[m_ + static_cast<Index>(k)];
  return lambda;
}

bool ContactRun::step(double h, StepReport& report, StepJudge* judge) {
  if (!whole_step(h, report, judge)) return false;
  if (judge == nullptr) return true;
  judged_ = true;
  promises_.symmetric = promises_.symplectic = false;
  return true;
}

bool ContactRun::whole_step(double h, StepReport& report, StepJudge* judge) {
  if (h < 0 && n_contacts_ > 0)
    throw Error(ErrorCode::bad_value,
                "step h = " + number_text(h) + " is below zero: contact runs forward in time only");
  laws_.save(saved_.laws);
  if (!laws_.resting()) saved_.inner = integrator_->state();
  saved_.integrator = integrator_;
  saved_.singular = singular_;
  saved_.defect = defect_;
  saved_.now = now_energy_;
  saved_.deepest = deepest_;
  laws_.set_step(h);
  solves_left_ = most_solves;
  error_q_.setZero();
  error_v_.setZero();
  const State& state = laws_.state();
  try {
    double remaining = h;
    if (h < 0) {
      // Backward in time friction stops nothing, and what is at rest stays there.
      if (laws_.resting()) {
        laws_.rest(h);
        return true;
      }
      before_ = integrator_->state();
      if (!take(remaining, h, report)) return fail(report.message, report);
      if (judge != nullptr && !judge_piece(*judge, report)) return fail(report.message, report);
      leave_piece();
      book_smooth();
      return true;
    }
    for (int cuts = 0; remaining > 0; ++cuts) {
      laws_.stop_if_interrupted();
      if (cuts > 0) solves_left_ += solves_an_event;
      if (cuts == most_cuts) return fail("more than " + std::to_string(most_cuts) + " events in one step", report);
      if (laws_.resting()) {
        remaining -= laws_.rest(remaining);
        if (laws_.resting()) continue;
        enter_piece();
        leave_piece();
        continue;
      }
      before_ = integrator_->state();
      if (laws_.stops(before_, remaining)) {
        const double t = state.t + state.t_tail;
        laws_.stop(before_);
        book_smooth();
        laws_.start_again();
        enter_piece();
        if (!laws_.resting()) leave_piece();
        remaining -= (state.t + state.t_tail) - t;
        continue;
      }
      double span = remaining;
      if (!take(span, h, report)) return fail(report.message, report);
      // Judged before its events are looked for: on a solution that is true to the tolerance.
      if (judge != nullptr && !judge_piece(*judge, report)) return fail(report.message, report);
      after_ = integrator_->state();
      moved_ = false;
      Found found{span, EventKind::rest, -1};
      const bool event = find(span, found);
      if (event && found.s < span)
        after(found.s);
      else if (moved_)
        integrator_->restore(after_);
      if (judge != nullptr) {
        const double part = event ? std::pow(found.s / span, order_ + 1) : 1;
        error_q_ += part * piece_q_.cwiseAbs();
        error_v_ += part * piece_v_.cwiseAbs();
      }
      leave_piece();
      book_smooth();
      laws_.measure(state, gaps_now_);
      laws_.forget_released(gaps_now_);
      remaining = found.s < remaining ? remaining - found.s : 0;
      if (!event) continue;
      const Vector &c = gaps_now_.c, &rates = gaps_now_.rate;
      deepest_ = std::max(deepest_, -c.minCoeff());

      Contacts landing, opening, letting_go, stopping;
      for (const Index i : laws_.open()) {
        const double tolerance = laws_.gap_tolerance(i);
        if (i == found.contact || (c[i] <= 10 * tolerance && rates[i] < -approach * laws_.fastest()) ||
            (!laws_.located() && c[i] < -tolerance && rates[i] < 0))
          landing.push_back(i);
      }
      if (found.kind == EventKind::launch) opening.push_back(found.contact);
      if (found.kind == EventKind::stick) stopping.push_back(found.contact);
      if (found.kind == EventKind::slide) letting_go = at_their_limit(found.contact);
      laws_.settle(landing, opening, letting_go, stopping);
      enter_piece();
    }
    now_energy_ = laws_.energy_of(state);
    if (judge != nullptr && !judge->passes(saved_.laws.state, state, error_q_, error_v_)) {
      report.status = SolveStatus::error_too_large;
      return fail("", report);
    }
  } catch (...) {
    report.status = SolveStatus::evaluation_failed;
    return fail(thrown_text(), report);
  }
  return true;
}

/// Is the error of the step, with that of the piece which the integrator has just taken, one that the judge allows?
bool ContactRun::judge_piece(StepJudge& judge, StepReport& report) {
  const State& reached = integrator_->state();
  if (!integrator_->equations().local_error(before_, reached, piece_q_, piece_v_)) {
    report.status = SolveStatus::evaluation_failed;
    report.message = "the local error cannot be estimated";
    return false;
  }
  sum_q_ = error_q_ + piece_q_.cwiseAbs();
  sum_v_ = error_v_ + piece_v_.cwiseAbs();
  if (judge.passes(saved_.laws.state, reached, sum_q_, sum_v_)) return true;
  report.status = SolveStatus::error_too_large;
  report.message.clear();
  return false;
}

/// The contacts whose friction is at its limit together with that of this one.
ContactRun::Contacts ContactRun::at_their_limit(Index contact) {
  const State& state = laws_.state();
  margin(0, state);
  const auto count = static_cast<Index>(state.closed.size());
  Contacts found;
  for (Index k = 0; k < count; ++k) {
    const Index i = state.closed[static_cast<std::size_t>(k)];
    if (i == contact || now_[count + k] <= grip_rounding * laws_.largest_psi()) found.push_back(i);
  }
  return found;
}

/// Undoes the step.
bool ContactRun::fail(const std::string& why, StepReport& report) {
  if (report.status == SolveStatus::converged) report.status = SolveStatus::not_converged;
  report.message = std::string(why);
  const std::size_t events = laws_.events().size() - saved_.laws.events;
  if (events >= many_events)
    report.message += "; after " + std::to_string(events) +
                      " events in this step: a larger zeno-speed ends a sequence of ever shorter ones";
  undo();
  return false;
}

void ContactRun::undo() {
  laws_.undo(saved_.laws);
  singular_ = saved_.singular;
  defect_ = saved_.defect;
  now_energy_ = saved_.now;
  deepest_ = saved_.deepest;
  integrator_ = saved_.integrator;
  if (!laws_.resting()) integrator_->restore(saved_.inner);
}

/// One smooth piece of at most `span`, which is cut while the solver fails or the velocity turns round under friction.
bool ContactRun::take(double& span, double h, StepReport& report) {
  Integrator& integrator = *integrator_;
  const bool frictional = laws_.phase().frictional();
  for (;;) {
    const RunCounters counters = integrator.counters();
    const StepReport inner = integrator.step(span);
    add_counters(counters);
    report.last = inner.last;
    const bool turned = frictional && inner.success() &&
                        laws_.velocity(before_.q.value(), before_.p.value()).dot(integrator.state().p.value()) < 0;
    if (inner.success() && !turned) return true;
    report.status = inner.status;
    report.message = inner.message;
    if (!frictional) return false;
    // Where the deceleration of the start would stop it.
    Phase& phase = laws_.phase();
    laws_.consistent(phase, before_);
    const double deceleration = -phase.a.dot(before_.p.value()), now = laws_.speed(before_);
    const double stop = deceleration > 0 ? now * now / deceleration : span;
    span = .9 * stop < span ? .9 * stop : span / 2;
    if (!(span > 1e-13 * h)) {
      if (inner.success()) report.message = "the velocity turns round and no stop was found";
      return false;
    }
    integrator.restore(before_);
    report.status = SolveStatus::converged;
    report.message.clear();
  }
}

/// The state a time s after before_, by one step.
const State& ContactRun::after(double s) {
  Integrator& integrator = *integrator_;
  moved_ = true;
  integrator.restore(before_);
  if (s <= 0) return integrator.state();
  if (--solves_left_ < 0)
    throw CannotEvaluate("the events of the step are not found after " + std::to_string(most_solves) + " solves and " +
                         std::to_string(solves_an_event) + " more for each of its " +
                         std::to_string(laws_.events().size() - saved_.laws.events) +
                         " events: too many contacts open and close in it; a smaller step has fewer");
  const RunCounters counters = integrator.counters();
  const StepReport report = integrator.step(s);
  add_counters(counters);
  if (!report.success()) throw CannotEvaluate("while an event was being located: " + report.message);
  return integrator.state();
}

/// What a smooth piece changed in the energy beyond the work of the forces is the scheme's own defect.
void ContactRun::book_smooth() {
  const State& state = laws_.state();
  const long double before = laws_.energy_of(before_), now = laws_.energy_of(state);
  defect_ += (now - before) - (state.work.total() - before_.work.total());
  now_energy_ = now;
}

EnergyBook ContactRun::book() const {
  EnergyBook book;
  book.start = static_cast<double>(laws_.start_energy());
  book.now = static_cast<double>(now_energy_);
  book.work = static_cast<double>(laws_.state().work.total());
  book.impact = static_cast<double>(laws_.impact_losses());
  book.defect = static_cast<double>(defect_);
  return book;
}

}  // namespace gnomon
