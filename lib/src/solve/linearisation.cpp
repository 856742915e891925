#include "gnomon/solve/linearisation.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

[[noreturn]] void refuse_friction(const System& system) {
  throw Error(ErrorCode::refused, "system " + system.traits().name +
                                      " is not linearised: it has friction, whose direction is not defined at rest");
}

bool contains(const std::vector<Index>& all, Index i) {
  return std::find(all.begin(), all.end(), i) != all.end();
}

/// q' and p' as functions of (q, p): their derivatives at fixed multipliers.
Matrix jacobian(const System& system, double t, const Vector& q, const Vector& p, const Vector& lambda, const Matrix& M,
                Matrix& velocity) {
  const Index n = system.n();
  Matrix kinetic = Matrix::Zero(2 * n, 2 * n);
  if (const ConfigurationMass* mass = system.parts().mass) {
    Vector scratch(3 * n);
    mass->kinetic_hessian(q, p, scratch, kinetic);
  } else {
    kinetic.bottomRightCorner(n, n) = M.llt().solve(Matrix::Identity(n, n));
  }
  velocity = kinetic.bottomRows(n);
  Vector values(system.hessian_pattern().nonzeros());
  system.lagrangian_hessian(t, q, lambda, values);
  Matrix J(2 * n, 2 * n);
  J.topRows(n) = velocity;
  J.bottomRows(n) = -kinetic.topRows(n);
  J.bottomLeftCorner(n, n) -= to_dense(system.hessian_pattern(), values);
  const Force* force = system.parts().force;
  if (!force) return J;
  Vector v(n), scratch(n);
  system.velocity(q, p, scratch, v);
  const auto derivative = [&](ForceArgument by) {
    const SparsityPattern& pattern = force->force_pattern(by);
    values.resize(pattern.nonzeros());
    force->force_jacobian(by, t, q, v, values);
    return to_dense(pattern, values);
  };
  J.bottomLeftCorner(n, n) += derivative(ForceArgument::q);
  J.bottomRows(n) += derivative(ForceArgument::v) * velocity;
  return J;
}

Matrix mass_at(const System& system, const Vector& q) {
  if (!system.parts().mass) return to_dense(system.mass().pattern(), system.mass().values());
  Matrix M(system.n(), system.n());
  system.parts().mass->mass_matrix(q, M);
  return M;
}

/// The rows of `all` that are in `which`.
Matrix rows_of(const Matrix& all, const std::vector<Index>& which) {
  Matrix rows(static_cast<Index>(which.size()), all.cols());
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) = all.row(which[static_cast<std::size_t>(i)]);
  return rows;
}

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

/// With the rows of constraints that hold, ascending.
Linearisation linearise_rows(const System& system, double t, const Vector& q, const Vector& p, const Vector& lambda,
                             const std::vector<Index>& held) {
  const Index n = system.n(), first_velocity = system.m() - system.parts().n_velocity_constraints();
  const Matrix M = mass_at(system, q);
  const Eigen::LLT<Matrix> L(M);
  const std::vector<Index> of_positions(held.begin(), std::lower_bound(held.begin(), held.end(), first_velocity));
  const SparsityPattern& pattern = system.constraint_pattern();
  Vector values(pattern.nonzeros()), v(n), scratch(n);
  system.constraint_jacobian(t, q, values);
  const Matrix all = to_dense(pattern, values), C = rows_of(all, held);
  system.velocity(q, p, scratch, v);
  system.constraint_jacobian_derivative(t, q, v, values);
  if (const TimeDependence* time = system.parts().time_dependence) {
    Vector rate(pattern.nonzeros());
    time->constraint_rate_jacobian(t, q, rate);
    values += rate;
  }

  Linearisation linear;
  Matrix velocity;
  const Matrix J = jacobian(system, t, q, p, lambda, M, velocity);
  linear.positions = free_directions(rows_of(all, of_positions), L);
  const Matrix W = free_directions(C, L);
  linear.momenta = M * W;
  // C T_p + c_t stays zero: C M^-1 dp = -d(C T_p + c_t)/dq dq, dp in the range of C^T.
  const Matrix turned = (rows_of(to_dense(pattern, values), held) + C * velocity.leftCols(n)) * linear.positions;
  linear.carried = Matrix::Zero(n, linear.n_positions());
  if (!held.empty()) {
    const Matrix scaled = L.matrixL().solve(C.transpose());
    linear.carried -= L.matrixL() * Matrix(scaled.transpose().completeOrthogonalDecomposition().solve(turned));
  }

  const Index N = linear.n_positions(), w = linear.n_velocities();
  Matrix Z = Matrix::Zero(2 * n, N + w);
  Z.topLeftCorner(n, N) = linear.positions;
  Z.bottomLeftCorner(n, N) = linear.carried;
  Z.bottomRightCorner(n, w) = linear.momenta;
  const Matrix rates = J * Z;
  linear.matrix.resize(N + w, N + w);
  linear.matrix.topRows(N) = (M * linear.positions).transpose() * rates.topRows(n);
  linear.matrix.bottomRows(w) = W.transpose() * rates.bottomRows(n);
  return linear;
}

}  // namespace

