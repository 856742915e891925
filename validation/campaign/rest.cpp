/// \file
/// Random systems with damping in a bowl, by the scheme that --rtol takes, from their start to long after they have
/// come to rest: 1e4 of the shortest periods at the start for every fifth number, 1e3 for the others. Findings: a run
/// that stops, breaks a promise, or takes more than 1000 steps in the last nine tenths of its time.
#include <atomic>
#include <cstdio>

#include "campaign/campaign.hpp"
#include "campaign/random_system.hpp"
#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::campaign {

namespace {

constexpr double rest_tolerance = 1e-6;
constexpr long most_late_steps = 1000;

/// One of the features that need no motion, or none.
Features rest_features(long number) {
  Features features;
  constexpr Features::Feature kinds[] = {Features::invariants, Features::rest, Features::mass, Features::repeats,
                                         Features::curved};
  if (number % 6 > 0) features.add(kinds[number % 6 - 1]);
  return features;
}

class Rests {
 public:
  Rests(const Registry& registry, const Range& range) : registry_(registry), range_(range), tally_(range) {}
  long judge_all() {
    for_each_number(range_, [this](long number) { judge(number); });
    std::printf("%8ld  steps at most in the last nine tenths of a run\n", most_.load());
    return tally_.print();
  }

 private:
  void judge(long number) {
    const RandomProblem problem =
        damped_problem(range_.seed, static_cast<std::uint64_t>(number), rest_features(number));
    const SolverFactory& solver = registry_.solver("newton");
    SchemeChoice choice;
    try {
      choice = suited_scheme(
          registry_, {problem.instance, rest_tolerance, &solver, Options("solver newton", solver.options()), {}});
    } catch (const Error& error) {
      tally_.found(number, problem.text, error.what());
      return;
    }
    const std::string what = problem.text + ", " + to_string(choice);
    Integrator run = registry_.integrator(problem.instance, choice.scheme, "newton", choice.options);
    run.set_tolerances(Tolerances(rest_tolerance));
    const double end = problem.period * (number % 5 == 0 ? 1e4 : 1e3);
    if (range_.verbose) return trace(run, end);
    StepReport report = run.advance_to(end / 10);
    const long early = run.counters().steps;
    if (report.success()) report = run.advance_to(end);
    const long late = run.counters().steps - early;
    tally_.add(choice.scheme);
    if (!report.success()) {
      tally_.found(number, what, report.message);
      return;
    }
    for (const BrokenPromise& promise : run.broken_promises()) tally_.found(number, what, promise.text());
    if (late > most_late_steps)
      tally_.found(number, what,
                   std::to_string(early) + " steps in the first tenth, and " + std::to_string(late) + " later");
    for (long most = most_; late > most && !most_.compare_exchange_weak(most, late);) continue;
  }

  /// The run at powers of two of its steps.
  static void trace(Integrator& run, double end) {
    for (long next = 1; run.state().t < end && run.counters().steps < 100000; next *= 2) {
      StepReport report;
      while (report.success() && run.state().t < end && run.counters().steps < next) report = run.step_to(end);
      const RunCounters& counted = run.counters();
      std::printf("%8ld steps, %ld refused, %ld too large, t %.6g, h %.3g, |p| %.3g, energy left %.3g of %.3g %s\n",
                  counted.steps, counted.refused_steps, counted.error_test_failures, run.state().t, run.state().last_h,
                  run.state().p.value().norm(), run.state().energy_left, run.state().energy_scale,
                  report.message.c_str());
      if (!report.success()) break;
    }
  }

  const Registry& registry_;
  const Range& range_;
  Tally tally_;
  std::atomic<long> most_{0};
};

}  // namespace

long rest(const Registry& registry, const Range& range) {
  return Rests(registry, range).judge_all();
}

}  // namespace gnomon::campaign
