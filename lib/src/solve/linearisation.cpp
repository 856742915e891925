#include "gnomon/solve/linearisation.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "solve/held_constraints.hpp"
#include "solve/tangent_space.hpp"

namespace gnomon {

namespace {

/// q' and p' as functions of (q, p): their derivatives at fixed multipliers. kinetic: Hess T.
Matrix jacobian(const System& system, double t, const Vector& q, const Vector& p, const Vector& lambda,
                const Matrix& kinetic) {
  const Index n = system.n();
  const auto velocity = kinetic.bottomRows(n);
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

/// The largest terms that make up p' beside the state, by dq and in the metric of the mass: those of J and, since
/// multipliers have the rounding of all forces, Hess(mu.g) with a mu_i |L^-1 C_i| as large as the forces are.
double largest_terms(const System& system, const HeldConstraints& held, double t, const Vector& q, const Vector& p,
                     const Matrix& J, const Matrix& C, const Eigen::LLT<Matrix>& L) {
  const Index n = system.n();
  const auto in_metric = [&](const Matrix& of_q) {
    const Matrix left = L.matrixL().solve(of_q);
    return Matrix(L.matrixL().solve(left.transpose())).lpNorm<Eigen::Infinity>();
  };
  Vector forces(n), term = Vector::Zero(n), rest(n);
  system.potential_gradient(t, q, forces);
  if (system.parts().mass) {
    system.parts().mass->kinetic_gradient(q, p, term, rest);
    forces += term;
  }
  if (system.parts().force) {
    Vector v(n), scratch(n);
    system.velocity(q, p, scratch, v);
    system.parts().force->force(t, q, v, term);
    forces -= term;
  }
  const double force = L.matrixL().solve(forces).norm();
  Vector mu = Vector::Zero(system.m()), values(system.hessian_pattern().nonzeros());
  for (Index i = 0; i < C.rows(); ++i)
    if (const double length = L.matrixL().solve(C.row(i).transpose()).norm(); length > 0)
      mu[held.rows[static_cast<std::size_t>(i)]] = force / length;
  system.lagrangian_hessian(t, q, mu, values);
  return std::max(in_metric(J.bottomLeftCorner(n, n)), in_metric(to_dense(system.hessian_pattern(), values)));
}

/// A basis of the null space of the square matrix, then one of its complement, both orthonormal, and how many columns
/// the first one has; singular values below `least` are zero.
Matrix null_space_first(const Matrix& of, double least, Index& dimension) {
  const Index size = of.cols();
  Eigen::ColPivHouseholderQR<Matrix> qr(of.transpose());
  const double largest = qr.maxPivot();
  qr.setThreshold(largest > 0 ? std::min(least / largest, 1.0) : 1.0);
  dimension = size - qr.rank();
  const Matrix Q = qr.householderQ() * Matrix::Identity(size, size);
  Matrix basis(size, size);
  basis << Q.rightCols(dimension), Q.leftCols(size - dimension);
  return basis;
}

/// The zero eigenvalues of a matrix, taken off it level by level: with V = [V0 V1], V0 its null space,
///
///     V^T A V = [0 B; 0 A1],        and the same of A1
///
/// s = 0 has so many vectors as V0 has columns; as many as A1 has are the first of a chain A x = V0 c.
class ZerosTakenOff {
 public:
  ZerosTakenOff(Matrix matrix, double least) : rest_(std::move(matrix)) {
    while (rest_.size() > 0) {
      Index zeros = 0;
      const Matrix V = null_space_first(rest_, least, zeros);
      if (zeros == 0) break;
      const Matrix turned = V.transpose() * rest_ * V;
      const Index left = rest_.cols() - zeros;
      levels_.push_back({V, turned.topRightCorner(zeros, left)});
      rest_ = turned.bottomRightCorner(left, left);
    }
  }

  /// Without zero eigenvalues.
  const Matrix& rest() const { return rest_; }
  /// The eigenvector of the matrix that x, one of the rest to s, is a part of.
  Eigen::VectorXcd whole(Eigen::VectorXcd x, std::complex<double> s) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      Eigen::VectorXcd both(level->V.cols());
      both << level->B * x / s, x;
      x = level->V * both;
    }
    return x;
  }
  /// Vectors with A x = 0: those that are A times another one, then the others.
  Matrix chained() const { return vectors(true); }
  Matrix alone() const { return vectors(false); }

