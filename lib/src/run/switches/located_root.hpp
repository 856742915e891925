#pragma once
/// \file
/// Where in a step a function of the state vanishes, to the rounding of the step. Private to the core.

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <utility>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

/// A root of f in [a, b], 0 <= a, f(a) > 0 > f(b), as an interval of rounding: the side where f >= 0 comes first.
template <class F>
std::pair<double, double> located_root(double a, double fa, double b, double fb, F&& f) {
  const double resolution = thresholds::resolved_root * b;
  const auto close = [&](double left, double right) { return right - left <= resolution; };
  std::uintmax_t evaluations = 100;
  return boost::math::tools::toms748_solve(f, a, b, fa, fb, close, evaluations);
}

}  // namespace gnomon
