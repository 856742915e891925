#include "contact/contact_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/formula/winding.hpp"
#include "start/short_time.hpp"

namespace gnomon {

using namespace contact_tolerances;

ContactRun::ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
                       const SolverFactory& solver, Options solver_options, const IntegratorOptions& options)
    : contact_(std::move(system), options.interrupt),
      quantities_(contact_.quantities()),
      laws_(contact_, options.contact),
      location_(contact_, laws_.located(), before_, after_,
                [this](double s) -> const State& { return state_after(s); }),
      scheme_(scheme),
      scheme_options_(std::move(scheme_options)),
      solver_(solver),
      solver_options_(std::move(solver_options)),
      options_(options),
      n_contacts_(quantities_.n_contacts()) {
  for (Vector* v : {&error_q_, &error_v_, &piece_q_, &piece_v_, &sum_q_, &sum_v_, &way_})
    v->setZero(quantities_.system()->n());
  bound_ = scheme.bind(*contact_.phases().everything().model, scheme_options_).promises;
  // Contacts that stick in space are constraints of velocities, which a scheme may not take.
  if (quantities_.any_in_space())
    bound_.order =
        std::min(bound_.order, scheme.bind(*contact_.phases().everything(false).model, scheme_options_).promises.order);
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
    order = scheme_.bind(*contact_.phases().everything().model, scheme_options_).equations->estimate_errors(true);
    if (n_contacts_ > 0)
      order = std::min(order,
                       scheme_.bind(*contact_.phases().at({}).model, scheme_options_).equations->estimate_errors(true));
    if (order == 0) return 0;
  }
  const bool changes = (order > 0) != (order_ > 0);
  order_ = order;
  if (!changes) return order_;
  for (const auto& entry : integrators_) entry.second->estimate_errors(on);
  if (integrator_ != nullptr && !contact_.resting()) {
    integrator_->restart(State(integrator_->state()));
    leave_piece();
  }
  return order_;
}

StepEquations& ContactRun::equations() {
  return (integrator_ ? *integrator_ : integrator_of(contact_.phase())).equations();
}

Integrator& ContactRun::integrator_of(const ContactPhase& phase) {
  std::unique_ptr<Integrator>& integrator = integrators_[phase.key()];
  if (!integrator) {
    IntegratorOptions options = options_;
    options.project_start = false;
    options.event_driver = nullptr;
    integrator = std::make_unique<Integrator>(phase.model, scheme_, scheme_options_, solver_, solver_options_, options);
    if (order_ > 0) integrator->estimate_errors(true);
    integrator->keep_solved_steps(keeps_solved_steps_);
  }
  return *integrator;
}

void ContactRun::keep_solved_steps(bool on) {
  keeps_solved_steps_ = on;
  for (auto& [key, integrator] : integrators_) integrator->keep_solved_steps(on);
}

/// The integrator of the phase that the laws have chosen goes on from their state.
void ContactRun::enter_piece() {
  if (contact_.resting()) {
    const auto found = integrators_.find(contact_.phase().key());
    integrator_ = found == integrators_.end() ? nullptr : found->second.get();
    return;
  }
  State inner = contact_.state();
  inner.lambda = contact_.phase().psi;
  Integrator* const last = std::exchange(integrator_, &integrator_of(contact_.phase()));
  if (integrator_ != last) inner.border.resize(0);  // of other constraints
  integrator_->restart(inner);
}

/// The state of the laws from that of the integrator: multipliers one for each constraint and obstacle.
void ContactRun::leave_piece() {
  State& state = contact_.state();
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
  contact_.spread(inner.lambda, state.lambda);
  if (singular_.step == 0) singular_ = integrator_->singular_position();
  contact_.note_speed(quantities_.speed(state));
}

void ContactRun::add_counters(const RunCounters& before) {
  using Counters = RunCounters;
  for (long Counters::*count :
       {&Counters::iterations, &Counters::residual_evaluations, &Counters::jacobian_evaluations,
        &Counters::factorisations, &Counters::repeated_solves, &Counters::refinement_passes,
        &Counters::unrefined_solves, &Counters::fallback_solves, &Counters::refused_steps, &Counters::followed_steps,
        &Counters::unconnected_steps, &Counters::switches, &Counters::overstepped_switches})
    counters_.*count += integrator_->counters().*count - before.*count;
  counters_.overstepped_change += integrator_->counters().overstepped_change - before.overstepped_change;
}

void ContactRun::start(double t0, const Vector& q0, const Vector& p0, const std::vector<int>& turns) {
  counters_ = RunCounters();
  singular_ = SingularPosition();
  integrators_.clear();
  integrator_ = nullptr;
  promises_ = bound_;
  judged_ = false;
  defect_ = 0;
  deepest_ = 0;
  laws_.start(t0, q0, p0, turns);
  const Windings held(contact_.state().turns);
  enter_piece();
  now_energy_ = quantities_.energy(contact_.state());
  if (contact_.resting()) return contact_.multipliers_at_rest(contact_.state().lambda);
  leave_piece();
  if (n_contacts_ == 0) warm_up();
}

