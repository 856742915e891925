#pragma once
/// \file
/// Infinitesimal rotations: the symmetry generators of models in space.

#include "gnomon/base/types.hpp"

namespace gnomon::problems {

/// xi_k = e_axis x q_k for `points` consecutive points of three coordinates. Then p . xi is the angular momentum
/// sum_k (q_k x p_k) . e_axis.
inline void rotation_generator(int axis, Index points, const double* q, double* xi) {
  const int next = (axis + 1) % 3, after = (axis + 2) % 3;
  for (Index k = 0; k < points; ++k, q += 3, xi += 3) {
    xi[axis] = 0;
    xi[next] = -q[after];
    xi[after] = q[next];
  }
}

}  // namespace gnomon::problems
