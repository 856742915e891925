#pragma once
/// \file
/// The approximate inverse of the schemes with both constraint levels: their Newton matrix to leading order in h, with
/// one G and one M for the whole step, taken in its middle, at q0 + h u_0/2, where the rows of G differ least from
/// those at both ends. Unknowns x = [u_j | y_j | mu_i | gamma_i], j < s, i < r <= s, X from the scheme (s = r = 1,
/// X = 1/2: energy-momentum-ggl), A = G M^-1 G^T.
///
/// FrozenGglInverse::velocities, of a constant mass: rows F1, F2 multiplied by M, f1 = M^-1 F1, f2 = M^-1 F2,
/// B = M^-1 G^T,
///
///     u_j - sum_i X_ji y_i - B gamma_j = f1_j     y_j + B mu_j = f2_j     G u_i = f3_i     G y_i = f4_i
///
/// (B gamma_j and B mu_j for j < r only), hence
///
///     A mu_i = G f2_i - f4_i,    y_j = f2_j - B mu_j,    w_j = f1_j + sum_i X_ji y_i,
///     A gamma_i = f3_i - G w_i,  u_j = w_j + B gamma_j
///
/// FrozenGglInverse::momenta, of GeneralLineIntegralEquations with BothLevels: y_j = M^-1 pi_j, in momenta pi_j,
///
///     u_j - M^-1 (sum_i X_ji pi_i + G^T gamma_j) = f1_j        pi_j + h G^T mu_j = f2_j
///     h G u_0 = f3_0,   G u_i = f3_i                           G M^-1 pi_i = f4_i
///
/// hence the same with h mu for mu and f3_0/h for f3_0. It neglects what M(q) adds to the forces, which is of the order
/// of h times the velocity.
///
/// One m x m Cholesky factorisation, 4 solves with M a stage; no second derivative of U or g.

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/constraint_gram.hpp"

namespace gnomon::kernels {

class FrozenGglInverse final : public ApproximateInverse {
 public:
  enum Rows { velocities, momenta };

  FrozenGglInverse(const System& system, const Matrix& X, Index r, Rows rows = velocities);

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
  }
  bool is_leading() const override { return true; }
  bool update(const ConstVectorRef& x) override;
  void solve(const ConstVectorRef& f, VectorRef d) override;

 private:
  const System* system_;
  ConstraintGram gram_;
  Matrix X_;
  Index n_, m_, s_, r_;
  bool of_momenta_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector q_, force_, w_, jump_, scratch_, multiplier_;
};

}  // namespace gnomon::kernels
