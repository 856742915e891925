#include "bench/peers/peers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/peers/methods.hpp"
#include "bench/precision/crossing.hpp"
#include "bench/precision/timed_run.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"

namespace gnomon::bench {

namespace {

constexpr double smallest_error = 2e-8;  ///< below it nothing is learnt of the wanted errors
/// Tolerances of the reference: the tightest at which a run ends, where a motion through singular positions stops at
/// some.
constexpr std::array<double, 5> reference_tolerances{1e-11, 1e-10, 1e-9, 1e-8, 1e-7};
constexpr double minutes_of_reference = 10;

double distance(const Centres& a, const Centres& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, (a[k] - b[k]).norm());
  return a.size() == b.size() ? most : never;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The runs of one method.
struct MethodRuns {
  const Method* method = nullptr;
  std::vector<PeerRun> runs;
  std::vector<std::vector<double>> seconds;  ///< one list a run

  std::vector<RunPoint> points() const {
    std::vector<RunPoint> out;
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (runs[k].failure.empty()) out.push_back({runs[k].error, median(seconds[k]), runs[k].setting});
    return out;
  }
};

class Bench {
 public:
  Bench(const Registry& registry, const PeersBench& bench, const PeerMechanism& named,
        const std::function<void(const PeerRun&)>& print)
      : bench_(bench),
        print_(print),
        name_(named.name),
        instance_(named.build()),
        mechanism_(rigid_mechanism(instance_)),
        text_(mechanism_text(mechanism_)),
        methods_(methods_of(registry, instance_, mechanism_, text_, bench.drivers)) {}

  PeerTable run(double until) {
    until_ = until;
    PeerTable table;
    table.mechanism = name_;
    table.until = until;
    const Centres reference = find_reference(table);
    std::vector<MethodRuns> all;
    for (const auto& method : methods_) all.push_back(scan(*method, reference));
    for (int round = 1; round < bench_.repetitions; ++round)
      for (MethodRuns& series : all) repeat(series);
    for (MethodRuns& series : all)
      for (std::size_t k = 0; k < series.runs.size(); ++k) {
        if (series.runs[k].failure.empty()) series.runs[k].seconds = median(series.seconds[k]);
        print_(series.runs[k]);
      }
    for (const MethodRuns& series : all)
      if (table.programs.empty() || table.programs.back() != series.method->program)
        table.programs.push_back(series.method->program);
    for (const double error : bench_.errors) {
      table.costs.emplace_back();
      for (const std::string& program : table.programs) table.costs.back().push_back(cheapest(all, program, error));
    }
    for (const std::string& program : table.programs)
      if (const auto longer = run_longer(all, program)) table.longer.push_back(*longer);
    return table;
  }

