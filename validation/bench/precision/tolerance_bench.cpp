#include "bench/precision/tolerance_bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "bench/peers/peers.hpp"
#include "bench/precision/trusted_solution.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::bench {

namespace {

constexpr int instants_of_a_run = 3;
/// A run that fails counts as one of this cost beside the cheapest.
constexpr double price_of_failure = 1000;
/// A candidate this many times as dear as the cheapest so far is not run at smaller tolerances.
constexpr double too_dear = 20;

ToleranceRow run_one(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth,
                     ToleranceRow row, double most_seconds) {
  const Contender contender{to_string(row.choice), row.choice.scheme, row.choice.options, true, "newton", true};
  try {
    const auto run =
        make_run(registry, instance, truth, contender, row.tolerance, Patience{processor_seconds() + most_seconds});
    TimedOnce once = time_once(*run);
    row.run.seconds = once.seconds;
    row.run.failure = once.failure;
    if (!once.failure.empty()) return row;
    // Short runs are timed more often; the best time counts.
    constexpr double enough = 0.03;
    constexpr int most = 20;
    double spent = once.seconds;
    for (int i = 0; (i < 2 || spent < enough) && i < most && once.seconds < 1; ++i) {
      const double again = time_once(*run).seconds;
      row.run.seconds = std::min(row.run.seconds, again);
      spent += again;
    }
    run->measure(row.run);
    if (!std::isfinite(row.run.largest)) row.run.failure = "q is not finite";
  } catch (const Error& error) {
    row.run.failure = error.what();
  }
  return row;
}

ProblemInstance build(const Registry& registry, const ToleranceProblem& problem) {
  for (const PeerMechanism& one : peer_mechanisms())
    if (one.name == problem.problem) return one.build();
  return registry.build(problem.problem, problem.parameters);
}

}  // namespace

double ToleranceRow::cost() const {
  // What is more accurate than wanted is not praised: nobody can ask for it.
  const double times = std::max(1.0, run.largest / tolerance);
  return run.failure.empty() ? run.seconds * std::pow(times, 1.0 / std::max(order, 1)) : never;
}

const std::vector<ToleranceProblem>& tolerance_problems() {
  static const std::vector<ToleranceProblem> all = {
      {"planar-pendulum", {}, 10},
      {"double-spherical-pendulum", {{"start", "spatial"}}, 3},
      {"modified-pendulum", {}, 5},
      {"spherical-atwood", {}, 5},
      {"polymer", {}, 1},
      {"heavy-top", {{"start", "nutating"}}, 0.5},
      {"shaken-pendulum", {}, 5},
      {"driven-double-pendulum", {}, 3},
      {"chain", {{"links", "10"}, {"start", "spatial"}}, 1},
      {"chain", {{"links", "30"}, {"start", "spatial"}}, 0.5},
      {"chain", {{"links", "200"}, {"start", "spatial"}}, 0.1},
      {"polymer", {{"beads", "30"}}, 0.3},
      {"double-compound-pendulum", {}, 5},
      {"ellipse-pendulum", {}, 3},
      {"andrews-squeezer", {}, 0.03},
      {"four-bar", {}, 3},
      {"fast-top", {}, 0.5},
      {"chain-2", {}, 1},
      {"bricard", {}, 1},
      {"chain-10", {}, 1},
      {"n-four-bar-40", {}, 1},
      {"chain-100", {}, 0.2},
  };
  return all;
}

