#pragma once
/// \file
/// The approximate inverse of GeneralLineIntegralEquations with BothLevels: their Newton matrix to leading order in h,
/// with one G and one M for the whole step, as kernels/ggl/frozen_ggl_inverse.hpp for a constant mass. Unknowns x =
/// [u_j | pi_j | lambda_i | gamma_i], j < s, i < r <= s, A = G M^-1 G^T:
///
///     u_j - M^-1 (sum_i X_ji pi_i + G^T gamma_j) = f1_j        pi_j + h G^T lambda_j = f2_j
///     h G u_0 = f3_0,   G u_i = f3_i                           G M^-1 pi_i = f4_i
///
/// (G^T gamma_j and G^T lambda_j for j < r only), hence
///
///     A h lambda_i = G M^-1 f2_i - f4_i,    pi_j = f2_j - h G^T lambda_j,    w_j = f1_j + M^-1 sum_i X_ji pi_i,
///     A gamma_i = f3_i - G w_i  (f3_0/h),   u_j = w_j + M^-1 G^T gamma_j
///
/// It neglects what M(q) adds to the forces, which is of the order of h times the velocity.

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

/// G and M are taken in the middle of the step, at q0 + h u_0/2.
class FrozenGeneralInverse final : public ApproximateInverse {
 public:
  FrozenGeneralInverse(const System& system, const Matrix& X, Index r);

  void begin(const State& z0, double h);
  bool update(const ConstVectorRef& x) override;
  void solve(const ConstVectorRef& f, VectorRef d) override;

 private:
  const System* system_;
  ConstraintGram gram_;
  Matrix X_;
  Index n_, m_, s_, r_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector q_, w_, kick_, scratch_, multiplier_;
};

}  // namespace gnomon::kernels
