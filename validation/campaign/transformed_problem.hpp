#pragma once
/// \file
/// The same mechanical system in other coordinates and units: what must not change an answer.

#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon::campaign {

///     q = S q',    t = time t',    H = energy H',    g'_i = factor_i g_(row_i)
///
/// with constraints of velocities of the same factors, Psi'_i = factor_i time Psi_(row_i), and rows of their own, so
/// that M' = S^T M S/(energy time^2), Q' = S^T Q/energy, and lambda_(row_i) = energy factor_i lambda'_i. Obstacles
/// and slips keep their order and are multiplied by contact_factor.
struct Transformation {
  Matrix s, inverse;
  std::vector<Index> rows;
  Vector factors;
  double time = 1, energy = 1, contact_factor = 1;

  /// S = 1.
  Transformation(Index n, Index m);
};

/// From the tapes of its functions. Symmetries, first integrals, outputs and curves are left out. Throws
/// Error(refused) for a system that has no tapes.
ProblemInstance transformed(const ProblemInstance& instance, const Transformation& by);

}  // namespace gnomon::campaign
