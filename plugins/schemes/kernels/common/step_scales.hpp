#pragma once
/// \file
/// Typical magnitudes in one step, for the row and column scales of every scheme.

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// With m_j = M_jj, A = G M^-1 G^T and S^2 = p0^T M^-1 p0 + h^2 (grad U)^T M^-1 grad U (all M taken as its diagonal; Q
/// for grad U where both vanish): dq_j ~ |h| S / sqrt(m_j),  dp_j ~ sqrt(m_j) S,  lambda_i ~ S / (|h| sqrt(A_ii)),
/// g_i ~ |h| sqrt(A_ii) S, the last not above sqrt(A_ii) |q|, over the coordinates of row i and in the metric of M:
/// however large the step, a residual counts against the size of the mechanism. The Jacobian scaled by these has a
/// condition number that does not depend on h, and velocities weighted by sqrt(M) make it insensitive to unequal
/// masses.
class StepScales {
 public:
  explicit StepScales(const System& system);

  void update(const State& z0, double h);

  const Vector& gradient() const { return gradient_; }             ///< grad U(q0)
  const Vector& constraint_jacobian() const { return g_values_; }  ///< G(q0), on its pattern

  double s() const { return s_; }
  auto dq() const { return (h_ * s_) * inverse_; }
  auto dp() const { return s_ * sqrt_mass_; }
  auto velocity() const { return s_ * inverse_; }
  auto lambda() const { return (s_ / h_) * sqrt_a_.cwiseInverse(); }
  auto impulse() const { return s_ * sqrt_a_.cwiseInverse(); }  ///< h lambda, and multipliers of hidden constraints
  const Vector& position() const { return position_; }          ///< g
  auto hidden() const { return s_ * sqrt_a_; }                  ///< G v
  /// q.M q + (h S)^2, that of the last update: the square of what dq counts against. Zero where nothing is anywhere.
  double length2(const Vector& q) const { return q.cwiseProduct(sqrt_mass_).squaredNorm() + h_ * h_ * s2_; }
  /// Rounding floor of a scaled row g(q1) = 0 that is evaluated at q1: eps |G||q| / scale.
  double position_floor() const { return position_floor_; }
  /// Rounding floor of a scaled row of momenta: where S^2 is less than a millionth of the run's energies with
  /// eps |h| |M^-1/2 |Hess U||q|| / S, what rounding of q makes of the force. It is large near an equilibrium without
  /// reactions, where S vanishes.
  double force_floor() const { return force_floor_; }

 private:
  const System* system_;
  void find_force_floor(const State& z0);

  double h_ = 1, s_ = 1, s2_ = 0, position_floor_ = 0, force_floor_ = thresholds::residual_rounding;
  Vector sqrt_mass_, inverse_, sqrt_a_, position_, gradient_, g_values_, hessian_values_, no_multipliers_, work_;
  Vector scratch_, velocity_;
};

}  // namespace gnomon::kernels
