#pragma once
/// \file
/// The penalty of constraints and obstacles, y = (g, -c):
///
///     P(y) = sum_i w_i r_i(y_i)/(2 eps),    r_i = y^2 for g, (y^+)^2 for -c,    w_i = SystemTraits::constraint_weights
///
/// with its derivative and its difference quotient D = [P(b) - P(a)]/(b - a) in closed form, where nothing cancels and
/// nothing is divided by zero (for one side; Glowinski and Holmstroem's (51) with a limit in place of "or = 0"):
///
///     a > 0, b > 0      (a + b)/(2 eps)
///     a <= 0, b <= 0    0
///     else              ((a^+)^2 - (b^+)^2)/(2 eps (a - b))
///
/// It is semismooth in b: a Newton matrix from its derivative on each branch is all that Newton's method needs.

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class GapPenalty {
 public:
  GapPenalty(const System& system, double eps);

  Index size() const { return stiffness_.size(); }
  double stiffness(Index i) const { return stiffness_[i]; }

  long double value(const Vector& y) const;
  /// dP/dy_i. Real: double or Extended
  template <class Real>
  Real force(Index i, const Real& y) const {
    return pushes(i, y) ? stiffness_[i] * y : 0;
  }
  Dual1 force(Index i, const Dual1& y) const { return pushes(i, y.value) ? y * stiffness_[i] : Dual1(0.0); }

  template <class Real>
  Real quotient(Index i, double a, const Real& b) const {
    return 0.5 * stiffness_[i] * branch<Real>(i, a, b).value;
  }
  Dual1 quotient(Index i, double a, const Dual1& b) const;

 private:
  template <class Real>
  struct Branch {
    Real value, slope;
  };
  template <class Real>
  bool pushes(Index i, Real y) const {
    return i < two_sided_ || y > 0;
  }
  /// [r(b) - r(a)]/(b - a) and its derivative by b.
  template <class Real>
  Branch<Real> branch(Index i, Real a, Real b) const {
    if (pushes(i, a) && pushes(i, b)) return {a + b, 1};
    if (!pushes(i, a) && !pushes(i, b)) return {0, 0};
    const Real d = b - a;
    if (a > 0) return {-a * (a / d), (a / d) * (a / d)};
    return {b * (b / d), (b / d) * ((b - 2 * a) / d)};
  }

  Index two_sided_;
  Vector stiffness_;
};

}  // namespace gnomon::kernels
