#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"
#include "run/integrator_impl.hpp"

namespace gnomon {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Part of t before which nothing is left to do, and steps that t does not see.
constexpr double arrived = 2 * epsilon, unseen = 16 * epsilon;

}  // namespace

int Integrator::Impl::estimate_errors(bool on) {
  estimating = on;
  return driver ? driver->estimate_errors(on) : binding.equations->estimate_errors(on);
}

int Integrator::estimate_errors(bool on) {
  return impl_->estimate_errors(on);
}

std::string Integrator::Impl::estimators() const {
  if (!options.estimators) return {};
  const std::vector<std::string> names = options.estimators();
  if (names.empty()) return "; no scheme takes one for it";
  std::string text = "; it is taken by ";
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text + " with default options";
}

void Integrator::Impl::set_tolerances(const Tolerances& tolerances, const StepLimits& limits) {
  const auto refuse = [this](const std::string& why) {
    return Error(ErrorCode::refused,
                 "scheme " + scheme_name + " does not take a tolerance for system " + model->name() + ": " + why);
  };
  const System* system = model->mechanical();
  if (!system) throw refuse("an overdetermined DAE has no velocities whose error is estimated; take a fixed step");
  if (driver && options.contact.mode == ContactMode::time_stepping)
    throw refuse(
        "with contact mode=time-stepping events happen at the end of a step, which no estimate sees; take "
        "mode=event-driven, or a fixed step");
  check(tolerances);
  check(limits);
  if (const Vector& q = tolerances.absolute_q, &v = tolerances.absolute_v; q.size() + v.size() > 0) {
    const Index n = system->n();
    if (q.size() != n || v.size() != n)
      throw Error(ErrorCode::bad_size, "there are " + std::to_string(q.size()) + " absolute tolerances of q and " +
                                           std::to_string(v.size()) + " of v, expected " + std::to_string(n) + " each");
  }
  if (!(driver ? driver->promises() : bound).variable_steps)
    throw refuse(
        "its steps must have one size (under steps of random sizes its multiplier has order 0, and the hidden "
        "constraint does a random walk)" +
        estimators());
  const bool first = !control.active();
  const int order = estimate_errors(true);
  if (order == 0) throw refuse("it has no estimate of its local error" + estimators());
  const StepControl before = control;
  try {
    control.set(*system, tolerances, limits, order);
    if (!started) return;
    if (!first) return control.require_attainable();
    control.start(z);
    if (driver) {
      z = driver->state();
    } else {
      // What the estimate carries from step to step gets its place.
      z.last_h = 0;
      binding.equations->prepare(z);
      short_step > 0 ? warm_up(short_step) : warm_up();
      next = z;
      backups.assign(static_cast<std::size_t>(options.max_halvings), z);
    }
  } catch (...) {
    control = before;
    if (first) estimate_errors(false);
    throw;
  }
}

