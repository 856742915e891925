#pragma once
/// \file
/// What an energy projection will meet, found at (q^, v^) before it is solved. With A = G W^-1 G^T and the tangential
/// parts of the gradient of H,
///
///     l_q = A^-1 G W^-1 grad U,  t_q = W^-1 (grad U - G^T l_q),
///     l_v = A^-1 G W^-1 M v,     t_v = W^-1 (M v - G^T l_v),
///
/// H along q^ + eta t_q, v^ + eta t_v, brought back to g = 0 and G v + g_t = 0, is D + a eta + b eta^2/2 + ..., where
///
///     D = H(q^, v^) - H* - l_q.g - l_v.(G v + g_t)
///     a = grad U.t_q + M v.t_v - l_v.(K t_q),  K = d(G v + g_t)/dq
///     b = t_q.(Hess U) t_q - l_q.(t_q^T (Hess g) t_q) + t_v.M t_v - 2 l_v.(t_q^T (Hess g) t_v)
///
/// (b without l_v.(t_q^T (dK/dq) t_q), which in the mass metric vanishes with G v). Beyond the double root a^2 = 2 b D
/// there may be none: that is no proof, far roots exist (they may even be found), but it explains why a solver failed.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/end_projection.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"

namespace gnomon::kernels {

class EnergyFeasibility {
 public:
  EnergyFeasibility(const System& system, const ProjectionMetric& metric)
      : system_(&system), at_(system), metric_(&metric), m_(system.m()), normal_(Matrix::Identity(m_, m_)) {
    factor_ = Eigen::LLT<Matrix>(m_);
    for (Vector* v : {&q_, &t_q_, &t_v_, &force_, &work_, &row_}) v->setZero(system.n());
    for (Vector* v : {&l_q_, &l_v_, &rhs_}) v->setZero(m_);
    for (Vector* values : {&g_values_, &k_values_}) values->setZero(system.constraint_pattern().nonzeros());
  }

  /// dq, dv: increments of (q^, v^) from the start of the step; energy_defect = H0 - H*.
  Feasibility look(EndPoint& end, const Vector& dq, const Vector& dv, const Vector& v, double energy_defect) {
    end.place(dq, q_);
    const double t1 = end.t(), u0 = end.potential0();
    t_q_.setZero();
    t_v_.setZero();
    tangent_ = 0;
    if (!factorise(t1, q_)) return Feasibility::regular;  // the solver will say what is wrong

    double defect = end.energy_gain(dq, q_, dv) + energy_defect;
    system_->potential_gradient(t1, q_, work_);
    double gradient2 = metric_->length(work_) * metric_->length(work_);
    double a = tangential(work_, l_q_, t_q_);
    system_->mass().apply(v, work_);
    gradient2 += metric_->length(work_) * metric_->length(work_);
    a += tangential(work_, l_v_, t_v_);
    tangent_ = std::sqrt(a);

    end.constraints(dq, q_, rhs_);
    defect -= l_q_.dot(rhs_);
    system_->constraint_velocity(t1, q_, v, rhs_);
    defect -= l_v_.dot(rhs_);
    const double size = std::abs(u0) + std::abs(v.dot(end.start().p.value())) + 1e-300;
    if (a <= 1e-16 * gradient2)
      return std::abs(defect) <= 1e-14 * size ? Feasibility::equilibrium : Feasibility::distant;

    system_->potential_hessian_times(t1, q_, t_q_, work_);
    double b = t_q_.dot(work_);
    system_->mass().apply(t_v_, work_);
    b += t_v_.dot(work_);
    end.hidden_jacobian(q_, v, k_values_);
    multiply(system_->constraint_pattern(), k_values_, t_q_, rhs_);
    a -= l_v_.dot(rhs_);
    at_.constraint_curvature(t1, q_, t_q_, t_q_, rhs_);
    b -= l_q_.dot(rhs_);
    at_.constraint_curvature(t1, q_, t_q_, t_v_, rhs_);
    b -= 2 * l_v_.dot(rhs_);
    return a * a < 2 * b * defect ? Feasibility::distant : Feasibility::regular;
  }

  const Vector& t_q() const { return t_q_; }
  const Vector& t_v() const { return t_v_; }
  double tangent() const { return tangent_; }  ///< length of (t_q, t_v)

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  /// Cholesky factors of A
  bool factorise(double t, const Vector& q) {
    system_->constraint_jacobian(t, q, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) row_[g.indices[at(k)]] = g_values_[k];
      metric_->solve(row_, work_);
      for (Index j = 0; j <= i; ++j) {
        double sum = 0;
        for (Index k = g.offsets[at(j)]; k < g.offsets[at(j) + 1]; ++k) sum += g_values_[k] * work_[g.indices[at(k)]];
        normal_(i, j) = normal_(j, i) = sum;
      }
    }
    factor_.compute(normal_);
    return m_ == 0 || factor_.info() == Eigen::Success;
  }

  /// l = A^-1 G W^-1 f, t = W^-1 (f - G^T l). Returns f.t.
  double tangential(const Vector& f, Vector& l, Vector& t) {
    metric_->solve(f, t);
    if (m_ > 0) {
      multiply(system_->constraint_pattern(), g_values_, t, l);
      factor_.solveInPlace(l);
      multiply_transposed(system_->constraint_pattern(), g_values_, l, force_);
      force_ = f - force_;
      metric_->solve(force_, t);
    }
    return std::max(0.0, f.dot(t));
  }

  const System* system_;
  SystemAt at_;
  const ProjectionMetric* metric_;
  Index m_;
  double tangent_ = 0;
  Matrix normal_;
  Eigen::LLT<Matrix> factor_;
  Vector q_, t_q_, t_v_, force_, work_, row_, l_q_, l_v_, rhs_, g_values_, k_values_;
};

}  // namespace gnomon::kernels
