#include "gnomon/registry/varied_problem.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/names.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/changed_parameters.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "registry/without_bounds.hpp"

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

/// Those of `set` that lie beyond the bounds of the problem, "c = -0.001, ...".
std::string beyond_bounds(const OptionSpecs& specs, const Assignments& set) {
  std::string text;
  for (const auto& [name, value] : set)
    for (const OptionSpec& spec : specs) {
      double number = 0;
      if (spec.name != name || spec.kind != OptionSpec::Kind::real || !read_number(value, number)) continue;
      if (number >= spec.minimum && number <= spec.maximum) continue;
      text += text.empty() ? "" : ", ";
      text.append(name).append(" = ").append(value);
    }
  return text;
}

/// Entries of a start in place of those that it has.
class ChangedStart {
 public:
  explicit ChangedStart(ProblemInstance& instance)
      : instance_(instance), system_(*instance.model->mechanical()), v_(velocities(system_, instance)) {}
  double& operator()(bool velocity, Index entry) { return (velocity ? v_ : instance_.q0)[entry]; }
  void finish() { instance_.p0 = momenta(system_, instance_.q0, v_); }

 private:
  ProblemInstance& instance_;
  const System& system_;
  Vector v_;
};

}  // namespace

ProblemInstance build_beyond_bounds(const Problem& problem, const Assignments& set) {
  const OptionSpecs specs = problem.parameters();
  const std::string beyond = beyond_bounds(specs, set);
  if (beyond.empty()) return problem.build(options_of(problem, set));
  try {
    return problem.build(Options("problem " + problem.name(), without_bounds(specs), set));
  } catch (const Error& error) {
    throw Error(error.code(), "a derivative looks at both sides of a bound, and there is no model with " + beyond +
                                  ": " + error.what());
  }
}

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

  const auto asked_twice = [&](const std::string& name) {
    return Error(ErrorCode::bad_value, kind + " " + name + " is asked for twice");
  };
  const auto not_real = [&](const std::string& name) {
    return Error(ErrorCode::bad_value, kind + " " + name + " is by a parameter of " + problem.name() +
                                           " that is no real number, and a motion has no derivative by it");
  };
  for (const std::string& name : names) {
    if (std::count_if(varied_.begin(), varied_.end(), [&](const Varied& one) { return one.name == name; }) > 0)
      throw asked_twice(name);
    const auto spec =
        std::find_if(parameters.begin(), parameters.end(), [&](const OptionSpec& one) { return one.name == name; });
    if (spec != parameters.end()) {
      if (spec->kind != OptionSpec::Kind::real) throw not_real(name);
      varied_.push_back({name, problem.value(options, name)});
      parameters_.push_back({name, size_of(std::abs(varied_.back().value)), true, problem.acts(name)});
      continue;
    }
    const auto place = std::find(known.begin() + static_cast<std::ptrdiff_t>(parameters.size()), known.end(), name);
    if (place == known.end()) throw unknown_name(kind, name, known);
    const auto entry = static_cast<Index>(place - known.begin()) - static_cast<Index>(parameters.size());
    const bool velocity = entry % 2 == 1;
    const Vector all = velocity ? velocities(*system, instance) : instance.q0;
    varied_.push_back({name, all[entry / 2], entry / 2, velocity});
    parameters_.push_back({name, size_of(all.lpNorm<Eigen::Infinity>()), false, {}});
  }
}

ProblemInstance VariedProblem::changed(const Problem& problem, const Assignments& set, const Varied& one,
                                       double change) {
  if (one.coordinate < 0)
    return build_beyond_bounds(problem, change == 0 ? set : with_value(set, one.name, one.value + change));
  ProblemInstance instance = problem.build(options_of(problem, set));
  if (change != 0) {
    ChangedStart start(instance);
    start(one.velocity, one.coordinate) += change;
    start.finish();
  }
  return instance;
}

ProblemInstance VariedProblem::at(const Problem& problem, const Assignments& set, const std::vector<Varied>& all,
                                  const Vector& values) {
  Assignments other = set;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].coordinate < 0) other = with_value(other, all[k].name, values[static_cast<Index>(k)]);
  ProblemInstance instance = build_beyond_bounds(problem, other);
  const auto of_start = [](const Varied& one) { return one.coordinate >= 0; };
  if (std::none_of(all.begin(), all.end(), of_start)) return instance;
  ChangedStart start(instance);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (of_start(all[k])) start(all[k].velocity, all[k].coordinate) = values[static_cast<Index>(k)];
  start.finish();
  return instance;
}

Vector VariedProblem::values() const {
  Vector out(static_cast<Index>(varied_.size()));
  for (std::size_t k = 0; k < varied_.size(); ++k) out[static_cast<Index>(k)] = varied_[k].value;
  return out;
}

ProblemInstance VariedProblem::instance(const Vector& values) const {
  return at(*problem_, set_, varied_, values);
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

Adjoint::Make VariedProblem::make_together() const {
  std::vector<std::string> names;
  std::vector<Index> places;
  for (std::size_t k = 0; k < varied_.size(); ++k) {
    if (varied_[k].coordinate >= 0) continue;
    names.push_back(varied_[k].name);
    places.push_back(static_cast<Index>(k));
  }
  return [problem = problem_, parameters = ChangedParameters(*problem_, set_, std::move(names)), run = run_,
          varied = varied_, places](const Vector& changes) {
    ProblemInstance instance = build_beyond_bounds(*problem, parameters(changes(places)));
    const auto moves = [&](std::size_t k) { return varied[k].coordinate >= 0 && changes[static_cast<Index>(k)] != 0; };
    std::optional<ChangedStart> start;
    for (std::size_t k = 0; k < varied.size(); ++k) {
      if (!moves(k)) continue;
      if (!start) start.emplace(instance);
      (*start)(varied[k].velocity, varied[k].coordinate) += changes[static_cast<Index>(k)];
    }
    if (start) start->finish();
    Integrator integrator = run(instance);
    return std::make_unique<Variant>(std::move(instance), std::move(integrator));
  };
}

}  // namespace gnomon
