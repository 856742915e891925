#pragma once
/// \file
/// The discrete derivative of a potential between two moving points, m- and m+, as the alpha-schemes take it:
///
///     DU = grad U2(m) + sum_k c_k grad pi_k(m),   m = (m+ + m-)/2,
///     c_k = [V_k(pi_k(m+)) - V_k(pi_k(m-))] / [pi_k(m+) - pi_k(m-)]
///
/// so that DU.(m+ - m-) = U(m+) - U(m-) for U = U2 + sum_k V_k(pi_k), U2 and pi_k at most quadratic. With U quadratic
/// this is A m, (16) of the paper; with pi_k = x_k it is (31), whose quotients have limits where nothing moves.

#include "gnomon/model/system_at.hpp"
#include "kernels/alpha/alpha_frame.hpp"

namespace gnomon::kernels {

class AlphaPotential {
 public:
  /// split: U in quadratic invariants; else it is at most quadratic.
  AlphaPotential(const System& system, SystemAt& at, bool split);

  void evaluate(const AlphaFrame& frame, AlphaPoint<double>& b);
  void evaluate(const AlphaFrame& frame, AlphaPoint<Dual1>& b);
  /// Of a model that is not evaluated at Extended, to first order from the rounded positions.
  void evaluate(const AlphaFrame& frame, AlphaPoint<Extended>& b);

  /// values on hessian_pattern() = Hess U2 + sum_k c_k Hess pi_k + sum_i lambda_i Hess g_i, four times the derivative
  /// of DU + ... by delta through m; after place_middles().
  void hessian(double t, const AlphaPoint<double>& b, const Vector& lambda, Vector& values);
  /// The rest of the derivative by delta, after hessian(): calls add(i, j, value), always in the same order, for
  ///     sum_k grad pi_k(m) [dc_k/dpi+ sigma/2 grad pi_k(m+) + dc_k/dpi- (1 - sigma)/2 grad pi_k(m-)]^T
  template <class Add>
  void for_each_outer(double sigma, const AlphaPoint<double>& b, const Add& add) {
    if (count_ == 0) return;
    invariants_->invariant_jacobian(b.middle, middle_values_);
    invariants_->invariant_jacobian(b.m_plus, plus_values_);
    invariants_->invariant_jacobian(b.m_minus, minus_values_);
    const SparsityPattern& pi = invariants_->invariant_pattern();
    for (Index k = 0; k < count_; ++k)
      for (Index i = pi.offsets[k]; i < pi.offsets[k + 1]; ++i)
        for (Index j = pi.offsets[k]; j < pi.offsets[k + 1]; ++j)
          add(pi.indices[i], pi.indices[j],
              middle_values_[i] * 0.5 *
                  (dc_plus_[k] * sigma * plus_values_[j] + dc_minus_[k] * (1 - sigma) * minus_values_[j]));
  }

 private:
  void split_gradient(double t, AlphaPoint<Dual1>& b);
  /// False: the model does not offer it.
  bool split_gradient(double t, AlphaPoint<Extended>& b);
  void quotients(const AlphaPoint<double>& b);

  const System* system_;
  const SplitPotential* invariants_;
  const ExtendedPrecision* extended_;
  SystemAt* at_;
  Index count_;
  bool split_;
  Vector pi_plus_, pi_minus_, c_, dc_plus_, dc_minus_, middle_values_, plus_values_, minus_values_;
  VectorOf<Dual1> pi_plus_dual_, pi_minus_dual_, c_dual_;
  AlphaPoint<Dual1> dual_;
  VectorOf<Extended> pi_plus_extended_, pi_minus_extended_, middle_extended_;
  Vector position_, tail_;
};

}  // namespace gnomon::kernels