bool Integrator::Impl::take_controlled_step(double rest, double& h, StepReport& report) {
  const double length = std::abs(rest);
  drop_solved_steps(0);
  if (control.estimates().next == 0) control.look_ahead(z, rest);
  double size = control.propose(length);
  control.judges = true;
  struct Judge {
    bool& judges;
    ~Judge() { judges = false; }
  } judge{control.judges};
  const auto give_up = [&](const std::string& why) {
    control.give_up();
    return fail(report, SolveStatus::step_too_small, why);
  };
  std::string last;
  bool at_switch = false;
  const long followed_before = counters.followed_steps;
  for (;;) {
    h = std::copysign(size, rest);
    if (size <= std::max(unseen * std::abs(z.t), epsilon * length))
      return give_up("it is below the rounding of t = " + number_text(z.t) +
                     " on the way to t = " + number_text(z.t + rest) + last);
    report.status = SolveStatus::converged;
    report.message.clear();
    spares = !driver;
    const bool taken = driver ? driven_step(h, report) : attempt(h, report);
    spares = false;
    if (taken) break;
    if (spared) {
      ++counters.refused_steps;
      size = control.ease(length);
      continue;
    }
    if (passed_switch) {
      double to_switch = h;
      at_switch = end_at_switch(to_switch, report);
      if (at_switch && to_switch == 0) continue;
      if (at_switch) {
        h = to_switch;
        break;
      }
    }
    if (report.status == SolveStatus::held_at_switch) {
      control.give_up();
      return false;
    }
    const bool solved = report.status == SolveStatus::error_too_large;
    if (flag_is_set(options.interrupt)) {
      control.give_up();
      return false;
    }
    ++(solved ? counters.error_test_failures : counters.refused_steps);
    last = "; the last try: " + (report.message.empty() ? std::string(to_string(report.status)) : report.message);
    size = control.shorten(solved, length);
    if (!solved && !driver) {
      const double before = kept_before_switch(h, report);
      if (report.status == SolveStatus::held_at_switch) return give_up(report.message);
      if (before == 0)
        size = control.propose(length);
      else if (before != h)
        size = std::abs(before);
    }
    if (size == 0)
      return give_up("the smallest step that is allowed is " + number_text(control.limits().smallest) + last);
  }
  using Cost = StepControl::Cost;
  const bool followed = counters.followed_steps > followed_before;
  control.accept(at_switch || (driver && driver->interrupted()), driver && followed  ? Cost::untried
                                                                 : !driver && costly ? Cost::high
                                                                                     : Cost::low);
  if (driver && driver->waits()) control.wait(z);
  binding.promises.symmetric = binding.promises.symplectic = false;
  return true;
}

StepReport Integrator::Impl::controlled_steps(double t_end, long count) {
  const Windings turns(z.turns);
  if (!started) throw Error(ErrorCode::bad_value, "the integrator was not started: call start(t0, q0, p0) first");
  if (!control.active())
    throw Error(ErrorCode::bad_value, "there is no tolerance: call set_tolerances first, or give the step");
  if (!std::isfinite(t_end))
    throw Error(ErrorCode::bad_value, "end time " + number_text(t_end) + " is not a finite number");
  StepReport report;
  const long most = control.limits().most_steps;
  while (report.success() && !report.stopped_by_observer && report.steps < count) {
    const double rest = (t_end - z.t) - z.t_tail;
    // A rest that is rounding of the last step, of an end at zero, is no step.
    if (std::abs(rest) <= arrived * std::max({std::abs(z.t), std::abs(t_end), control.estimates().last})) {
      if (!driver) {
        z.t_tail -= t_end - z.t;
        z.t = t_end;
      }
      break;
    }
    if (most > 0 && report.steps == most) {
      fail(report, SolveStatus::too_many_steps,
           "t_end = " + number_text(t_end) + " was not reached in " + std::to_string(most) +
               " steps, the most that are allowed: t = " + number_text(z.t));
      break;
    }
    const RunCounters before = counters;
    double h = rest;
    const bool success = take_controlled_step(rest, h, report);
    record_step(success, h, report, before);
  }
  report.t = z.t;
  if (report.steps > 1) check_promises();
  return report;
}

void Integrator::set_tolerances(const Tolerances& tolerances, const StepLimits& limits) {
  impl_->set_tolerances(tolerances, limits);
}
const Tolerances* Integrator::tolerances() const {
  return impl_->control.active() ? &impl_->control.tolerances() : nullptr;
}
const StepLimits& Integrator::step_limits() const {
  return impl_->control.limits();
}
const StepEstimates& Integrator::step_estimates() const {
  return impl_->control.estimates();
}
StepReport Integrator::step_to(double t_end) {
  return impl_->controlled_steps(t_end, 1);
}
StepReport Integrator::advance_to(double t_end) {
  return impl_->controlled_steps(t_end, std::numeric_limits<long>::max());
}

}  // namespace gnomon
