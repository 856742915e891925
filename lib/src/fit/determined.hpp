#pragma once
/// \file
/// Parameters that data determine where a search has ended, and how wide intervals are where the errors of columns are
/// estimated, each from its own residuals.

#include <vector>

#include "fit/identified.hpp"
#include "fit/search.hpp"

namespace gnomon {

struct Determined {
  std::vector<Index> moves;  ///< parameters that are held at no bound
  Matrix jacobian;           ///< of the residuals in units of sigma by them
  Identified identified;
  Vector freedom;  ///< one a column: its values less their leverages, which are the diagonal of J C J^T
};
/// With the derivatives, sigma and bounds of `found`.
Determined determine(const FittedMotion& motion, const Found& found);

/// The numbers are linear in the parameters that move, u = L s, with a_c what column c gives of the variance of u,
/// w_c = a_c/(sum of all) and f_c the freedom of a column whose sigma is estimated:
///
///     variance    C_uu (1 + 4 sum w_c (1 - w_c)/f_c)        estimated weights (Meier, Biometrics 9, 1953, 59)
///     freedom     (sum a_c)^2 / sum a_c^2/f_c               (Satterthwaite, Biometrics Bulletin 2, 1946, 110)
///
/// With one column both are what they are without: 1, and its values less the determined directions.
struct Widths {
  Vector growth;  ///< of the variance
  Vector factor;  ///< q of the interval of 95 %; NaN without freedom
};
Widths widths_of(const Determined& determined, const FittedMotion& motion, const Matrix& L,
                 const std::vector<bool>& sigma_given);

}  // namespace gnomon
