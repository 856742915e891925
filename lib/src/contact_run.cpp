#include "contact_run.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "impact.hpp"

namespace gnomon {

namespace {

constexpr int most_cuts = 200000;       // of one step by events
constexpr double touching = 1e-10;      // gap at the start, relative, below which a contact touches
constexpr double gap_rounding = 1e-13;  // of the terms of a gap
constexpr double opened = 1e3;          // gap tolerances: a gap that has opened
constexpr double still = 1e-13;         // speed, of the largest so far, that is none
constexpr double slow = 1e-6;           // speed, of the largest so far, from which a stop is extrapolated
constexpr double psi_rounding = 1e-12;  // of the largest contact multiplier so far
constexpr double approach = 1e-12;      // of the largest speed so far: what counts as moving into a contact

bool contains(const std::vector<Index>& set, Index i) {
  return std::find(set.begin(), set.end(), i) != set.end();
}

}  // namespace

ContactRun::ContactRun(std::shared_ptr<const System> system, const Scheme& scheme, Options scheme_options,
                       const SolverFactory& solver, Options solver_options, const IntegratorOptions& options)
    : system_(std::move(system)),
      closed_(system_->with_obstacles_closed()),
      scheme_(scheme),
      scheme_options_(std::move(scheme_options)),
      solver_(solver),
      solver_options_(std::move(solver_options)),
      options_(options),
      m_(system_->m()),
      n_contacts_(system_->traits().n_obstacles),
      energy_(*system_) {
  const double e = options.contact.restitution, zeno = options.contact.zeno_speed;
  if (!(e >= 0 && e <= 1))
    throw Error(ErrorCode::bad_value, "restitution e = " + number_text(e) + " is outside [0, 1]");
  if (!(zeno > 0 && std::isfinite(zeno)))
    throw Error(ErrorCode::bad_value, "zeno speed " + number_text(zeno) + " is not a finite number above zero");
  if (!system_->traits().constant_mass || system_->traits().time_dependent)
    throw Error(ErrorCode::refused, "system " + system_->traits().name +
                                        " has obstacles together with a mass that depends on q or with time "
                                        "dependence, which contact does not take");
  Contacts all;
  for (Index i = 0; i < n_contacts_; ++i) all.push_back(i);
  const ContactModel everything(system_, closed_, all);
  promises_ = scheme.bind(everything, scheme_options_).promises;
  promises_.symmetric = promises_.symplectic = promises_.momentum = false;
  if (!located()) promises_.order = std::min(promises_.order, 1);
  offsets_.setZero(n_contacts_);
  gap_tolerance_.setZero(n_contacts_);
}

StepEquations& ContactRun::equations() {
  if (phase_ == nullptr || !phase_->integrator)
    throw Error(ErrorCode::refused, "system " + system_->traits().name + " is at rest and has no equations to solve");
  return phase_->integrator->equations();
}

/// \name Quantities of a state
///@{

Vector ContactRun::velocity(const Vector& p) const {
  Vector v(system_->n());
  system_->mass().solve(p, v);
  return v;
}

double ContactRun::norm(const Vector& v) const {
  Vector p(v.size());
  system_->mass().apply(v, p);
  return std::sqrt(std::max(0.0, v.dot(p)));
}

/// At the compensated position: the flights of a Zeno sequence are less high than a double of q resolves.
Vector ContactRun::gaps(const Compensated& q) const {
  Vector g(closed_->m()), values(closed_->constraint_pattern().nonzeros());
  closed_->constraints_compensated(0, q.value(), q.tail(), g, values);
  return -g.tail(n_contacts_);
}

Vector ContactRun::gap_rates(const Vector& q, const Vector& p) const {
  Vector rates(closed_->m());
  closed_->constraint_velocity(0, q, velocity(p), rates);
  return -rates.tail(n_contacts_);
}

/// c'' = C a + v^T (Hess c) v
Vector ContactRun::gap_accelerations(const Vector& q, const Vector& p, const Vector& a) const {
  Vector curve(closed_->m()), bias(closed_->m()), values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(0, q, values);
  multiply(closed_->constraint_pattern(), values, a, curve);
  closed_->constraint_bias(0, q, velocity(p), bias);
  return -(curve + bias).tail(n_contacts_);
}

long double ContactRun::energy_of(const State& z) {
  energy_.evaluate(z);
  return energy_.energy_now();
}

EnergyBook ContactRun::book() const {
  EnergyBook book;
  book.start = static_cast<double>(start_energy_);
  book.now = static_cast<double>(now_energy_);
  book.work = static_cast<double>(state_.work);
  book.impact = static_cast<double>(impact_);
  book.defect = static_cast<double>(defect_);
  return book;
}

void ContactRun::record(EventKind kind, Index contact, double energy_change) {
  events_.push_back({state_.t, kind, contact, energy_change});
}

/// Accelerations and multipliers of a phase. At rest friction has no direction: it is left out then.
void ContactRun::consistent(Phase& phase, const Vector& q, const Vector& p) {
  const Vector v = velocity(p);
  if (phase.frictional() && norm(v) <= still * fastest_) {
    acceleration(*phase.model, 0, q, v, phase.a, phase.psi);
    return;
  }
  phase.index1->solve(q, v, phase.a, phase.psi);
}

///@}
/// \name Phases
///@{

ContactRun::Phase& ContactRun::phase(const Contacts& contacts) {
  Phase& phase = phases_[contacts];
  if (phase.model) return phase;
  phase.model = std::make_shared<ContactModel>(system_, closed_, contacts);
  phase.dae = overdetermined_from(phase.model);
  phase.index1 = std::make_unique<Index1>(*phase.dae);
  phase.a = Vector::Zero(system_->n());
  phase.psi = Vector::Zero(phase.model->m());
  return phase;
}

/// The state goes on with these contacts closed. Contacts that close are held at their gap where events are not
/// located.
void ContactRun::enter(const Contacts& contacts) {
  phase_ = &phase(contacts);
  Phase& p = *phase_;
  const Vector c = gaps(state_.q);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!contains(state_.closed, contacts[k])) offsets_[contacts[k]] = located() ? 0 : c[contacts[k]];
    p.model->set_offset(static_cast<Index>(k), offsets_[contacts[k]]);
  }
  state_.closed = contacts;
  open_.clear();
  for (Index i = 0; i < n_contacts_; ++i)
    if (!contains(contacts, i)) open_.push_back(i);
  if (rubs(p)) set_in_motion();
  if (resting_) return;
  consistent(p, state_.q.value(), state_.p.value());
  State inner = state_;
  inner.lambda = p.psi;
  if (!p.integrator) {
    IntegratorOptions options = options_;
    options.project_start = false;
    p.integrator = std::make_unique<Integrator>(p.model, scheme_, scheme_options_, solver_, solver_options_, options);
  }
  p.integrator->restart(inner);
}

