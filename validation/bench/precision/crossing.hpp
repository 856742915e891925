#pragma once
/// \file
/// What a wanted error costs, from runs at other errors.

#include <limits>
#include <vector>

namespace gnomon::bench {

struct RunPoint {
  double error, seconds, parameter;  ///< a step or a tolerance
};

/// The least time for an error, and its parameter: over the runs that undercut it, and over the straight lines in the
/// logarithms of error, time and parameter between neighbours of which the first is above the error and the second is
/// not. Infinite where none is.
struct Crossing {
  double seconds = std::numeric_limits<double>::infinity(), parameter = 0;
  bool found() const { return seconds < std::numeric_limits<double>::infinity(); }
};
Crossing crossing(double error, const std::vector<RunPoint>& runs);

}  // namespace gnomon::bench
