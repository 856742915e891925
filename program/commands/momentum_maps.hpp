#pragma once
/// \file
/// The momentum maps of a mechanism: translations and rotations of the whole that leave it as it is.

#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon::program {

/// E.g. "angular momentum about the axis (0, 0, 1) through (1, 0, 0)", of a system with points "A.x", "A.y", "A.z" and
/// vectors "A.d1.x", ... among its coordinates, or in the plane. The null space of what the six motions xi of the
/// whole change: grad U . xi, G xi, Q . xi, R . xi and v^T M (D xi v), at positions near the start that fit the
/// constraints. Empty with a mass that depends on q, and where there is none.
std::vector<std::string> momentum_maps(const ProblemInstance& instance);

}  // namespace gnomon::program
