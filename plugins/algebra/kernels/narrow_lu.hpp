#pragma once
/// \file
/// LU with partial pivoting of a matrix with W diagonals on either side of the main one, W known to the compiler: O(n)
/// with loops of fixed length. Rows are kept with their first column in front (Martin, Wilkinson, Numer. Math. 9 (1967)
/// 279-301); W rows of zeros after the last one take the place of a test for the end.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon::kernels {

template <int W>
class NarrowLU {
 public:
  explicit NarrowLU(const SparsityPattern& pattern) : pattern_(&pattern), n_(at(pattern.rows)) {
    rows_.resize(n_ + W);
    lower_.resize(n_);
    swaps_.resize(n_);
  }

  /// values on the pattern. False where the matrix is singular.
  bool factorise(const double* values) {
    read(values);
    smallest_ = largest_ = std::abs(rows_[0][0]);
    for (std::size_t k = 0; k < n_; ++k) {
      int pivot = 0;
      for (int i = 1; i <= W; ++i)
        if (std::abs(rows_[k + at(i)][0]) > std::abs(rows_[k + at(pivot)][0])) pivot = i;
      swaps_[k] = pivot;
      if (pivot > 0) std::swap(rows_[k], rows_[k + at(pivot)]);
      Row& top = rows_[k];
      const double size = std::abs(top[0]);
      if (!(size > 0)) return singular_ = k, false;
      smallest_ = std::min(smallest_, size);
      largest_ = std::max(largest_, size);
      top[0] = 1 / top[0];
      for (int i = 1; i <= W; ++i) {
        Row& row = rows_[k + at(i)];
        const double factor = row[0] * top[0];
        lower_[k][at(i) - 1] = factor;
        for (std::size_t j = 1; j < width; ++j) row[j - 1] = row[j] - factor * top[j];
        row[width - 1] = 0;
      }
      for (std::size_t j = 1; j < width; ++j) top[j] *= top[0];
    }
    return true;
  }

  /// The entries that a step reads of those before it stay in registers: what a step waits for is a product and a
  /// difference.
  void solve(VectorRef x) const {
    double* const v = x.data();
    std::array<double, W + 1> next;
    for (std::size_t i = 0; i <= W; ++i) next[i] = i < n_ ? v[i] : 0;
    for (std::size_t k = 0; k < n_; ++k) {
      for (std::size_t i = 1; i <= W; ++i)
        if (swaps_[k] == static_cast<int>(i)) std::swap(next[0], next[i]);
      const double now = v[k] = next[0];
      for (std::size_t i = 1; i <= W; ++i) next[i - 1] = next[i] - lower_[k][i - 1] * now;
      next[W] = k + W + 1 < n_ ? v[k + W + 1] : 0;
    }
    std::array<double, width - 1> known{};
    for (std::size_t k = n_; k-- > 0;) {
      const Row& row = rows_[k];
      double sum = v[k] * row[0];
      for (std::size_t j = width; --j > 0;) sum -= row[j] * known[j - 1];  // the newest entry last
      for (std::size_t j = width - 1; --j > 0;) known[j] = known[j - 1];
      v[k] = known[0] = sum;
    }
  }

  /// Of the last factorisation.
  double pivot_ratio() const { return largest_ > 0 ? smallest_ / largest_ : 1; }
  /// The column without a pivot, after factorise() returned false.
  Index singular_column() const { return static_cast<Index>(singular_); }

 private:
  static constexpr std::size_t width = 2 * W + 1;
  using Row = std::array<double, width>;
  template <class I>
  static std::size_t at(I i) {
    return static_cast<std::size_t>(i);
  }

  void read(const double* values) {
    const Index *const offset = pattern_->offsets.data(), *const column = pattern_->indices.data();
    for (std::size_t i = 0; i < n_; ++i) {
      rows_[i].fill(0);
      const Index first = std::max<Index>(0, static_cast<Index>(i) - W);
      for (Index k = offset[i]; k < offset[i + 1]; ++k) rows_[i][at(column[k] - first)] = values[k];
    }
    for (std::size_t i = n_; i < n_ + W; ++i) rows_[i].fill(0);
  }

  const SparsityPattern* pattern_;
  std::size_t n_, singular_ = 0;
  double smallest_ = 0, largest_ = 0;
  std::vector<Row> rows_;  // of U, each by its pivot, the reciprocal of which is in front
  std::vector<std::array<double, W>> lower_;
  std::vector<int> swaps_;
};

}  // namespace gnomon::kernels
