#include "kernels/common/step_scales.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

StepScales::StepScales(const System& system)
    : system_(&system), sqrt_mass_(system.mass().diagonal_entries().cwiseSqrt()), inverse_(sqrt_mass_.cwiseInverse()) {
  sqrt_a_.setOnes(system.m());
  position_.setOnes(system.m());
  gradient_.setZero(system.n());
  g_values_.setZero(system.constraint_pattern().nonzeros());
  hessian_values_.setZero(system.hessian_pattern().nonzeros());
  no_multipliers_.setZero(system.m());
  for (Vector* v : {&work_, &scratch_, &velocity_}) v->setZero(system.n());
}

void StepScales::update(const State& z0, double h) {
  const Vector& q = z0.q.value();
  h_ = std::abs(h);
  system_->potential_gradient(z0.t, q, gradient_);
  system_->constraint_jacobian(z0.t, q, g_values_);
  s2_ = z0.p.value().cwiseProduct(inverse_).squaredNorm() + h * h * gradient_.cwiseProduct(inverse_).squaredNorm();
  if (s2_ == 0 && system_->parts().force) {  // a start that nothing but Q moves
    system_->velocity(q, z0.p.value(), scratch_, velocity_);
    system_->parts().force->force(z0.t, q, velocity_, work_);
    s2_ = h * h * work_.cwiseProduct(inverse_).squaredNorm();
  }
  if (!std::isfinite(s2_)) s2_ = 0;  // what a callback failed to give once is no scale
  s_ = s2_ > 0 ? std::sqrt(s2_) : 1;
  const SparsityPattern& pattern = system_->constraint_pattern();
  const Index positions = pattern.rows - system_->parts().n_velocity_constraints();
  position_floor_ = 0;
  for (Index i = 0; i < pattern.rows; ++i) {
    double a = 0, size = 0, q2 = 0;
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      const double w = g_values_[k] * inverse_[j];
      a += w * w;
      size += std::abs(g_values_[k] * q[j]);
      const double x = sqrt_mass_[j] * q[j];
      q2 += x * x;
    }
    sqrt_a_[i] = a > 0 ? std::sqrt(a) : 1;
    position_[i] = h_ * s_ * sqrt_a_[i];
    if (i >= positions) continue;  // a row of velocities has no value, of which q could be a part
    // By norms, in the metric of M: where the terms of g vanish one by one (vectors along the axes, at right angles)
    // their sum is no size. Nor are coordinates that are zero but for rounding, as those across the plane of a motion
    // in space.
    const double reach2 = a * q2, free2 = position_[i] * position_[i];
    if (reach2 > thresholds::least_reach_squared * free2 && reach2 < free2) position_[i] = std::sqrt(reach2);
    position_floor_ = std::max(position_floor_, size / position_[i]);
  }
  position_floor_ *= thresholds::unit_of_rounding;
  force_floor_ = thresholds::residual_rounding;
  if (s2_ > 0 && s2_ < thresholds::near_rest * z0.energy_scale) find_force_floor(z0);
}

void StepScales::find_force_floor(const State& z0) {
  const Vector& q = z0.q.value();
  system_->lagrangian_hessian(z0.t, q, no_multipliers_, hessian_values_);
  const SparsityPattern& pattern = system_->hessian_pattern();
  work_.setZero();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      work_[i] += std::abs(hessian_values_[k] * q[pattern.indices[k]]);
  force_floor_ += thresholds::unit_of_rounding * h_ * work_.cwiseProduct(inverse_).norm() / s_;
}

}  // namespace gnomon::kernels
