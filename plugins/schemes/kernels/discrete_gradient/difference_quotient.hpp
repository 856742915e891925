#pragma once
/// \file
/// The scalar discrete derivative, in a quadratic invariant or of a penalty function.

#include <cmath>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

/// Difference quotient of V between a and b and its derivative with respect to b. Nearer than 1e-5 of their size the
/// quotient has lost half its digits and is replaced by its series around the middle.
struct Quotient {
  double value, derivative;
};
/// V(x) returns {V, V', V'', V'''} at x.
template <class Function>
Quotient difference_quotient(const Function& v, double a, double b) {
  const double middle = 0.5 * (a + b), d = b - a;
  if (std::abs(d) < 1e-5 * std::abs(middle) || d == 0) {
    const auto m = v(middle);
    return {m[1] + d * d * m[3] / 24, 0.5 * m[2] + d * m[3] / 12};
  }
  const auto v1 = v(b);
  const double quotient = (v1[0] - v(a)[0]) / d;
  return {quotient, (v1[1] - quotient) / d};
}
inline Quotient difference_quotient(const SplitPotential& split, Index k, double a, double b) {
  return difference_quotient([&](double x) { return split.invariant_potential(k, x); }, a, b);
}

}  // namespace gnomon::kernels
