#pragma once
/// \file
/// What an energy projection will meet where the mass depends on q, found at (q^, p^) before it is solved: as
/// kernels/runge_kutta/energy_feasibility.hpp in (q, p), with v = T_p, H_q = T_q + grad U and A = G W^-1 G^T at q^,
///
///     l_q = A^-1 G W^-1 H_q,  t_q = W^-1 (H_q - G^T l_q)
///     l_v = A^-1 G W^-1 p,    t_v = W^-1 (p - G^T l_v),     t_p = M t_v
///
/// where W = M(q^) or 1. H along (t_q, t_p), brought back to the constraints, is D + a eta + b eta^2/2 + ...,
///
///     D = H(q^, p^) - H* - l_q.g - l_v.Psi,    Psi = G T_p + g_t
///     a = H_q.t_q + v.t_p - l_v.(Psi_q t_q)
///     b = (t_q, t_p).(Hess H) (t_q, t_p) - l_q.(t_q^T (Hess g) t_q)
///
/// (b without the second derivatives of Psi, times l_v, which in the mass metric vanishes with G v).

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/end_projection.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"

namespace gnomon::kernels {

class ConfigurationFeasibility {
 public:
  ConfigurationFeasibility(const System& system, const ProjectionMetric& metric)
      : system_(&system), at_(system), metric_(&metric), m_(system.m()), normal_(Matrix::Identity(m_, m_)) {
    const Index n = system.n();
    factor_ = Eigen::LLT<Matrix>(m_);
    for (Vector* v : {&q_, &p_, &v_, &h_q_, &t_q_, &t_v_, &t_p_, &force_, &work_, &out_q_, &row_}) v->setZero(n);
    for (Vector* v : {&l_q_, &l_v_, &rhs_}) v->setZero(m_);
    for (Vector* values : {&g_values_, &k_values_}) values->setZero(system.constraint_pattern().nonzeros());
    mass_.setZero(n, n);
  }

  /// dq, dp: increments of (q^, p^) from the start of the step; energy_defect = H0 - H*.
  Feasibility look(ConfigurationEndPoint& end, const Vector& dq, const Vector& dp, double energy_defect) {
    const ConfigurationMass& mass = *system_->parts().mass;
    const double t1 = end.t();
    end.place(dq, q_);
    end.place_momentum(dp, p_);
    for (Vector* v : {&t_q_, &t_v_, &t_p_, &l_q_, &l_v_}) v->setZero();
    tangent_q_ = tangent_v_ = 0;
    if (!factorise(t1)) return Feasibility::regular;  // the solver will say what is wrong

    mass.kinetic_gradient(q_, p_, h_q_, v_);
    system_->potential_gradient(t1, q_, work_);
    h_q_ += work_;
    double defect = end.energy_gain(dq, q_, dp, p_) + energy_defect;
    const double gradient2 = std::pow(metric_->length(h_q_), 2) + std::pow(metric_->length(p_), 2);
    tangent_q_ = std::sqrt(tangential(h_q_, l_q_, t_q_));
    tangent_v_ = std::sqrt(tangential(p_, l_v_, t_v_));
    double a = tangent_q_ * tangent_q_ + tangent_v_ * tangent_v_;
    mass.mass_matrix(q_, mass_);
    t_p_.noalias() = mass_ * t_v_;

    end.constraints(dq, q_, rhs_);
    defect -= l_q_.dot(rhs_);
    system_->constraint_velocity(t1, q_, v_, rhs_);
    defect -= l_v_.dot(rhs_);
    const double size = std::abs(end.potential0()) + std::abs(end.kinetic0()) + 1e-300;
    if (a <= 1e-16 * gradient2)
      return std::abs(defect) <= 1e-14 * size ? Feasibility::equilibrium : Feasibility::distant;

    // Psi_q t_q = (G v)_q t_q + G_t t_q + G T_pq t_q
    row_.setZero();
    mass.kinetic_hessian_times(q_, p_, t_q_, row_, out_q_, work_);
    multiply(system_->constraint_pattern(), g_values_, work_, rhs_);
    a -= l_v_.dot(rhs_);
    end.hidden_jacobian(q_, v_, k_values_);
    multiply(system_->constraint_pattern(), k_values_, t_q_, rhs_);
    a -= l_v_.dot(rhs_);

    mass.kinetic_hessian_times(q_, p_, t_q_, t_p_, out_q_, work_);
    double b = t_q_.dot(out_q_) + t_p_.dot(work_);
    system_->potential_hessian_times(t1, q_, t_q_, work_);
    b += t_q_.dot(work_);
    at_.constraint_curvature(t1, q_, t_q_, t_q_, rhs_);
    b -= l_q_.dot(rhs_);
    return a * a < 2 * b * defect ? Feasibility::distant : Feasibility::regular;
  }

  const Vector& t_q() const { return t_q_; }
  const Vector& t_p() const { return t_p_; }
  /// Lengths of t_q, t_v and both.
  double tangent_q() const { return tangent_q_; }
  double tangent_v() const { return tangent_v_; }
  double tangent() const { return std::hypot(tangent_q_, tangent_v_); }
  const Vector& l_q() const { return l_q_; }
  const Vector& l_v() const { return l_v_; }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  /// out = W^-1 f at q^
  void solve(const Vector& f, Vector& out) {
    if (metric_->is_mass())
      system_->parts().mass->kinetic_gradient(q_, f, out_q_, out);
    else
      out = f;
  }
  /// Cholesky factors of A
  bool factorise(double t) {
    system_->constraint_jacobian(t, q_, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) row_[g.indices[at(k)]] = g_values_[k];
      solve(row_, work_);
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
    solve(f, t);
    if (m_ > 0) {
      multiply(system_->constraint_pattern(), g_values_, t, l);
      factor_.solveInPlace(l);
      multiply_transposed(system_->constraint_pattern(), g_values_, l, force_);
      force_ = f - force_;
      solve(force_, t);
    }
    return std::max(0.0, f.dot(t));
  }

  const System* system_;
  SystemAt at_;
  const ProjectionMetric* metric_;
  Index m_;
  double tangent_q_ = 0, tangent_v_ = 0;
  Matrix normal_, mass_;
  Eigen::LLT<Matrix> factor_;
  Vector q_, p_, v_, h_q_, t_q_, t_v_, t_p_, force_, work_, out_q_, row_, l_q_, l_v_, rhs_, g_values_, k_values_;
};

}  // namespace gnomon::kernels
