#pragma once
/// \file
/// The changes of a state that constraints allow. Private to the core.

#include <Eigen/Cholesky>

#include "gnomon/base/types.hpp"
#include "solve/held_constraints.hpp"

namespace gnomon {

/// At (t, q, p), with M = M(q) and C = [G; A] the rows of positions and of velocities, changes of (q, p) are
///
///     dq = N y,    dp = M W w + S y,    N^T M N = 1,    W^T M W = 1
///
/// with the columns of N in the null space of G, where dg = 0 is asked for, and those of W in that of C, where
/// d(C T_p + c_t) = 0 is; then S = -C^T (C M^-1 C^T)^+ d(C T_p + c_t)/dq N. Otherwise they are all changes, and S = 0.
struct TangentSpace {
  Matrix positions;         ///< N
  Matrix velocities;        ///< W
  Matrix carried;           ///< S
  Matrix mass, rows;        ///< M and C
  Matrix kinetic;           ///< Hess T by (q, p)
  Eigen::LLT<Matrix> root;  ///< M = L L^T
};
TangentSpace tangent_space(const HeldConstraints& held, double t, const Vector& q, const Vector& p,
                           bool of_positions = true, bool of_velocities = true);

}  // namespace gnomon
