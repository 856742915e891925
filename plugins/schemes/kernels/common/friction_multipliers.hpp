#pragma once
/// \file
/// index1_multipliers.hpp under friction R(q,v,lambda), nonlinear in the multipliers: with lambda_0, a_0 and p'_0 those
/// without it, and A = G M^-1 G^T,
///
///     lambda = lambda_0 + A^-1 G M^-1 R(q,v,lambda)
///     q'' = a_0 + M^-1 (R - G^T A^-1 G M^-1 R),    p' = p'_0 + R - G^T A^-1 G M^-1 R
///
/// by Newton's method with the dense m x m matrix I - A^-1 G M^-1 R_lambda: one iteration where R is linear in lambda,
/// as Coulomb friction of contacts that slide is. No allocation after the constructor.

#include <Eigen/LU>

#include "gnomon/model/system.hpp"
#include "kernels/common/index1_multipliers.hpp"

namespace gnomon::kernels {

class FrictionMultipliers {
 public:
  /// Without constraints there is no friction.
  explicit FrictionMultipliers(const System& system);

  /// lambda, from its start value, q'' and p' at (q, p). False where G has lost rank, or no lambda is found.
  bool solve(double t, const Vector& q, const Vector& p, Vector& lambda, VectorRef acceleration, VectorRef slope);

 private:
  /// Leaves R in force_, M^-1 R in jump_ and A^-1 G M^-1 R in change_.
  bool find(const Vector& q, Vector& lambda);
  /// step_ <- matrix_^-1 step_, in place
  void solve_factorised();
  bool evaluate(const Vector& q, const Vector& lambda);
  /// out = A^-1 G x
  void reach(const Vector& x, VectorRef out);
  void set_matrix(const Vector& q);

  const System* system_;
  const Friction* friction_;
  Index1Multipliers linear_;
  Index m_;
  Vector v_, force_, jump_, scratch_, column_, weighed_, fixed_, change_, step_, right_, lengths_, sizes_, all_,
      by_lambda_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
};

}  // namespace gnomon::kernels
