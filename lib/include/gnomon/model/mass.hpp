#pragma once
/// \file
/// Constant mass matrix: diagonal, dense or sparse, symmetric positive definite.

#include <memory>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// M of T = p^T M^-1 p / 2. Construction factorises; apply and solve do not allocate.
class GNOMON_EXPORT Mass {
 public:
  /// All of these throw Error(bad_value) when the matrix is not symmetric positive definite and finite.
  static Mass diagonal(const Vector& entries);
  static Mass dense(const Matrix& matrix);
  static Mass sparse(const SparsityPattern& pattern, const Vector& values);

  Index size() const { return diagonal_.size(); }
  bool is_diagonal() const { return factor_ == nullptr; }
  /// M as pattern and values, whatever its kind.
  const SparsityPattern& pattern() const { return pattern_; }
  const Vector& values() const { return values_; }
  /// diag(M), the scale of each coordinate.
  const Vector& diagonal_entries() const { return diagonal_; }

  void apply(const ConstVectorRef& v, VectorRef out) const;  ///< out = M v
  void solve(const ConstVectorRef& p, VectorRef out) const;  ///< out = M^-1 p

  struct Factor;

 private:
  Mass() = default;
  SparsityPattern pattern_;
  Vector values_, diagonal_;
  std::shared_ptr<const Factor> factor_;  // null for a diagonal matrix
};

}  // namespace gnomon
