#pragma once
/// \file
/// Matrices of second and third derivatives of the constraints, for Newton matrices of schemes that differentiate the
/// hidden constraint G(q) v.

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

/// On System::hessian_pattern(). Owns its scratch.
class ConstraintHessians {
 public:
  explicit ConstraintHessians(const System& system);

  /// out = sum_i gamma_i Hess g_i(q) of multipliers gamma = h lambda: less Hess U, which must be of the same unit.
  void weighted(double t, const Vector& q, const Vector& gamma, double h, Vector& out);

  /// out = d/dq [sum_i lambda_i (Hess g_i)(q) v]; one evaluation of constraint_third a coordinate.
  void weighted_derivative(double t, const Vector& q, const Vector& lambda, const Vector& v, Vector& out);

 private:
  const System* system_;
  Vector zero_, lambda_, unit_, column_, potential_, values_;
};

}  // namespace gnomon::kernels
