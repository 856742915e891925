#pragma once
/// \file
/// How an error grows in time: like a power of t, as on regular motions, or exponentially, as on chaotic ones.

#include <vector>

namespace gnomon::validation {

/// The better of two laws for the largest error E up to t, t counted from the start, by least squares in log E:
///
///     power         log E = a + k log t,         0 <= k <= 2
///     exponential   log E = a + k log t + L t,   0 <= k <= 2, L >= 0
struct GrowthLaw {
  bool known = false;        ///< false: too few values, or all at rounding level
  bool exponential = false;  ///< L T > 5 for the length T of the fit, and at most 0.8 of the residual of the power law
  double rate = 0;           ///< L
  double exponent = 0;       ///< k of the power law
  double residual = 0, power_residual = 0;  ///< root mean squares, in log E, of the exponential and the power law
  double until = 0;                         ///< T: end of the run, or where the error had reached `saturated`
};

/// Takes relative errors one by one. O(1) memory: up to 64 intervals of equal length, each with its largest error; two
/// become one where there would be more.
class GrowthWatch {
 public:
  static constexpr double saturated = 0.1;  ///< errors from here on say nothing about growth: the rest is left out
  static constexpr double rounding = 1e-13;

  /// t > 0, ascending.
  void add(double t, double error);
  GrowthLaw law() const;

 private:
  static constexpr std::size_t most = 64;

  struct Interval {
    double end, largest;  ///< last time in it, largest error in it
  };
  std::vector<Interval> intervals_;
  double length_ = 0;
  bool over_ = false;
};

}  // namespace gnomon::validation
