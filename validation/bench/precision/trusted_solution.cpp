#include "bench/precision/trusted_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::bench {

namespace {

constexpr double rounding = 1e-13;

/// Is it good for the error up to the `count`-th time?
bool good(double error, double change, double close, double loose, bool confirmed) {
  if (!(change <= error / 10)) return false;
  return !confirmed || close <= error / 3 || (close <= loose / 5 && close < 1e-3);
}

Contender five_stages() {
  return {"projected-rk(stages=5)", "projected-rk", {{"stages", "5"}}};
}

/// Steps of a scheme of order ten at rtol 1e-4; 0 where it fails.
long steps_of_five_stages(const Registry& registry, const ProblemInstance& instance, double until,
                          const Patience& patience) {
  const Contender maker = five_stages();
  const Alarm alarm(patience);
  IntegratorOptions options;
  options.interrupt = alarm.flag();
  try {
    Integrator integrator = registry.integrator(instance, maker.name, maker.solver, maker.options, {}, options);
    integrator.set_tolerances(Tolerances(1e-4));
    const bool done = integrator.advance_to(until).message.empty() && !alarm.over();
    return done ? integrator.counters().steps : 0;
  } catch (const Error&) {
    return 0;  // it does not take the model
  }
}

/// Steps of a reference at rtol 1e-4; 0 where it fails.
long steps_of(const Registry& registry, const ProblemInstance& instance, const std::string& name, double until,
              const Patience& patience) {
  const Reference& reference = registry.reference(name);
  Assignments options = tolerance(1e-4);
  options.emplace_back("max-steps", "300000");
  const auto solution = reference.start(instance, Options(name, reference.options(), options));
  const Alarm alarm(patience);
  solution->stop_when([&alarm] { return alarm.over(); });
  const ReferenceReport report = solution->advance_to(until);
  if (patience.interrupted()) throw Interrupted();
  return report.success ? std::max(report.steps, 1L) : 0;
}

}  // namespace

double Solution::distance(const Motion& truth, std::size_t count) const {
  if (!failure.empty()) return never;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double error = truth.error(motion, i);
    largest = error <= largest ? largest : error;  // not a number stays
  }
  return largest;
}

Solution solve(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
               Judged judged, const Contender& contender, double parameter, const Patience& patience) {
  Solution solution;
  TrueSolution none;
  none.times = times;
  none.judged = judged;
  try {
    const auto run = make_run(registry, instance, none, contender, parameter, patience);
    const TimedOnce timed = time_once(*run);
    solution.failure = timed.failure;
    solution.seconds = timed.seconds;
    if (!timed.failure.empty()) return solution;
    solution.motion = run->motion();
    solution.energy_scale = run->energy_scale();
  } catch (const Error& error) {
    solution.failure = error.what();
  }
  return solution;
}

Contender high_order() {
  return {"line-integral-ggl(8,6)", "line-integral-ggl", {{"k", "8"}, {"s", "6"}, {"r", "5"}}};
}

