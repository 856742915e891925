#pragma once
/// \file
/// LU factors of a small dense matrix, for what is not done in every step: Eigen's decomposition, compiled once.

#include <memory>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// P A = L U with partial pivoting. Allocates.
class GNOMON_EXPORT DenseLu {
 public:
  explicit DenseLu(const Matrix& a);
  ~DenseLu();
  /// A^-1 b; not finite where A is singular.
  Vector solve(const Vector& b) const;
  Matrix solve(const Matrix& b) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace gnomon