 private:
  PeerRun measured(const Method& method, double setting, const Centres& reference, std::vector<double>& seconds) const {
    const Outcome outcome = method.run(until_, setting, bench_.limit, false);
    seconds.push_back(outcome.seconds);
    PeerRun run;
    run.mechanism = name_;
    run.program = method.program;
    run.method = method.name;
    run.until = until_;
    run.setting = setting;
    run.failure = outcome.failure;
    run.energy = outcome.energy;
    run.gap = outcome.gap;
    run.error = outcome.failure.empty() ? distance(outcome.centres, reference) : never;
    return run;
  }
  MethodRuns scan(const Method& method, const Centres& reference) const {
    MethodRuns out;
    out.method = &method;
    for (const double setting : method.settings) {
      if (setting > until_) continue;
      std::vector<double> seconds;
      out.runs.push_back(measured(method, setting, reference, seconds));
      out.seconds.push_back(std::move(seconds));
      const PeerRun& last = out.runs.back();
      if (last.error < smallest_error || out.seconds.back()[0] > bench_.limit / 2) break;
    }
    return out;
  }
  /// The runs on both sides of a wanted error, once more.
  void repeat(MethodRuns& series) const {
    for (std::size_t k = 0; k < series.runs.size(); ++k) {
      PeerRun& run = series.runs[k];
      const auto counts = [&](double error) {
        const bool reaches = run.error <= error, before = k > 0 && series.runs[k - 1].error <= error;
        const bool next = k + 1 < series.runs.size() && series.runs[k + 1].error <= error;
        return (reaches && !before) || (!reaches && next);
      };
      if (!run.failure.empty() || std::none_of(bench_.errors.begin(), bench_.errors.end(), counts)) continue;
      const Outcome outcome = series.method->run(until_, run.setting, bench_.limit, false);
      if (outcome.failure.empty()) series.seconds[k].push_back(outcome.seconds);
    }
  }
  PeerCost cheapest(const std::vector<MethodRuns>& all, const std::string& program, double error) const {
    PeerCost out;
    out.seconds = never;
    for (const MethodRuns& series : all) {
      if (series.method->program != program) continue;
      const Crossing found = crossing(error, series.points());
      if (!found.found() || found.seconds >= out.seconds) continue;
      out = {series.method->name, found.seconds, found.parameter};
    }
    return out;
  }
  /// The cheapest method at the cheapest setting that meets the first error.
  std::optional<PeerRun> run_longer(const std::vector<MethodRuns>& all, const std::string& program) const {
    const Method* method = nullptr;
    double least = never, setting = 0;
    for (const MethodRuns& series : all) {
      if (series.method->program != program) continue;
      for (const RunPoint& point : series.points())
        if (point.error <= bench_.errors.front() && point.seconds < least) {
          least = point.seconds;
          setting = point.parameter;
          method = series.method;
        }
    }
    if (!method) return std::nullopt;
    PeerRun run;
    run.mechanism = name_;
    run.program = program;
    run.method = method->name;
    run.until = bench_.longer * until_;
    run.setting = setting;
    const Outcome outcome = method->run(run.until, setting, 2 * bench_.longer * std::max(bench_.limit, least), true);
    run.seconds = outcome.seconds;
    run.energy = outcome.energy;
    run.gap = outcome.gap;
    run.failure = outcome.failure;
    return run;
  }
  /// Gnomon at the tightest tolerance at which it ends, and how far that is from the next one and from Simbody at 1e-11
  /// where there is one.
  Centres find_reference(PeerTable& table) const {
    const double patience = 60 * minutes_of_reference;
    std::vector<Centres> found;
    std::string failure;
    for (const double tolerance : reference_tolerances) {
      if (found.size() == 2) break;
      const Outcome run = methods_.front()->run(until_, tolerance, patience, false);
      if (run.failure.empty())
        found.push_back(run.centres);
      else
        failure = run.failure;
    }
    if (found.empty()) throw Error(ErrorCode::refused, name_ + " has no reference solution: " + failure);
    table.uncertainty = found.size() == 2 ? distance(found[0], found[1]) : never;
    for (const auto& method : methods_)
      if (method->name == "rkm") {
        const Outcome other = method->run(until_, reference_tolerances.front(), patience, false);
        if (other.failure.empty()) table.uncertainty = std::max(table.uncertainty, distance(found[0], other.centres));
      }
    return found[0];
  }

  const PeersBench& bench_;
  const std::function<void(const PeerRun&)>& print_;
  std::string name_;
  ProblemInstance instance_;
  RigidMechanism mechanism_;
  TextFile text_;
  std::vector<std::unique_ptr<Method>> methods_;
  double until_ = 0;
};

/// Null for a model file.
const PeerMechanism* known_mechanism(const std::string& name) {
  std::vector<std::string> known;
  for (const PeerMechanism& one : peer_mechanisms()) {
    if (one.name == name) return &one;
    known.push_back(one.name);
  }
  if (!is_model_file(name)) throw unknown_name("mechanism", name, known);
  return nullptr;
}

}  // namespace

void check_peers(const PeersBench& bench) {
  for (const std::string& name : bench.mechanisms) known_mechanism(name);
}

void run_peers(const Registry& registry, const PeersBench& bench, const std::function<void(const PeerRun&)>& run,
               const std::function<void(const PeerTable&)>& table) {
  std::vector<PeerMechanism> wanted;
  for (const std::string& name : bench.mechanisms) {
    const PeerMechanism* known = known_mechanism(name);
    wanted.push_back(known ? *known : PeerMechanism{name, {1}, [&registry, name] { return registry.build(name); }});
  }
  if (wanted.empty()) wanted = peer_mechanisms();
  for (const PeerMechanism& one : wanted) {
    Bench runs(registry, bench, one, run);
    for (const double until : bench.until.empty() ? one.until : bench.until) table(runs.run(until));
  }
}

}  // namespace gnomon::bench
