#pragma once
/// \file
/// Which alpha-scheme a step is of (alpha_equations.hpp, alpha_multiplier.hpp).

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

struct AlphaRule {
  enum class Kind { unknown, end, augmented, penalty };
  struct Multiplier {
    Kind kind = Kind::unknown;
    double eps = 1;
    Index n_obstacles = 0;  ///< the last rows of g: one-sided
  };

  double alpha = 0.25;
  bool split_potential = false;  ///< U in quadratic invariants; else at most quadratic
  Multiplier multiplier;
};

}  // namespace gnomon::kernels
