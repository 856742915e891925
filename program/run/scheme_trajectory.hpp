#pragma once
/// \file
/// The run of a scheme, by an integrator.

#include "program/run/trajectory.hpp"

namespace gnomon::program {

/// See start_trajectory.
std::unique_ptr<Trajectory> start_scheme(const Registry& registry, ProblemInstance instance, RunArguments& arguments);

}  // namespace gnomon::program