 private:
  struct Level {
    Matrix V, B;
  };
  Matrix vectors(bool chained) const {
    if (levels_.empty()) return {};
    const Matrix null = levels_[0].V.leftCols(levels_[0].B.rows());
    if (levels_.size() < 2) return chained ? Matrix(null.rows(), 0) : null;
    const Index count = levels_[1].B.rows();
    const Matrix heads = levels_[0].B * levels_[1].V.leftCols(count);
    const Matrix Q = heads.householderQr().householderQ() * Matrix::Identity(null.cols(), null.cols());
    return null * (chained ? Q.leftCols(count) : Q.rightCols(null.cols() - count));
  }
  std::vector<Level> levels_;
  Matrix rest_;
};

Mode mode_of(const Linearisation& linear, std::complex<double> s, Eigen::VectorXcd y, bool rigid) {
  if (const double length = y.norm(); length > 0) y /= length;
  Mode mode{s, linear.positions * y, rigid};
  Index largest = 0;
  if (mode.shape.size() > 0 && mode.shape.cwiseAbs().maxCoeff(&largest) > 0)
    mode.shape *= std::conj(mode.shape[largest]) / std::abs(mode.shape[largest]);
  return mode;
}

/// Modes to s = 0, whose vectors (y, w) are spanned by these columns: each moves one coordinate that the others of
/// them leave where it is, in the order of these coordinates.
void add_zeros(const Linearisation& linear, const Matrix& zeros, bool rigid, std::vector<Mode>& modes) {
  if (zeros.size() == 0) return;
  const Matrix y = zeros.topRows(linear.n_positions());
  const Matrix shapes = linear.positions * y;
  const Eigen::ColPivHouseholderQR<Matrix> qr(shapes.transpose());
  std::vector<Index> moved;
  for (Index k = 0; k < std::min(qr.rank(), y.cols()); ++k) moved.push_back(qr.colsPermutation().indices()[k]);
  std::sort(moved.begin(), moved.end());
  if (static_cast<Index>(moved.size()) < y.cols()) {  // some of them move velocities alone
    for (Index k = 0; k < y.cols(); ++k) modes.push_back(mode_of(linear, 0, y.col(k), rigid));
    return;
  }
  const Matrix apart = y * rows_of(shapes, moved).inverse();
  for (Index k = 0; k < y.cols(); ++k) modes.push_back(mode_of(linear, 0, apart.col(k), rigid));
}

}  // namespace

Linearisation linearise(const System& model, double t, const Vector& q, const Vector& p, const Vector& of_state,
                        const std::vector<Index>& closed) {
  const HeldConstraints held = held_constraints(model, closed);
  const System& system = *held.system;
  const Vector lambda = held.lambda(of_state);
  const Index n = system.n();
  const TangentSpace space = tangent_space(held, t, q, p);

  Linearisation linear;
  const Matrix J = jacobian(system, t, q, p, lambda, space.kinetic);
  linear.terms = largest_terms(system, held, t, q, p, J, space.rows, space.root);
  linear.positions = space.positions;
  linear.momenta = space.mass * space.velocities;
  linear.carried = space.carried;

  const Index N = linear.n_positions(), w = linear.n_velocities();
  Matrix Z = Matrix::Zero(2 * n, N + w);
  Z.topLeftCorner(n, N) = linear.positions;
  Z.bottomLeftCorner(n, N) = linear.carried;
  Z.bottomRightCorner(n, w) = linear.momenta;
  const Matrix rates = J * Z;
  linear.matrix.resize(N + w, N + w);
  linear.matrix.topRows(N) = (space.mass * linear.positions).transpose() * rates.topRows(n);
  linear.matrix.bottomRows(w) = space.velocities.transpose() * rates.bottomRows(n);
  return linear;
}

std::vector<Mode> modes_of(const Linearisation& linear) {
  std::vector<Mode> modes;
  if (linear.matrix.size() == 0) return modes;
  if (!linear.matrix.allFinite()) throw Error(ErrorCode::not_finite, "the matrix of the linearisation is not finite");
  // By (y, T w) and t/T, where the terms of p' are one.
  const Index N = linear.n_positions(), w = linear.n_velocities();
  const double T = linear.terms > 0 ? 1 / std::sqrt(linear.terms) : 1;
  Matrix scaled = T * linear.matrix;
  scaled.topRightCorner(N, w) /= T;
  scaled.bottomLeftCorner(w, N) *= T;
  const ZerosTakenOff of(scaled, thresholds::zero_eigenvalue * std::max(1.0, scaled.norm()));
  add_zeros(linear, of.chained(), true, modes);
  add_zeros(linear, of.alone(), false, modes);
  if (of.rest().size() == 0) return modes;
  const Eigen::EigenSolver<Matrix> solver(of.rest());
  if (solver.info() != Eigen::Success)
    throw Error(ErrorCode::not_finite, "the eigenvalues of the linearisation were not found");
  for (Index k = 0; k < of.rest().cols(); ++k) {
    const std::complex<double> s = solver.eigenvalues()[k];
    if (s.imag() >= 0)
      modes.push_back(mode_of(linear, s / T, of.whole(solver.eigenvectors().col(k), s).head(N), false));
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.s) < std::abs(b.s); });
  return modes;
}

}  // namespace gnomon
