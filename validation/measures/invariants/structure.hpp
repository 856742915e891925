#pragma once
/// \file
/// Structure of a step map: symmetry in time and symplecticity.

#include "measures/setup.hpp"

namespace gnomon::validation {

/// Largest relative distance between z and step(-h)(step(h)(z)) over `visits` states, `between` steps apart.
double symmetry_defect(const Registry& registry, const ProblemInstance& instance, const Method& method, double h,
                       int visits, long between);

/// Largest relative change of omega(a,b) = a_q.b_p - a_p.b_q under the tangent map of `steps` steps, over several pairs
/// of tangent vectors a, b of the constraint manifold's cotangent bundle { g(q) = 0, G M^-1 p = 0 }. The tangent map
/// comes from central differences whose end points are projected onto the bundle; they leave about 1e-9.
double symplectic_defect(const Registry& registry, const ProblemInstance& instance, const Method& method, double h,
                         long steps);

}  // namespace gnomon::validation
