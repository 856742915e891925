#include "contact/contact_run.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

using namespace contact_tolerances;

ContactRun::ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
                       const SolverFactory& solver, Options solver_options, const IntegratorOptions& options)
    : system_(std::move(system)),
      closed_(system_->parts().obstacles->with_obstacles_closed()),
      scheme_(scheme),
      scheme_options_(std::move(scheme_options)),
      solver_(solver),
      solver_options_(std::move(solver_options)),
      options_(options),
      m_(system_->m()),
      n_contacts_(system_->parts().n_obstacles()),
      energy_(*system_) {
  const double e = options.contact.restitution, zeno = options.contact.zeno_speed;
  if (!(e >= 0 && e <= 1))
    throw Error(ErrorCode::bad_value, "restitution e = " + number_text(e) + " is outside [0, 1]");
  if (!(zeno > 0 && std::isfinite(zeno)))
    throw Error(ErrorCode::bad_value, "zeno speed " + number_text(zeno) + " is not a finite number above zero");
  Contacts all;
  for (Index i = 0; i < n_contacts_; ++i) all.push_back(i);
  const ContactModel everything(system_, closed_, all);
  promises_ = scheme.bind(everything, scheme_options_).promises;
  promises_.symmetric = promises_.symplectic = promises_.momentum = promises_.discrete_energy = false;
  if (!located()) promises_.order = std::min(promises_.order, 1);
  if (!promises_.constrained_limit) promises_.energy = false;  // the book across events has no penalty potential
  gap_tolerance_.setZero(n_contacts_);
  for (Vector* x : {&velocity_, &momentum_}) x->setZero(system_->n());
  if (system_->parts().mass) mass_matrix_.setZero(system_->n(), system_->n());
  rows_.setZero(closed_->m());
  values_.setZero(closed_->constraint_pattern().nonzeros());
}

StepEquations& ContactRun::equations() {
  if (phase_ == nullptr || !phase_->integrator)
    throw Error(ErrorCode::refused, "system " + system_->traits().name + " is at rest and has no equations to solve");
  return phase_->integrator->equations();
}

ContactRun::Phase& ContactRun::phase(const Contacts& contacts) {
  Phase& phase = phases_[contacts];
  if (phase.model) return phase;
  phase.model = std::make_shared<ContactModel>(system_, closed_, contacts);
  phase.dae = std::make_shared<MechanicalOverdetermined>(phase.model);
  phase.index1 = std::make_unique<Index1>(*phase.dae);
  phase.a = Vector::Zero(system_->n());
  phase.psi = Vector::Zero(phase.model->m());
  return phase;
}

/// The state goes on with these contacts closed.
void ContactRun::enter(const Contacts& contacts) {
  phase_ = &phase(contacts);
  Phase& p = *phase_;
  measure(state_, gaps_now_);
  state_.closed = contacts;
  open_.clear();
  for (Index i = 0; i < n_contacts_; ++i)
    if (!contains(contacts, i)) open_.push_back(i);
  if (at_rest_under_friction(p)) set_in_motion();
  if (resting_) return;
  consistent(p, state_);
  State inner = state_;
  inner.lambda = p.psi;
  integrator_of(p).restart(inner);
}

Integrator& ContactRun::integrator_of(Phase& phase) {
  if (!phase.integrator) {
    IntegratorOptions options = options_;
    options.project_start = false;
    phase.integrator =
        std::make_unique<Integrator>(phase.model, scheme_, scheme_options_, solver_, solver_options_, options);
  }
  return *phase.integrator;
}

/// The outer state from the inner one: multipliers one for each constraint and obstacle.
void ContactRun::leave_inner_state() {
  const State& inner = phase_->integrator->state();
  // What has another size or content there is swapped out of the way, so that the assignment allocates nothing.
  const auto keep = [&] {
    state_.closed.swap(kept_closed_);
    state_.released.swap(kept_released_);
    state_.lambda.swap(kept_lambda_);
  };
  keep();
  state_ = inner;
  keep();
  state_.lambda.setZero(m_ + n_contacts_);
  state_.lambda.head(m_) = inner.lambda.head(m_);
  for (std::size_t k = 0; k < state_.closed.size(); ++k)
    state_.lambda[m_ + state_.closed[k]] = inner.lambda[m_ + static_cast<Index>(k)];
  fastest_ = std::max(fastest_, speed(state_));
}

