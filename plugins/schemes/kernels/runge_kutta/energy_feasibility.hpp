#pragma once
/// \file
/// What an energy projection will meet, found at (q^, v^), with M(q) at (q^, p^), before it is solved. With v = T_p,
/// H_q = T_q + grad U, A = G W^-1 G^T and the tangential parts of the gradient of H,
///
///     l_q = A^-1 G W^-1 H_q,  t_q = w W^-1 (H_q - G^T l_q),
///     l_v = A^-1 G W^-1 p,    t_v = W^-1 (p - G^T l_v),     t_p = M t_v,
///
/// H along q^ + eta t_q, v^ + eta t_v (p^ + eta t_p), brought back to g = 0 and Psi = G v + g_t = 0, is
/// D + a eta + b eta^2/2 + ..., where
///
///     D = H(q^, p^) - H* - l_q.g - l_v.Psi
///     a = H_q.t_q + p.t_v - l_v.(Psi_q t_q)
///     b = (t_q, t_p).(Hess H) (t_q, t_p) - l_q.(t_q^T (Hess g) t_q) - 2 l_v.(t_q^T (Hess g) t_v)
///
/// (b without the other second derivatives of Psi times l_v, which in the mass metric vanishes with G v). Beyond the
/// double root a^2 = 2 b D there may be none: that is no proof, far roots exist (they may even be found), but it
/// explains why a solver failed.

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "kernels/common/constraint_gram.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"
#include "kernels/runge_kutta/rk_inertia.hpp"

namespace gnomon::kernels {

/// What an energy projection will meet.
enum class Feasibility {
  regular,
  reached,  ///< H is right, as far as it can be resolved: eta = 0 replaces the energy row
  distant,  ///< H has an extremum before it reaches H*, to second order in eta: there may be no real root
};

template <class Inertia>
class EnergyFeasibility {
 public:
  /// gram: of the metric; evaluate() leaves it at q^.
  EnergyFeasibility(const System& system, ProjectionMetric& metric, ConstraintGram& gram)
      : system_(&system), at_(system), metric_(&metric), m_(system.m()), gram_(&gram) {
    for (Vector* v : {&q_, &second_, &h_q_, &t_q_, &t_v_, &t_p_, &force_, &work_, &turn_, &row_})
      v->setZero(system.n());
    for (Vector* v : {&l_q_, &l_v_, &rhs_, &more_}) v->setZero(m_);
    k_values_.setZero(system.constraint_pattern().nonzeros());
  }

  /// dq, d: increments of (q^, v^), or (q^, p^), from the start of the step; energy_defect = H0 - H*. A D below the
  /// rounding of the largest |T| and |U| of the run, or of what the forces could make of a rounding of the step's speed
  /// S where all of these are zero, counts as reached: near a rest, where the tangential part of grad H
  /// vanishes, it asks for digits that H does not have, and there may be no root.
  Feasibility evaluate(typename Inertia::End& end, const Vector& dq, const Vector& d, double energy_defect, double s) {
    const double t1 = end.t();
    end.place(dq, q_);
    end.place_second(d, second_);
    for (Vector* v : {&t_q_, &t_v_, &t_p_, &l_q_, &l_v_}) v->setZero();
    tangent2_q_ = tangent2_v_ = defect_ = 0;
    if (m_ > 0 && !gram_->update(t1, q_)) return Feasibility::regular;  // the solver will say what is wrong

    double& defect = defect_;
    defect = end.energy_gain(dq, q_, d, second_) + energy_defect;
    const Vector &v = end.velocity(q_, second_), &p = end.momentum(second_);
    system_->potential_gradient(t1, q_, h_q_);
    end.add_slope(h_q_);
    const double weight = metric_->energy_weight();
    const double gradient2 = weight * std::pow(metric_->length(h_q_), 2) + std::pow(metric_->length(p), 2);
    tangent2_q_ = tangential(h_q_, l_q_, t_q_);
    tangent2_v_ = tangential(p, l_v_, t_v_);
    t_q_ *= weight;
    double a = weight * tangent2_q_ + tangent2_v_;
    t_p_ = end.weigh(q_, t_v_);

    end.constraints(dq, q_, rhs_);
    defect -= l_q_.dot(rhs_);
    system_->constraint_velocity(t1, q_, v, rhs_);
    defect -= l_v_.dot(rhs_);
    now_ = std::max(std::abs(end.potential0()), end.kinetic_size(v));
    const bool normal = a <= thresholds::normal_gradient * gradient2;
    double b = 0;
    end.hidden_jacobian(q_, v, k_values_);
    multiply(system_->constraint_pattern(), k_values_, t_q_, rhs_);
    if constexpr (Inertia::constant_mass) {
      b = t_v_.dot(t_p_);
    } else {  // Psi_q has G T_pq, too
      const ConfigurationMass& mass = *system_->parts().mass;
      row_.setZero();
      mass.kinetic_hessian_times(q_, p, t_q_, row_, turn_, work_);
      gram_->times(work_, more_);
      rhs_ += more_;
      mass.kinetic_hessian_times(q_, p, t_q_, t_p_, turn_, work_);
      b = t_q_.dot(turn_) + t_p_.dot(work_);
    }
    a -= l_v_.dot(rhs_);
    system_->potential_hessian_times(t1, q_, t_q_, work_);
    b += t_q_.dot(work_);
    at_.constraint_curvature(t1, q_, t_q_, t_q_, rhs_);
    b -= l_q_.dot(rhs_);
    at_.constraint_curvature(t1, q_, t_q_, t_v_, rhs_);
    b -= 2 * l_v_.dot(rhs_);
    const bool distant = normal || a * a < 2 * b * defect;
    const double scale = std::max({end.start().energy_scale, now_, thresholds::spacing_of_doubles * s * s});
    const bool at_rest = std::abs(p.dot(v)) < thresholds::small_motion * scale;  // at the end: runs begin with p = 0
    const bool unresolved = distant || (at_rest && moving_energy(dq, p, v) < std::abs(defect));
    const double allowed = unresolved ? constraint_rounding * (scale + (at_rest ? reactions() : 0))
                                      : (at_rest ? energy_rounding : regular_rounding) * scale;
    if (std::abs(defect) <= allowed) return Feasibility::reached;
    return distant ? Feasibility::distant : Feasibility::regular;
  }

