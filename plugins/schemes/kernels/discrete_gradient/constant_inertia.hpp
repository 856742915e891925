#pragma once
/// \file
/// T = p.M^-1 p/2 with a constant mass in the midpoint residual (midpoint_equations.hpp), analytic and sparse. The rate
/// row dq = h (M^-1 p_m + s W_p dp) is multiplied by M/h:
///
///     F1 = M dq/h - p_m - s M W_p dp

#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/general_quotient.hpp"

namespace gnomon::kernels {

class ConstantInertia {
 public:
  static constexpr bool constant_mass = true;
  static constexpr bool refines = true;  ///< evaluated at Extended, too
  using Quotient = GeneralQuotient;

  ConstantInertia(const System& system, SystemAt& at) : system_(&system), at_(&at), n_(system.n()) {}

  template <class S>
  void allocate(StepPoint<S>&) const {}
  void lay_out(Layout& layout, const Block& rate, const Block& dq, const Block& dp);

  /// out = M^-1 p
  void velocity(const Vector&, const Vector& p, Vector& out) const { system_->mass().solve(p, out); }
  void add_gradient(const Vector&, const Vector&, Vector&) const {}

  template <class S>
  void place(const StepFrame&, StepPoint<S>&) const {}
  template <class S>
  void rates(StepPoint<S>& b) const {
    at_->mass_times(b.dq, b.mdq);
  }
  /// F1, and what F2 has without an applied force.
  template <class S>
  void rows(const StepFrame& step, const StepPoint<S>& b, VectorRefOf<S> f) const {
    const double h = step.h;
    const Vector &p0 = step.z0->p.value(), &p0_tail = step.z0->p.tail();
    for (Index j = 0; j < n_; ++j) f[j] = ((b.mdq[j] / S(h) - p0[j]) - p0_tail[j]) - b.dp[j] * 0.5;
    for (Index j = 0; j < n_; ++j) f[n_ + j] = b.dp[j] + (b.u[j] + b.force[j]) * h;
  }
  void rate_scales(const StepScales& scales, double unit, VectorRef rows) const { rows = unit * scales.dp(); }
  void add_jacobian(double h, const SparsityPattern&, VectorRef values) const;

  /// T has no part in c: M^-1 p_m.dp = T1 - T0.
  long double energy(const Vector&, const Vector&, const Vector&, const Vector&) const { return 0; }
  Dual1 energy(const StepPoint<Dual1>&) const { return Dual1(0.0); }
  template <class S>
  S gradient_along(const StepPoint<S>&) const {
    return S(0.0);
  }
  double linearise(const StepPoint<double>&, const Vector&) const { return 0; }
  /// Rounding error of c, from the energy that enters it.
  double noise(long double energy, double) const {
    return thresholds::unit_of_rounding * static_cast<double>(std::abs(energy));
  }

 private:
  const System* system_;
  SystemAt* at_;
  Index n_;
  BlockMap mass_, minus_half_;
};

}  // namespace gnomon::kernels
