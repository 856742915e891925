#pragma once
/// \file
/// The approximate inverse of hbvm: its Newton matrix without second derivatives, G at the nodes of the given x,
///
///     M d_i + sum_l W_il G_l^T e(c_l) = f1_i                         i < s,   e(c) = sum_{t<r} P_t(c) e_t
///     sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) d_j = f2_i               i < r
///
/// with d and e/h the corrections of gamma and lambda. Updated in every iteration, x - A^-1 F(x) is the fixed-point
/// iteration of the report: gamma from the forces at the last gamma, with the lambda for which it meets the constraint
/// (51) with the last G. Updated once a step it is a simplified Newton iteration. The matrix of the e_t,
///
///     (S e)_i = sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) M^-1 sum_k W_jk G_k^T e(c_k),     S = A/2 + O(h) for r = 1,
///
/// is not symmetric for m > 1, s > 1: LU.

#include <Eigen/LU>

#include "kernels/line_integral/line_integral_frame.hpp"

namespace gnomon::kernels {

class HbvmInverse final : public ApproximateInverse {
 public:
  HbvmInverse(const System& system, LineIntegralFrame& frame);
  bool update(const ConstVectorRef& x) override;
  void solve(const ConstVectorRef& f, VectorRef d) override;

 private:
  /// d_j -= M^-1 sum_l W_jl G_l^T e(c_l)
  void subtract_response();
  /// out_i += sum_l b_l P_i(c_l) G_l sum_j P_j(c_l) d_j
  void add_rates(Vector& out);

  const System* system_;
  LineIntegralFrame* frame_;
  Index n_, m_, s_, r_;
  Matrix w_, g_, schur_;
  Eigen::PartialPivLU<Matrix> lu_;
  Vector q_, force_, velocity_, lambda_, rate_, d_, e_, right_;
};

}  // namespace gnomon::kernels
