#pragma once
/// \file
/// Typical magnitudes in one step, for the row and column scales of every scheme.

#include <algorithm>
#include <cmath>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// With m_j = M_jj, A = G M^-1 G^T and S^2 = p0^T M^-1 p0 + h^2 (grad U)^T M^-1 grad U (all M taken as its diagonal):
/// dq_j ~ |h| S / sqrt(m_j),  dp_j ~ sqrt(m_j) S,  lambda_i ~ S / (|h| sqrt(A_ii)),  g_i ~ |h| sqrt(A_ii) S, the last
/// not above |G_i| |q| over the coordinates of row i: however large the step, a residual counts against the size of the
/// mechanism. The Jacobian scaled by these has a condition number that does not depend on h, and velocities weighted by
/// sqrt(M) make it insensitive to unequal masses.
class StepScales {
 public:
  explicit StepScales(const System& system)
      : system_(&system),
        sqrt_mass_(system.mass().diagonal_entries().cwiseSqrt()),
        inverse_(sqrt_mass_.cwiseInverse()) {
    sqrt_a_.setOnes(system.m());
    position_.setOnes(system.m());
    gradient_.setZero(system.n());
    g_values_.setZero(system.constraint_pattern().nonzeros());
  }

  void update(const State& z0, double h) {
    const Vector& q = z0.q.value();
    h_ = std::abs(h);
    system_->potential_gradient(z0.t, q, gradient_);
    system_->constraint_jacobian(z0.t, q, g_values_);
    const double s2 =
        z0.p.value().cwiseProduct(inverse_).squaredNorm() + h * h * gradient_.cwiseProduct(inverse_).squaredNorm();
    s_ = s2 > 0 ? std::sqrt(s2) : 1;
    const SparsityPattern& pattern = system_->constraint_pattern();
    position_floor_ = 0;
    for (Index i = 0; i < pattern.rows; ++i) {
      double a = 0, size = 0, g2 = 0, q2 = 0;
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index j = pattern.indices[k];
        const double w = g_values_[k] * inverse_[j];
        a += w * w;
        size += std::abs(g_values_[k] * q[j]);
        g2 += g_values_[k] * g_values_[k];
        q2 += q[j] * q[j];
      }
      sqrt_a_[i] = a > 0 ? std::sqrt(a) : 1;
      position_[i] = h_ * s_ * sqrt_a_[i];
      // By norms: where the terms of g vanish one by one (vectors along the axes, at right angles) their sum is no
      // size. Nor are coordinates that are zero but for rounding, as those across the plane of a motion in space.
      const double reach2 = g2 * q2, free2 = position_[i] * position_[i];
      if (reach2 > least_reach2 * free2 && reach2 < free2) position_[i] = std::sqrt(reach2);
      position_floor_ = std::max(position_floor_, size / position_[i]);
    }
    position_floor_ *= 1e-16;
  }

  const Vector& gradient() const { return gradient_; }             ///< grad U(q0)
  const Vector& constraint_jacobian() const { return g_values_; }  ///< G(q0), on its pattern

  double s() const { return s_; }
  auto dq() const { return (h_ * s_) * inverse_; }
  auto dp() const { return s_ * sqrt_mass_; }
  auto velocity() const { return s_ * inverse_; }
  auto lambda() const { return (s_ / h_) * sqrt_a_.cwiseInverse(); }
  const Vector& position() const { return position_; }  ///< g
  auto hidden() const { return s_ * sqrt_a_; }          ///< G v
  /// Rounding floor of a scaled row g(q1) = 0 that is evaluated at q1: eps |G||q| / scale.
  double position_floor() const { return position_floor_; }

 private:
  static constexpr double least_reach2 = 1e-12;  // relative to what a step may move
  const System* system_;
  double h_ = 1, s_ = 1, position_floor_ = 0;
  Vector sqrt_mass_, inverse_, sqrt_a_, position_, gradient_, g_values_;
};

}  // namespace gnomon::kernels
