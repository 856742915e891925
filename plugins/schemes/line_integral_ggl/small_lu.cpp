#include "line_integral_ggl/small_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gnomon::kernels {

void SmallLu::resize(Index size) {
  size_ = size;
  a_.setZero(size, size);
  order_.resize(static_cast<std::size_t>(size));
}

bool SmallLu::factorise() {
  double smallest = 0, largest = 0;
  for (Index j = 0; j < size_; ++j) {
    Index best = j;
    for (Index i = j + 1; i < size_; ++i)
      if (std::abs(a_(i, j)) > std::abs(a_(best, j))) best = i;
    order_[static_cast<std::size_t>(j)] = best;
    if (best != j) std::swap_ranges(row(j), row(j) + size_, row(best));
    const double* const from = row(j);
    const double pivot = from[j], size = std::abs(pivot);
    if (!(size > 0) || !std::isfinite(size)) return false;
    smallest = j == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    for (Index i = j + 1; i < size_; ++i) {
      double* const to = row(i);
      if (to[j] == 0) continue;
      const double factor = to[j] /= pivot;
      for (Index k = j + 1; k < size_; ++k) to[k] -= factor * from[k];
    }
  }
  pivot_ratio_ = largest > 0 ? smallest / largest : 1;
  return true;
}

void SmallLu::solve(double* x) const {
  for (Index j = 0; j < size_; ++j) std::swap(x[j], x[order_[static_cast<std::size_t>(j)]]);
  for (Index i = 1; i < size_; ++i) x[i] -= dot(i, 0, i, x);
  for (Index i = size_ - 1; i >= 0; --i) x[i] = (x[i] - dot(i, i + 1, size_, x)) / a_(i, i);
}

double SmallLu::dot(Index i, Index from, Index to, const double* x) const {
  const double* const a = a_.data() + i * size_;
  double sum = 0;
  for (Index k = from; k < to; ++k) sum += a[k] * x[k];
  return sum;
}

}  // namespace gnomon::kernels
