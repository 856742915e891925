#pragma once
/// \file
/// Line-integral methods: Gauss-Legendre quadrature on [0,1] and the shifted orthonormal Legendre polynomials P_j,
///
///     int_0^1 P_i P_j = delta_ij,     P_j(c) = sqrt(2j+1) L_j(2c-1),
///     int_0^c P_j = xi_{j+1} P_{j+1}(c) - xi_j P_{j-1}(c)   (j = 0: xi_1 P_1(c) + 1/2),   xi_j = 1/(2 sqrt(4j^2-1)).
///
/// Everything is computed at Extended, and rounded once. Source: Brugnano, Iavernaro: Line Integral Methods
/// for Conservative Problems, CRC Press 2016, section 1.4; nodes and weights: gnomon/base/quadrature.hpp.

#include <type_traits>

#include "gnomon/base/types.hpp"
#include "gnomon/formula/dual.hpp"

namespace gnomon::kernels {

/// P_j(c), j >= 0.
long double shifted_legendre(Index j, long double c);

/// k-point Gauss-Legendre quadrature on [0,1] with the first s polynomials at its nodes; k >= 1, s >= 1.
/// Exact for polynomials of degree <= 2k-1.
template <class Real>
struct LegendreNumbers {
  using Numbers = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  Index k, s;
  VectorOf<Real> c, b;    ///< nodes, ascending, and weights; length k
  Numbers P;              ///< k x s, P(l,j) = P_j(c_l)
  Numbers I;              ///< k x s, I(l,j) = int_0^{c_l} P_j
  Numbers X;              ///< s x s, sum_l b_l P_i(c_l) I(l,j) = X(i,j): 1/2 at (0,0), X(j,j-1) = xi_j = -X(j-1,j)
  VectorOf<Real> P_at_1;  ///< P_j(1); length s

  LegendreNumbers(Index nodes, Index polynomials)
      : k(nodes), s(polynomials), c(k), b(k), P(k, s), I(k, s), X(Numbers::Zero(s, s)), P_at_1(s) {}

  /// W = X P^T Omega, s x k, Omega = diag b
  Numbers row_weights() const { return X * P.transpose() * b.asDiagonal(); }
};

class LegendreTable : public LegendreNumbers<double> {
 public:
  LegendreTable(Index nodes, Index polynomials);

  /// At Extended for S = Extended, else at double.
  template <class S>
  const auto& at() const {
    if constexpr (std::is_same_v<S, Extended>)
      return extended_;
    else
      return static_cast<const LegendreNumbers<double>&>(*this);
  }

 private:
  explicit LegendreTable(LegendreNumbers<Extended> numbers);

  LegendreNumbers<Extended> extended_;
};

}  // namespace gnomon::kernels