/// The outer state from the inner one: multipliers one for each constraint and obstacle.
void ContactRun::leave_inner_state() {
  const State& inner = phase_->integrator->state();
  const Contacts closed = state_.closed, released = state_.released;
  state_ = inner;
  state_.closed = closed;
  state_.released = released;
  state_.lambda = Vector::Zero(m_ + n_contacts_);
  state_.lambda.head(m_) = inner.lambda.head(m_);
  for (std::size_t k = 0; k < closed.size(); ++k)
    state_.lambda[m_ + closed[k]] = inner.lambda[m_ + static_cast<Index>(k)];
  fastest_ = std::max(fastest_, norm(velocity(state_.p.value())));
}

void ContactRun::add_counters(const RunCounters& before) {
  const RunCounters& now = phase_->integrator->counters();
  counters_.iterations += now.iterations - before.iterations;
  counters_.residual_evaluations += now.residual_evaluations - before.residual_evaluations;
  counters_.jacobian_evaluations += now.jacobian_evaluations - before.jacobian_evaluations;
  counters_.factorisations += now.factorisations - before.factorisations;
  counters_.repeated_solves += now.repeated_solves - before.repeated_solves;
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
  fastest_ = norm(velocity(p0));

  // What rounding of q makes of a gap.
  Vector values(closed_->constraint_pattern().nonzeros());
  closed_->constraint_jacobian(t0, q0, values);
  const Matrix C = to_dense(closed_->constraint_pattern(), values).bottomRows(n_contacts_);
  const double size = std::max(q0.lpNorm<Eigen::Infinity>(), 1e-300);
  for (Index i = 0; i < n_contacts_; ++i)
    gap_tolerance_[i] = gap_rounding * std::max(C.row(i).lpNorm<1>() * size, gaps(state_.q).cwiseAbs()[i]);

  const Vector c = gaps(state_.q);
  Contacts landing;
  for (Index i = 0; i < n_contacts_; ++i) {
    const double near = touching / gap_rounding * gap_tolerance_[i];
    if (c[i] < -near) {
      const auto& names = system_->traits().obstacle_names;
      const auto k = static_cast<std::size_t>(i);
      throw Error(ErrorCode::inconsistent_start, "system " + system_->traits().name +
                                                     ": the start is inside obstacle \"" +
                                                     (k < names.size() ? names[k] : "c[" + std::to_string(i) + "]") +
                                                     "\": c = " + number_text(c[i]) + ", expected at least 0");
    }
    if (c[i] <= near) landing.push_back(i);
  }
  start_energy_ = now_energy_ = energy_of(state_);
  // Contacts that touch and are not hit make no event by being there.
  const Vector rates = gap_rates(q0, p0);
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

///@}
/// \name One step
///@{

bool ContactRun::step(double h, StepReport& report) {
  if (h < 0)
    throw Error(ErrorCode::bad_value,
                "step h = " + number_text(h) + " is below zero: contact runs forward in time only");
  const State saved = state_, inner = resting_ ? State() : phase_->integrator->state();
  Phase* const phase = phase_;
  const Contacts open = open_;
  const auto events = events_.size();
  const long double impact = impact_, defect = defect_, now = now_energy_;
  const bool rested = resting_;
  const Vector offsets = offsets_;
  step_ = h;
  const auto fail = [&](const std::string& why) {
    if (report.status == SolveStatus::converged) report.status = SolveStatus::not_converged;
    report.message = why;
    events_.resize(events, ContactEvent{});
    impact_ = impact;
    defect_ = defect;
    now_energy_ = now;
    resting_ = rested;
    state_ = saved;
    phase_ = phase;
    open_ = open;
    offsets_ = offsets;
    for (std::size_t k = 0; k < state_.closed.size(); ++k)
      phase_->model->set_offset(static_cast<Index>(k), offsets_[state_.closed[k]]);
    if (!resting_) phase_->integrator->restore(inner);
    return false;
  };
  try {
    double remaining = h;
    for (int cuts = 0; remaining > 0; ++cuts) {
      if (resting_) {
        state_.advance_time(remaining);
        break;
      }
      if (cuts == most_cuts) return fail("more than " + std::to_string(most_cuts) + " events in one step");
      before_ = phase_->integrator->state();
      if (stops(remaining)) {
        const double t = state_.t + state_.t_tail;
        turn();
        remaining -= (state_.t + state_.t_tail) - t;
        continue;
      }
      double span = remaining;
      if (!take(span, h, report)) return fail(report.message);
      after_ = phase_->integrator->state();
      Found found{span, EventKind::rest, -1};
      const bool event = find(span, found);
      if (event && found.s < span) after(found.s);
      leave_inner_state();
      book_smooth();
      const Vector c = gaps(state_.q);
      forget_released();
      remaining = found.s < remaining ? remaining - found.s : 0;
      if (!event) continue;
      deepest_ = std::max(deepest_, -c.minCoeff());

      Contacts landing, opening;
      const Vector rates = gap_rates(state_.q.value(), state_.p.value());
      for (const Index i : open_)
        if (i == found.contact || (c[i] <= 10 * gap_tolerance(i) && rates[i] < -approach * fastest_) ||
            (!located() && c[i] < -gap_tolerance(i) && rates[i] < 0))
          landing.push_back(i);
      if (found.kind == EventKind::launch) opening.push_back(found.contact);
      settle(landing, opening);
    }
  } catch (const std::exception& error) {
    report.status = SolveStatus::evaluation_failed;
    return fail(error.what());
  }
  now_energy_ = energy_of(state_);
  return true;
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
    const bool turned =
        frictional && inner.success() && velocity(before_.p.value()).dot(integrator.state().p.value()) < 0;
    if (inner.success() && !turned) return true;
    report.status = inner.status;
    report.message = inner.message;
    if (!frictional) return false;
    // Where the deceleration of the start would stop it.
    consistent(*phase_, before_.q.value(), before_.p.value());
    const double deceleration = -phase_->a.dot(before_.p.value());
    const double stop = deceleration > 0 ? velocity(before_.p.value()).dot(before_.p.value()) / deceleration : span;
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
  Integrator& integrator = *phase_->integrator;
  integrator.restore(before_);
  if (s <= 0) return integrator.state();
  const RunCounters counters = integrator.counters();
  const StepReport report = integrator.step(s);
  add_counters(counters);
  if (!report.success()) throw CannotEvaluate("while an event was being located: " + report.message);
  return integrator.state();
}

/// The first event after before_ in a step of `span` to after_.
bool ContactRun::find(double span, Found& found) {
  bool any = false;
  const auto offer = [&](double s, EventKind kind, Index contact) {
    if (any && s >= found.s) return;
    found = {s, kind, contact};
    any = true;
  };
  double s = 0;
  for (const Index i : open_)
    if (find_landing(i, span, s)) offer(s, EventKind::landing, i);
  if (!state_.closed.empty()) {
    consistent(*phase_, after_.q.value(), after_.p.value());
    const Vector psi = phase_->psi.tail(static_cast<Index>(state_.closed.size()));
    largest_psi_ = std::max(largest_psi_, psi.lpNorm<Eigen::Infinity>());
    for (std::size_t k = 0; k < state_.closed.size(); ++k)
      if (psi[static_cast<Index>(k)] < -psi_rounding * largest_psi_ && find_launch(k, span, s))
        offer(s, EventKind::launch, state_.closed[k]);
  }
  return any;
}

/// Root of f in [a, b], f(a) > 0 > f(b), on the side where f >= 0.
template <class F>
double ContactRun::root(double a, double fa, double b, double fb, F&& f) const {
  const double resolution = 4e-16 * b;
  const auto close = [&](double left, double right) { return right - left <= resolution; };
  std::uintmax_t evaluations = 100;
  return boost::math::tools::toms748_solve(f, a, b, fa, fb, close, evaluations).first;
}

/// A released contact is an open one like others as soon as its gap has opened.
void ContactRun::forget_released() {
  if (state_.released.empty()) return;
  const Vector c = gaps(state_.q), rates = gap_rates(state_.q.value(), state_.p.value());
  const auto is_open = [&](Index i) { return c[i] > opened * gap_tolerance(i) && rates[i] > 0; };
  state_.released.erase(std::remove_if(state_.released.begin(), state_.released.end(), is_open), state_.released.end());
}

/// Landing of an open contact. The gap between the ends of the step is taken as the cubic with its end values and rates
/// to find where to look; the root itself is that of the gap after a step of size s.
bool ContactRun::find_landing(Index contact, double span, double& s) {
  const double c1 = gaps(after_.q)[contact];
  if (!located()) {
    s = span;
    return c1 < -gap_tolerance(contact) && gap_rates(after_.q.value(), after_.p.value())[contact] < 0;
  }
  const double c0 = gaps(before_.q)[contact];
  const double r0 = gap_rates(before_.q.value(), before_.p.value())[contact] * span,
               r1 = gap_rates(after_.q.value(), after_.p.value())[contact] * span;
  // After a rebound the gap opens at once; after a launch it stays within rounding for a while.
  const double tolerance = r0 > approach * fastest_ * span ? 0 : gap_tolerance(contact);
  // c(x) = c0 + r0 x + k2 x^2 + k3 x^3 on [0, 1]
  const double k2 = 3 * (c1 - c0) - 2 * r0 - r1, k3 = 2 * (c0 - c1) + r0 + r1;
  const auto cubic = [&](double x) { return c0 + x * (r0 + x * (k2 + x * k3)); };
  std::vector<double> turns;  // where its slope r0 + 2 k2 x + 3 k3 x^2 vanishes
  const double discriminant = k2 * k2 - 3 * k3 * r0;
  if (discriminant >= 0) {
    const double w = -(k2 + std::copysign(std::sqrt(discriminant), k2));
    for (const double x : {w / (3 * k3), r0 / w})
      if (x > 0 && x < 1) turns.push_back(x);
    std::sort(turns.begin(), turns.end());
  }
  double below = c1 < -tolerance ? 1 : -1;
  for (const double x : turns)
    if (cubic(x) < -tolerance && (below < 0 || x < below)) below = x;
  if (below < 0) return false;
  double above = 0;
  for (const double x : turns)
    if (x < below && cubic(x) > cubic(above)) above = x;
  if (contains(state_.released, contact) && cubic(above) <= opened * gap_tolerance(contact)) {
    // A smooth launch does not land: its gap grows with the third power of time, and what a scheme of low order makes
    // of that may dip below zero while the gap is accelerated upwards.
    consistent(*phase_, after_.q.value(), after_.p.value());
    if (gap_accelerations(after_.q.value(), after_.p.value(), phase_->a)[contact] >= 0) return false;
  }

  const auto gap = [&](double x) { return x >= span ? c1 : x <= 0 ? c0 : gaps(after(x).q)[contact]; };
  double left = above * span, right = below * span, at_right = gap(right);
  if (at_right >= -tolerance) return false;  // the cubic was wrong
  double at_left = gap(left);
  while (at_left <= 0 && left > 1e-12 * span) at_left = gap(left *= .5);
  // From a contact that never opened: it is hit where it stands.
  s = at_left <= 0 ? 0 : root(left, at_left, right, at_right, gap);
  return true;
}

/// Detachment of closed contact k: where its consistent multiplier reaches zero.
bool ContactRun::find_launch(std::size_t k, double span, double& s) {
  const Index row = m_ + static_cast<Index>(k);
  const double at_end = phase_->psi[row];
  if (!located()) {
    s = span;
    return true;
  }
  const auto psi = [&](double x) {
    const State& z = x >= span ? after_ : x <= 0 ? before_ : after(x);
    consistent(*phase_, z.q.value(), z.p.value());
    return phase_->psi[row];
  };
  const double at_start = psi(0);
  s = at_start <= 0 ? 0 : root(0, at_start, span, at_end, psi);
  return true;
}

/// What a smooth piece changed in the energy beyond the work of the forces is the scheme's own defect.
void ContactRun::book_smooth() {
  const long double before = energy_of(before_), now = energy_of(state_);
  defect_ += (now - before) - (state_.work - before_.work);
  now_energy_ = now;
}

///@}
/// \name Events
///@{

/// Impacts of the contacts that touch, then: which of them stay closed.
void ContactRun::settle(const Contacts& landing, const Contacts& opening) {
  const Contacts was_closed = state_.closed;
  Contacts all = was_closed;
  all.insert(all.end(), landing.begin(), landing.end());
  std::sort(all.begin(), all.end());
  const auto count = static_cast<Index>(all.size());

  const ContactImpulses contacts(*closed_, m_, state_.q.value(), all);
  const double moving = approach * fastest_;
  std::vector<bool> held;
  for (const Index i : all) held.push_back(contains(was_closed, i));
  const long double energy_before = energy_of(state_);
  if (contacts.violation(state_.p.value(), held) > moving) state_.p.set(contacts.tangential(state_.p.value(), held));
  const Vector before = contacts.rates(state_.p.value());
  Vector rates = before, energy = Vector::Zero(count), restitution = Vector::Zero(count);
  const auto push = [&](const Vector& P) {
    state_.p.add(contacts.momentum(P));
    const Vector after = contacts.rates(state_.p.value());
    energy += 0.5 * P.cwiseProduct(rates + after);
    rates = after;
  };
  if (count > 0 && before.minCoeff() < -moving) {
    for (Index k = 0; k < count; ++k)
      if (contains(landing, all[static_cast<std::size_t>(k)]) && before[k] < -options_.contact.zeno_speed)
        restitution[k] = options_.contact.restitution;
    push(contacts.impact(rates, restitution));
  }
  // A rebound that is too slow is none.
  Contacts candidates;
  std::vector<bool> hold(all.size(), false);
  bool any = false;
  for (Index k = 0; k < count; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(opening, i) || rates[k] > std::max(moving, rebound_threshold(i))) continue;
    candidates.push_back(i);
    hold[static_cast<std::size_t>(k)] = true;
    any = any || rates[k] != 0;
  }
  if (any) push(contacts.hold(rates, hold));
  now_energy_ = energy_of(state_);
  impact_ += now_energy_ - energy_before;

  const Contacts closed = choose_closed(candidates);
  for (const Index i : all)
    if (!contains(closed, i) && contains(candidates, i) && !contains(state_.released, i)) state_.released.push_back(i);
  for (const Index i : opening) state_.released.push_back(i);
  for (Index k = 0; k < count; ++k) {
    const Index i = all[static_cast<std::size_t>(k)];
    if (contains(closed, i)) {
      if (!contains(was_closed, i)) record(EventKind::landing, i, energy[k]);
    } else {
      record(contains(was_closed, i) ? EventKind::launch : EventKind::impact, i, energy[k]);
    }
  }
  enter(closed);
}

