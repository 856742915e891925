#pragma once
/// \file
/// Of a vector: whether it holds neither infinities nor NaN, at the speed of a sum, and its largest entry.

#include "gnomon/base/types.hpp"

namespace gnomon {

/// 0 x is 0 for every finite x and NaN for all others, and NaN stays in a sum. (Eigen's allFinite tests one entry after
/// the other, at several times the cost of whatever filled the vector.)
template <class Derived>
bool all_finite(const Eigen::DenseBase<Derived>& x) {
  return x.size() == 0 || (x.derived().array() * 0).sum() == 0;
}

/// max |v_i|, 0 without entries
template <class Derived>
double max_norm(const Eigen::MatrixBase<Derived>& v) {
  return v.size() ? v.template lpNorm<Eigen::Infinity>() : 0;
}

}  // namespace gnomon
