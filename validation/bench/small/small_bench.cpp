#include "bench/small/small_bench.hpp"

#include <map>

#include "bench/small/small_energy_momentum.hpp"
#include "bench/small/small_gauss.hpp"
#include "bench/small/small_rattle.hpp"
#include "bench/steps.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::bench {

namespace {

/// What is compared with which hand-coded step.
struct Contest {
  const char* hand_coded;  ///< name of the yardstick
  const char* scheme;
  Assignments options;
};
const std::vector<Contest>& contests() {
  static const std::vector<Contest> all = {
      {"energy-momentum", "energy-momentum", {}},
      {"rattle", "rattle", {}},
      {"gauss s=4, projected", "projected-rk", {{"stages", "4"}}},
      {"gauss s=4, projected", "line-integral-ggl", {{"k", "6"}, {"s", "4"}, {"r", "3"}}}};
  return all;
}

template <class Model>
class OneSystem {
 public:
  OneSystem(const Registry& registry, const SmallBench& bench, double short_step, double long_step,
            const std::function<void(const SmallRow&)>& print)
      : registry_(registry), bench_(bench), short_(short_step), long_(long_step), print_(print) {
    Assignments parameters;
    if (Model::n > 2) parameters.emplace_back("start", "spatial");
    instance_ = registry.build(Model::problem, parameters);
  }
  std::vector<SmallRow> run() {
    std::vector<Task> tasks;
    hand_coded<SmallEnergyMomentum<Model, false>>("energy-momentum", short_, tasks);
    hand_coded<SmallEnergyMomentum<Model, true>>("energy-momentum, refined", short_, tasks);
    hand_coded<SmallRattle<Model>>("rattle", short_, tasks);
    hand_coded<SmallGauss<Model>>("gauss s=4, projected", long_, tasks);
    for (const Contest& contest : contests())
      for (const char* solver : {"newton", "kinsol-newton"}) steps(contest, solver, tasks);
    time_tasks(tasks, bench_.rule);
    return std::move(rows_);
  }

 private:
  void finish(SmallRow row) {
    print_(row);
    rows_.push_back(std::move(row));
  }
  SmallRow blank(const std::string& what, const std::string& by, double h) const {
    SmallRow row;
    row.problem = Model::problem;
    row.what = what;
    row.by = by;
    row.h = h;
    return row;
  }
  Task task(const SmallRow& row, std::function<std::unique_ptr<Work>()> make,
            std::function<void(SmallRow&, Work&)> fill) {
    return {row.problem + "/" + row.what + "/" + row.by, std::move(make),
            [this, row, fill = std::move(fill)](double seconds, Work& work) {
              SmallRow filled = row;
              filled.seconds = seconds / static_cast<double>(bench_.steps);
              fill(filled, work);
              finish(std::move(filled));
            },
            [this, row](const std::string& why) {
              SmallRow failed = row;
              failed.failure = why;
              finish(std::move(failed));
            }};
  }

  template <class HandCoded>
  void hand_coded(const std::string& what, double h, std::vector<Task>& tasks) {
    tasks.push_back(task(
        blank(what, "hand-coded", h),
        [this, h] {
          const Model model;
          const typename Model::template Q<double> q = instance_.q0, p = instance_.p0;
          return std::make_unique<HandCodedSteps<HandCoded>>(
              HandCoded(model, q, model.inverse_mass().cwiseProduct(p), h), bench_.steps);
        },
        [this, what](SmallRow& row, Work& work) {
          row.iterations = static_cast<HandCodedSteps<HandCoded>&>(work).iterations_a_step();
          seconds_[what] = row.seconds;
        }));
  }

