#include "bench/peers/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bench/precision/timed_run.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::bench {

namespace {

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

/// A word of a command line of the shell.
std::string quoted(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

class DriverMethod final : public Method {
 public:
  DriverMethod(std::string driver, const TextFile& mechanism, std::string program, std::string name,
               std::vector<double> settings)
      : Method(std::move(program), std::move(name), std::move(settings)),
        driver_(std::move(driver)),
        mechanism_(mechanism) {}

  Outcome run(double until, double setting, double limit, bool watch) const override {
    const std::string command =
        fmt::format("OPENBLAS_NUM_THREADS=1 {} {} {:.17g} {} {:.17g} {:g} {} 2>/dev/null", quoted(driver_),
                    quoted(mechanism_.path()), until, name, setting, limit, watch ? 1 : 0);
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
/// The largest speed of rotation of the motion is known: steps turn a body by at most a fifth of a radian.
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

}  // namespace

std::vector<std::unique_ptr<Method>> methods_of(const Registry& registry, const ProblemInstance& instance,
                                                const RigidMechanism& mechanism, const TextFile& text,
                                                const std::string& folder) {
  std::vector<std::unique_ptr<Method>> out;
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

}  // namespace gnomon::bench
