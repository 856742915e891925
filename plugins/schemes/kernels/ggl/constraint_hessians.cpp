#include "kernels/ggl/constraint_hessians.hpp"

namespace gnomon::kernels {

ConstraintHessians::ConstraintHessians(const System& system) : system_(&system) {
  zero_.setZero(system.m());
  lambda_.setZero(system.m());
  unit_.setZero(system.n());
  column_.setZero(system.n());
  potential_.setZero(system.hessian_pattern().nonzeros());
  values_.setZero(system.constraint_pattern().nonzeros());
}

void ConstraintHessians::weighted(double t, const Vector& q, const Vector& gamma, double h, Vector& out) {
  lambda_ = gamma / h;
  system_->lagrangian_hessian(t, q, lambda_, out);
  system_->lagrangian_hessian(t, q, zero_, potential_);
  out = (out - potential_) * h;
}

void ConstraintHessians::weighted_derivative(double t, const Vector& q, const Vector& lambda, const Vector& v,
                                             Vector& out) {
  if (system_->constraint_hessian_derivative(t, q, lambda, v, out)) return;
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

}  // namespace gnomon::kernels