Linearisation linearise(const System& system, double t, const Vector& q, const Vector& p, const Vector& lambda,
                        const std::vector<Index>& closed) {
  const Parts& parts = system.parts();
  if (parts.friction) refuse_friction(system);
  std::vector<Index> held;
  if (!parts.obstacles) {
    for (Index i = 0; i < system.m(); ++i) held.push_back(i);
    return linearise_rows(system, t, q, p, lambda, held);
  }
  // The rows of the closed system are g, -c, those of slips, and the constraints of velocities.
  const std::shared_ptr<const System> all = parts.obstacles->with_obstacles_closed();
  const Index of_positions = system.m() - parts.n_velocity_constraints(), obstacles = parts.n_obstacles();
  Vector all_lambda = Vector::Zero(all->m());
  const auto hold = [&](Index row, Index multiplier) {
    held.push_back(row);
    all_lambda[row] = lambda[multiplier];
  };
  for (Index i = 0; i < of_positions; ++i) hold(i, i);
  for (Index i = 0; i < obstacles; ++i) {
    if (!contains(closed, i)) continue;
    if (parts.coulomb && parts.coulomb->friction_coefficients()[i] > 0) refuse_friction(system);
    hold(of_positions + i, system.m() + i);
  }
  for (Index i = of_positions; i < system.m(); ++i) hold(all->m() - system.m() + i, i);
  return linearise_rows(*all, t, q, p, all_lambda, held);
}

std::vector<Mode> modes_of(const Linearisation& linear) {
  std::vector<Mode> modes;
  if (linear.matrix.size() == 0) return modes;
  if (!linear.matrix.allFinite()) throw Error(ErrorCode::not_finite, "the matrix of the linearisation is not finite");
  const Eigen::EigenSolver<Matrix> solver(linear.matrix);
  if (solver.info() != Eigen::Success)
    throw Error(ErrorCode::not_finite, "the eigenvalues of the linearisation were not found");
  for (Index k = 0; k < linear.matrix.cols(); ++k) {
    Mode mode{solver.eigenvalues()[k], {}};
    if (mode.s.imag() < 0) continue;
    Eigen::VectorXcd y = solver.eigenvectors().col(k).head(linear.n_positions());
    if (const double length = y.norm(); length > 0) y /= length;
    mode.shape = linear.positions * y;
    Index largest = 0;
    if (mode.shape.size() > 0 && mode.shape.cwiseAbs().maxCoeff(&largest) > 0)
      mode.shape *= std::conj(mode.shape[largest]) / std::abs(mode.shape[largest]);
    modes.push_back(std::move(mode));
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.s) < std::abs(b.s); });
  return modes;
}

}  // namespace gnomon
