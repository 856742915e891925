#include "gnomon/base/sparse_cholesky.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <limits>
#include <vector>

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

struct SparseCholesky::Analysis {
  /// Columns of L, or rows of it or of A.
  using Offsets = std::vector<Index>;

  explicit Analysis(const SparsityPattern& pattern) {
    order(pattern);
    place_entries(pattern);
    analyse();
  }

  std::vector<int> places, unknowns;  // unknown -> its pivot, and back
  // The lower half of P A P^T: of row k the columns before k and where their values are.
  Offsets of_a;
  std::vector<int> a_columns, a_positions, a_diagonal;
  // L: of column j the rows after it, and of row k the columns before it with their positions among the former.
  Offsets of_columns, of_rows;
  std::vector<int> rows, columns, positions;

 private:
  void order(const SparsityPattern& pattern);
  void place_entries(const SparsityPattern& pattern);
  void analyse();
};

SparseCholesky::SparseCholesky(const SparsityPattern& pattern) : analysis_(std::make_shared<Analysis>(pattern)) {
  l_.setZero(static_cast<Index>(analysis_->rows.size()));
  pivots_.setZero(pattern.rows);
  work_.setZero(pattern.rows);
}

void SparseCholesky::Analysis::order(const SparsityPattern& pattern) {
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
  unknowns.assign(pivots.indices().begin(), pivots.indices().end());
  places.resize(unknowns.size());
  for (std::size_t k = 0; k < unknowns.size(); ++k) places[at(unknowns[k])] = static_cast<int>(k);
}

void SparseCholesky::Analysis::place_entries(const SparsityPattern& pattern) {
  const auto each = [&](const auto& visit) {
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index e = pattern.offsets[at(i)]; e < pattern.offsets[at(i) + 1]; ++e) {
        const Index j = pattern.indices[at(e)];
        if (j > i) continue;
        const auto [column, row] = std::minmax(places[at(i)], places[at(j)]);
        visit(row, column, static_cast<int>(e));
      }
  };
  of_a.assign(at(pattern.rows) + 1, 0);
  a_diagonal.assign(at(pattern.rows), 0);
  each([&](int row, int column, int e) {
    if (row == column)
      a_diagonal[at(row)] = e;
    else
      ++of_a[at(row)];
  });
  count_to_offsets(of_a);
  a_columns.resize(at(of_a.back()));
  a_positions.resize(at(of_a.back()));
  Offsets next = of_a;
  each([&](int row, int column, int e) {
    if (row == column) return;
    const std::size_t to = at(next[at(row)]++);
    a_columns[to] = column;
    a_positions[to] = e;
  });
}

/// Row k of L has the columns on the paths from those of row k of A to k in the elimination tree.
void SparseCholesky::Analysis::analyse() {
  const Index n = static_cast<Index>(places.size());
  std::vector<Index> parent(at(n), -1), seen(at(n), -1);
  of_columns.assign(at(n) + 1, 0);
  of_rows.assign(at(n) + 1, 0);
  for (Index k = 0; k < n; ++k) {
    seen[at(k)] = k;
    const std::size_t first = columns.size();
    for (Index e = of_a[at(k)]; e < of_a[at(k) + 1]; ++e)
      for (Index i = a_columns[at(e)]; seen[at(i)] != k; i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = k;
        seen[at(i)] = k;
        columns.push_back(static_cast<int>(i));
        ++of_columns[at(i)];
      }
    if (columns.size() > at(std::numeric_limits<int>::max()))
      throw Error(ErrorCode::refused, "the factors of the constraints' matrix have more than 2^31 entries");
    std::sort(columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end());
    of_rows[at(k) + 1] = static_cast<Index>(columns.size());
  }
  count_to_offsets(of_columns);
  rows.resize(columns.size());
  positions.resize(columns.size());
  Offsets next = of_columns;
  for (Index k = 0; k < n; ++k)
    for (Index e = of_rows[at(k)]; e < of_rows[at(k) + 1]; ++e) {
      Index& to = next[at(columns[at(e)])];
      rows[at(to)] = static_cast<int>(k);
      positions[at(e)] = static_cast<int>(to++);
    }
}

bool SparseCholesky::factorise(const ConstVectorRef& values, double least_pivot) {
  const Analysis& analysis = *analysis_;
  const Index n = pivots_.size();
  double *const l = l_.data(), *const y = work_.data(), *const d = pivots_.data();
  const int* const rows = analysis.rows.data();
  work_.setZero();
  for (Index k = 0; k < n; ++k) {
    for (Index e = analysis.of_a[at(k)]; e < analysis.of_a[at(k) + 1]; ++e)
      y[analysis.a_columns[at(e)]] = values[analysis.a_positions[at(e)]];
    const double diagonal = values[analysis.a_diagonal[at(k)]];
    double pivot = diagonal;
    for (Index e = analysis.of_rows[at(k)]; e < analysis.of_rows[at(k) + 1]; ++e) {
      const int i = analysis.columns[at(e)], to = analysis.positions[at(e)];
      const double y_i = y[i], l_ki = y_i / d[i];
      y[i] = 0;
      for (Index p = analysis.of_columns[at(i)]; p < to; ++p) y[rows[p]] -= l[p] * y_i;
      l[to] = l_ki;
      pivot -= l_ki * y_i;
    }
    if (!(pivot > least_pivot * diagonal)) return false;
    d[k] = pivot;
  }
  return true;
}

void SparseCholesky::solve(VectorRef x) {
  const Analysis& analysis = *analysis_;
  const Index n = pivots_.size();
  const int *const unknowns = analysis.unknowns.data(), *const rows = analysis.rows.data();
  const Index* const first = analysis.of_columns.data();
  const double* const l = l_.data();
  double* const y = work_.data();
  for (Index k = 0; k < n; ++k) y[k] = x[unknowns[k]];
  for (Index k = 0; k < n; ++k) {
    const double y_k = y[k];
    for (Index p = first[k]; p < first[k + 1]; ++p) y[rows[p]] -= l[p] * y_k;
  }
  work_.array() /= pivots_.array();
  for (Index k = n - 1; k >= 0; --k) {
    double sum = y[k];
    for (Index p = first[k]; p < first[k + 1]; ++p) sum -= l[p] * y[rows[p]];
    y[k] = sum;
  }
  for (Index k = 0; k < n; ++k) x[unknowns[k]] = y[k];
}

}  // namespace gnomon
