#include "kernels/common/pivoted_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gnomon::kernels {

PivotedCholesky::PivotedCholesky(Index size) : order_(static_cast<std::size_t>(size)) {
  a_.setZero(size, size);
  scale_.setZero(size);
  x_.setZero(size);
}

Index PivotedCholesky::factorise(Index most) {
  constexpr double rounding = 1e-13;
  const Index size = a_.rows();
  for (Index i = 0; i < size; ++i) {
    order_[i] = i;
    if (!std::isfinite(a_(i, i))) return -1;
    scale_[i] = a_(i, i) > 0 ? 1 / std::sqrt(a_(i, i)) : 0;
  }
  for (Index j = 0; j < size; ++j)
    for (Index i = j; i < size; ++i) {
      a_(i, j) *= scale_[i] * scale_[j];
      a_(j, i) = a_(i, j);
    }
  for (rank_ = 0; rank_ < std::min(size, most); ++rank_) {
    const Index k = rank_;
    Index largest = k;
    for (Index i = k; i < size; ++i)
      if (a_(i, i) > a_(largest, largest)) largest = i;
    if (!(a_(largest, largest) > rounding)) break;
    a_.row(k).swap(a_.row(largest));
    a_.col(k).swap(a_.col(largest));
    std::swap(order_[k], order_[largest]);
    const double pivot = std::sqrt(a_(k, k));
    a_(k, k) = pivot;
    for (Index i = k + 1; i < size; ++i) a_(i, k) /= pivot;
    for (Index j = k + 1; j < size; ++j)
      for (Index i = k + 1; i < size; ++i) a_(i, j) -= a_(i, k) * a_(j, k);
  }
  return rank_;
}

void PivotedCholesky::solve(VectorRef x) const {
  for (Index i = 0; i < rank_; ++i) {
    double sum = scale_[order_[i]] * x[order_[i]];
    for (Index j = 0; j < i; ++j) sum -= a_(i, j) * x_[j];
    x_[i] = sum / a_(i, i);
  }
  for (Index i = rank_ - 1; i >= 0; --i) {
    for (Index j = i + 1; j < rank_; ++j) x_[i] -= a_(j, i) * x_[j];
    x_[i] /= a_(i, i);
  }
  x.setZero();
  for (Index i = 0; i < rank_; ++i) x[order_[i]] = scale_[order_[i]] * x_[i];
}

}  // namespace gnomon::kernels
