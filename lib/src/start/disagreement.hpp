#pragma once
/// \file
/// A formula against another one or against differences, over several points. Private to the core.

#include <algorithm>
#include <cmath>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// The largest disagreement seen, relative to the largest value seen.
class Disagreement {
 public:
  void compare(const Vector& formula, const Vector& check) {
    if (formula.size() == 0) return;
    if (!formula.allFinite() || !check.allFinite()) finite_ = false;
    error_ = std::max(error_, (formula - check).lpNorm<Eigen::Infinity>());
    scale_ = std::max({scale_, formula.lpNorm<Eigen::Infinity>(), check.lpNorm<Eigen::Infinity>()});
  }
  void compare(double formula, double check) { compare(Vector::Constant(1, formula), Vector::Constant(1, check)); }
  /// For quantities that vanish: their scale comes from elsewhere.
  void scale_with(double scale) { scale_ = std::max(scale_, std::abs(scale)); }
  double relative() const { return !finite_ ? NAN : scale_ > 0 ? error_ / scale_ : error_; }

 private:
  double error_ = 0, scale_ = 0;
  bool finite_ = true;
};

}  // namespace gnomon
