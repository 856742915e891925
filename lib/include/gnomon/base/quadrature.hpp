#pragma once
/// \file
/// Legendre polynomials on [0,1], and the nodes and weights that belong to them, in extended precision.
///
///     Gauss    zeros of L_k             exact up to degree 2k-1
///     Radau    zeros of L_k - L_{k-1}   2k-2, the last node is 1
///     Lobatto  zeros of L_k - L_{k-2}   2k-3, the first node is 0, the last one 1
///
/// with L_j(x), x = 2c - 1, the Legendre polynomials of [-1,1]. Source: Abramowitz, Stegun, 25.4.29-25.4.32; computed
/// by Boost.Math.

#include <vector>

#include "gnomon/abi.h"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// L_j(2c-1), j >= 0, for any c.
GNOMON_EXPORT long double legendre_polynomial(Index j, long double c);

struct Quadrature {
  std::vector<long double> nodes, weights;  ///< nodes ascending, of the same length
};
/// k-point Gauss-Legendre quadrature on [0,1], k >= 1.
GNOMON_EXPORT Quadrature gauss_quadrature(Index k);

/// The k nodes on [0,1], ascending; k >= 1, for Lobatto k >= 2.
GNOMON_EXPORT std::vector<long double> radau_nodes(Index k);
GNOMON_EXPORT std::vector<long double> lobatto_nodes(Index k);

}  // namespace gnomon
