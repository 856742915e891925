#pragma once
/// \file
/// Coefficients of the implicit Runge-Kutta methods that projected-rk takes, computed in extended precision from their
/// nodes.
///
///     Gauss         nodes: zeros of P_s            collocation, order 2s,   symmetric
///     Radau IIA     nodes: zeros of P_s - P_{s-1}  collocation, order 2s-1, stiffly accurate
///     Lobatto IIIC  nodes: zeros of P_s - P_{s-2}  order 2s-2, stiffly accurate; a_i1 = b_1 and
///                   sum_j a_ij c_j^(k-1) = c_i^k/k for k = 1..s-1
///
/// with the Legendre polynomials P_k on [0,1] (gnomon/base/quadrature.hpp). Source: Hairer, Wanner, Solving Ordinary
/// Differential Equations II, IV.5.

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

struct RkTableau {
  Index stages = 0;
  int order = 0;
  bool symmetric = false;
  bool stiffly_accurate = false;  ///< the last stage is the end of the step
  Matrix a, a2;                   ///< A and A^2
  Vector b, c;
  Vector ba;     ///< A^T b: weights of the second integral
  Vector d;      ///< A^-T b: weights that carry an algebraic variable to the end of the step,
  double r = 0;  ///< z1 = r z0 + sum_i d_i Z_i with r = 1 - sum_i d_i
};

RkTableau gauss_tableau(Index s);         ///< s >= 1
RkTableau radau_iia_tableau(Index s);     ///< s >= 1
RkTableau lobatto_iiic_tableau(Index s);  ///< s >= 2

/// Weights L(i,j) of the polynomial through values at the nodes of `from`, at those of `to`.
Matrix interpolation(const RkTableau& from, const RkTableau& to);

}  // namespace gnomon::kernels
