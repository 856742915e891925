#include "kernels/runge_kutta/rk_tableau.hpp"

#include <Eigen/LU>
#include <vector>

#include "gnomon/base/quadrature.hpp"

namespace gnomon::kernels {
namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

RealVector vector_of(const std::vector<Real>& nodes) {
  return Eigen::Map<const RealVector>(nodes.data(), static_cast<Index>(nodes.size()));
}

RkTableau complete(const RealMatrix& a, const RealVector& b, const RealVector& c) {
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
RealMatrix vandermonde(const RealVector& c) {
  RealMatrix v(c.size(), c.size());
  for (Index j = 0; j < c.size(); ++j) {
    Real power = 1;
    for (Index k = 0; k < c.size(); ++k, power *= c[j]) v(k, j) = power;
  }
  return v;
}
/// x^k/k, k = 1..s
RealVector integrals(Index s, Real x) {
  RealVector v(s);
  Real power = 1;
  for (Index k = 1; k <= s; ++k) v[k - 1] = (power *= x) / k;
  return v;
}

RkTableau collocation(const RealVector& c) {
  const Index s = c.size();
  const Eigen::FullPivLU<RealMatrix> lu(vandermonde(c));
  RealMatrix a(s, s);
  for (Index i = 0; i < s; ++i) a.row(i) = lu.solve(integrals(s, c[i])).transpose();
  return complete(a, lu.solve(integrals(s, 1)), c);
}

}  // namespace

RkTableau gauss_tableau(Index s) {
  RkTableau t = collocation(vector_of(gauss_quadrature(s).nodes));
  t.order = static_cast<int>(2 * s);
  t.symmetric = true;
  return t;
}

RkTableau radau_iia_tableau(Index s) {
  RkTableau t = collocation(vector_of(radau_nodes(s)));
  t.order = static_cast<int>(2 * s - 1);
  t.stiffly_accurate = true;
  return t;
}

RkTableau lobatto_iiic_tableau(Index s) {
  const RealVector c = vector_of(lobatto_nodes(s));
  const RealMatrix v = vandermonde(c);
  const RealVector b = v.fullPivLu().solve(integrals(s, 1));
  RealMatrix conditions(s, s), a(s, s);
  conditions.row(0).setZero();
  conditions(0, 0) = 1;
  conditions.bottomRows(s - 1) = v.topRows(s - 1);
  const Eigen::FullPivLU<RealMatrix> lu(conditions);
  for (Index i = 0; i < s; ++i) {
    RealVector values(s);
    values[0] = b[0];
    values.tail(s - 1) = integrals(s - 1, c[i]);
    a.row(i) = lu.solve(values).transpose();
  }
  RkTableau t = complete(a, b, c);
  t.order = static_cast<int>(2 * s - 2);
  t.stiffly_accurate = true;
  return t;
}

Matrix interpolation(const RkTableau& from, const RkTableau& to) {
  Matrix weights(to.stages, from.stages);
  for (Index i = 0; i < to.stages; ++i)
    for (Index j = 0; j < from.stages; ++j) {
      Real product = 1;
      for (Index k = 0; k < from.stages; ++k)
        if (k != j) product *= (Real(to.c[i]) - from.c[k]) / (Real(from.c[j]) - from.c[k]);
      weights(i, j) = static_cast<double>(product);
    }
  return weights;
}

}  // namespace gnomon::kernels
