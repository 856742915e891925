#pragma once
/// \file
/// A = G W^-1 G^T at one configuration (m x m, symmetric, positive definite where G has full rank), with W = M, a
/// constant mass or M(q), or W = 1: factors of a sparse matrix, in the order of GramCholesky, and no allocation.
///
/// The pattern of W^-1 is known for a constant mass: the coordinates that M couples, over any number of others, are a
/// block of it (a body with its centre of mass elsewhere). That of M(q) is full.

#include "gnomon/base/gram_cholesky.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class ConstraintGram {
 public:
  /// mass_metric: W = M
  explicit ConstraintGram(const System& system, bool mass_metric = true);

  /// G and the factors of A at q. False where A is not positive definite: G has lost rank.
  bool update(double t, const ConstVectorRef& q);

  /// G at the q of update, on System::constraint_pattern().
  const Vector& jacobian() const { return g_values_; }
  /// out = G v
  void times(const ConstVectorRef& v, VectorRef out) const;
  /// out = W^-1 p, T_p for W = M
  void weigh(const Vector& p, VectorRef out);
  /// out = W^-1 G^T lambda
  void velocity(const ConstVectorRef& lambda, VectorRef out);
  /// The solution of W w + G^T mu = f, G w = g:  A mu = G W^-1 f - g,  w = W^-1 (f - G^T mu)
  void solve_saddle(const Vector& f, const ConstVectorRef& g, VectorRef w, VectorRef mu);
  /// x = A^-1 x
  void solve(VectorRef x) { factors_.solve(x); }

 private:
  /// G W^-1
  void weigh_rows();

  const System* system_;
  bool mass_metric_, variable_;
  SparsityPattern inverse_pattern_;  // of W^-1, where that is constant
  Vector inverse_;
  SparsityPattern weighted_pattern_;  // of G W^-1
  std::vector<int> places_;           // in it, of G_ij (W^-1)_jk for all i, j, k
  Vector row_, q_, scratch_, part_, g_values_, weighted_;
  GramCholesky factors_;
};

}  // namespace gnomon::kernels
