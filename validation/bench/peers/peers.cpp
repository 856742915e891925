#include "bench/peers/peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "bench/precision/crossing.hpp"
#include "bench/precision/timed_run.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::bench {

namespace {

using Centres = std::vector<Eigen::Vector3d>;

constexpr double smallest_error = 2e-8;  ///< below it nothing is learnt of the wanted errors
constexpr double reference_tolerance = 1e-11, check_tolerance = 1e-10, minutes_of_reference = 10;

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

/// What one run gives.
struct Outcome {
  double seconds = 0, energy = 0, gap = 0;
  Centres centres;
  std::string failure;
};

/// A method of a program on one mechanism.
class Method {
 public:
  Method(std::string program, std::string name, std::vector<double> settings)
      : program(std::move(program)), name(std::move(name)), settings(std::move(settings)) {}
  virtual ~Method() = default;
  /// `watch`: energy and joints are looked at.
  virtual Outcome run(double until, double setting, double limit, bool watch) const = 0;

  const std::string program, name;
  const std::vector<double> settings;  ///< coarse ones first
};

/// A scheme of Gnomon with a step or a tolerance, the one that a tolerance alone takes, or a reference.
class OwnMethod final : public Method {
 public:
  OwnMethod(const Registry& registry, const ProblemInstance& instance, const RigidMechanism& mechanism,
            std::string program, std::string name, Contender contender, std::vector<double> settings)
      : Method(std::move(program), std::move(name), std::move(settings)),
        registry_(registry),
        instance_(instance),
        mechanism_(mechanism),
        contender_(std::move(contender)) {}

  Outcome run(double until, double setting, double limit, bool) const override {
    Outcome out;
    TrueSolution truth;
    truth.until = until;
    truth.times = {instance_.t0 + until};
    truth.motion.q = {instance_.q0};  // a size; errors are those of the centres
    Patience patience;
    patience.deadline = processor_seconds() + limit;
    try {
      const double parameter =
          contender_.ours && !contender_.controlled ? until / std::lround(until / setting) : setting;
      const std::unique_ptr<Run> run = make_run(registry_, instance_, truth, chosen(setting), parameter, patience);
      const TimedOnce timed = time_once(*run);
      out.seconds = timed.seconds;
      out.failure = timed.failure;
      if (!out.failure.empty()) return out;
      const Vector q = run->motion().q.back();
      for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k)
        out.centres.push_back(centre_of_mass(mechanism_, static_cast<Index>(k), q));
      WorkPrecisionRow row;
      run->measure(row);
      out.energy = row.energy;
      out.gap = row.constraint;
    } catch (const Error& error) {
      out.failure = error.what();
    }
    return out;
  }

 private:
  Contender chosen(double tolerance) const {
    if (!contender_.name.empty()) return contender_;
    const SolverFactory& solver = registry_.solver(contender_.solver);
    const SchemeChoice choice =
        suited_scheme(registry_, {instance_, tolerance, &solver, Options(contender_.solver, solver.options()), {}});
    Contender out = contender_;
    out.name = choice.scheme;
    out.options = choice.options;
    return out;
  }

  const Registry& registry_;
  const ProblemInstance& instance_;
  const RigidMechanism& mechanism_;
  Contender contender_;
};

/// The mechanism in a file, as long as it lives.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    char path[] = "/tmp/gnomon-peers-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0) throw Error(ErrorCode::bad_file, "no file for a mechanism can be made in /tmp");
    close(file);
    path_ = path;
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::remove(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class DriverMethod final : public Method {
 public:
  DriverMethod(std::string driver, const TextFile& mechanism, std::string program, std::string name,
               std::vector<double> settings)
      : Method(std::move(program), std::move(name), std::move(settings)),
        driver_(std::move(driver)),
        mechanism_(mechanism) {}

  Outcome run(double until, double setting, double limit, bool watch) const override {
    const std::string command = fmt::format("OPENBLAS_NUM_THREADS=1 '{}' {} {:.17g} {} {:.17g} {:g} {} 2>/dev/null",
                                            driver_, mechanism_.path(), until, name, setting, limit, watch ? 1 : 0);
    Outcome out;
    out.failure = "the driver gave no answer";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (!pipe) return out;
    std::string answer;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe.get())) answer.append(buffer, count);
    std::istringstream lines(answer);
    std::string key, rest;
    while (lines >> key && std::getline(lines, rest)) {
      std::istringstream values(rest);
      Eigen::Vector3d centre;
      if (key == "status") out.failure = rest == " ok" ? "" : rest.substr(std::min<std::size_t>(1, rest.size()));
      if (key == "seconds") values >> out.seconds;
      if (key == "energy") values >> out.energy;
      if (key == "gap") values >> out.gap;
      if (key == "centre" && values >> centre[0] >> centre[1] >> centre[2]) out.centres.push_back(centre);
    }
    return out;
  }

 private:
  std::string driver_;
  const TextFile& mechanism_;
};

std::vector<double> tolerances(int first, int last) {
  std::vector<double> out;
  for (int k = first; k <= last; ++k) out.push_back(std::pow(10, -k));
  return out;
}
/// Of a motion whose largest speed of rotation is known: at most a fifth of a radian a step.
std::vector<double> steps(const RigidMechanism& mechanism, double largest) {
  double turning = 0;
  for (const RigidMechanism::Body& body : mechanism.bodies) turning = std::max(turning, body.rotation.norm());
  const double first = turning > 0 ? std::min(largest, .2 / turning) : largest;
  std::vector<double> out;
  for (const double part : {1., .4, .2, .1, .04, .02, .01, .004, .001, 4e-4, 1e-4}) out.push_back(part * first);
  return out;
}

