#include "measures/invariants/symplectic_exact.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/singular_values.hpp"

namespace gnomon::validation {

namespace {

/// At how many of a run's steps the defect is measured.
constexpr long visits = 20;

/// The basis at a state: orthonormal in sqrt(m_j) dq_j / T and dp_j / sqrt(m_j), with T = |q| / |v| in the mass metric
/// as the time scale, then mixed by a rotation so that every vector changes both q and p.
class TangentBasis {
 public:
  explicit TangentBasis(const System& system) : system_(system), n_(system.n()), m_(system.m()) {
    root_mass_ = system.mass().diagonal_entries().cwiseAbs().cwiseSqrt();
    for (double& w : root_mass_)
      if (w == 0) w = 1;
  }

  Matrix at(double t, const Vector& q, const Vector& p, double h) {
    Vector v(n_), values(system_.constraint_pattern().nonzeros());
    Vector t_q(n_), column(n_);
    system_.velocity(q, p, t_q, v);
    const double scale = q.cwiseProduct(root_mass_).norm() / v.cwiseProduct(root_mass_).norm();
    const double time = scale > 0 && std::isfinite(scale) ? scale : std::abs(h);
    Vector size(2 * n_);
    size << time * root_mass_.cwiseInverse(), root_mass_;

    // The linearised constraints on (dq, dp), columns in units of `size`, rows of length one.
    system_.constraint_jacobian(t, q, values);
    const Matrix g = to_dense(system_.constraint_pattern(), values);
    system_.constraint_jacobian_derivative(t, q, v, values);
    Matrix rows = Matrix::Zero(2 * m_, 2 * n_);
    rows.topLeftCorner(m_, n_) = g;
    rows.bottomLeftCorner(m_, n_) = to_dense(system_.constraint_pattern(), values);
    const ConfigurationMass* mass = system_.parts().mass;
    const Vector zero = Vector::Zero(n_);
    for (Index i = 0; i < m_; ++i) {
      const Vector row = g.row(i);
      if (mass) {
        mass->kinetic_hessian_times(q, p, zero, row, t_q, column);  // T_qp G_i^T, T_pp G_i^T
        rows.row(m_ + i).head(n_) += t_q;
      } else {
        system_.mass().solve(row, column);
      }
      rows.row(m_ + i).tail(n_) = column;
    }
    rows = rows * size.asDiagonal();
    rows.rowwise().normalize();
    Matrix kernel = Matrix::Identity(2 * n_, 2 * n_);
    if (m_ > 0) {
      const SingularValues svd(rows, Eigen::ComputeFullV);
      const Vector& s = svd.singularValues();
      Index rank = 0;
      while (rank < s.size() && s[rank] > 1e-10 * s[0]) ++rank;
      kernel = svd.matrixV().rightCols(2 * n_ - rank).eval();
    }

    const Index count = kernel.cols();
    Matrix mixed(count, count);
    for (Index j = 0; j < count; ++j) uniform_.fill(mixed.col(j));
    return size.asDiagonal() * kernel * Matrix(Eigen::HouseholderQR<Matrix>(mixed).householderQ());
  }

 private:
  const System& system_;
  Index n_, m_;
  Vector root_mass_;
  Uniform uniform_{11};
};

/// omega of all pairs of columns [dq; dp].
Matrix omega(const Matrix& u) {
  const Index n = u.rows() / 2;
  const Matrix half = u.topRows(n).transpose() * u.bottomRows(n);
  return half - half.transpose();
}

/// The same sum with all terms positive.
Matrix size_of_omega(const Matrix& u) {
  const Index n = u.rows() / 2;
  const Matrix half = u.topRows(n).cwiseAbs().transpose() * u.bottomRows(n).cwiseAbs();
  return half + half.transpose();
}

}  // namespace

ExactSymplecticity exact_symplecticity(Integrator& integrator, long steps, double h) {
  TangentBasis basis(integrator.system());
  const long stride = std::max(1L, steps / visits);
  ExactSymplecticity found;
  for (long step = 0; step < steps; step += stride) {
    const State& z = integrator.state();
    const Matrix before = basis.at(z.t, z.q.value(), z.p.value(), h);
    Matrix after = before;
    if (!integrator.equations().differentiate(&after))
      throw Error(ErrorCode::refused, "symplectic-exact: the scheme does not offer the derivative of its step map");
    advance(integrator, 1, h);
    integrator.equations().differentiate(nullptr);
    const Matrix change = omega(after) - omega(before);
    found.defect = std::max(found.defect, change.cwiseAbs().cwiseQuotient(size_of_omega(before)).maxCoeff());
    found.directions = before.cols();
    advance(integrator, std::min(stride - 1, steps - step - 1), h);
  }
  return found;
}

Quantities measure_symplectic_exact(const Registry& registry, const Case& c) {
  Integrator integrator = started(registry, build(registry, c), c.method);
  const ExactSymplecticity found = exact_symplecticity(integrator, c.steps, c.step.front());
  return {{"defect", found.defect,
           "of omega in one step, relative to its terms, on the " + std::to_string(found.directions) +
               " tangent directions"}};
}

}  // namespace gnomon::validation
