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

#include <Eigen/LU>
#include <vector>

#include "gnomon/base/quadrature.hpp"
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

namespace detail {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

inline RealVector vector_of(const std::vector<Real>& nodes) {
  return Eigen::Map<const RealVector>(nodes.data(), static_cast<Index>(nodes.size()));
}

inline RkTableau complete(const RealMatrix& a, const RealVector& b, const RealVector& c) {
  RkTableau t;
  t.stages = b.size();
  t.a = a.cast<double>();
  t.a2 = (a * a).eval().cast<double>();
  t.b = b.cast<double>();
  t.c = c.cast<double>();
  t.ba = (a.transpose() * b).eval().cast<double>();
  const RealVector d = a.transpose().fullPivLu().solve(b);
  t.d = d.cast<double>();
  t.r = static_cast<double>(1 - d.sum());
  return t;
}

/// Row k of the conditions: sum_j w_j c_j^(k-1) = value_k.
inline RealMatrix vandermonde(const RealVector& c) {
  RealMatrix v(c.size(), c.size());
  for (Index j = 0; j < c.size(); ++j) {
    Real power = 1;
    for (Index k = 0; k < c.size(); ++k, power *= c[j]) v(k, j) = power;
  }
  return v;
}
/// x^k/k, k = 1..s
inline RealVector integrals(Index s, Real x) {
  RealVector v(s);
  Real power = 1;
  for (Index k = 1; k <= s; ++k) v[k - 1] = (power *= x) / k;
  return v;
}

inline RkTableau collocation(const RealVector& c) {
  const Index s = c.size();
  const Eigen::FullPivLU<RealMatrix> lu(vandermonde(c));
  RealMatrix a(s, s);
  for (Index i = 0; i < s; ++i) a.row(i) = lu.solve(integrals(s, c[i])).transpose();
  return complete(a, lu.solve(integrals(s, 1)), c);
}

}  // namespace detail

/// s >= 1
inline RkTableau gauss_tableau(Index s) {
  RkTableau t = detail::collocation(detail::vector_of(gauss_quadrature(s).nodes));
  t.order = static_cast<int>(2 * s);
  t.symmetric = true;
  return t;
}

/// s >= 1
inline RkTableau radau_iia_tableau(Index s) {
  RkTableau t = detail::collocation(detail::vector_of(radau_nodes(s)));
  t.order = static_cast<int>(2 * s - 1);
  t.stiffly_accurate = true;
  return t;
}

/// s >= 2
inline RkTableau lobatto_iiic_tableau(Index s) {
  const detail::RealVector c = detail::vector_of(lobatto_nodes(s));
  const detail::RealMatrix v = detail::vandermonde(c);
  const detail::RealVector b = v.fullPivLu().solve(detail::integrals(s, 1));
  detail::RealMatrix conditions(s, s), a(s, s);
  conditions.row(0).setZero();
  conditions(0, 0) = 1;
  conditions.bottomRows(s - 1) = v.topRows(s - 1);
  const Eigen::FullPivLU<detail::RealMatrix> lu(conditions);
  for (Index i = 0; i < s; ++i) {
    detail::RealVector values(s);
    values[0] = b[0];
    values.tail(s - 1) = detail::integrals(s - 1, c[i]);
    a.row(i) = lu.solve(values).transpose();
  }
  RkTableau t = detail::complete(a, b, c);
  t.order = static_cast<int>(2 * s - 2);
  t.stiffly_accurate = true;
  return t;
}

/// Weights L(i,j) of the polynomial through values at the nodes of `from`, at those of `to`.
inline Matrix interpolation(const RkTableau& from, const RkTableau& to) {
  Matrix weights(to.stages, from.stages);
  for (Index i = 0; i < to.stages; ++i)
    for (Index j = 0; j < from.stages; ++j) {
      detail::Real product = 1;
      for (Index k = 0; k < from.stages; ++k)
        if (k != j) product *= (detail::Real(to.c[i]) - from.c[k]) / (detail::Real(from.c[j]) - from.c[k]);
      weights(i, j) = static_cast<double>(product);
    }
  return weights;
}

}  // namespace gnomon::kernels
