#include "kernels/line_integral/legendre.hpp"

#include <cmath>
#include <utility>

#include "gnomon/base/quadrature.hpp"

namespace gnomon::kernels {

long double shifted_legendre(Index j, long double c) {
  return std::sqrt(2.0L * j + 1) * legendre_polynomial(j, c);
}

namespace {

/// xi_0 = 1/2, xi_j = 1/(2 sqrt(4j^2-1)).
long double legendre_xi(Index j) {
  return j == 0 ? 0.5L : 0.5L / std::sqrt(4.0L * j * j - 1);
}

/// Integral of P_j over [0,c].
long double shifted_legendre_integral(Index j, long double c) {
  const long double upper = legendre_xi(j + 1) * shifted_legendre(j + 1, c);
  return j == 0 ? upper + 0.5L : upper - legendre_xi(j) * shifted_legendre(j - 1, c);
}

LegendreNumbers<Extended> compute(Index k, Index s) {
  LegendreNumbers<Extended> table(k, s);
  const Quadrature gauss = gauss_quadrature(k);
  for (Index l = 0; l < k; ++l) {
    const long double node = gauss.nodes[static_cast<std::size_t>(l)];
    table.c[l] = node;
    table.b[l] = gauss.weights[static_cast<std::size_t>(l)];
    for (Index j = 0; j < s; ++j) {
      table.P(l, j) = shifted_legendre(j, node);
      table.I(l, j) = shifted_legendre_integral(j, node);
    }
  }
  table.X(0, 0) = 0.5;
  for (Index j = 0; j < s; ++j) {
    if (j > 0) {
      table.X(j, j - 1) = legendre_xi(j);
      table.X(j - 1, j) = -table.X(j, j - 1);
    }
    table.P_at_1[j] = std::sqrt(2.0L * j + 1);
  }
  return table;
}

}  // namespace

LegendreTable::LegendreTable(Index nodes, Index polynomials) : LegendreTable(compute(nodes, polynomials)) {}

LegendreTable::LegendreTable(LegendreNumbers<Extended> numbers)
    : LegendreNumbers<double>(numbers.k, numbers.s), extended_(std::move(numbers)) {
  c = extended_.c.cast<double>();
  b = extended_.b.cast<double>();
  P = extended_.P.cast<double>();
  I = extended_.I.cast<double>();
  X = extended_.X.cast<double>();
  P_at_1 = extended_.P_at_1.cast<double>();
}

}  // namespace gnomon::kernels
