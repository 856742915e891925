#pragma once
/// \file
/// Nonlinear least squares with bounds,
///
///     min |r(x)|^2/2,        lower <= x <= upper
///
/// by an interface, so that what minimises is a module of its own: Ceres Solver (Agarwal, Mierle and the Ceres Solver
/// team, ceres-solver.org) takes longer to load than all of Gnomon.

#include <functional>
#include <string>

#include "gnomon/base/types.hpp"

namespace gnomon {

struct LeastSquaresProblem {
  Vector start, lower, upper;  ///< of one length; the start is within the bounds, which may be infinite
  Index residuals = 0;
  /// r of `residuals` numbers and, unless it is null, J = dr/dx, residuals x unknowns. False: they have no value at x,
  /// and a step to x is rejected. It throws nothing.
  std::function<bool(const Vector& x, Vector& r, Matrix* jacobian)> evaluate;
  std::function<bool()> stop;  ///< asked after every iteration: true ends the search; empty: never
  int most_iterations = 100;
  double precision = 0;  ///< of the unknowns, a part of them: smaller steps end the search; 0: that of rounding
};

struct LeastSquaresSolution {
  Vector x;
  bool converged = false;
  int iterations = 0;
  std::string message;  ///< why it ended
};

class GNOMON_EXPORT LeastSquares {
 public:
  virtual ~LeastSquares() = default;
  virtual LeastSquaresSolution minimise(const LeastSquaresProblem& problem) const = 0;
};

/// Levenberg-Marquardt of Ceres Solver. Throws Error(refused) where its module, which is built with libceres-dev, is
/// not beside the library.
GNOMON_EXPORT const LeastSquares& ceres_least_squares();

}  // namespace gnomon
