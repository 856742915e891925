#pragma once
/// \file
/// Start values of a line-integral step, x = [u_j | pi_j | lambda_i | gamma_i], from the solutions of earlier steps.
///
/// After steps of the same size every coefficient is a smooth function of the step, and its polynomial of degree d - 1
/// through the last d of them goes on:
///
///     x = sum_{a<d} (-1)^a C(d, a+1) x(-a)
///
/// On a motion of frequency w it errs by (w h)^d: with d = 8 by 2e-10, 3e-7 and 7e-5 at w h = .06, .15 and .3.
///
/// After a step of another size, h = theta h', the polynomials of that step go on,
///
///     x_j = theta^p sum_i x'_i int_0^1 P_j(c) P_i(1 + theta c) dc,    p = 1 for a block that has the factor h, else 0
///
/// Where a motion is not resolved extrapolations err more than they help: one whose velocities u differ by a tenth from
/// those of one degree less is not taken.

#include "gnomon/scheme/state.hpp"
#include "kernels/line_integral/legendre.hpp"

namespace gnomon::kernels {

class LineIntegralStart {
 public:
  /// Solutions of earlier steps that it takes.
  static constexpr Index depth = 8;

  /// multiplier_power: p of the third block; that of pi is 1.
  LineIntegralStart(Index n, Index m, Index s, Index r, int multiplier_power);

  /// False, with x undefined, where there is no such start value.
  bool operator()(const State& z0, double h, VectorRef x);

 private:
  /// The first out.size() components.
  static void go_on(const History& history, Index count, VectorRef out);

  /// Leaves the velocities u without their highest coefficient in coarse_.
  void stretch(const double* last, double theta, VectorRef x);
  /// out_j = factor sum_{i<taken} stretch_ji from_i, j < count, in blocks of `size`
  void combine(const double* from, Index count, Index taken, Index size, double factor, double* out) const;

  Index n_, m_, s_, r_;
  int multiplier_power_;
  LegendreTable table_;
  Matrix stretch_;
  Vector coarse_;
};

}  // namespace gnomon::kernels
