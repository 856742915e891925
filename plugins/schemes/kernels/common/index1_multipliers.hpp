#pragma once
/// \file
/// The momentum and the multipliers that belong to a configuration on the constraint manifold, with A = G M^-1 G^T:
///
///     P(q) p = p - G^T A^-1 G M^-1 p                        the M^-1-orthogonal projection onto G M^-1 p = 0
///     A lambda = v^T (Hess g) v - G M^-1 (grad U - Q)       index-1 multipliers of a state with G v = 0, v = M^-1 p
///
/// and with a mass that depends on q, from d/dt G T_p = 0,
///
///     A lambda = v^T (Hess g) v + G [T_pq v - M^-1 (T_q + grad U - Q)]
///
/// and with the multipliers the accelerations and the slope of the momentum,
///
///     q'' = M^-1 (Q - grad U - G^T lambda),   or  T_pq v + M^-1 p',       p' = Q - grad U - T_q - G^T lambda
///
/// All share the factorisation of A; no allocation. v^T (Hess g) v is the whole of what g adds without acceleration,
/// with 2 G_t v + g_tt where it depends on time; project() is for constraints at rest.

#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

class Index1Multipliers {
 public:
  explicit Index1Multipliers(const System& system);

  /// Of the last solve.
  ConstraintGram& gram() { return gram_; }

  /// lambda at (q, p). False, with lambda untouched, where A is not positive definite: G has lost rank.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda);

  /// lambda, q'' and p' at (q, p). False, with all of them untouched, where A is not positive definite.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda, VectorRef acceleration, VectorRef slope);

  /// p -> P(q) p, and lambda at the projected state. False, with both untouched, where A is not positive definite.
  bool project(double t, const Vector& q, Vector& p, Vector& lambda);

 private:
  /// Leaves M^-1 (grad U - Q), or M^-1 (T_q + grad U - Q) - T_pq v, in v_, and what M^-1 is applied to in force_.
  void multipliers(double t, const Vector& q, const Vector& p, Vector& lambda);

  const System* system_;
  ConstraintGram gram_;
  Index m_;
  Vector v_, force_, applied_, t_q_, right_, bias_;
};

}  // namespace gnomon::kernels
