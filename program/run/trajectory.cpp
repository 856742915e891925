#include "program/run/trajectory.hpp"

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "program/run/reference_trajectory.hpp"
#include "program/run/scheme_trajectory.hpp"

namespace gnomon::program {

std::unique_ptr<Trajectory> start_trajectory(const Registry& registry, ProblemInstance instance,
                                             RunArguments& arguments) {
  std::vector<std::string> names = registry.references();
  const bool reference = std::count(names.begin(), names.end(), arguments.scheme) > 0;
  if (reference && !arguments.sensitivity.empty())
    throw Error(ErrorCode::bad_value, "--sensitivity is given with the reference " + arguments.scheme +
                                          ": derivatives are those of the steps of a scheme");
  if (reference) return std::make_unique<ReferenceTrajectory>(registry, std::move(instance), arguments);
  try {
    registry.scheme(arguments.scheme);
  } catch (const Error&) {
    const std::vector<std::string> schemes = registry.schemes();
    names.insert(names.begin(), schemes.begin(), schemes.end());
    throw unknown_name("scheme", arguments.scheme, names);
  }
  return start_scheme(registry, std::move(instance), arguments);
}

}  // namespace gnomon::program
