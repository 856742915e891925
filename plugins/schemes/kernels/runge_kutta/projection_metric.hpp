#pragma once
/// \file
/// The metric W of a projection, W = 1 or W = M, and the typical sizes of its corrections.

#include <cmath>

#include "gnomon/model/system.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

/// Corrections dq = W^-1 G^T mu, dv = W^-1 G^T nu count against the size of the step's own increments:
///
///     dq_j ~ dq()/sqrt(W_jj),   mu_i ~ dq()/row_i,   g_i ~ dq() row_i,   row_i = sqrt((G W^-1 G^T)_ii)
///
/// and the same with dv() for the velocities (all W taken as its diagonal).
class ProjectionMetric {
 public:
  ProjectionMetric(const System& system, bool mass, const StepScales& scales)
      : system_(&system), mass_(mass), scales_(&scales) {
    weight_ = mass ? system.mass().diagonal_entries() : Vector::Ones(system.n());
    ones_ = Vector::Ones(system.n());
    root_ = weight_.cwiseSqrt();
    ratio_ = std::sqrt((weight_.array() / system.mass().diagonal_entries().array()).maxCoeff());
    row_.setOnes(system.m());
    g_values_.setZero(system.constraint_pattern().nonzeros());
  }

  /// With `one_size`, velocities count like positions: then the directions (grad U, M v) have one length.
  void update(const State& z0, double h, bool one_size) {
    const double speed = scales_->s() * ratio_;
    dq_ = std::abs(h) * speed;
    dv_ = one_size ? dq_ : speed;
    const SparsityPattern& g = system_->constraint_pattern();
    system_->constraint_jacobian(z0.t, z0.q.value(), g_values_);
    for (Index i = 0; i < row_.size(); ++i) {
      double a = 0;
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k)
        a += g_values_[k] * g_values_[k] / weight_[g.indices[at(k)]];
      row_[i] = a > 0 ? std::sqrt(a) : 1;
    }
    floor_ = 2.3e-16 * speed / dv_;
  }

  bool is_mass() const { return mass_; }
  double dq() const { return dq_; }
  double dv() const { return dv_; }
  const Vector& root() const { return root_; }  ///< sqrt(W_jj)
  const Vector& row() const { return row_; }
  /// Rounding floor of the scaled rows of the velocities.
  double floor() const { return floor_; }

  SparsityPattern pattern() const {
    return mass_ ? system_->mass().pattern() : SparsityPattern::diagonal(system_->n());
  }
  const Vector& values() const { return mass_ ? system_->mass().values() : ones_; }
  /// out = W^-1 x
  void solve(const Vector& x, Vector& out) const {
    if (mass_)
      system_->mass().solve(x, out);
    else
      out = x;
  }
  /// Length of a covector, sqrt(x.W^-1 x), W as its diagonal
  double length(const Vector& x) const { return x.cwiseQuotient(root_).norm(); }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  const System* system_;
  bool mass_;
  const StepScales* scales_;
  double dq_ = 1, dv_ = 1, ratio_ = 1, floor_ = 0;
  Vector weight_, ones_, root_, row_, g_values_;
};

}  // namespace gnomon::kernels
