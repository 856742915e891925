#pragma once
/// \file
/// Events of a run with obstacles, by name.

#include <map>
#include <string>

#include "measures/setup.hpp"

namespace gnomon::validation {

/// Times of the events, as <kind>-<number>: launch-1, landing-1, turning-1, ...; the last of a kind also as
/// <kind>-last.
std::map<std::string, double> event_times(const Integrator& integrator);

/// The system of the instance; throws Error(refused) when it has no obstacles.
const System& with_obstacles(const ProblemInstance& instance);

/// The case's run to c.until with its first step size, of a system with obstacles or friction; throws RunFailed.
Integrator contact_run(const Registry& registry, const Case& c, const Method& method, double h);

}  // namespace gnomon::validation
