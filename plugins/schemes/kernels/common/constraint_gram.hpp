#pragma once
/// \file
/// A = G W^-1 G^T at one configuration (m x m, symmetric, positive definite where G has full rank), with W = M, a
/// constant mass or M(q), or W = 1: a banded Cholesky factorisation in the order of the constraints, O(m b^2) for
/// bandwidth b, which is one or two for chains of a diagonal mass, and no allocation.

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class ConstraintGram {
 public:
  /// mass_metric: W = M
  explicit ConstraintGram(const System& system, bool mass_metric = true);

  /// G and the factor of A at q. False where A is not positive definite: G has lost rank.
  bool update(double t, const ConstVectorRef& q);

  /// G at the q of update, on System::constraint_pattern().
  const Vector& jacobian() const { return g_values_; }
  /// out = G v
  void times(const ConstVectorRef& v, VectorRef out) const;
  /// out = W^-1 G^T lambda
  void velocity(const ConstVectorRef& lambda, VectorRef out);
  /// x = A^-1 x
  void solve(VectorRef x) const;

 private:
  /// G and A at q, A in factor_.
  void evaluate(double t, const ConstVectorRef& q);
  static bool share_column(const SparsityPattern& g, Index i, Index j);
  double row_dot(const SparsityPattern& g, Index i, const Vector& x) const;
  /// solved = W^-1 G_i^T; for a diagonal W only where G_i is not zero, so that a row costs no more than its entries.
  void scaled_row(const SparsityPattern& g, Index i);
  /// out = W^-1 p, T_p for W = M
  void weigh(const Vector& p, VectorRef out);
  /// False at a pivot that is rounding beside A_ii.
  bool factorise();

  const System* system_;
  bool mass_metric_;
  Index m_, width_ = 0;
  bool diagonal_ = false;
  Matrix factor_;
  Vector row_, solved_, q_, scratch_, g_values_;
};

}  // namespace gnomon::kernels