namespace {

/// Another code: how it steps, and where it gets to at two tolerances.
struct OtherCode {
  std::string name;  // empty: none takes the model and gets there in its time
  double time_scale = 0;
  Solution loose, close;
};

OtherCode other_code(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
                     Judged judged, const Patience& patience) {
  const double until = times.back(), length = until - instance.t0;
  OtherCode other;
  for (const std::string name : {"ida-ggl", "ida-index1", "cvode-projection"}) {
    try {
      const long steps = steps_of(registry, instance, name, until, patience);
      if (steps == 0) continue;
      other.time_scale = length / static_cast<double>(steps);
      const Assignments limit = {{"max-steps", number_text(std::min(1e9, 1e4 + 400.0 * static_cast<double>(steps)))}};
      other.close = solve(registry, instance, times, judged, {name, name, limit, false}, 1e-12, patience);
      if (!other.close.failure.empty()) continue;
      if (!instance.exact) {
        other.loose = solve(registry, instance, times, judged, {name, name, limit, false}, 1e-10, patience);
        if (!other.loose.failure.empty()) continue;
      }
      other.name = name;
      break;
    } catch (const Error&) {
      continue;  // unknown here, or it does not take the model
    }
  }
  return other;
}

/// A solution of high order with ever smaller steps, until it no longer changes.
struct Refined {
  Solution best, before;
  std::string source, failure;
  double change = never;  // of the last refinement
};

Refined refine(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
               Judged judged, const Contender& maker, long steps, double error, const Patience& patience) {
  const double length = times.back() - instance.t0;
  Refined found;
  double last_change = never;
  for (int failures = 0; failures < 4; steps *= 2) {
    const double h = length / static_cast<double>(steps);
    const Solution finer = solve(registry, instance, times, judged, maker, h, patience);
    if (!finer.failure.empty()) {
      found.failure = finer.failure;
      if (patience.over() || !found.best.motion.q.empty()) break;
      ++failures;
      continue;
    }
    if (!found.best.motion.q.empty()) {
      last_change = found.change;
      found.change = found.best.distance(finer.motion);
    }
    found.before = found.best;
    found.best = finer;
    found.source = fmt::format("{} at h = {:.3g}", maker.label, h);
    const double change = found.change;
    if (change <= std::max(rounding, 1e-3 * error) || (change < 1e-2 && change > last_change / 2) ||
        (last_change < never && change > 1e-2 && change > last_change / 2))
      break;
    if (patience.over()) break;
  }
  if (found.failure.empty()) found.failure = "too little time";
  return found;
}

Refined refine(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
               Judged judged, long steps, double error, const Patience& patience) {
  Refined found = refine(registry, instance, times, judged, five_stages(), steps, error, patience);
  return found.change < never ? found : refine(registry, instance, times, judged, high_order(), steps, error, patience);
}

TrustedSolution closed_form(const Registry& registry, const ProblemInstance& instance, TrustedSolution found,
                            const OtherCode& other) {
  const Solution exact =
      solve(registry, instance, found.truth.times, found.truth.judged, {"exact", "exact", {}, false}, 0);
  found.failure = exact.failure;
  found.truth.motion = exact.motion;
  found.truth.energy_scale = exact.energy_scale;
  found.truth.source = "closed form";
  found.closed_form = true;
  if (!found.confirmed_by.empty()) found.agreement = other.close.distance(exact.motion);
  return found;
}

}  // namespace

bool TrustedSolution::good_for(double error) const {
  return failure.empty() &&
         (closed_form || good(error, truth.uncertainty, agreement, loose_agreement, !confirmed_by.empty()));
}

TrustedSolution trusted_solution(const Registry& registry, const std::string& problem, const ProblemInstance& instance,
                                 double until, int count, Judged judged, double error, const Patience& patience) {
  TrustedSolution found;
  TrueSolution& truth = found.truth;
  truth.problem = problem;
  truth.until = until;
  truth.judged = judged;
  const double part = (until - instance.t0) / count;
  for (int i = 1; i <= count; ++i) truth.times.push_back(i < count ? instance.t0 + i * part : until);
  found.agreed_until = until;
  if (const System* system = instance.model->mechanical())
    found.freedom = system->n() - constraint_rank(*system, instance.t0, instance.q0).rank;
  const Patience half{(processor_seconds() + patience.deadline) / 2, patience.interrupt};
  const OtherCode other = other_code(registry, instance, truth.times, judged, half);
  found.confirmed_by = other.name;
  const double length = until - instance.t0;
  found.time_scale = other.time_scale > 0 ? other.time_scale : length / 1000;
  if (instance.exact) return closed_form(registry, instance, std::move(found), other);

  double h = 2 * found.time_scale;
  if (const long own = steps_of_five_stages(registry, instance, until, patience); own > 0) {
    h = length / (4 * static_cast<double>(own));
    if (other.time_scale == 0) found.time_scale = h;
  }
  const long steps = count * std::max(1L, std::lround(part / h));
  Refined refined = refine(registry, instance, truth.times, judged, steps, error, patience);
  if (!(refined.change < never)) {  // no scheme of high order takes it: the other code stands alone
    if (other.name.empty()) {
      found.failure =
          refined.failure == too_long ? "it takes too long; a larger budget gives it more time" : refined.failure;
      return found;
    }
    refined = {other.close, other.loose, other.name + " at rtol = 1e-12", "", other.loose.distance(other.close.motion)};
    found.confirmed_by.clear();
  }
  truth.motion = refined.best.motion;
  truth.energy_scale = refined.best.energy_scale;
  truth.source = refined.source;
  truth.uncertainty = refined.change;
  const bool confirmed = !found.confirmed_by.empty();
  if (confirmed) {
    found.agreement = other.close.distance(truth.motion);
    found.loose_agreement = other.loose.distance(truth.motion);
  }
  for (std::size_t i = truth.times.size(); i > 0; --i) {
    found.agreed_until = truth.times[i - 1];
    if (good(error, refined.before.distance(truth.motion, i), confirmed ? other.close.distance(truth.motion, i) : 0,
             confirmed ? other.loose.distance(truth.motion, i) : 0, confirmed))
      return found;
  }
  found.agreed_until = instance.t0;
  return found;
}

}  // namespace gnomon::bench