  void steps(const Contest& contest, const std::string& solver, std::vector<Task>& tasks) {
    const double h = std::string(contest.hand_coded) == "gauss s=4, projected" ? long_ : short_;
    std::string what = contest.scheme;
    for (const auto& [name, value] : contest.options) what += " " + name + "=" + value;
    tasks.push_back(task(
        blank(what, solver, h),
        [this, contest, solver, h] {
          return std::make_unique<IntegratorSteps>(
              registry_.integrator(instance_, contest.scheme, solver, contest.options), h, bench_.steps);
        },
        [this, contest](SmallRow& row, Work& work) {
          row.iterations = static_cast<IntegratorSteps&>(work).a_step(&RunCounters::iterations);
          const auto yardstick = seconds_.find(contest.hand_coded);
          if (yardstick != seconds_.end()) row.to_hand_coded = row.seconds / yardstick->second;
        }));
  }

  const Registry& registry_;
  const SmallBench& bench_;
  double short_, long_;
  const std::function<void(const SmallRow&)>& print_;
  ProblemInstance instance_;
  std::map<std::string, double> seconds_;  ///< a step of the hand-coded ones
  std::vector<SmallRow> rows_;
};

template <class HandCoded, class Model>
std::optional<SmallEnd> end_of(const ProblemInstance& instance, double h, long steps) {
  const Model model;
  const typename Model::template Q<double> q = instance.q0, p = instance.p0, w = model.inverse_mass();
  HandCoded hand_coded(model, q, w.cwiseProduct(p), h);
  for (long i = 0; i < steps; ++i)
    if (!hand_coded.step()) return {};
  return SmallEnd{hand_coded.q(), hand_coded.v(), w};
}

template <class Model>
std::optional<SmallEnd> end_of(const ProblemInstance& instance, const std::string& hand_coded, double h, long steps) {
  if (hand_coded == "energy-momentum") return end_of<SmallEnergyMomentum<Model, false>, Model>(instance, h, steps);
  if (hand_coded == "energy-momentum, refined")
    return end_of<SmallEnergyMomentum<Model, true>, Model>(instance, h, steps);
  if (hand_coded == "rattle") return end_of<SmallRattle<Model>, Model>(instance, h, steps);
  if (hand_coded == "gauss s=4, projected") return end_of<SmallGauss<Model>, Model>(instance, h, steps);
  throw unknown_name("hand-coded integrator", hand_coded,
                     {"energy-momentum", "energy-momentum, refined", "rattle", "gauss s=4, projected"});
}

}  // namespace

std::optional<SmallEnd> small_run(const ProblemInstance& instance, const std::string& problem,
                                  const std::string& hand_coded, double h, long steps) {
  if (problem == HandCodedPendulum::problem) return end_of<HandCodedPendulum>(instance, hand_coded, h, steps);
  if (problem == HandCodedDoublePendulum::problem)
    return end_of<HandCodedDoublePendulum>(instance, hand_coded, h, steps);
  throw unknown_name("problem of the hand-coded integrators", problem,
                     {HandCodedPendulum::problem, HandCodedDoublePendulum::problem});
}

std::vector<SmallRow> run_small_bench(const Registry& registry, const SmallBench& bench,
                                      const std::function<void(const SmallRow&)>& print) {
  std::vector<SmallRow> rows = OneSystem<HandCodedPendulum>(registry, bench, .01, .02, print).run();
  for (SmallRow& row : OneSystem<HandCodedDoublePendulum>(registry, bench, .002, .01, print).run())
    rows.push_back(std::move(row));
  return rows;
}

std::vector<SmallFigure> small_figures(const std::vector<SmallRow>& rows) {
  std::vector<SmallFigure> figures;
  for (const SmallRow& row : rows) {
    if (!row.failure.empty() || row.by == "hand-coded") continue;
    const bool pendulum = row.problem == HandCodedPendulum::problem, native = row.by == "newton";
    if (row.what == "energy-momentum" && pendulum)
      figures.push_back({"planar-pendulum, energy-momentum by " + row.by + " against the plain hand-coded one",
                         row.to_hand_coded, native ? 4. : 9.});
    if (row.what.rfind("line-integral-ggl", 0) == 0 && native)
      figures.push_back(
          {row.problem + ", " + row.what + " by newton, microseconds a step", 1e6 * row.seconds, pendulum ? 8. : 40.});
  }
  return figures;
}

}  // namespace gnomon::bench
