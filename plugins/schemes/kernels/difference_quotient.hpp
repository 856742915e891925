#pragma once
/// \file
/// The scalar discrete derivative in a quadratic invariant.

#include <cmath>

#include "gnomon/system.hpp"

namespace gnomon::kernels {

/// Difference quotient of V between a and b and its derivative with respect to b. Nearer than 1e-5 of their size the
/// quotient has lost half its digits and is replaced by its series around the middle.
struct Quotient {
  double value, derivative;
};
inline Quotient difference_quotient(const System& system, Index k, double a, double b) {
  const double middle = 0.5 * (a + b), d = b - a;
  if (std::abs(d) < 1e-5 * std::abs(middle) || d == 0) {
    const auto v = system.invariant_potential(k, middle);
    return {v[1] + d * d * v[3] / 24, 0.5 * v[2] + d * v[3] / 12};
  }
  const auto v1 = system.invariant_potential(k, b);
  const double quotient = (v1[0] - system.invariant_potential(k, a)[0]) / d;
  return {quotient, (v1[1] - quotient) / d};
}

}  // namespace gnomon::kernels