/// Rates of a rebound below which there is none. Where events are not located, flights shorter than two steps cannot be
/// told from contact: a gap that is pulled shut by a lasts 2 w / a.
double ContactRun::rebound_threshold(Index contact) const {
  const double zeno = options_.contact.zeno_speed;
  if (located()) return zeno;
  Vector a(system_->n()), lambda(m_);
  acceleration(*system_, 0, state_.q.value(), velocity(state_.p.value()), a, lambda);
  return std::max(zeno, -step_ * gap_accelerations(state_.q.value(), state_.p.value(), a)[contact]);
}

/// Which of the contacts that touch with rate zero stay closed: psi >= 0 where closed, c'' >= 0 where not, by pivoting
/// with the least index from all of them closed.
ContactRun::Contacts ContactRun::choose_closed(Contacts candidates) {
  std::vector<bool> closed(candidates.size(), true);
  constexpr int most_pivots = 10000;
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    Contacts chosen;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (closed[k]) chosen.push_back(candidates[k]);
    Phase& trial = phase(chosen);
    const Vector& q = state_.q.value();
    consistent(trial, q, state_.p.value());
    const Vector curve = gap_accelerations(q, state_.p.value(), trial.a);
    const double size = std::max(curve.cwiseAbs().maxCoeff(), norm(trial.a));
    std::size_t violated = candidates.size();
    Index row = m_;
    for (std::size_t k = 0; k < candidates.size() && violated == candidates.size(); ++k) {
      if (closed[k]) {
        if (trial.psi[row++] < 0) violated = k;
      } else if (curve[candidates[k]] < -1e-10 * size) {
        violated = k;
      }
    }
    if (violated == candidates.size()) return chosen;
    closed[violated] = !closed[violated];
  }
  throw CannotEvaluate("no set of closed contacts was found at t = " + number_text(state_.t));
}