std::vector<ToleranceRow> run_tolerance_bench(const Registry& registry, const ToleranceBench& bench,
                                              const std::function<void(const std::string&)>& begin,
                                              const std::function<void(const ToleranceRow&)>& print) {
  std::vector<ToleranceRow> rows;
  for (const ToleranceProblem& problem : tolerance_problems()) {
    if (!bench.problems.empty() &&
        std::find(bench.problems.begin(), bench.problems.end(), problem.problem) == bench.problems.end())
      continue;
    const ProblemInstance instance = build(registry, problem);
    const System& system = *instance.model->mechanical();
    const double finest = *std::min_element(bench.tolerances.begin(), bench.tolerances.end());
    const TrustedSolution trusted =
        trusted_solution(registry, problem.problem, instance, instance.t0 + problem.until, instants_of_a_run,
                         Judged::positions, finest / 10, Patience{processor_seconds() + 10 * bench.most_seconds});
    std::string title = problem.problem;
    for (const auto& [name, value] : problem.parameters) title += " " + name + "=" + value;
    begin(title + ", T = " + number_text(problem.until) + ", " + class_of(system) + ": " + trusted.truth.source +
          (trusted.failure.empty() ? "" : trusted.failure) + ", known to " + number_text(trusted.truth.uncertainty) +
          ", apart from another code by " + number_text(trusted.agreement));
    std::vector<SchemeChoice> candidates = tolerance_candidates(system);
    std::reverse(candidates.begin(), candidates.end());  // high orders first: they tell what is dear
    std::map<double, double> cheapest;
    for (const SchemeChoice& choice : candidates) {
      ToleranceRow row;
      row.problem = title;
      row.model_class = class_of(system);
      row.choice = choice;
      try {
        const Promises promises = registry.integrator(instance, choice.scheme, "newton", choice.options).promises();
        row.order = promises.order;
        row.keeps = promises.energy && promises.position && promises.hidden;
      } catch (const Error& error) {
        continue;  // it does not take the problem
      }
      for (const double tolerance : bench.tolerances) {
        row.tolerance = tolerance;
        row.run = {};
        rows.push_back(run_one(registry, instance, trusted.truth, row, bench.most_seconds));
        print(rows.back());
        const double cost = rows.back().cost();
        double& least = cheapest.try_emplace(tolerance, cost).first->second;
        least = std::min(least, cost);
        if (rows.back().run.seconds > bench.most_seconds || cost > too_dear * least) break;
      }
    }
  }
  return rows;
}

std::vector<SuitedCost> suited_costs(const std::vector<ToleranceRow>& rows) {
  using Candidate = std::tuple<std::string, std::string, int>;  // class, scheme, stages
  std::map<std::pair<std::string, double>, double> cheapest;    // of a problem and a tolerance
  std::map<Candidate, std::set<std::string>> problems;          // that a candidate takes
  std::map<std::string, std::set<double>> tolerances;           // of a class
  std::map<std::tuple<Candidate, double, std::string>, double> cost;
  for (const ToleranceRow& row : rows) {
    const Candidate candidate{row.model_class, row.choice.scheme, row.choice.stages};
    double& least = cheapest.try_emplace({row.problem, row.tolerance}, never).first->second;
    least = std::min(least, row.cost());
    problems[candidate].insert(row.problem);
    tolerances[row.model_class].insert(row.tolerance);
    cost[{candidate, row.tolerance, row.problem}] = row.cost();
  }
  std::vector<SuitedCost> costs;
  for (const auto& [candidate, taken] : problems) {
    const auto& [model_class, scheme, stages] = candidate;
    for (const double tolerance : tolerances.at(model_class)) {
      double logarithms = 0;
      for (const std::string& problem : taken) {
        const auto found = cost.find({candidate, tolerance, problem});
        const double ratio = found == cost.end() ? never : found->second / cheapest.at({problem, tolerance});
        logarithms += std::log(ratio < price_of_failure ? ratio : price_of_failure);
      }
      costs.push_back(
          {model_class, tolerance, scheme, stages, std::exp(logarithms / static_cast<double>(taken.size()))});
    }
  }
  std::stable_sort(costs.begin(), costs.end(), [](const SuitedCost& a, const SuitedCost& b) {
    return std::tie(a.model_class, b.tolerance, a.cost) < std::tie(b.model_class, a.tolerance, b.cost);
  });
  return costs;
}

}  // namespace gnomon::bench
