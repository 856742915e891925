#pragma once
/// \file
/// Cubic splines of the tables of a model file.

#include <array>
#include <cstddef>
#include <vector>

namespace gnomon::mechanism {

/// The cubic spline through the points (x_k, y_k), twice continuously differentiable, and beyond them the straight line
/// that goes on with the slope there. The third derivative is continuous at the second point and the last but one
/// ("not-a-knot"), or the second one zero at both ends.
class CubicSpline {
 public:
  enum class Ends { not_a_knot, natural };
  /// x ascending, at least two, as many y. Two points make a line, three a parabola unless the ends are natural.
  CubicSpline(std::vector<double> x, const std::vector<double>& y, Ends ends);

  /// Polynomials sum_i c_i (u - from)^i: the line before all points, one from each of them, the last one a line.
  struct Piece {
    double from;
    std::array<double, 4> c;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Where piece k begins, k > 0.
  double begin(std::size_t k) const { return x_[k - 1]; }

 private:
  std::vector<double> x_;
  std::vector<Piece> pieces_;
};

}  // namespace gnomon::mechanism