/// One step that is thrown away, so that what is allocated once is allocated before the run: where there are no
/// contacts the run is to be as one without events. Its failure means nothing.
void ContactRun::warm_up() {
  const State& state = contact_.state();
  const double h =
      short_time(state.q.value(), quantities_.velocity(state.q.value(), state.p.value()), contact_.phase().a);
  struct : StepJudge {
    bool passes(const State&, const State&, const Vector&, const Vector&) override { return true; }
  } any;
  StepReport ignored;
  if (whole_step(h, ignored, order_ > 0 ? &any : nullptr)) undo();
  counters_ = RunCounters();
}

void ContactRun::restore(const State& checkpoint) {
  laws_.restore(checkpoint);
  enter_piece();
  if (contact_.resting()) return;
  State inner = integrator_->state();
  if (checkpoint.last_h != 0 && checkpoint.history.size() == inner.history.size() &&
      checkpoint.scheme_data.size() == inner.scheme_data.size()) {
    inner.history = checkpoint.history;
    inner.last_h = checkpoint.last_h;
    inner.scheme_data = checkpoint.scheme_data;
    if (checkpoint.border.size() == inner.border.size()) inner.border = checkpoint.border;
    integrator_->restore(inner);
  }
  leave_piece();
}

Vector ContactRun::index1_multipliers() const {
  const State& state = contact_.state();
  if (contact_.resting()) return state.lambda;
  Vector inner = integrator_->index1_multipliers();
  contact_.phase().push(state.t, state.q.value(), inner);
  Vector lambda;
  contact_.spread(inner, lambda);
  return lambda;
}

bool ContactRun::step(double h, StepReport& report, StepJudge* judge) {
  if (!whole_step(h, report, judge)) return false;
  if (judge == nullptr) return true;
  judged_ = true;
  promises_.symmetric = promises_.symplectic = false;
  return true;
}

void ContactRun::save_step(double h) {
  contact_.save(saved_.contact);
  if (!contact_.resting()) saved_.inner = integrator_->state();
  saved_.integrator = integrator_;
  saved_.singular = singular_;
  saved_.defect = defect_;
  saved_.now = now_energy_;
  saved_.deepest = deepest_;
  saved_.switches = counters_.switches;
  contact_.set_step(h);
  solves_left_ = most_solves;
  refusals_left_ = most_refusals;
  error_q_.setZero();
  error_v_.setZero();
}

bool ContactRun::whole_step(double h, StepReport& report, StepJudge* judge) {
  if (h < 0 && n_contacts_ > 0)
    throw Error(ErrorCode::bad_value,
                "step h = " + number_text(h) + " is below zero: contact runs forward in time only");
  const Windings turns(contact_.state().turns);
  save_step(h);
  try {
    return (h < 0 ? backward(h, report, judge) : forward(h, report, judge)) || fail(report.message, report);
  } catch (...) {
    report.status = SolveStatus::evaluation_failed;
    return fail(thrown_text(), report);
  }
}

/// Backward in time friction stops nothing, and what is at rest stays there.
bool ContactRun::backward(double h, StepReport& report, StepJudge* judge) {
  if (contact_.resting()) {
    laws_.rest(h);
    return true;
  }
  before_ = integrator_->state();
  double span = h;
  if (!take(span, h, report) || (judge != nullptr && !judge_piece(*judge, report))) return false;
  leave_piece();
  book_smooth();
  return true;
}

bool ContactRun::forward(double h, StepReport& report, StepJudge* judge) {
  double remaining = h;
  for (int cuts = 0; remaining > 0; ++cuts) {
    contact_.stop_if_interrupted();
    if (cuts > 0) solves_left_ += solves_an_event;
    if (cuts == most_cuts) {
      report.message = "more than " + std::to_string(most_cuts) + " events in one step";
      return false;
    }
    if (contact_.resting()) {
      remaining -= laws_.rest(remaining);
      if (contact_.resting()) {
        if (quantities_.coulomb() && quantities_.changes_with_time())
          contact_.multipliers_at_rest(contact_.state().lambda);
        continue;
      }
      enter_piece();
      leave_piece();
      continue;
    }
    before_ = integrator_->state();
    if (laws_.stops(before_, remaining))
      remaining -= stop_piece();
    else if (!piece(remaining, h, report, judge))
      return false;
  }
  now_energy_ = quantities_.energy(contact_.state());
  if (judge == nullptr || judge->passes(saved_.contact.state, contact_.state(), error_q_, error_v_)) return true;
  report.status = SolveStatus::error_too_large;
  report.message.clear();
  return false;
}