void ContactRun::add_counters(const RunCounters& before) {
  const RunCounters& now = phase_->integrator->counters();
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
  check_start(*system_, t0, q0, p0);
  state_ = State();
  state_.t = t0;
  state_.q.set(q0);
  state_.p.set(p0);
  events_.clear();
  impact_ = defect_ = 0;
  counters_ = RunCounters();
  resting_ = false;
  deepest_ = largest_psi_ = 0;
  fastest_ = speed(state_);

  // What rounding of q makes of a gap.
  Vector values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(t0, q0, values);
  const Matrix C = to_dense(closed_->constraint_pattern(), values).bottomRows(n_contacts_);
  const double size = std::max(q0.lpNorm<Eigen::Infinity>(), 1e-300);
  measure(state_, gaps_now_);
  const Vector c = gaps_now_.c, rates = gaps_now_.rate;
  for (Index i = 0; i < n_contacts_; ++i)
    gap_tolerance_[i] = gap_rounding * std::max(C.row(i).lpNorm<1>() * size, std::abs(c[i]));

  Contacts landing;
  for (Index i = 0; i < n_contacts_; ++i) {
    const double near = touching_gap / gap_rounding * gap_tolerance_[i];
    if (c[i] <= near) landing.push_back(i);
  }
  start_energy_ = now_energy_ = energy_of(state_);
  // Contacts that touch and are not hit make no event by being there.
  settle(landing, {});
  const auto no_event = [&](const ContactEvent& e) {
    return e.contact >= 0 && rates[e.contact] >= -approach * fastest_;
  };
  events_.erase(std::remove_if(events_.begin(), events_.end(), no_event), events_.end());
  if (!resting_) leave_inner_state();
}

void ContactRun::restore(const State& checkpoint) {
  state_ = checkpoint;
  resting_ = false;
  const State copy = state_;
  enter(copy.closed);
  if (!resting_) leave_inner_state();
}

Vector ContactRun::index1_multipliers() const {
  if (resting_) return state_.lambda;
  const Vector inner = phase_->integrator->index1_multipliers();
  Vector lambda = Vector::Zero(m_ + n_contacts_);
  lambda.head(m_) = inner.head(m_);
  for (std::size_t k = 0; k < state_.closed.size(); ++k)
    lambda[m_ + state_.closed[k]] = inner[m_ + static_cast<Index>(k)];
  return lambda;
}

bool ContactRun::step(double h, StepReport& report) {
  if (h < 0)
    throw Error(ErrorCode::bad_value,
                "step h = " + number_text(h) + " is below zero: contact runs forward in time only");
  saved_.state = state_;
  if (!resting_) saved_.inner = phase_->integrator->state();
  saved_.phase = phase_;
  saved_.open = open_;
  saved_.events = events_.size();
  saved_.impact = impact_;
  saved_.defect = defect_;
  saved_.now = now_energy_;
  saved_.resting = resting_;
  saved_.deepest = deepest_;
  saved_.fastest = fastest_;
  saved_.largest_psi = largest_psi_;
  step_ = h;
  solves_left_ = most_solves;
  try {
    double remaining = h;
    for (int cuts = 0; remaining > 0; ++cuts) {
      stop_if_interrupted();
      if (cuts > 0) solves_left_ += solves_an_event;
      if (cuts == most_cuts) return fail("more than " + std::to_string(most_cuts) + " events in one step", report);
      if (resting_) {
        remaining -= rest(remaining);
        continue;
      }
      before_ = phase_->integrator->state();
      if (stops(remaining)) {
        const double t = state_.t + state_.t_tail;
        turn();
        remaining -= (state_.t + state_.t_tail) - t;
        continue;
      }
      double span = remaining;
      if (!take(span, h, report)) return fail(report.message, report);
      after_ = phase_->integrator->state();
      Found found{span, EventKind::rest, -1};
      const bool event = find(span, found);
      if (event && found.s < span) after(found.s);
      leave_inner_state();
      book_smooth();
      measure(state_, gaps_now_);
      forget_released();
      remaining = found.s < remaining ? remaining - found.s : 0;
      if (!event) continue;
      const Vector &c = gaps_now_.c, &rates = gaps_now_.rate;
      deepest_ = std::max(deepest_, -c.minCoeff());

      Contacts landing, opening;
      for (const Index i : open_)
        if (i == found.contact || (c[i] <= 10 * gap_tolerance(i) && rates[i] < -approach * fastest_) ||
            (!located() && c[i] < -gap_tolerance(i) && rates[i] < 0))
          landing.push_back(i);
      if (found.kind == EventKind::launch) opening.push_back(found.contact);
      settle(landing, opening);
    }
    now_energy_ = energy_of(state_);
  } catch (...) {
    report.status = SolveStatus::evaluation_failed;
    return fail(thrown_text(), report);
  }
  return true;
}

