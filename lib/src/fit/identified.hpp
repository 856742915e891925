#pragma once
/// \file
/// Directions of parameters that data determine, by the singular values of the derivatives of what is left.

#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// With J = U S V^T D, D the lengths of its columns: directions of parameters whose singular value is rounding are not
/// determined, and on the others C = D^-1 V S^-2 V^T D^-1. A column that is shorter than rounding of `size` makes, of
/// which the data show nothing, is one of those directions.
struct Identified {
  Matrix covariance;       ///< parameters x parameters, on what is determined
  Matrix directions;       ///< of parameters, a column each: what is not determined, with as many zeros as there can be
  Vector leverages;        ///< of the rows: the diagonal of J C J^T
  Vector singular_values;  ///< of J D^-1, the largest first; zero for a column that is rounding
  Index rank = 0;
};

/// jacobian: values x parameters. sizes: one a parameter, a change that is large. size: |y| of what was measured, in
/// the units of the rows.
Identified identify(const Matrix& jacobian, const Vector& sizes, double size);

/// q of an interval of 95 %: of Student's t with so many degrees of freedom, which is the normal distribution for
/// infinitely many; NaN for none.
double interval_factor(double degrees_of_freedom);

/// The probability of a larger sum of squares.
double probability_of_larger(double chi_squared, long degrees_of_freedom);

}  // namespace gnomon
