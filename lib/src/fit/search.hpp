#pragma once
/// \file
/// The search for the least sum of squares, with the errors of columns estimated where they are not known.

#include <string>
#include <vector>

#include "fit/fitted_motion.hpp"

namespace gnomon {

/// Where a search ended.
struct Found {
  Vector x, y;                 ///< what was sought; the motion at the measured values, in the units of the columns
  Matrix by;                   ///< dy/dx
  Vector sigma;                ///< one a column
  std::vector<char> at_bound;  ///< one a parameter: -1 its minimum, 1 its maximum, 0 neither
  bool converged = false;
  std::string message;
  int iterations = 0;
};

/// Throws Error(refused) where there is no motion with derivatives where the search begins.
Found search(FittedMotion& motion, const FitSetup& setup);

/// Residuals of a column.
struct OfColumn {
  double sum_of_squares = 0;
  double size = 0;  ///< standard deviation of what was measured
  long count = 0;
};
std::vector<OfColumn> columns_of(const FittedMotion& motion, std::size_t columns, const Vector& y);

}  // namespace gnomon
