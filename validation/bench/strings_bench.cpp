#include "strings_bench.hpp"

#include <algorithm>
#include <map>

#include "bare_kernels.hpp"
#include "steps.hpp"

namespace gnomon::bench {

namespace {

const std::string solver = "newton";
constexpr double contact_time = 0.4;  ///< the strings met at .33

struct Subject {
  std::string scheme;
  double step_size;
  ProblemInstance instance;
};

/// The beam after it was let go; the strings where they lie on each other.
Subject subject_of(const Registry& registry, Field field, long intervals) {
  if (field == Field::beam)
    return {"alpha", 1e-3, registry.build("beam-release", {{"elements", std::to_string(intervals)}})};
  ProblemInstance instance = registry.build("colliding-strings", {{"intervals", std::to_string(intervals)}});
  instance.exact(contact_time, instance.q0, instance.p0);
  return {"alpha-penalty", 1e-4, instance};
}

}  // namespace

void check_strings_bench(const Registry& registry, const StringsBench& bench) {
  for (const std::string& algebra : bench.algebra)
    Options("solver " + solver, registry.solver(solver).options(), {{"algebra", algebra}});
}

std::vector<StringsRow> run_strings_bench(const Registry& registry, const StringsBench& bench,
                                          const std::function<void(const StringsRow&)>& print) {
  std::vector<StringsRow> rows;
  for (const long intervals : bench.intervals)
    for (const std::string& algebra : bench.algebra) {
      const Subject subject = subject_of(registry, bench.field, intervals);
      const std::string& scheme = subject.scheme;
      const double step_size = subject.step_size;
      const ProblemInstance& instance = subject.instance;
      const Scheme& alpha = registry.scheme(scheme);
      const Assignments options{{"algebra", algebra}};
      const long steps = bench.steps;
      StringsRow row;
      row.intervals = intervals;
      row.algebra = algebra;
      State start;
      const auto failed = [&](const std::string& why) { row.failure = why; };
      const std::string name = scheme + "/" + algebra + "/" + std::to_string(intervals);
      std::vector<Task> tasks;
      tasks.push_back({name,
                       [&] {
                         return std::make_unique<IntegratorSteps>(
                             registry.integrator(instance, scheme, solver, {}, options), step_size, steps);
                       },
                       [&](double seconds, Work& work) {
                         const auto& run = static_cast<IntegratorSteps&>(work);
                         row.seconds = seconds / static_cast<double>(steps);
                         row.iterations = run.a_step(&RunCounters::iterations);
                         start = run.start();
                       },
                       failed});
      tasks.push_back(
          {"residual/" + name,
           [&] {
             const AlgebraChoice choice(registry.algebra_table(),
                                        Options("solver " + solver, registry.solver(solver).options(), options));
             return std::make_unique<BareKernel>(Kernel::residual, choice, instance, alpha, start, step_size, steps);
           },
           [&](double seconds, Work&) { row.residual_seconds = seconds / static_cast<double>(steps); }, failed});
      time_tasks(tasks, bench.rule);
      print(row);
      rows.push_back(std::move(row));
    }
  return rows;
}

std::vector<StringsFigure> strings_figures(Field field, const std::vector<StringsRow>& rows) {
  std::map<std::string, double> worst, iterations;
  std::map<std::string, std::pair<double, double>> per_node;
  for (const StringsRow& row : rows) {
    if (!row.failure.empty() || row.intervals < 1000) continue;
    double& ratio = worst[row.algebra];
    ratio = std::max(ratio, row.seconds / row.residual_seconds);
    iterations[row.algebra] = std::max(iterations[row.algebra], row.iterations);
    // Fine beams take an iteration more, which is rounding.
    const double count = field == Field::beam ? row.iterations : 1;
    const double time = row.seconds / (count * static_cast<double>(row.intervals));
    auto& [least, most] = per_node.try_emplace(row.algebra, time, time).first->second;
    least = std::min(least, time);
    most = std::max(most, time);
  }
  std::vector<StringsFigure> figures;
  if (field == Field::beam)
    for (const auto& [algebra, count] : iterations)
      figures.push_back({"newton " + algebra + ", iterations a step, at most, I >= 1000", count, 5});
  else
    for (const auto& [algebra, ratio] : worst)
      figures.push_back({"a step by newton " + algebra + " against a residual, at most, I >= 1000", ratio, 40});
  for (const auto& [algebra, range] : per_node)
    if (range.second > range.first)
      figures.push_back({"newton " + algebra +
                             (field == Field::beam ? ", time a node and iteration" : ", time a node and step") +
                             ", largest to smallest, I >= 1000",
                         range.second / range.first, 1.5});
  return figures;
}

}  // namespace gnomon::bench
