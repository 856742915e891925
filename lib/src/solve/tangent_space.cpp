#include "solve/tangent_space.hpp"

#include <Eigen/QR>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// B with B^T M B = 1, whose columns span the null space of C; L L^T = M. Rows of C count by their directions.
Matrix free_directions(const Matrix& C, const Eigen::LLT<Matrix>& L) {
  const Index n = C.cols();
  if (C.rows() == 0) return L.matrixU().solve(Matrix::Identity(n, n));
  Matrix scaled = L.matrixL().solve(C.transpose());  // (C L^-T)^T
  for (Index i = 0; i < scaled.cols(); ++i)
    if (const double length = scaled.col(i).norm(); length > 0) scaled.col(i) /= length;
  Eigen::ColPivHouseholderQR<Matrix> qr(scaled);
  qr.setThreshold(thresholds::rank);
  const Matrix Q = qr.householderQ() * Matrix::Identity(n, n);
  return L.matrixU().solve(Matrix(Q.rightCols(n - qr.rank())));
}

}  // namespace

TangentSpace tangent_space(const HeldConstraints& held, double t, const Vector& q, const Vector& p, bool of_positions,
                           bool of_velocities) {
  const System& system = *held.system;
  const Index n = system.n();
  const SparsityPattern& pattern = system.constraint_pattern();
  TangentSpace space;
  space.mass = mass_at(system, q);
  space.root.compute(space.mass);
  space.kinetic = Matrix::Zero(2 * n, 2 * n);
  if (const ConfigurationMass* mass = system.parts().mass) {
    Vector scratch(3 * n);
    mass->kinetic_hessian(q, p, scratch, space.kinetic);
  } else {
    space.kinetic.bottomRightCorner(n, n) = space.root.solve(Matrix::Identity(n, n));
  }
  Vector values(pattern.nonzeros()), v(n), scratch(n);
  system.constraint_jacobian(t, q, values);
  space.rows = rows_of(to_dense(pattern, values), held.rows);
  const Matrix& C = space.rows;
  const Matrix none(0, n);
  space.positions = free_directions(of_positions ? Matrix(C.topRows(held.n_positions)) : none, space.root);
  space.velocities = free_directions(of_velocities ? C : none, space.root);
  space.carried = Matrix::Zero(n, space.positions.cols());
  if (C.rows() == 0 || !of_velocities) return space;
  system.velocity(q, p, scratch, v);
  system.constraint_jacobian_derivative(t, q, v, values);
  if (const TimeDependence* time = system.parts().time_dependence) {
    Vector rate(pattern.nonzeros());
    time->constraint_rate_jacobian(t, q, rate);
    values += rate;
  }
  // C T_p + c_t stays zero: C M^-1 dp = -d(C T_p + c_t)/dq dq, dp in the range of C^T.
  const Matrix of_q = rows_of(to_dense(pattern, values), held.rows) + C * space.kinetic.bottomLeftCorner(n, n);
  const Matrix scaled = space.root.matrixL().solve(C.transpose());
  space.carried -=
      space.root.matrixL() * Matrix(scaled.transpose().completeOrthogonalDecomposition().solve(of_q * space.positions));
  return space;
}

}  // namespace gnomon