/// Is the phase one with friction, at rest, where friction has no direction?
bool ContactRun::rubs(const Phase& phase) {
  return phase.frictional() && norm(velocity(state_.p.value())) <= still * fastest_;
}

/// Will friction stop the motion within the rest of the step, so soon that the deceleration is constant until then?
bool ContactRun::stops(double remaining) {
  if (!phase_->frictional()) return false;
  const Vector v = velocity(before_.p.value());
  const double speed = norm(v);
  if (speed == 0) return true;
  if (speed > slow * fastest_) return false;
  // However small the velocity is, it has the direction that friction opposes.
  phase_->index1->solve(before_.q.value(), v, phase_->a, phase_->psi);
  const double along = phase_->a.dot(before_.p.value());
  if (along >= 0) return false;
  const double tau = -speed * speed / along;
  return tau <= remaining && norm(v + tau * phase_->a) <= 1e-3 * speed;
}

/// The last bit of a motion that friction stops: q + v tau + a tau^2/2 with v + a tau = 0, then on from rest.
void ContactRun::turn() {
  const Vector v = velocity(before_.p.value());
  const double square = v.dot(before_.p.value()), tau = square > 0 ? -square / phase_->a.dot(before_.p.value()) : 0;
  const Vector way = tau * v + (0.5 * tau * tau) * phase_->a;
  // Constraints do no work: what acts along the way beside the potential is friction and force.
  Vector inertia(v.size()), gradient(v.size());
  system_->mass().apply(phase_->a, inertia);
  system_->potential_gradient(0, before_.q.value(), gradient);
  state_.work += (inertia + gradient).dot(way);
  state_.q.add(way);
  state_.p.set(Vector::Zero(v.size()));
  state_.advance_time(tau);
  book_smooth();
  const auto events = events_.size();
  enter(state_.closed);
  if (events_.size() == events) record(EventKind::turning, -1, 0);
  if (!resting_) leave_inner_state();
}

/// From rest, friction opposes the motion that would follow without it. The state gets a velocity below rounding in
/// that direction, which friction needs, or it stays where it is.
void ContactRun::set_in_motion() {
  const Vector& q = state_.q.value();
  Vector none = Vector::Zero(system_->n());
  acceleration(*phase_->model, 0, q, none, phase_->a, phase_->psi);
  const double pull = norm(phase_->a);
  if (pull > 0) {
    const double speed = std::max(fastest_ * 1e-2 * still, pull * step_ * 1e-15);
    const Vector v = phase_->a * (speed / pull);
    Vector p(v.size());
    system_->mass().apply(v, p);
    state_.p.set(p);
    phase_->index1->solve(q, v, phase_->a, phase_->psi);
    if (phase_->a.dot(p) > 0) return;
  }
  state_.p.set(none);
  resting_ = true;
  record(EventKind::rest, -1, 0);
}

///@}

}  // namespace gnomon
