#include "chain_bench.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "bare_kernels.hpp"
#include "energy_momentum_chain.hpp"
#include "gnomon/base/error.hpp"
#include "rattle_chain.hpp"
#include "steps.hpp"

namespace gnomon::bench {

namespace {

constexpr double gravity = 1;
constexpr std::array<Kernel, 4> kernels = {Kernel::residual, Kernel::jacobian, Kernel::factor, Kernel::solve};

/// A native solver without a choice of algebra factorises densely: more unknowns than this are not worth the wait.
constexpr Index dense_limit = 150;

struct Variant {
  std::string scheme, solver, algebra;  ///< algebra "": the solver has no such option
  std::string by() const { return algebra.empty() || algebra == "auto" ? solver : solver + " " + algebra; }
};

const OptionSpec* algebra_option(const OptionSpecs& specs) {
  const auto at = std::find_if(specs.begin(), specs.end(), [](const OptionSpec& s) { return s.name == "algebra"; });
  return at == specs.end() ? nullptr : &*at;
}

/// Whether the option takes this name; one that is no choice from a list finds out by itself.
bool offers(const OptionSpec& option, const std::string& algebra) {
  const std::vector<std::string>& known = option.choices;
  return known.empty() || std::find(known.begin(), known.end(), algebra) != known.end();
}

/// All tasks of one length of chain, and the rows they fill.
class OneLength {
 public:
  OneLength(const Registry& registry, const ChainBench& bench, long links,
            const std::function<void(const ChainRow&)>& print)
      : registry_(registry), bench_(bench), links_(links), h_(chain_step(links)), print_(print) {
    steps_ = bench.steps > 0 ? bench.steps : std::clamp(300000 / links, 20L, 1000L);
    instance_ = registry.build(
        "chain", {{"links", std::to_string(links)}, {"start", "spatial"}, {"gravity", number_text(gravity)}});
  }

  std::vector<ChainRow> run() {
    std::vector<Task> tasks;
    tasks.push_back(hand_coded<EnergyMomentumChain>("energy-momentum", energy_momentum_));
    tasks.push_back(hand_coded<RattleChain>("rattle", rattle_));
    for (const std::string& algebra : bench_.algebra) add_steps({"energy-momentum", "kinsol-newton", algebra}, tasks);
    add_native(tasks);
    add_steps({"rattle", "kinsol-newton", "auto"}, tasks);
    time_tasks(tasks, bench_.rule);
    return std::move(rows_);
  }

 private:
  void finish(ChainRow row) {
    if (energy_momentum_ > 0) row.to_energy_momentum = row.seconds / energy_momentum_;
    if (rattle_ > 0) row.to_rattle = row.seconds / rattle_;
    print_(row);
    rows_.push_back(std::move(row));
  }
  ChainRow row(const std::string& what, const std::string& by) const {
    ChainRow r;
    r.links = links_;
    r.what = what;
    r.by = by;
    return r;
  }
  std::function<void(const std::string&)> failure(const ChainRow& failed) {
    return [this, failed](const std::string& why) {
      ChainRow r = failed;
      r.failure = why;
      print_(r);
      rows_.push_back(std::move(r));
    };
  }
  std::string task_name(const ChainRow& r) const { return r.what + "/" + r.by + "/" + std::to_string(links_); }

  template <class HandCoded>
  Task hand_coded(const std::string& scheme, double& seconds) {
    const ChainRow blank = row(scheme, "hand-coded");
    return {task_name(blank),
            [this] {
              return std::make_unique<HandCodedSteps<HandCoded>>(HandCoded(LinkChain(instance_, gravity), h_), steps_);
            },
            [this, blank, &seconds](double time, Work& work) {
              ChainRow r = blank;
              r.seconds = seconds = time / static_cast<double>(steps_);
              r.iterations = static_cast<HandCodedSteps<HandCoded>&>(work).iterations_a_step();
              finish(std::move(r));
            },
            failure(blank)};
  }

  void add_native(std::vector<Task>& tasks) {
    const OptionSpecs specs = registry_.solver("newton").options();
    const OptionSpec* option = algebra_option(specs);
    if (!option) {
      if (2 * instance_.q0.size() + instance_.model->m() <= dense_limit)
        add_steps({"energy-momentum", "newton", ""}, tasks);
      return;
    }
    for (const std::string& algebra : bench_.algebra)
      if (offers(*option, algebra)) add_steps({"energy-momentum", "newton", algebra}, tasks);
  }

