#pragma once
/// \file
/// Direct solution of a sparse system without allocation: unknowns in reverse Cuthill-McKee order, then LU with partial
/// pivoting inside the band. O(n b^2) for bandwidth b: linear in n for chains, a dense LU where the pattern is dense.

#include <algorithm>
#include <cmath>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/solve/band_order.hpp"

namespace gnomon::kernels {

class BandedLU {
 public:
  BandedLU() = default;
  explicit BandedLU(const SparsityPattern& pattern) : n_(pattern.rows) {
    places_ = reverse_cuthill_mckee(pattern);
    measure(pattern);
    band_.setZero(3 * width_ + 1, n_);
    pivots_.resize(static_cast<std::size_t>(n_));
    permuted_.setZero(n_);
  }

  Index bandwidth() const { return width_; }
  /// The half bandwidth that a pattern would have, without allocating the band.
  static Index bandwidth_of(const SparsityPattern& pattern) {
    BandedLU ordered;
    ordered.n_ = pattern.rows;
    ordered.places_ = reverse_cuthill_mckee(pattern);
    ordered.measure(pattern);
    return ordered.width_;
  }
  /// The column without a pivot, after factorise() returned false.
  Index singular_column() const { return singular_; }
  void clear() { band_.setZero(); }
  /// Entry (i, j) of the matrix, inside the pattern.
  void add(Index i, Index j, double value) { entry(place(i), place(j)) += value; }

  /// False where the matrix is singular.
  bool factorise() {
    Index last = 0;  // last column that a pivot row reaches
    for (Index j = 0; j < n_; ++j) {
      const Index below = std::min(width_, n_ - 1 - j);
      Index p = j;
      for (Index i = j + 1; i <= j + below; ++i)
        if (std::abs(entry(i, j)) > std::abs(entry(p, j))) p = i;
      pivots_[static_cast<std::size_t>(j)] = p;
      if (!(std::abs(entry(p, j)) > 0)) {
        singular_ = std::find(places_.begin(), places_.end(), j) - places_.begin();
        return false;
      }
      last = std::max(last, std::min(p + width_, n_ - 1));
      if (p != j)
        for (Index c = j; c <= last; ++c) std::swap(entry(p, c), entry(j, c));
      auto factors = band_.col(j).segment(2 * width_ + 1, below);
      factors /= entry(j, j);
      for (Index c = j + 1; c <= last; ++c)
        band_.col(c).segment(2 * width_ + j + 1 - c, below) -= entry(j, c) * factors;
    }
    return true;
  }

  void solve(VectorRef x) {
    for (Index i = 0; i < n_; ++i) permuted_[place(i)] = x[i];
    for (Index j = 0; j < n_; ++j) {
      std::swap(permuted_[j], permuted_[pivots_[static_cast<std::size_t>(j)]]);
      const Index below = std::min(width_, n_ - 1 - j);
      permuted_.segment(j + 1, below) -= permuted_[j] * band_.col(j).segment(2 * width_ + 1, below);
    }
    for (Index j = n_ - 1; j >= 0; --j) {
      permuted_[j] /= entry(j, j);
      const Index above = std::min(2 * width_, j);
      permuted_.segment(j - above, above) -= permuted_[j] * band_.col(j).segment(2 * width_ - above, above);
    }
    for (Index i = 0; i < n_; ++i) x[i] = permuted_[place(i)];
  }

 private:
  Index place(Index i) const { return places_[static_cast<std::size_t>(i)]; }
  /// Pivoting fills up to width_ more diagonals above.
  double& entry(Index i, Index j) { return band_(2 * width_ + i - j, j); }

  void measure(const SparsityPattern& pattern) {
    for (Index i = 0; i < n_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        width_ = std::max(width_, std::abs(place(i) - place(pattern.indices[k])));
  }

  Index n_ = 0, width_ = 0, singular_ = 0;
  std::vector<Index> places_, pivots_;
  Matrix band_;
  Vector permuted_;
};

}  // namespace gnomon::kernels
