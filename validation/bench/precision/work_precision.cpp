#include "bench/precision/work_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/precision/trusted_solution.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::bench {

namespace {

struct BenchContender : Contender {
  std::vector<double> parameters;  ///< steps or tolerances at T = 10, coarse ones first
};

/// IDA and CVODE as they are at their best: the multipliers have a tolerance of their own (an option's default), and
/// atol has several ratios to rtol, each of which is a curve as each scheme with its options is one of ours.
std::vector<BenchContender> contenders() {
  const std::vector<double> second = {.1, .04, .01, .004, .001}, fourth = {.2, .1, .05, .025, .0125, .005},
                            sixth = {.4, .2, .1, .05, .025}, tolerances = {1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  const auto composed = [](const char* order) {
    return Assignments{{"inner", "energy-momentum"}, {"order", order}, {"paired", "yes"}};
  };
  const auto line = [](const char* k, const char* s, const char* r) {
    return Assignments{{"k", k}, {"s", s}, {"r", r}};
  };
  const auto ours = [](const char* label, const char* name, Assignments options, const std::vector<double>& steps) {
    return BenchContender{{label, name, std::move(options)}, steps};
  };
  const auto controlled = [](const char* stages) {
    BenchContender c{{std::string("projected-rk(") + stages + ") by rtol",
                      "projected-rk",
                      {{"stages", stages}, {"projection", "pve"}}},
                     {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}};
    c.controlled = true;
    return c;
  };
  std::vector<BenchContender> all = {
      ours("energy-momentum", "energy-momentum", {}, second),
      ours("composition 4", "composition", composed("4"), fourth),
      ours("composition 6", "composition", composed("6"), sixth),
      ours("hbvm(4,2)", "hbvm", {{"k", "4"}, {"s", "2"}}, second),
      ours("hbvm(6,3)", "hbvm", {{"k", "6"}, {"s", "3"}, {"r", "1"}}, second),
      ours("line-integral-ggl(4,2)", "line-integral-ggl", line("4", "2", "1"), fourth),
      ours("line-integral-ggl(6,4)", "line-integral-ggl", line("6", "4", "3"), sixth),
      ours("rattle composed to 8", "composition",
           {{"inner", "rattle"}, {"order", "8"}, {"kind", "optimal"}, {"paired", "no"}}, {1, .5, .25, .125, .0625}),
      ours("projected-rk(4)", "projected-rk", {{"stages", "4"}}, {1, .5, .25, .125, .0625}),
      ours("projected-rk(5)", "projected-rk", {{"stages", "5"}}, {2, 1, .5, .25, .125}),
      controlled("4"),
      controlled("5")};
  for (const char* name : {"ida-index1", "ida-ggl", "cvode-projection"})
    for (const auto& [ratio, absolute] : {std::pair{"rtol", 1.}, {"rtol/10", 1e-1}, {"rtol/1000", 1e-3}}) {
      BenchContender c{{fmt::format("{} atol={}", name, ratio), name, {}, false}, tolerances};
      c.absolute = absolute;
      all.push_back(c);
    }
  return all;
}

/// Runs of this many seconds and more are timed once: what a repetition would change is small beside them.
constexpr double one_time_is_enough = 1;

ProblemInstance build(const Registry& registry, const std::string& problem) {
  const std::size_t space = problem.find(' ');
  const ProblemInstance instance =
      space == std::string::npos ? registry.build(problem)
                                 : registry.build(problem.substr(0, space), {{"start", problem.substr(space + 1)}});
  if (!instance.model->mechanical()) throw Error(ErrorCode::refused, "problem " + problem + " is no mechanical system");
  return instance;
}

/// Steps of a long run are not refined as far: the longest would take most of the time.
std::vector<double> parameters(const BenchContender& c, double until) {
  std::vector<double> kept = c.parameters;
  while (c.ours && !c.controlled && kept.size() > 3 && until / kept.back() > 3e5) kept.pop_back();
  return kept;
}

void take(const Solution& solution, TrueSolution& truth) {
  if (!solution.failure.empty())
    throw Error(ErrorCode::refused, "no true solution of " + truth.problem + ": " + solution.failure);
  truth.motion = solution.motion;
  truth.energy_scale = solution.energy_scale;
}

}  // namespace

TrueSolution true_solution(const Registry& registry, const std::string& problem, double until) {
  const ProblemInstance instance = build(registry, problem);
  TrueSolution truth;
  truth.problem = problem;
  truth.until = until;
  for (int i = 1; i <= 5; ++i) truth.times.push_back(until * i / 5);
  if (instance.exact) {
    truth.source = "closed form";
    take(solve(registry, instance, truth.times, truth.judged, {"exact", "exact", {}, false}, 0), truth);
    return truth;
  }
  take(solve(registry, instance, truth.times, truth.judged, high_order(), .02), truth);
  truth.uncertainty = solve(registry, instance, truth.times, truth.judged, high_order(), .025).distance(truth.motion);
  truth.source = "line-integral-ggl(8,6) at h = 0.02 and 0.025";
  return truth;
}

std::vector<WorkPrecisionRow> run_work_precision(const Registry& registry, const WorkPrecisionBench& bench,
                                                 const std::function<void(const TrueSolution&)>& begin,
                                                 const std::function<void(const WorkPrecisionRow&)>& print) {
  std::vector<WorkPrecisionRow> rows;
  const std::vector<BenchContender> all = contenders();
  for (const std::string& problem : bench.problems)
    for (const double until : bench.until) {
      const ProblemInstance instance = build(registry, problem);
      const TrueSolution truth = true_solution(registry, problem, until);
      begin(truth);
      std::vector<Task> tasks;
      for (const BenchContender& c : all)
        for (const double parameter : parameters(c, until)) {
          WorkPrecisionRow blank;
          blank.problem = problem;
          blank.until = until;
          blank.method = c.label;
          blank.ours = c.ours;
          blank.parameter = parameter;
          const auto keep = [&rows, &print](const WorkPrecisionRow& row) {
            print(row);
            rows.push_back(row);
          };
          tasks.push_back({problem + "/" + c.label + "/" + number_text(parameter) + "/" + number_text(until),
                           [&registry, &instance, &truth, &c, parameter]() -> std::unique_ptr<Work> {
                             return make_run(registry, instance, truth, c, parameter);
                           },
                           [blank, keep](double seconds, Work& work) {
                             WorkPrecisionRow row = blank;
                             row.seconds = seconds;
                             static_cast<Run&>(work).measure(row);
                             keep(row);
                           },
                           [blank, keep](const std::string& why) {
                             WorkPrecisionRow row = blank;
                             row.failure = why;
                             keep(row);
                           }});
        }
      TimingRule rule = bench.rule;
      rule.long_run = std::min(rule.long_run, one_time_is_enough);
      time_tasks(tasks, rule);
    }
  return rows;
}

}  // namespace gnomon::bench
