#pragma once
/// \file
/// Matrices of second and third derivatives of the constraints, for Newton matrices of schemes that differentiate the
/// hidden constraint G(q) v.

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

/// On System::hessian_pattern(). Owns its scratch.
class ConstraintHessians {
 public:
  explicit ConstraintHessians(const System& system) : system_(&system) {
    zero_.setZero(system.m());
    unit_.setZero(system.n());
    column_.setZero(system.n());
    potential_.setZero(system.hessian_pattern().nonzeros());
    values_.setZero(system.constraint_pattern().nonzeros());
  }

  /// out = sum_i lambda_i Hess g_i(q)
  void weighted(double t, const Vector& q, const Vector& lambda, Vector& out) {
    system_->lagrangian_hessian(t, q, lambda, out);
    system_->lagrangian_hessian(t, q, zero_, potential_);
    out -= potential_;
  }

  /// out = d/dq [sum_i lambda_i (Hess g_i)(q) v]; one evaluation of constraint_third a coordinate.
  void weighted_derivative(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& out) {
    const SparsityPattern& pattern = system_->hessian_pattern();
    for (Index j = 0; j < unit_.size(); ++j) {
      unit_[j] = 1;
      system_->constraint_third(t, q, v, unit_, values_);
      multiply_transposed(system_->constraint_pattern(), values_, lambda, column_);
      unit_[j] = 0;
      // symmetric: its column j is its row j
      for (Index k = pattern.offsets[j]; k < pattern.offsets[j + 1]; ++k) out[k] = column_[pattern.indices[k]];
    }
  }

 private:
  const System* system_;
  Vector zero_, unit_, column_, potential_, values_;
};

}  // namespace gnomon::kernels
