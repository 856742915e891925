#include "gnomon/base/sparse_cholesky.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

void count_to_offsets(std::vector<Index>& counts) {
  Index sum = 0;
  for (Index& count : counts) sum += std::exchange(count, sum);
}

}  // namespace

SparseCholesky::SparseCholesky(const SparsityPattern& pattern) {
  order(pattern);
  place_entries(pattern);
  analyse();
  l_.setZero(nonzeros());
  pivots_.setZero(pattern.rows);
  work_.setZero(pattern.rows);
}

void SparseCholesky::order(const SparsityPattern& pattern) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index e = pattern.offsets[at(i)]; e < pattern.offsets[at(i) + 1]; ++e)
      if (const Index j = pattern.indices[at(e)]; j <= i)
        for (const auto& [row, column] : {std::pair(i, j), std::pair(j, i)})
          entries.emplace_back(static_cast<int>(row), static_cast<int>(column), 1.0);
  Eigen::SparseMatrix<double> full(pattern.rows, pattern.rows);
  full.setFromTriplets(entries.begin(), entries.end());
  Eigen::AMDOrdering<int>::PermutationType pivots;
  Eigen::AMDOrdering<int>()(full, pivots);
  unknowns_.assign(pivots.indices().begin(), pivots.indices().end());
  places_.resize(unknowns_.size());
  for (std::size_t k = 0; k < unknowns_.size(); ++k) places_[at(unknowns_[k])] = static_cast<int>(k);
}

void SparseCholesky::place_entries(const SparsityPattern& pattern) {
  const auto each = [&](const auto& visit) {
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index e = pattern.offsets[at(i)]; e < pattern.offsets[at(i) + 1]; ++e) {
        const Index j = pattern.indices[at(e)];
        if (j > i) continue;
        const auto [column, row] = std::minmax(places_[at(i)], places_[at(j)]);
        visit(row, column, static_cast<int>(e));
      }
  };
  of_a_.assign(at(pattern.rows) + 1, 0);
  a_diagonal_.assign(at(pattern.rows), 0);
  each([&](int row, int column, int e) {
    if (row == column)
      a_diagonal_[at(row)] = e;
    else
      ++of_a_[at(row)];
  });
  count_to_offsets(of_a_);
  a_columns_.resize(at(of_a_.back()));
  a_positions_.resize(at(of_a_.back()));
  Offsets next = of_a_;
  each([&](int row, int column, int e) {
    if (row == column) return;
    const std::size_t to = at(next[at(row)]++);
    a_columns_[to] = column;
    a_positions_[to] = e;
  });
}

/// Row k of L has the columns on the paths from those of row k of A to k in the elimination tree.
void SparseCholesky::analyse() {
  const Index n = static_cast<Index>(places_.size());
  std::vector<Index> parent(at(n), -1), seen(at(n), -1);
  of_columns_.assign(at(n) + 1, 0);
  of_rows_.assign(at(n) + 1, 0);
  for (Index k = 0; k < n; ++k) {
    seen[at(k)] = k;
    const std::size_t first = columns_.size();
    for (Index e = of_a_[at(k)]; e < of_a_[at(k) + 1]; ++e)
      for (Index i = a_columns_[at(e)]; seen[at(i)] != k; i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = k;
        seen[at(i)] = k;
        columns_.push_back(static_cast<int>(i));
        ++of_columns_[at(i)];
      }
    if (columns_.size() > at(std::numeric_limits<int>::max()))
      throw Error(ErrorCode::refused, "the factors of the constraints' matrix have more than 2^31 entries");
    std::sort(columns_.begin() + static_cast<std::ptrdiff_t>(first), columns_.end());
    of_rows_[at(k) + 1] = static_cast<Index>(columns_.size());
  }
  count_to_offsets(of_columns_);
  rows_.resize(columns_.size());
  positions_.resize(columns_.size());
  Offsets next = of_columns_;
  for (Index k = 0; k < n; ++k)
    for (Index e = of_rows_[at(k)]; e < of_rows_[at(k) + 1]; ++e) {
      Index& to = next[at(columns_[at(e)])];
      rows_[at(to)] = static_cast<int>(k);
      positions_[at(e)] = static_cast<int>(to++);
    }
}

bool SparseCholesky::factorise(const ConstVectorRef& values, double least_pivot) {
  const Index n = pivots_.size();
  double *const l = l_.data(), *const y = work_.data(), *const d = pivots_.data();
  const int* const rows = rows_.data();
  work_.setZero();
  for (Index k = 0; k < n; ++k) {
    for (Index e = of_a_[at(k)]; e < of_a_[at(k) + 1]; ++e) y[a_columns_[at(e)]] = values[a_positions_[at(e)]];
    const double diagonal = values[a_diagonal_[at(k)]];
    double pivot = diagonal;
    for (Index e = of_rows_[at(k)]; e < of_rows_[at(k) + 1]; ++e) {
      const int i = columns_[at(e)], to = positions_[at(e)];
      const double y_i = y[i], l_ki = y_i / d[i];
      y[i] = 0;
      for (Index p = of_columns_[at(i)]; p < to; ++p) y[rows[p]] -= l[p] * y_i;
      l[to] = l_ki;
      pivot -= l_ki * y_i;
    }
    if (!(pivot > least_pivot * diagonal)) return false;
    d[k] = pivot;
  }
  return true;
}

void SparseCholesky::solve(VectorRef x) const {
  const Index n = pivots_.size();
  const double* const l = l_.data();
  double* const y = work_.data();
  for (Index k = 0; k < n; ++k) y[k] = x[unknowns_[at(k)]];
  for (Index k = 0; k < n; ++k)
    for (Index p = of_columns_[at(k)]; p < of_columns_[at(k) + 1]; ++p) y[rows_[at(p)]] -= l[p] * y[k];
  work_.array() /= pivots_.array();
  for (Index k = n - 1; k >= 0; --k) {
    double sum = y[k];
    for (Index p = of_columns_[at(k)]; p < of_columns_[at(k) + 1]; ++p) sum -= l[p] * y[rows_[at(p)]];
    y[k] = sum;
  }
  for (Index k = 0; k < n; ++k) x[unknowns_[at(k)]] = y[k];
}

}  // namespace gnomon
