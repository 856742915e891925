#include "gnomon/registry/varied_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/names.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"

namespace gnomon {

namespace {

constexpr const char* start_prefix = "start.";

Options options_of(const Problem& problem, const Assignments& set) {
  return Options("problem " + problem.name(), problem.parameters(), set);
}

/// The size of a parameter, or of the largest entry of a start, whose small ones may be rounding; one where it is zero.
double size_of(double size) {
  return size > 0 ? size : 1;
}

Vector velocities(const System& system, const ProblemInstance& instance) {
  Vector scratch(system.n()), v(system.n());
  system.velocity(instance.q0, instance.p0, scratch, v);
  return v;
}

}  // namespace

VariedProblem::VariedProblem(const Problem& problem, Assignments set, Run run, const std::vector<std::string>& names,
                             const std::string& kind)
    : problem_(&problem), set_(std::move(set)), run_(std::move(run)) {
  const OptionSpecs parameters = problem.parameters();
  const Options options = options_of(problem, set_);
  const ProblemInstance instance = problem.build(options);
  const System* system = instance.model->mechanical();
  std::vector<std::string> known;
  for (const OptionSpec& spec : parameters) known.push_back(spec.name);
  std::vector<std::string> coordinates;
  if (system) coordinates = coordinate_names(*instance.model);
  for (const std::string& name : coordinates)
    for (const std::string& entry : {name, "der(" + name + ")"}) known.push_back(start_prefix + entry);

  for (const std::string& name : names) {
    if (std::count_if(varied_.begin(), varied_.end(), [&](const Varied& one) { return one.name == name; }) > 0)
      throw Error(ErrorCode::bad_value, kind + " " + name + " is asked for twice");
    const auto spec =
        std::find_if(parameters.begin(), parameters.end(), [&](const OptionSpec& one) { return one.name == name; });
    if (spec != parameters.end()) {
      if (spec->kind != OptionSpec::Kind::real)
        throw Error(ErrorCode::bad_value, kind + " " + name + " is by a parameter of " + problem.name() +
                                              " that is no real number, and a motion has no derivative by it");
      varied_.push_back({name, problem.value(options, name)});
      parameters_.push_back({name, size_of(std::abs(varied_.back().value)), true});
      continue;
    }
    const auto place = std::find(known.begin() + static_cast<std::ptrdiff_t>(parameters.size()), known.end(), name);
    if (place == known.end()) throw unknown_name(kind, name, known);
    const auto entry = static_cast<Index>(place - known.begin()) - static_cast<Index>(parameters.size());
    const bool velocity = entry % 2 == 1;
    const Vector all = velocity ? velocities(*system, instance) : instance.q0;
    varied_.push_back({name, all[entry / 2], entry / 2, velocity});
    parameters_.push_back({name, size_of(all.lpNorm<Eigen::Infinity>()), false});
  }
}

ProblemInstance VariedProblem::changed(const Problem& problem, const Assignments& set, const Varied& one,
                                       double change) {
  if (one.coordinate < 0) {
    Assignments other = set;
    if (change != 0) {
      other.erase(std::remove_if(other.begin(), other.end(),
                                 [&](const auto& assignment) { return assignment.first == one.name; }),
                  other.end());
      other.emplace_back(one.name, shortest_text(one.value + change));
    }
    return problem.build(options_of(problem, other));
  }
  ProblemInstance instance = problem.build(options_of(problem, set));
  if (change != 0) {
    const System& system = *instance.model->mechanical();
    Vector v = velocities(system, instance);
    (one.velocity ? v : instance.q0)[one.coordinate] += change;
    instance.p0 = momenta(system, instance.q0, v);
  }
  return instance;
}

ProblemInstance VariedProblem::instance(std::size_t parameter, double change) const {
  return changed(*problem_, set_, varied_[parameter], change);
}

Sensitivities::Make VariedProblem::make() const {
  return [problem = problem_, set = set_, run = run_, varied = varied_](std::size_t parameter, double change) {
    ProblemInstance instance = changed(*problem, set, varied[parameter], change);
    Integrator integrator = run(instance);
    return std::make_unique<Variant>(std::move(instance), std::move(integrator));
  };
}

}  // namespace gnomon