constexpr const char* by_tolerance = "Gnomon, --rtol";
constexpr const char* by_scan = "Gnomon, scan";
constexpr const char* sundials = "IDA, CVODE";

const std::pair<const char*, const char*> drivers[] = {{"Simbody", "gnomon-peer-simbody"},
                                                       {"MuJoCo", "gnomon-peer-mujoco"}};

std::string driver_path(const std::string& folder, const char* name) {
  const std::string path = folder + "/" + name;
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

using Methods = std::vector<std::unique_ptr<Method>>;

Methods methods_of(const Registry& registry, const ProblemInstance& instance, const RigidMechanism& mechanism,
                   const TextFile& text, const std::string& folder) {
  Methods out;
  const auto own = [&](const char* program, const std::string& name, Contender contender,
                       std::vector<double> settings) {
    contender.label = name;
    out.push_back(std::make_unique<OwnMethod>(registry, instance, mechanism, program, name, std::move(contender),
                                              std::move(settings)));
  };
  Contender suited;
  suited.controlled = true;
  own(by_tolerance, "rtol", suited, tolerances(2, 10));
  const std::pair<const char*, Assignments> scanned[] = {{"energy-momentum", {}},
                                                         {"composition", {{"inner", "energy-momentum"}}},
                                                         {"rattle", {}},
                                                         {"hbvm", {{"s", "2"}, {"k", "2"}}},
                                                         {"hbvm", {{"s", "3"}, {"k", "3"}}},
                                                         {"line-integral-ggl", {{"s", "2"}, {"k", "2"}}},
                                                         {"line-integral-ggl", {{"s", "3"}, {"k", "3"}}}};
  for (const auto& [scheme, options] : scanned) {
    Contender contender;
    contender.name = scheme;
    contender.options = options;
    std::string name = scheme;
    for (const auto& [key, value] : options) name += " " + key + "=" + value;
    own(by_scan, name, contender, steps(mechanism, .1));
  }
  for (const char* reference : {"ida-ggl", "cvode-projection"}) {
    Contender contender;
    contender.name = reference;
    contender.ours = false;
    own(sundials, reference, contender, tolerances(3, 11));
  }
  const auto driven = [&](std::size_t which, const char* method, std::vector<double> settings) {
    const std::string path = driver_path(folder, drivers[which].second);
    if (path.empty()) return;
    out.push_back(std::make_unique<DriverMethod>(path, text, drivers[which].first, method, std::move(settings)));
  };
  for (const char* method : {"rkm", "cpodes"}) driven(0, method, tolerances(2, 11));
  for (const char* method : {"RK4", "implicit", "Euler"}) driven(1, method, steps(mechanism, .02));
  return out;
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
  /// Gnomon at a tolerance of 1e-11, and how far that is from 1e-10, and from Simbody at 1e-11 where there is one.
  Centres find_reference(PeerTable& table) const {
    const Method& ours = *methods_.front();
    const double patience = 60 * minutes_of_reference;
    Outcome best = ours.run(until_, reference_tolerance, patience, false);
    if (!best.failure.empty()) throw Error(ErrorCode::refused, name_ + " has no reference solution: " + best.failure);
    const Outcome check = ours.run(until_, check_tolerance, patience, false);
    table.uncertainty = check.failure.empty() ? distance(best.centres, check.centres) : never;
    for (const auto& method : methods_)
      if (method->name == "rkm") {
        const Outcome other = method->run(until_, reference_tolerance, patience, false);
        if (other.failure.empty())
          table.uncertainty = std::max(table.uncertainty, distance(best.centres, other.centres));
      }
    return best.centres;
  }

  const PeersBench& bench_;
  const std::function<void(const PeerRun&)>& print_;
  std::string name_;
  ProblemInstance instance_;
  RigidMechanism mechanism_;
  TextFile text_;
  Methods methods_;
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

std::string mechanism_text(const RigidMechanism& mechanism) {
  std::string out;
  const auto put = [&out](const auto& values) {
    for (Index i = 0; i < values.rows(); ++i)
      for (Index j = 0; j < values.cols(); ++j) out += " " + number_text(values(i, j), 17);
  };
  // Names are numbers: those of bodies and joints may be the same.
  out += mechanism.planar ? "1" : "0";
  put(mechanism.gravity);
  out += fmt::format(" {} {}\n", mechanism.bodies.size(), mechanism.joints.size());
  for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
    const RigidMechanism::Body& body = mechanism.bodies[k];
    out += fmt::format("b{} {}", k, number_text(body.mass, 17));
    put(body.inertia);
    put(body.position);
    put(body.axes);
    put(body.velocity);
    put(body.rotation);
    out += '\n';
  }
  for (std::size_t k = 0; k < mechanism.joints.size(); ++k) {
    const RigidMechanism::Joint& joint = mechanism.joints[k];
    out += fmt::format("j{} {} {} {} {}", k, joint.type, joint.a, joint.b, joint.closes ? 1 : 0);
    put(joint.point);
    put(joint.axis);
    out += '\n';
  }
  return out;
}

std::string peers_found(const std::string& folder) {
  std::string out;
  for (const auto& [program, driver] : drivers)
    if (!driver_path(folder, driver).empty()) out += (out.empty() ? "" : " and ") + std::string(program);
  return out.empty() ? "none" : out;
}

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
