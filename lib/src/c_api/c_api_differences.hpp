#pragma once
/// \file
/// Derivatives of callbacks by central differences along a line:
///
///     f'(0) = (f(s) - f(-s)) / 2s                                       exact where f is of degree <= 2 along it,
///     f'(0) = (8 (f(s) - f(-s)) - (f(2s) - f(-2s))) / 12s               exact to degree 4.
///
/// Where the declared degree makes them exact s is of the size of the argument, so that only rounding is left; else s
/// is eps^(1/5) of it and the error eps^(4/5).

#include <cmath>

#include "gnomon/base/sparsity.hpp"

namespace gnomon::c_api {

/// Where a function is evaluated for a difference, and its value there; one a level of nesting.
struct Level {
  Vector at, value;
};

/// Up to this degree the differences of a polynomial are exact but for rounding.
constexpr int exact_degree = 4;

/// out = d/ds f(x + s w) at s = 0; `size` is that of x, f of this degree along the line (or not_polynomial).
template <class F>
void difference(double size, const ConstVectorRef& x, const ConstVectorRef& w, int degree, Level& level, VectorRef out,
                F&& f) {
  out.setZero();
  const double direction = w.size() ? w.lpNorm<Eigen::Infinity>() : 0;
  if (direction == 0 || degree == 0) return;
  const bool exact = degree > 0 && degree <= exact_degree;
  // A power of two, so that s itself makes no rounding error; 2^-10 is eps^(1/5).
  const double s = std::exp2(std::floor(std::log2(size / direction)) - (exact ? 0 : 10));
  auto value = level.value.head(out.size());
  const auto add = [&](double at, double weight) {
    level.at = x + (at * s) * w;
    f(level.at, value);
    out += weight / s * value;
  };
  if (exact && degree <= 2) {
    add(1, .5);
    add(-1, -.5);
    return;
  }
  add(1, 8. / 12);
  add(-1, -8. / 12);
  add(2, -1. / 12);
  add(-2, 1. / 12);
}

/// The values of a matrix from its products with one direction a colour.
template <class Product>
void by_colours(const SparsityPattern& pattern, const Colouring& colouring, Vector& direction, Vector& product,
                VectorRef values, Product&& times) {
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    direction.setZero();
    for (const Index j : colouring.columns[static_cast<std::size_t>(colour)]) direction[j] = 1;
    times(direction, product);
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        if (colouring.colour_of[static_cast<std::size_t>(pattern.indices[k])] == colour) values[k] = product[i];
  }
}

}  // namespace gnomon::c_api
