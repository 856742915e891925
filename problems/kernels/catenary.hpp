#pragma once
/// \file
/// The catenary of given length between two points, by arc length.

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "gnomon/base/error.hpp"

namespace gnomon::problems {

/// From (0, 0) to (width, height), width > 0:   y = a cosh((x - x0)/a) - a cosh(x0/a), with sinh(u)/u = chord/width, u
/// = width/(2 a) and chord^2 = length^2 - height^2. A length that is that of the straight line gives the line.
class Catenary {
 public:
  Catenary(double width, double height, double length) : width_(width), height_(height), length_(length) {
    const double ratio = std::sqrt(length * length - height * height) / width;
    if (!(ratio > 1 + 1e-12)) return;
    const auto excess = [ratio](double u) { return std::log(std::sinh(u) / u) - std::log(ratio); };
    double high = 1;
    while (excess(high) < 0 && high < 300) high *= 2;
    if (excess(high) < 0)
      throw Error(ErrorCode::bad_value, "a catenary of length " + number_text(length) + " over the width " +
                                            number_text(width) + " is folded: its ends are above each other");
    std::uintmax_t most = 200;
    const auto bracket = boost::math::tools::toms748_solve(
        excess, 1e-9, high, [](double a, double b) { return std::abs(b - a) < 1e-15 * b; }, most);
    a_ = width / (bracket.first + bracket.second);
    x0_ = 0.5 * width - a_ * std::atanh(height / length);
  }

  /// A straight line, whose tension is not determined.
  bool straight() const { return !(a_ > 0); }
  /// T/(weight a unit of length), the tension at s; 0 on a straight line.
  double tension(double s) const { return a_ > 0 ? a_ * std::cosh(angle(s)) : 0; }
  struct Point {
    double x, y, dx, dy;
  };
  Point at(double s) const {
    if (!(a_ > 0)) return {width_ * s / length_, height_ * s / length_, width_ / length_, height_ / length_};
    const double u = angle(s);
    return {x0_ + a_ * u, a_ * (std::cosh(u) - std::cosh(x0_ / a_)), 1 / std::cosh(u), std::tanh(u)};
  }

 private:
  double angle(double s) const { return std::asinh(s / a_ - std::sinh(x0_ / a_)); }

  double width_, height_, length_, a_ = 0, x0_ = 0;
};

}  // namespace gnomon::problems
