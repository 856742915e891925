#pragma once
/// \file
/// Momenta made tangential to the constraints, for start values.

#include <Eigen/Cholesky>

#include "gnomon/model/system.hpp"

namespace gnomon::problems {

/// p -= G^T (G M^-1 G^T)^-1 G M^-1 p, the projection that changes the kinetic energy least: afterwards G M^-1 p = 0.
/// Dense, for small systems of full rank with constant mass; q satisfies g = 0.
inline void project_momenta(const System& system, const Vector& q, Vector& p) {
  Vector values(system.constraint_pattern().nonzeros()), column(system.n());
  system.constraint_jacobian(0, q, values);
  const Matrix G = to_dense(system.constraint_pattern(), values);
  Matrix W(system.n(), system.m());  // M^-1 G^T
  for (Index i = 0; i < system.m(); ++i) {
    column = G.row(i).transpose();
    system.mass().solve(column, W.col(i));
  }
  p -= G.transpose() * (G * W).ldlt().solve(W.transpose() * p);
}

}  // namespace gnomon::problems
