#include "program/run/trajectory.hpp"

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "program/run/reference_trajectory.hpp"
#include "program/run/scheme_trajectory.hpp"

namespace gnomon::program {

std::unique_ptr<Trajectory> start_trajectory(const Registry& registry, ProblemInstance instance,
                                             RunArguments& arguments) {
  std::vector<std::string> names = registry.references();
  if (std::count(names.begin(), names.end(), arguments.scheme) > 0)
    return std::make_unique<ReferenceTrajectory>(registry, std::move(instance), arguments);
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
