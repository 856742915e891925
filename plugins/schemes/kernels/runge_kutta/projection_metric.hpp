#pragma once
/// \file
/// The metric W of a projection, W = 1 or W = M, and the typical sizes of its corrections.

#include "gnomon/model/system.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

struct ProjectionRule {
  bool velocity = true;
  bool energy = false;  ///< with velocity
  bool mass_metric = true;
};

/// Corrections dq = W^-1 G^T mu, dv = W^-1 G^T nu count against the size of the step's own increments:
///
///     dq_j ~ dq()/sqrt(W_jj),   mu_i ~ dq()/row_i,   g_i ~ dq() row_i,   row_i = sqrt((G W^-1 G^T)_ii)
///
/// and the same with dv() for the velocities (all W taken as its diagonal).
class ProjectionMetric {
 public:
  ProjectionMetric(const System& system, bool mass, const StepScales& scales);

  void update(const State& z0, double h);
  /// The same for a step that has moved q by dq before its projection: dq() is at most the size |W^1/2 q| of the
  /// mechanism, before or after it. At rest, where forces and reactions balance, h S of a long step is larger by far,
  /// and the projection has to end at a rounding of q.
  void update(const State& z0, double h, const Vector& dq);

  bool is_mass() const { return mass_; }
  double dq() const { return dq_; }
  double dv() const { return dv_; }
  /// w, of a step over h: eta moves q by w W^-1 (T_q + grad U) and v by W^-1 M v. With W = M it is h^2, which makes
  /// both of one unit and of the size that they have in a step; 1 in the paper's metric W = 1.
  double energy_weight() const { return energy_weight_; }

  /// The scales of the directed increments, from `first` on, of q (level 0) and of v, or p (level 1).
  template <bool constant_mass>
  void direction_scales(int level, Index first, VectorRef columns, VectorRef rows) const {
    const double size = level == 0 ? dq_ : dv_;
    const Index n = root_.size();
    if (constant_mass || level == 0)
      columns.segment(first, n) = size * root_.cwiseInverse();
    else
      columns.segment(first, n) = size * system_->mass().diagonal_entries().cwiseQuotient(root_);
    if (constant_mass || level == 1)
      rows.segment(first, n) = size * root_;
    else
      rows.segment(first, n) = size * root_.cwiseInverse();
  }
  /// Those of their multipliers and constraints.
  void multiplier_scales(int level, Index first, VectorRef columns, VectorRef rows) const {
    const double size = level == 0 ? dq_ : dv_;
    columns.segment(first, row_.size()) = size * row_.cwiseInverse();
    rows.segment(first, row_.size()) = size * row_;
  }

  SparsityPattern pattern() const {
    return mass_ ? system_->mass().pattern() : SparsityPattern::diagonal(system_->n());
  }
  const Vector& values() const { return mass_ ? system_->mass().values() : ones_; }
  /// out = W^-1 x at q
  void solve(const Vector& q, const Vector& x, Vector& out) {
    if (mass_)
      system_->velocity(q, x, scratch_, out);
    else
      out = x;
  }
  /// Length of a covector, sqrt(x.W^-1 x), W as its diagonal
  double length(const Vector& x) const { return x.cwiseQuotient(root_).norm(); }

 private:
  const System* system_;
  bool mass_;
  const StepScales* scales_;
  double dq_ = 1, dv_ = 1, ratio_ = 1, energy_weight_ = 1;
  Vector weight_, ones_, root_, row_, g_values_, scratch_;  // root_: sqrt(W_jj)
};

}  // namespace gnomon::kernels
