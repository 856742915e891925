/// Steps that end where a switch of the model does.
#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "run/integrator_impl.hpp"
#include "run/switches/located_root.hpp"

namespace gnomon {

namespace {

/// Parts of a step: what is kept from a zero beyond which a branch may have no value; and what the way to a zero is
/// shortened by until the margin is positive.
constexpr double kept_away = 1. / 4, shorter = 1. / 4;
/// Cuts of one step.
constexpr int most_switches = 10000;

}  // namespace

bool Integrator::Impl::passes_switch(double h) {
  if (!switches.any() || warming_up) return false;
  switches.measure(next, rank.rank);
  if (at_switches == AtSwitches::measure) return true;
  if (at_switches == AtSwitches::pass) return false;
  dips_at = 1;
  if (bound.variable_steps) {
    bool passed = false;
    for (Index i = 0; i < switches.count(); ++i) {
      if (!switches.passed(z, i, switches.values()[i])) continue;
      // A time is one whatever the two sides are: what depends on their values is smooth then.
      if (switches.of_time_alone(next, i) || switches.differs(next, i))
        passed = true;
      else
        switches.flip(next, i);  // one function, or a branch that is not in use
    }
    if (!passed) dips_at = switches.dip(z, next, h);
    return passed_switch = passed || dips_at < 1;
  }
  // Such a step goes over it, and what is on the other side begins at its end: a potential that changes at a time.
  for (Index i = 0; i < switches.count(); ++i) {
    if (!switches.passed(z, i, switches.values()[i])) continue;
    if (!switches.differs(next, i)) {
      switches.flip(next, i);
      continue;
    }
    if (switches.steps_over_jump(z, next, i))
      throw CannotEvaluate("at " + switches.name(i) + " the potential jumps: an impulse is no step");
    counters.overstepped_change += std::abs(h) * switches.acceleration_change(next, i, rank.rank);
    next.work.potential += switches.potential_change(next, i);
    ++counters.overstepped_switches;
    switches.flip(next, i);
  }
  return false;
}

/// After a step of h: times at which a switch changes its side, and the state has come to.
void Integrator::Impl::arrive_at_switches(double h, StepReport& report) {
  if (at_switches != AtSwitches::watch) return;
  for (Index i = 0; i < switches.count(); ++i) {
    if (!switches.reached(z, i, h) || !switches.jump(z, i).empty()) continue;
    if (bound.variable_steps) {
      flip(i, report);
      continue;
    }
    z.work.potential += switches.potential_change(z, i);
    switches.flip(z, i);
    note_switch(i, report);
  }
}

/// The end of the step of size x, measured; false: there is none.
bool Integrator::Impl::measure_after(double x, StepReport& report) {
  at_switches = AtSwitches::measure;
  const bool failed = !attempt(x, report);
  at_switches = AtSwitches::watch;
  return failed && report.status == SolveStatus::converged;
}

/// The root of the margin of a switch that is passed after a step of `right`, as an interval of rounding; zeros where
/// it is passed from the start on.
std::pair<double, double> Integrator::Impl::locate_switch(Index which, double at_start, double right, double at_right,
                                                          double way) {
  const auto margin = [&](double x) {
    StepReport report;
    if (!measure_after(std::copysign(x, way), report))
      throw CannotEvaluate("while " + switches.name(which) + " was being located: " + report.message);
    return switches.margin(z, which, switches.values()[which]);
  };
  double left = 0, at_left = switches.margin(z, which, at_start);
  at_right = switches.margin(z, which, at_right);
  const double least = thresholds::no_step * right;
  for (double x = right * shorter; at_left <= 0 && x > least; x *= shorter) {
    StepReport report;
    if (!measure_after(std::copysign(x, way), report)) continue;
    const double at_x = switches.margin(z, which, switches.values()[which]);
    (at_x > 0 ? left : right) = x;
    (at_x > 0 ? at_left : at_right) = at_x;
  }
  if (at_left <= 0) return {0, 0};
  return located_root(left, at_left, right, at_right, margin);
}

/// From z, where an attempt of h passed a switch, to the first one that is passed, which is flipped there; h becomes
/// the size of that step, 0 where z is on the switch.
bool Integrator::Impl::end_at_switch(double& h, StepReport& report) {
  struct Unjudged {
    bool &judges, before;
    explicit Unjudged(bool& j) : judges(j), before(std::exchange(j, false)) {}
    ~Unjudged() { judges = before; }
  } unjudged(control.judges);
  const State start = z;
  const std::size_t known = flipped.size();
  const bool ended = find_end_at_switch(h, report);
  at_switches = AtSwitches::watch;
  if (ended) return true;
  z = start;
  forget_flips(known);
  return false;
}

void Integrator::Impl::forget_flips(std::size_t known) {
  counters.switches -= static_cast<long>(flipped.size() - known);
  flipped.resize(known);
  find_turns();
}

bool Integrator::Impl::find_end_at_switch(double& h, StepReport& report) {
  try {
    double right = dips_at * std::abs(h);
    if (dips_at < 1 && !measure_after(std::copysign(right, h), report)) return false;
    Vector at_end = switches.values();
    switches.measure(z, rank.rank);
    const Vector at_start = switches.values();
    std::pair<double, double> found;
    Index which = switches.first_passed(z, at_start, at_end);
    if (which < 0) {  // the parabola was wrong
      at_switches = AtSwitches::pass;
      return attempt(h, report);
    }
    for (;;) {
      found = locate_switch(which, at_start[which], right, at_end[which], h);
      if (found.first == 0) break;
      if (!measure_after(std::copysign(found.first, h), report)) return false;
      at_end = switches.values();
      const Index earlier = switches.first_passed(z, at_start, at_end);
      if (earlier < 0 || earlier == which) break;
      which = earlier;
      right = found.first;
    }
    const double soon = thresholds::back_at_once * std::abs(h);
    if (found.second <= soon && switches.flipped_within(z, which, soon))
      return fail(report, SolveStatus::held_at_switch,
                  "both branches of " + switches.name(which) +
                      " lead back to where it switches: the motion that stays there is none of the model's");
    if (found.second == 0) {
      h = 0;
      return flip(which, report);
    }
    // Beyond the zero, or before it where the branch has no value beyond.
    at_switches = AtSwitches::pass;
    const double size = std::abs(h);
    h = std::copysign(std::min(found.second, size), h);
    bool taken = attempt(h, report);
    if (!taken) {
      h = std::copysign(found.first, h);
      report.status = SolveStatus::converged;
      report.message.clear();
      taken = attempt(h, report);
    }
    if (!taken) return false;
    binding.promises.symmetric = binding.promises.symplectic = false;
    // Where no motion goes on the state is that at the switch, and the next step fails.
    const Vector reached = switches.values();
    for (Index i = 0; i < switches.count(); ++i)
      if ((i == which || switches.margin(z, i, reached[i]) < 0) && switches.jump(z, i).empty() && !flip(i, report))
        return false;
    return true;
  } catch (...) {
    return fail(report, SolveStatus::evaluation_failed, thrown_text());
  }
}

/// The other branch from z on: what the scheme keeps of earlier steps is forgotten.
bool Integrator::Impl::flip(Index which, StepReport& report) {
  if (const std::string what = switches.jump(z, which); !what.empty())
    return fail(report, SolveStatus::held_at_switch,
                "at " + switches.name(which) + " " + what + ": an impulse is no step");
  if (switches.of_time_alone(z, which)) z.work.potential += switches.potential_change(z, which);
  switches.flip(z, which);
  z.last_h = 0;
  binding.equations->prepare(z);
  note_switch(which, report);
  return true;
}

void Integrator::Impl::note_switch(Index which, StepReport& report) {
  ++counters.switches;
  report.at_switch = true;
  flipped.push_back({z.t + z.t_tail, EventKind::switched, which, 0});
}

/// The rest of a step of h, whose first attempt passed a switch; z is as before unless it succeeds.
bool Integrator::Impl::through_switches(double h, int level, StepReport& report) {
  const State start = z;
  const std::size_t known = flipped.size();
  double rest = h;
  for (int cuts = 0; cuts < most_switches; ++cuts) {
    double size = rest;
    if (!end_at_switch(size, report)) break;
    rest -= size;
    if (std::abs(rest) <= thresholds::no_step * std::abs(h)) return true;
    if (attempt(rest, report)) return true;
    if (passed_switch) continue;
    if (halve(rest, level, report)) return true;
    break;
  }
  if (report.status == SolveStatus::converged)
    fail(report, SolveStatus::not_converged, "more than " + std::to_string(most_switches) + " switches in one step");
  z = start;
  forget_flips(known);
  return false;
}

/// Where a step of h cannot be taken because a branch has no value beyond a zero that is near: a smaller one, 0 where
/// nothing is left of the way and the switch was flipped; else h.
double Integrator::Impl::kept_before_switch(double h, StepReport& report) {
  if (!switches.any() || report.status == SolveStatus::held_at_switch) return h;
  switches.measure(z, rank.rank);
  Index which = 0;
  const double way = switches.time_to_zero(z, which) * (h < 0 ? -1 : 1);
  const double near = thresholds::reached_zero * std::max(std::abs(z.t), std::abs(h));
  if (!(way >= 0 && way <= std::max(std::abs(h), near))) return h;
  if (way > near) return std::copysign((1 - kept_away) * way, h);
  report.status = SolveStatus::converged;
  report.message.clear();
  return flip(which, report) ? 0 : h;
}

}  // namespace gnomon
