#include "bench/precision/trusted_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"

namespace gnomon::bench {

namespace {

constexpr double rounding = 1e-13;

/// Is it good for the error up to the `count`-th time?
bool good(double error, double change, double close, double loose, bool confirmed) {
  if (!(change <= error / 10)) return false;
  return !confirmed || close <= error / 3 || (close <= loose / 5 && close < 1e-3);
}

/// Steps of a reference at rtol 1e-4; 0 where it fails.
long steps_of(const Registry& registry, const ProblemInstance& instance, const std::string& name, double until,
              const Patience& patience) {
  const Reference& reference = registry.reference(name);
  Assignments options = tolerance(1e-4);
  options.emplace_back("max-steps", "300000");
  const auto solution = reference.start(instance, Options(name, reference.options(), options));
  solution->stop_when([&patience] { return patience.interrupted(); });
  const ReferenceReport report = solution->advance_to(until);
  if (patience.interrupted()) throw Interrupted();
  return report.success ? std::max(report.steps, 1L) : 0;
}

}  // namespace

double Solution::distance(const std::vector<Vector>& other, std::size_t count) const {
  if (!failure.empty()) return never;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = other[i].norm(), error = (q[i] - other[i]).norm() / (size > 0 ? size : 1);
    largest = error <= largest ? largest : error;  // not a number stays
  }
  return largest;
}

Solution solve(const Registry& registry, const ProblemInstance& instance, const std::vector<double>& times,
               const Contender& contender, double parameter, const Patience& patience) {
  Solution solution;
  TrueSolution none;
  none.times = times;
  try {
    const auto run = make_run(registry, instance, none, contender, parameter, patience);
    const TimedOnce timed = time_once(*run);
    solution.failure = timed.failure;
    solution.seconds = timed.seconds;
    solution.q = run->q();
    if (timed.failure.empty()) solution.energy_scale = run->energy_scale();
  } catch (const Error& error) {
    solution.failure = error.what();
  }
  return solution;
}

Contender high_order() {
  return {"line-integral-ggl(8,6)", "line-integral-ggl", {{"k", "8"}, {"s", "6"}, {"r", "5"}}};
}

bool TrustedSolution::good_for(double error) const {
  return failure.empty() &&
         (closed_form || good(error, truth.uncertainty, agreement, loose_agreement, !confirmed_by.empty()));
}

TrustedSolution trusted_solution(const Registry& registry, const std::string& problem, const ProblemInstance& instance,
                                 double until, int count, double error, const Patience& patience) {
  TrustedSolution found;
  TrueSolution& truth = found.truth;
  truth.problem = problem;
  truth.until = until;
  const double length = until - instance.t0, part = length / count;
  for (int i = 1; i <= count; ++i) truth.times.push_back(i < count ? instance.t0 + i * part : until);
  found.agreed_until = until;

  // Another code: how it steps, and where it gets to at two tolerances, however long that takes.
  const Patience unhurried{never, patience.interrupt};
  found.time_scale = length / 1000;
  Solution loose, close;
  for (const std::string name : {"ida-ggl", "ida-index1", "cvode-projection"}) {
    try {
      const long steps = steps_of(registry, instance, name, until, patience);
      if (steps == 0) continue;
      found.time_scale = length / static_cast<double>(steps);
      const Assignments limit = {{"max-steps", number_text(std::min(1e9, 1e4 + 400.0 * static_cast<double>(steps)))}};
      close = solve(registry, instance, truth.times, {name, name, limit, false}, 1e-12, unhurried);
      if (!close.failure.empty()) continue;
      if (instance.exact) {
        found.confirmed_by = name;
        break;
      }
      loose = solve(registry, instance, truth.times, {name, name, limit, false}, 1e-10, unhurried);
      if (!loose.failure.empty()) continue;
      found.confirmed_by = name;
      break;
    } catch (const Error&) {
      continue;  // unknown here, or it does not take the model
    }
  }

  if (instance.exact) {
    const Solution exact = solve(registry, instance, truth.times, {"exact", "exact", {}, false}, 0);
    found.failure = exact.failure;
    truth.q = exact.q;
    truth.energy_scale = exact.energy_scale;
    truth.source = "closed form";
    found.closed_form = true;
    if (!found.confirmed_by.empty()) found.agreement = close.distance(truth.q);
    return found;
  }

  const Contender makers[] = {{"projected-rk(stages=5)", "projected-rk", {{"stages", "5"}}}, high_order()};
  Solution best, before;
  for (const Contender& maker : makers) {
    double change = never, last_change = never;
    long steps = count * std::max(1L, std::lround(part / (2 * found.time_scale)));
    std::string failure;
    for (int failures = 0; failures < 4; steps *= 2) {
      const Solution finer =
          solve(registry, instance, truth.times, maker, length / static_cast<double>(steps), patience);
      if (!finer.failure.empty()) {
        failure = finer.failure;
        if (patience.over() || !best.q.empty()) break;
        ++failures;
        continue;
      }
      if (!best.q.empty()) {
        last_change = change;
        change = best.distance(finer.q);
      }
      before = best;
      best = finer;
      truth.source = fmt::format("{} at h = {:.3g}", maker.label, length / static_cast<double>(steps));
      if (change <= std::max(rounding, 1e-3 * error) || (change < 1e-2 && change > last_change / 2) ||
          (last_change < never && change > 1e-2 && change > last_change / 2))
        break;
      if (patience.over()) break;
    }
    if (change < never) {
      truth.uncertainty = change;
      break;
    }
    best = before = Solution();
    found.failure = failure.empty() ? "too little time" : failure;
  }
  if (truth.source.empty() || before.q.empty()) {  // no scheme of high order takes it: the other code stands alone
    if (found.confirmed_by.empty()) {
      if (found.failure.empty()) found.failure = "no reference takes the model";
      return found;
    }
    found.failure.clear();
    truth.q = close.q;
    truth.energy_scale = close.energy_scale;
    truth.source = found.confirmed_by + " at rtol = 1e-12";
    truth.uncertainty = loose.distance(close.q);
    found.confirmed_by.clear();
    before = loose;
  } else {
    found.failure.clear();
    truth.q = best.q;
    truth.energy_scale = best.energy_scale;
  }
  const bool confirmed = !found.confirmed_by.empty();
  if (confirmed) {
    found.agreement = close.distance(truth.q);
    found.loose_agreement = loose.distance(truth.q);
  }
  for (std::size_t i = truth.times.size(); i > 0; --i) {
    found.agreed_until = truth.times[i - 1];
    if (good(error, before.distance(truth.q, i), confirmed ? close.distance(truth.q, i) : 0,
             confirmed ? loose.distance(truth.q, i) : 0, confirmed))
      return found;
  }
  found.agreed_until = instance.t0;
  return found;
}

}  // namespace gnomon::bench
