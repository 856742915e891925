#pragma once
/// \file
/// The momentum and the multipliers that belong to a configuration on the constraint manifold, with A = G M^-1 G^T:
///
///     P(q) p = p - G^T A^-1 G M^-1 p                        the M^-1-orthogonal projection onto G M^-1 p = 0
///     A lambda = v^T (Hess g) v - G M^-1 (grad U - Q)       index-1 multipliers of a state with G v = 0, v = M^-1 p
///
/// and with a mass that depends on q, from d/dt G T_p = 0,
///
///     A lambda = v^T (Hess g) v + G [T_pq v - M^-1 (T_q + grad U - Q)]
///
/// and with the multipliers the accelerations and the slope of the momentum,
///
///     q'' = M^-1 (Q - grad U - G^T lambda),   or  T_pq v + M^-1 p',       p' = Q - grad U - T_q - G^T lambda
///
/// Where constraints repeat others lambda is not determined, and q'' and p' are: see constraint_gram.hpp.
///
/// All share the factorisation of A; no allocation. v^T (Hess g) v is the whole of what g adds without acceleration,
/// with 2 G_t v + g_tt where it depends on time; project() is for constraints at rest.

#include <utility>

#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

class Index1Multipliers {
 public:
  /// may_repeat: constraints may repeat others
  explicit Index1Multipliers(const System& system, bool may_repeat = false)
      : system_(&system), gram_(system, true, may_repeat), m_(system.m()) {
    for (Vector* v : {&v_, &force_, &applied_, &t_q_}) v->setZero(system.n());
    right_.setZero(m_);
    bias_.setZero(m_);
  }

  /// Of the last solve.
  ConstraintGram& gram() { return gram_; }
  bool full_rank() const { return m_ == 0 || gram_.full_rank(); }
  Index rank() const { return m_ == 0 ? 0 : gram_.rank(); }

  /// The next solve for accelerations is near the manifold and not on it, where G has this rank.
  void expect_rank(Index rank) { expected_ = rank; }

  /// lambda at (q, p). False, with lambda untouched, where A is not positive definite: G has lost rank.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda) {
    if (m_ == 0) return true;
    if (!gram_.update(t, q)) return false;
    multipliers(t, q, p, lambda);
    return true;
  }

  /// lambda, q'' and p' at (q, p). False where A is not positive definite, with all of them untouched, or where rows are
  /// left out that no force keeps: G has lost rank there, and they do not repeat the others.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda, VectorRef acceleration, VectorRef slope) {
    const Index rank = std::exchange(expected_, unknown);
    if (m_ > 0 && !(rank == unknown ? gram_.update(t, q) : gram_.update_with_rank(rank, t, q))) return false;
    multipliers(t, q, p, lambda);
    acceleration = -v_;
    slope = -force_;
    if (m_ == 0) return true;
    gram_.velocity(lambda, v_);
    acceleration -= v_;
    multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), lambda, force_);
    slope -= force_;
    return gram_.full_rank() || rank != unknown || keeps(t, q, p, acceleration);
  }

  /// p -> P(q) p, and lambda at the projected state. False, with both untouched, where A is not positive definite.
  bool project(double t, const Vector& q, Vector& p, Vector& lambda) {
    if (m_ == 0) return true;
    if (!gram_.update(t, q)) return false;
    for (int pass = 0; pass < 2; ++pass) {  // the second takes the rounding of the first, relative to the part removed
      system_->velocity(q, p, t_q_, v_);
      gram_.times(v_, right_);
      gram_.solve(right_);
      multiply_transposed(system_->constraint_pattern(), gram_.jacobian(), right_, force_);
      p -= force_;
    }
    multipliers(t, q, p, lambda);
    return true;
  }

 private:
  /// Whether G q'' + v^T (Hess g) v = 0 in all rows.
  bool keeps(double t, const Vector& q, const Vector& p, const ConstVectorRef& acceleration) {
    constexpr double rounding = 1e-8;
    system_->velocity(q, p, t_q_, v_);
    system_->constraint_bias(t, q, v_, bias_);
    gram_.times(acceleration, right_);
    const double size = bias_.lpNorm<Eigen::Infinity>() + right_.lpNorm<Eigen::Infinity>();
    return (right_ + bias_).lpNorm<Eigen::Infinity>() <= rounding * size + 1e-12;
  }
  /// Leaves M^-1 (grad U - Q), or M^-1 (T_q + grad U - Q) - T_pq v, in v_, and what M^-1 is applied to in force_.
  void multipliers(double t, const Vector& q, const Vector& p, Vector& lambda) {
    system_->velocity(q, p, t_q_, v_);
    if (m_ > 0) system_->constraint_bias(t, q, v_, lambda);
    system_->potential_gradient(t, q, force_);
    if (system_->parts().force) {
      system_->parts().force->force(t, q, v_, applied_);
      force_ -= applied_;
    }
    if (const ConfigurationMass* mass = system_->parts().mass) {
      force_ += t_q_;
      v_ = -v_;
      mass->kinetic_hessian_times(q, p, v_, force_, t_q_, applied_);  // T_pp force - T_pq v
      v_ = applied_;
    } else {
      system_->mass().solve(force_, v_);
    }
    if (m_ == 0) return;
    gram_.times(v_, right_);
    lambda -= right_;
    gram_.solve(lambda);
  }

  const System* system_;
  static constexpr Index unknown = -1;

  ConstraintGram gram_;
  Index m_, expected_ = unknown;
  Vector v_, force_, applied_, t_q_, right_, bias_;
};

}  // namespace gnomon::kernels
