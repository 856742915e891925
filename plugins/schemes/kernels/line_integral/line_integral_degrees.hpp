#pragma once
/// \file
/// The degrees (k,s,r) of a line-integral scheme: k quadrature nodes, q(t) of degree s and multipliers of degree r-1 in
/// a step, 1 <= r <= s <= k <= 20.

#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/scheme.hpp"

namespace gnomon::kernels {

constexpr Index max_nodes = 20;

/// Throws Error(bad_value) for degrees that do not fit together. (The options' own ranges are checked before.)
inline void check_degrees(const Scheme& scheme, Index k, Index s, Index r) {
  const auto refuse = [&](const std::string& option, Index value, const std::string& expected) {
    throw Error(ErrorCode::bad_value, "option " + option + " of scheme " + scheme.name() + " is " +
                                          std::to_string(value) + ", expected at " + expected +
                                          " s = " + std::to_string(s));
  };
  if (k < s) refuse("k", k, "least as many quadrature nodes as the degree");
  if (r > s) refuse("r", r, "most as many multiplier coefficients as the degree");
}

/// Nodes that integrate the derivative of a polynomial of this degree in q exactly along q(t), which has degree s:
/// s degree - 1 <= 2k - 1.
inline Index exact_nodes(Index s, int degree) {
  return (s * degree + 1) / 2;
}
inline bool nodes_are_exact(Index k, Index s, int degree) {
  return degree != SystemTraits::not_polynomial && k >= exact_nodes(s, degree);
}

}  // namespace gnomon::kernels