  /// The steps of one variant and its kernels.
  void add_steps(const Variant& variant, std::vector<Task>& tasks) {
    const ChainRow blank = row(variant.scheme, variant.by());
    const bool has_kernels = variant.scheme == "energy-momentum";
    Step& step = steps_of_[variant.scheme + variant.by()];
    step.row = blank;
    tasks.push_back({task_name(blank),
                     [this, variant]() -> std::unique_ptr<Work> {
                       Assignments options;
                       if (!variant.algebra.empty()) options.emplace_back("algebra", variant.algebra);
                       return std::make_unique<IntegratorSteps>(
                           registry_.integrator(instance_, variant.scheme, variant.solver, {}, options), h_, steps_);
                     },
                     [this, has_kernels, &step](double time, Work& work) {
                       const auto& run = static_cast<IntegratorSteps&>(work);
                       step.row.seconds = time / static_cast<double>(steps_);
                       step.row.iterations = run.a_step(&RunCounters::iterations);
                       step.calls = {run.a_step(&RunCounters::residual_evaluations),
                                     run.a_step(&RunCounters::jacobian_evaluations),
                                     run.a_step(&RunCounters::factorisations), step.row.iterations};
                       if (has_kernels)
                         step.start = run.start();
                       else
                         finish(step.row);
                     },
                     failure(blank)});
    if (has_kernels)
      for (std::size_t k = 0; k < kernels.size(); ++k) tasks.push_back(kernel(k, variant, step));
  }

  struct Step {
    ChainRow row;
    State start;
    std::array<double, 4> calls{}, seconds{};
  };

  Task kernel(std::size_t k, const Variant& variant, Step& step) {
    ChainRow blank = row(to_string(kernels[k]), "kernel of " + variant.by());
    const long repeats = std::max(3L, steps_ / 4);
    return {task_name(blank),
            [this, k, variant, &step, repeats] {
              if (step.row.seconds == 0) throw Error(ErrorCode::refused, "the steps that it belongs to failed");
              return std::make_unique<BareKernel>(kernels[k], algebra_of(variant), instance_,
                                                  registry_.scheme(variant.scheme), step.start, h_, repeats);
            },
            [this, k, blank, &step, repeats](double time, Work&) {
              step.seconds[k] = time / static_cast<double>(repeats);
              ChainRow r = blank;
              r.seconds = step.seconds[k];
              print_(r);
              rows_.push_back(std::move(r));
              if (k + 1 == kernels.size()) finish_with_kernels(step);
            },
            failure(blank)};
  }
  void finish_with_kernels(Step& step) {
    double sum = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) sum += step.calls[k] * step.seconds[k];
    step.row.to_kernels = step.row.seconds / sum;
    finish(step.row);
  }

  AlgebraChoice algebra_of(const Variant& v) const {
    const Assignments assignments{{"algebra", v.algebra}};
    return AlgebraChoice(registry_.algebra_table(),
                         Options("solver " + v.solver, registry_.solver(v.solver).options(), assignments));
  }

  const Registry& registry_;
  const ChainBench& bench_;
  long links_, steps_;
  double h_;
  const std::function<void(const ChainRow&)>& print_;
  ProblemInstance instance_;
  double energy_momentum_ = 0, rattle_ = 0;  ///< seconds a step of the hand-coded integrators
  std::map<std::string, Step> steps_of_;
  std::vector<ChainRow> rows_;
};

}  // namespace

double chain_step(long links) {
  return std::min(1e-3, 0.25 / static_cast<double>(links));
}

void check_chain_bench(const Registry& registry, const ChainBench& bench) {
  const ProblemInstance instance = registry.build("chain");
  for (const std::string& name : bench.algebra) {
    try {
      registry.integrator(instance, "energy-momentum", "kinsol-newton", {}, {{"algebra", name}});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;  // refused: exists, but not for three links
    }
  }
}

std::vector<ChainRow> run_chain_bench(const Registry& registry, const ChainBench& bench,
                                      const std::function<void(const ChainRow&)>& print) {
  std::vector<ChainRow> all;
  for (const long links : bench.links) {
    std::vector<ChainRow> rows = OneLength(registry, bench, links, print).run();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace gnomon::bench