  /// D, the energy to be moved
  double defect() const { return defect_; }
  /// The larger one of |T| and |U| at the start of the step.
  double energy_now() const { return now_; }
  const Vector& l_q() const { return l_q_; }
  const Vector& l_v() const { return l_v_; }
  const Vector& t_q() const { return t_q_; }
  /// t_v, with M(q) t_p
  const Vector& t_second() const { return Inertia::constant_mass ? t_v_ : t_p_; }
  /// Lengths of t_q and t_v.
  double tangent_q() const { return metric_->energy_weight() * std::sqrt(tangent2_q_); }
  double tangent_v() const { return std::sqrt(tangent2_v_); }
  /// What moves of the size of the step change H by.
  double moves() const { return std::hypot(std::sqrt(tangent2_q_) * metric_->dq(), tangent_v() * metric_->dv()); }

 private:
  /// The energy that the step and the velocity at its end stand for, along the constraints.
  double moving_energy(const Vector& dq, const Vector& p, const Vector& v) {
    gram_->times(dq, rhs_);
    return std::abs(p.dot(v)) + std::abs(h_q_.dot(dq) - l_q_.dot(rhs_));
  }
  /// |l_q|.(the sizes of the terms of g at q^)
  double reactions() {
    constraint_sizes(system_->constraint_pattern(), gram_->jacobian(), system_->mass().diagonal_entries(), q_, rhs_);
    return l_q_.cwiseAbs().dot(rhs_);
  }

  /// D that is left, of the largest energy of a run: a quarter of a unit in the last place where the kinetic energy is
  /// so small a part of it that moving D would change the motion, and a 64th of that elsewhere: H is known better, in
  /// extended precision.
  static constexpr double energy_rounding = 0.25 * std::numeric_limits<double>::epsilon(),
                          regular_rounding = energy_rounding / 64;
  /// The same where there is no root, or where less energy than D moves at all; of what reactions make of the rounding
  /// of g, too, where there is no motion that could take it up.
  static constexpr double constraint_rounding = 32 * std::numeric_limits<double>::epsilon();

  /// l = A^-1 G W^-1 f, t = W^-1 (f - G^T l). Returns f.t.
  double tangential(const Vector& f, Vector& l, Vector& t) {
    metric_->solve(q_, f, t);
    if (m_ > 0) {
      gram_->times(t, l);
      gram_->solve(l);
      multiply_transposed(system_->constraint_pattern(), gram_->jacobian(), l, force_);
      force_ = f - force_;
      metric_->solve(q_, force_, t);
    }
    return std::max(0.0, f.dot(t));
  }

  const System* system_;
  SystemAt at_;
  ProjectionMetric* metric_;
  Index m_;
  double tangent2_q_ = 0, tangent2_v_ = 0, defect_ = 0, now_ = 0;
  ConstraintGram* gram_;
  Vector q_, second_, h_q_, t_q_, t_v_, t_p_, force_, work_, turn_, row_;
  Vector l_q_, l_v_, rhs_, more_, k_values_;
};

}  // namespace gnomon::kernels
