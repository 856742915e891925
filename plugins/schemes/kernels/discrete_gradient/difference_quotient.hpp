#pragma once
/// \file
/// The scalar discrete derivative, in a quadratic invariant or of a penalty function.

#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/parts.hpp"

namespace gnomon::kernels {

/// Difference quotient of V between a and b and its derivative with respect to b. Nearer than 1e-5 of their size the
/// quotient has lost half its digits and is replaced by its series around the middle.
template <class T>
struct QuotientOf {
  T value, derivative;
};
using Quotient = QuotientOf<double>;
/// V(x) returns {V, V', V'', V'''} at x.
template <class T, class Function>
QuotientOf<T> difference_quotient(const Function& v, T a, T b) {
  const T middle = (a + b) / 2, d = b - a;
  if (std::abs(d) < thresholds::series_of_quotient * std::abs(middle) || d == 0) {
    const auto m = v(middle);
    return {m[1] + d * d * m[3] / 24, m[2] / 2 + d * m[3] / 12};
  }
  const auto v1 = v(b);
  const T quotient = (v1[0] - v(a)[0]) / d;
  return {quotient, (v1[1] - quotient) / d};
}
inline Quotient difference_quotient(const SplitPotential& split, Index k, double a, double b) {
  return difference_quotient([&](double x) { return split.invariant_potential(k, x); }, a, b);
}

}  // namespace gnomon::kernels