/// The end of a motion that friction stops. Returns its time.
double ContactRun::stop_piece() {
  const State& state = contact_.state();
  const double t = state.t + state.t_tail;
  laws_.stop(before_);
  book_smooth();
  laws_.start_again();
  enter_piece();
  if (!contact_.resting()) leave_piece();
  return (state.t + state.t_tail) - t;
}

/// Slips in space: for how long they go on.
double ContactRun::hold_directions(double remaining) {
  const ContactSlips::Held held = laws_.hold_directions(before_, remaining);
  if (!held.changed) return held.span;
  enter_piece();
  leave_piece();
  before_ = integrator_->state();
  return held.span;
}

/// One smooth piece from before_ to the first event, and that event.
bool ContactRun::piece(double& remaining, double h, StepReport& report, StepJudge* judge) {
  double span = remaining;
  if (quantities_.any_in_space()) span = std::min(span, hold_directions(remaining));
  std::size_t known = 0, reached = 0;
  LocatedEvent found;
  bool event = false;
  for (bool again = true; again;) {
    known = integrator_->events().size();
    if (!take(span, h, report)) return false;
    reached = integrator_->events().size();
    // Judged before its events are looked for: on a solution that is true to the tolerance.
    if (judge != nullptr && !judge_piece(*judge, report)) return false;
    after_ = integrator_->state();
    moved_ = again = false;
    found = {span, EventKind::rest, -1};
    try {
      event = location_.find(span, found);
    } catch (const CannotEvaluate&) {
      // Far behind the end of a slip in space its friction, whose direction is held, may have no multipliers.
      span /= 2;
      again = contact_.phase().model->slides_in_space() && span > thresholds::shortest_span * h;
      if (!again) throw;
      integrator_->restore(before_);
    }
  }
  for (std::size_t k = known; k < reached && found.s >= span; ++k, ++counters_.switches)
    contact_.events().push_back(integrator_->events()[k]);
  if (event && found.s < span)
    state_after(found.s);
  else if (moved_)
    integrator_->restore(after_);
  if (judge != nullptr) {
    const double part = event ? std::pow(found.s / span, order_ + 1) : 1;
    error_q_ += part * piece_q_.cwiseAbs();
    error_v_ += part * piece_v_.cwiseAbs();
  }
  leave_piece();
  book_smooth();
  quantities_.gaps(contact_.state(), gaps_);
  contact_.forget_released(gaps_);
  remaining = found.s < remaining ? remaining - found.s : 0;
  if (event) settle(found);
  return true;
}

/// The event in the present state, whose gaps are gaps_, with whatever else happens there.
void ContactRun::settle(const LocatedEvent& event) {
  const Vector &c = gaps_.c, &rates = gaps_.rate;
  deepest_ = std::max(deepest_, -c.minCoeff());
  Contacts landing, opening, letting_go, stopping;
  for (const Index i : contact_.open()) {
    const double tolerance = contact_.gap_tolerance(i);
    if (i == event.contact || (c[i] <= 10 * tolerance && rates[i] < -contact_.moving(i)) ||
        (!laws_.located() && c[i] < -tolerance && rates[i] < 0))
      landing.push_back(i);
  }
  if (event.kind == EventKind::launch) opening.push_back(event.contact);
  if (event.kind == EventKind::stick) stopping.push_back(event.contact);
  if (event.kind == EventKind::slide) letting_go = location_.at_their_limit(event.contact);
  laws_.settle(landing, opening, letting_go, stopping);
  enter_piece();
  if (contact_.resting() && quantities_.coulomb()) contact_.multipliers_at_rest(contact_.state().lambda);
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
  if (judge.passes(saved_.contact.state, reached, sum_q_, sum_v_)) return true;
  report.status = SolveStatus::error_too_large;
  report.message.clear();
  return false;
}

/// Undoes the step.
bool ContactRun::fail(const std::string& why, StepReport& report) {
  if (report.status == SolveStatus::converged) report.status = SolveStatus::not_converged;
  report.message = std::string(why);
  const std::size_t events = contact_.events().size() - saved_.contact.events;
  if (events >= many_events)
    report.message += "; after " + std::to_string(events) +
                      " events in this step: a larger zeno-speed ends a sequence of ever shorter ones";
  undo();
  return false;
}

void ContactRun::undo() {
  contact_.undo(saved_.contact);
  singular_ = saved_.singular;
  defect_ = saved_.defect;
  now_energy_ = saved_.now;
  deepest_ = saved_.deepest;
  counters_.switches = saved_.switches;
  integrator_ = saved_.integrator;
  if (!contact_.resting()) integrator_->restore(saved_.inner);
}