/// Undoes the step.
bool ContactRun::fail(const std::string& why, StepReport& report) {
  if (report.status == SolveStatus::converged) report.status = SolveStatus::not_converged;
  report.message = std::string(why);
  undo();
  return false;
}

void ContactRun::undo() {
  events_.resize(saved_.events, ContactEvent{});
  impact_ = saved_.impact;
  defect_ = saved_.defect;
  now_energy_ = saved_.now;
  resting_ = saved_.resting;
  deepest_ = saved_.deepest;
  fastest_ = saved_.fastest;
  largest_psi_ = saved_.largest_psi;
  state_ = saved_.state;
  phase_ = saved_.phase;
  open_ = saved_.open;
  if (!resting_) phase_->integrator->restore(saved_.inner);
}

/// One smooth piece of at most `span`, which is cut while the solver fails or the velocity turns round under friction.
bool ContactRun::take(double& span, double h, StepReport& report) {
  Integrator& integrator = *phase_->integrator;
  const bool frictional = phase_->frictional();
  for (;;) {
    const RunCounters counters = integrator.counters();
    const StepReport inner = integrator.step(span);
    add_counters(counters);
    report.last = inner.last;
    const bool turned = frictional && inner.success() &&
                        velocity(before_.q.value(), before_.p.value()).dot(integrator.state().p.value()) < 0;
    if (inner.success() && !turned) return true;
    report.status = inner.status;
    report.message = inner.message;
    if (!frictional) return false;
    // Where the deceleration of the start would stop it.
    consistent(*phase_, before_);
    const double deceleration = -phase_->a.dot(before_.p.value()), now = speed(before_);
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

void ContactRun::stop_if_interrupted() const {
  if (options_.interrupt != nullptr && *options_.interrupt != 0) throw CannotEvaluate("interrupted");
}

/// The state a time s after before_, by one step.
const State& ContactRun::after(double s) {
  Integrator& integrator = *phase_->integrator;
  integrator.restore(before_);
  if (s <= 0) return integrator.state();
  if (--solves_left_ < 0)
    throw CannotEvaluate("the events of the step are not found after " + std::to_string(most_solves) + " solves and " +
                         std::to_string(solves_an_event) + " more for each of its " +
                         std::to_string(events_.size() - saved_.events) +
                         " events: too many contacts open and close in it; a smaller step has fewer");
  const RunCounters counters = integrator.counters();
  const StepReport report = integrator.step(s);
  add_counters(counters);
  if (!report.success()) throw CannotEvaluate("while an event was being located: " + report.message);
  return integrator.state();
}

/// What a smooth piece changed in the energy beyond the work of the forces is the scheme's own defect.
void ContactRun::book_smooth() {
  const long double before = energy_of(before_), now = energy_of(state_);
  defect_ += (now - before) - (state_.work.total() - before_.work.total());
  now_energy_ = now;
}

}  // namespace gnomon
