#pragma once
/// \file
/// A = L L^T of a sparse symmetric positive definite matrix, without allocation: unknowns in reverse Cuthill-McKee
/// order, the lower half of the band only. n b (b + 1) multiplications for the half bandwidth b, 2 n b a solve.

#include <algorithm>
#include <cmath>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/solve/band_order.hpp"

namespace gnomon::kernels {

class BandedCholesky {
 public:
  BandedCholesky() = default;
  explicit BandedCholesky(const SparsityPattern& pattern) : n_(pattern.rows), places_(reverse_cuthill_mckee(pattern)) {
    for (Index i = 0; i < n_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        width_ = std::max(width_, std::abs(place(i) - place(pattern.indices[k])));
    band_.setZero(width_ + 1, n_);
    permuted_.setZero(n_);
  }

  void clear() { band_.setZero(); }
  /// Entry (i, j) of the matrix, inside the pattern. Of (i, j) and (j, i) one is taken.
  void add(Index i, Index j, double value) {
    if (place(i) >= place(j)) band_(place(i) - place(j), place(j)) += value;
  }

  /// False where the matrix is not positive definite.
  bool factorise() {
    for (Index j = 0; j < n_; ++j) {
      if (!(band_(0, j) > 0)) return false;
      const Index below = std::min(width_, n_ - 1 - j);
      band_(0, j) = std::sqrt(band_(0, j));
      band_.col(j).segment(1, below) /= band_(0, j);
      for (Index c = 1; c <= below; ++c)
        band_.col(j + c).head(below + 1 - c) -= band_(c, j) * band_.col(j).segment(c, below + 1 - c);
    }
    return true;
  }

  void solve(VectorRef x) {
    for (Index i = 0; i < n_; ++i) permuted_[place(i)] = x[i];
    for (Index j = 0; j < n_; ++j) {
      const Index below = std::min(width_, n_ - 1 - j);
      permuted_[j] /= band_(0, j);
      permuted_.segment(j + 1, below) -= permuted_[j] * band_.col(j).segment(1, below);
    }
    for (Index j = n_ - 1; j >= 0; --j) {
      const Index below = std::min(width_, n_ - 1 - j);
      permuted_[j] = (permuted_[j] - band_.col(j).segment(1, below).dot(permuted_.segment(j + 1, below))) / band_(0, j);
    }
    for (Index i = 0; i < n_; ++i) x[i] = permuted_[place(i)];
  }

 private:
  Index place(Index i) const { return places_[static_cast<std::size_t>(i)]; }

  Index n_ = 0, width_ = 0;
  std::vector<Index> places_;
  Matrix band_;
  Vector permuted_;
};

}  // namespace gnomon::kernels
