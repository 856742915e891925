#include "kernels/runge_kutta/projection_metric.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

ProjectionMetric::ProjectionMetric(const System& system, bool mass, const StepScales& scales)
    : system_(&system), mass_(mass), scales_(&scales) {
  weight_ = mass ? system.mass().diagonal_entries() : Vector::Ones(system.n());
  ones_ = Vector::Ones(system.n());
  root_ = weight_.cwiseSqrt();
  ratio_ = std::sqrt((weight_.array() / system.mass().diagonal_entries().array()).maxCoeff());
  row_.setOnes(system.m());
  scratch_.setZero(system.n());
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void ProjectionMetric::update(const State& z0, double h) {
  dv_ = scales_->s() * ratio_;
  dq_ = std::abs(h) * dv_;
  if (mass_) energy_weight_ = h * h;
  const SparsityPattern& g = system_->constraint_pattern();
  system_->constraint_jacobian(z0.t, z0.q.value(), g_values_);
  for (Index i = 0; i < row_.size(); ++i) {
    double a = 0;
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) a += g_values_[k] * g_values_[k] / weight_[g.indices[k]];
    row_[i] = a > 0 ? std::sqrt(a) : 1;
  }
}

void ProjectionMetric::update(const State& z0, double h, const Vector& dq) {
  update(z0, h);
  const Vector& q = z0.q.value();
  const double reach2 = std::max(q.cwiseProduct(root_).squaredNorm(), (q + dq).cwiseProduct(root_).squaredNorm());
  if (reach2 > thresholds::least_reach_squared * dq_ * dq_ && reach2 < dq_ * dq_) dq_ = std::sqrt(reach2);
}

}  // namespace gnomon::kernels
