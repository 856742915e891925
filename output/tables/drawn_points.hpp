#pragma once
/// \file
/// Which coordinates a picture draws as they are.

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::tables {

/// One entry a coordinate: the unit of the picture where it draws a block of two or three coordinates as a point, ""
/// elsewhere.
std::vector<std::string> drawn_units(const ProblemInstance& instance, const System& system);

}  // namespace gnomon::tables
