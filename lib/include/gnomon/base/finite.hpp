#pragma once
/// \file
/// Whether a vector holds neither infinities nor NaN, at the speed of a sum.

#include "gnomon/base/types.hpp"

namespace gnomon {

/// 0 x is 0 for every finite x and NaN for all others, and NaN stays in a sum. (Eigen's allFinite tests one entry after
/// the other, at several times the cost of whatever filled the vector.)
template <class Derived>
bool all_finite(const Eigen::DenseBase<Derived>& x) {
  return x.size() == 0 || (x.derived().array() * 0).sum() == 0;
}

}  // namespace gnomon
