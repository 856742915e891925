#pragma once
/// \file
/// The degrees (k,s,r) of a line-integral scheme: k quadrature nodes, q(t) of degree s and multipliers of degree r-1 in
/// a step, 1 <= r <= s <= k <= 20.

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

constexpr Index max_nodes = 20;

struct LineIntegralDegrees {
  Index s, r;
};

/// Throws Error(bad_value) for degrees that do not fit together. (The options' own ranges are checked before.)
void check_degrees(const Scheme& scheme, Index k, Index s, Index r);

/// Nodes that integrate the derivative of a polynomial of this degree in q exactly along q(t), which has degree s:
/// s degree - 1 <= 2k - 1.
Index exact_nodes(Index s, int degree);
bool nodes_are_exact(Index k, Index s, int degree);

}  // namespace gnomon::kernels