/// Has the velocity turned round since before_, a time `span` ago? A scheme that does not solve G v = -g_t leaves a
/// part of v off the constraints that turns round with every step: the way, to which that is orthogonal where
/// constraints are at rest, has turned as well.
bool ContactRun::turns_round(const State& reached, double span) {
  const Vector &before = before_.p.value(), &after = reached.p.value();
  if (quantities_.velocity(before_.q.value(), before).dot(after) >= 0) return false;
  way_ = (reached.q.value() - before_.q.value()) + (reached.q.tail() - before_.q.tail());
  if (span < 0) way_ = -way_;
  return way_.dot(before) < 0 || way_.dot(after) < 0;
}

/// After which the deceleration at before_ would end the motion on the constraints. Of a velocity that ends within
/// `span`, the part that a scheme has left off the constraints is taken away: it is no motion. Its energy ends with the
/// motion.
double ContactRun::stopping_time(double span) {
  State on = before_;
  Vector p;
  on.work.force -= contact_.onto_constraints(before_, p);
  on.p.set(p);
  ContactPhase& phase = contact_.phase();
  contact_.consistent(phase, on);
  const double deceleration = -phase.a.dot(p), speed = quantities_.speed(on);
  if (!(deceleration > 0)) return std::numeric_limits<double>::infinity();
  const double time = speed * speed / deceleration;
  if (!(time < span)) return time;
  const Vector off = before_.p.value() - p;
  const double off_speed = std::sqrt(std::max(0.0, quantities_.velocity(on.q.value(), off).dot(off)));
  if (off_speed <= thresholds::stopped * speed) return time;
  integrator_->restart(on);
  before_ = integrator_->state();
  return time;
}

/// One smooth piece of at most `span`, which is cut while the velocity turns round under friction
/// and where a slip in space is about to end or to turn.
bool ContactRun::take(double& span, double h, StepReport& report) {
  Integrator& integrator = *integrator_;
  const bool frictional = contact_.phase().frictional(), turns = contact_.phase().model->slides_in_space();
  for (;;) {
    const RunCounters counters = integrator.counters();
    const StepReport inner = span > 0 ? integrator.step_to_switch(span) : integrator.step(span);
    add_counters(counters);
    report.last = inner.last;
    const State& reached = integrator.state();
    const bool strayed =
        turns && inner.success() &&
        contact_.phase().model->strays(reached.q.value(), quantities_.velocity(reached.q.value(), reached.p.value()));
    const bool turned = frictional && inner.success() && turns_round(reached, span);
    if (inner.success() && !turned && !strayed) {
      if (inner.at_switch && span > 0) span = (reached.t - before_.t) + (reached.t_tail - before_.t_tail);
      return true;
    }
    report.status = inner.status;
    report.message = inner.message;
    if ((!frictional && !turns) || (order_ > 0 && !inner.success())) return false;
    const double stop = frictional ? stopping_time(span) : std::numeric_limits<double>::infinity();
    span = .9 * stop < span ? .9 * stop : span / 2;
    if (!(span > thresholds::shortest_span * h) || --refusals_left_ < 0) {
      if (inner.success())
        report.message = turned ? "the velocity turns round and no stop was found"
                                : "a slip in space turns round and its direction was not found";
      return false;
    }
    integrator.restore(before_);
    report.status = SolveStatus::converged;
    report.message.clear();
  }
}

/// The state a time s after before_, by one step.
const State& ContactRun::state_after(double s) {
  Integrator& integrator = *integrator_;
  moved_ = true;
  integrator.restore(before_);
  if (s <= 0) return integrator.state();
  if (--solves_left_ < 0)
    throw CannotEvaluate("the events of the step are not found after " + std::to_string(most_solves) + " solves and " +
                         std::to_string(solves_an_event) + " more for each of its " +
                         std::to_string(contact_.events().size() - saved_.contact.events) +
                         " events: too many contacts open and close in it; a smaller step has fewer");
  const RunCounters counters = integrator.counters();
  const StepReport report = integrator.step(s);
  add_counters(counters);
  if (!report.success()) throw CannotEvaluate("while an event was being located: " + report.message);
  return integrator.state();
}

/// What a smooth piece changed in the energy beyond the work of the forces is the scheme's own defect.
void ContactRun::book_smooth() {
  const State& state = contact_.state();
  const long double before = quantities_.energy(before_), now = quantities_.energy(state);
  defect_ += (now - before) - (state.work.total() - before_.work.total());
  now_energy_ = now;
}

EnergyBook ContactRun::book() const {
  EnergyBook book;
  book.start = static_cast<double>(contact_.start_energy());
  book.now = static_cast<double>(now_energy_);
  book.work = static_cast<double>(contact_.state().work.total());
  book.impact = static_cast<double>(contact_.impact_losses());
  book.defect = static_cast<double>(defect_);
  return book;
}

}  // namespace gnomon
