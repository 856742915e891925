#pragma once
/// \file
/// The Hermite cubic element of length l with the degrees of freedom (x_a, x'_a, x_b, x'_b) of each component, and
/// Gauss quadrature in it.

#include <array>
#include <cmath>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon::problems {

struct HermiteElement {
  using Row = std::array<double, 4>;
  using Block = std::array<Row, 4>;

  /// Values of the shape functions at the fraction xi in [0, 1].
  static Row shape(double l, double xi) {
    const double x2 = xi * xi, x3 = x2 * xi;
    return {1 - 3 * x2 + 2 * x3, l * (xi - 2 * x2 + x3), 3 * x2 - 2 * x3, l * (x3 - x2)};
  }
  /// Their derivatives by arc length.
  static Row slope(double l, double xi) {
    const double b = 6 * xi * (1 - xi) / l;
    return {-b, 1 - 4 * xi + 3 * xi * xi, b, xi * (3 * xi - 2)};
  }
  /// int N_a N_b ds
  static Block mass(double l) {
    const double f = l / 420, l2 = l * l;
    return {Row{156 * f, 22 * l * f, 54 * f, -13 * l * f}, Row{22 * l * f, 4 * l2 * f, 13 * l * f, -3 * l2 * f},
            Row{54 * f, 13 * l * f, 156 * f, -22 * l * f}, Row{-13 * l * f, -3 * l2 * f, -22 * l * f, 4 * l2 * f}};
  }
  /// int N_a'' N_b'' ds
  static Block bending(double l) {
    const double f = 1 / (l * l * l), l2 = l * l;
    return {Row{12 * f, 6 * l * f, -12 * f, 6 * l * f}, Row{6 * l * f, 4 * l2 * f, -6 * l * f, 2 * l2 * f},
            Row{-12 * f, -6 * l * f, 12 * f, -6 * l * f}, Row{6 * l * f, 2 * l2 * f, -6 * l * f, 4 * l2 * f}};
  }
  /// int N_a ds
  static Row integral(double l) { return {l / 2, l * l / 12, l / 2, -l * l / 12}; }
};

/// Points in [0, 1], ascending, and weights that sum to one; 1 to 4 points.
struct GaussRule {
  std::vector<double> points, weights;

  explicit GaussRule(Index count) {
    const double root = 2.0 / 7 * std::sqrt(6.0 / 5), w = std::sqrt(30.0) / 72;
    if (count == 1) points = {0}, weights = {1};
    if (count == 2) points = {std::sqrt(1.0 / 3)}, weights = {0.5};
    if (count == 3) points = {0, std::sqrt(0.6)}, weights = {4.0 / 9, 5.0 / 18};
    if (count == 4) points = {std::sqrt(3.0 / 7 - root), std::sqrt(3.0 / 7 + root)}, weights = {0.25 + w, 0.25 - w};
    // The left half mirrors the right one, from the centre outwards.
    for (std::size_t k = count % 2; points.size() < static_cast<std::size_t>(count); k += 2) {
      points.insert(points.begin(), -points[k]);
      weights.insert(weights.begin(), weights[k]);
    }
    for (double& x : points) x = 0.5 * (1 + x);
  }
};

}  // namespace gnomon::problems
