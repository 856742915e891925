#pragma once
/// \file
/// What the stages of a Runge-Kutta method (rk_stages.hpp) have from the kinetic energy: the policies for a constant
/// mass, where it is M W_i, and for M(q). There the Newton matrix is dense and small. A stage has in it its derivatives
/// by Q_i, P_i, V_i, P'_i and Lambda_i; with W = T_pq V + T_pp P', those of G W by (Q,P) have the rows
/// W^T (Hess g_k) + (Hess (G_k T_p)) [V; P'], G_k constant in the latter.

#include "gnomon/model/system_at.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"

namespace gnomon::kernels {

/// One stage. Without M(q) the second line is not sized.
template <class S>
struct StagePoint {
  VectorOf<S> slope, inertial, dq, q, v, u, force, lambda, g, bias;  ///< slope: W or P'; inertial: M W or P' + T_q
  VectorOf<S> dp, p, t_p, w;
};

class ConstantStageInertia {
 public:
  static constexpr Index slopes = 1;
  static constexpr const char* names[] = {"W"};

  explicit ConstantStageInertia(const System& system) : at_(system) {}

  template <class S>
  void rates(StagePoint<S>& b) {
    at_.mass_times(b.slope, b.inertial);
  }
  /// W
  template <class S>
  const VectorOf<S>& acceleration(StagePoint<S>& b) const {
    return b.slope;
  }
  const Vector& momentum(StagePoint<double>& b) {
    at_.mass_times(b.v, b.inertial);
    return b.inertial;
  }

 private:
  SystemAt at_;
};

class ConfigurationStageInertia {
 public:
  static constexpr Index slopes = 2;
  static constexpr const char* names[] = {"V", "P'"};

  explicit ConfigurationStageInertia(const System& system) : at_(system), n_(system.n()), m_(system.m()) {
    normal_.setZero(n_);
    for (Vector* v : {&slopes_, &row_}) v->setZero(2 * n_);
    for (Matrix* a : {&hessian_, &turned_}) a->setZero(2 * n_, 2 * n_);
    jacobian_.setZero(m_, n_);
    by_state_.setZero(m_, 2 * n_);
  }

  template <class S>
  void rates(StagePoint<S>& b) {
    at_.kinetic_gradient(b.q, b.p, b.inertial, b.t_p);
    b.inertial += b.slope;
  }
  /// W, after what reads T_p
  template <class S>
  const VectorOf<S>& acceleration(StagePoint<S>& b) {
    at_.kinetic_hessian_times(b.q, b.p, b.v, b.slope, b.t_p, b.w);
    return b.w;
  }
  const Vector& momentum(const StagePoint<double>& b) const { return b.p; }

  /// What T adds to the rows of stage i of the stages alone.
  void add_jacobian(const StagePoint<double>& b, const RkTableau& rk, double h, Index i, bool index1,
                    const Vector& g_values, VectorRef values) {
    const Index s = rk.stages, size = s * (2 * n_ + m_), velocity = i * n_, momentum = (s + i) * n_;
    const Index lambda = 2 * s * n_ + i * m_;
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> all(values.data(), size, size);
    at_.kinetic_hessian(b.q, b.p, hessian_);
    all.block(velocity, velocity, n_, n_).diagonal().array() += 1;
    all.block(momentum, momentum, n_, n_).diagonal().array() += 1;
    by_state_.setZero();
    if (index1) {
      jacobian_.setZero();
      add_dense(at_.system().constraint_pattern(), g_values, 1, jacobian_);
      all.block(lambda, velocity, m_, n_).noalias() += jacobian_ * hessian_.bottomLeftCorner(n_, n_);
      all.block(lambda, momentum, m_, n_).noalias() += jacobian_ * hessian_.bottomRightCorner(n_, n_);
      slopes_ << b.v, b.slope;
      for (Index k = 0; k < m_; ++k) {
        normal_ = jacobian_.row(k).transpose();
        at_.velocity_hessian(b.q, b.p, normal_, turned_);
        row_.noalias() = turned_ * slopes_;
        by_state_.row(k) = row_.transpose();
      }
    }
    // By Q_i and P_i, which move with h sum_j a_ij V_j and h sum_j a_ij P'_j.
    for (Index j = 0; j < s; ++j)
      for (const Index half : {0, 1}) {
        const double factor = h * rk.a(i, j);
        const Index column = (half * s + j) * n_;
        all.block(velocity, column, n_, n_) -= factor * hessian_.block(n_, half * n_, n_, n_);
        all.block(momentum, column, n_, n_) += factor * hessian_.block(0, half * n_, n_, n_);
        all.block(lambda, column, m_, n_) += factor * by_state_.middleCols(half * n_, n_);
      }
  }

 private:
  SystemAt at_;
  Index n_, m_;
  Vector normal_, slopes_, row_;
  Matrix hessian_, turned_, jacobian_, by_state_;
};

}  // namespace gnomon::kernels
