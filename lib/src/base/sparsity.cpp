#include "gnomon/base/sparsity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

/// Throws Error(refused) for more entries than positions of 32 bits count, see BlockMap, and where the copies of a full
/// matrix that equations, their solver and its factors hold, 200 bytes an entry as measured, are more than the memory.
void require_room(Index rows, Index cols, double entries) {
  constexpr double most = std::numeric_limits<int>::max(), bytes_of_entry = 200, gibibyte = 1024. * 1024 * 1024;
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const bool full = entries > .25 * static_cast<double>(rows) * static_cast<double>(cols);
  if (entries <= most && !(full && memory > 0 && entries * bytes_of_entry > memory)) return;
  char text[200];
  if (entries > most)
    std::snprintf(text, sizeof text, "the matrix of the equations has %g entries, and at most 2^31 - 1 are possible",
                  entries);
  else
    std::snprintf(
        text, sizeof text,
        "the equations couple nearly all of %ld unknowns: their matrix takes about %.0f GiB of memory, and this "
        "machine has %.0f",
        static_cast<long>(rows), entries * bytes_of_entry / gibibyte, memory / gibibyte);
  throw Error(ErrorCode::refused, text);
}

}  // namespace

Index SparsityPattern::find(Index i, Index j) const {
  const auto first = indices.begin() + offsets[static_cast<std::size_t>(i)];
  const auto last = indices.begin() + offsets[static_cast<std::size_t>(i) + 1];
  const auto at = std::lower_bound(first, last, j);
  return at != last && *at == j ? at - indices.begin() : -1;
}

SparsityPattern SparsityPattern::dense(Index rows, Index cols) {
  require_room(rows, cols, static_cast<double>(rows) * static_cast<double>(cols));
  SparsityPattern p;
  p.rows = rows;
  p.cols = cols;
  p.offsets.assign(1, 0);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) p.indices.push_back(j);
    p.offsets.push_back(p.nonzeros());
  }
  return p;
}

SparsityPattern SparsityPattern::diagonal(Index n) {
  SparsityPattern p;
  p.rows = p.cols = n;
  p.offsets.resize(static_cast<std::size_t>(n) + 1);
  p.indices.resize(static_cast<std::size_t>(n));
  std::iota(p.offsets.begin(), p.offsets.end(), Index(0));
  std::iota(p.indices.begin(), p.indices.end(), Index(0));
  return p;
}

SparsityPattern SparsityPattern::from_entries(Index rows, Index cols,
                                              const std::vector<std::pair<Index, Index>>& entries) {
  // Counted into rows, and only then sorted: O(entries) for matrices with short rows, however many.
  const auto count = static_cast<std::size_t>(rows);
  std::vector<Index> starts(count + 1, 0);
  for (const auto& entry : entries) ++starts[static_cast<std::size_t>(entry.first) + 1];
  for (std::size_t i = 0; i < count; ++i) starts[i + 1] += starts[i];
  SparsityPattern p;
  p.rows = rows;
  p.cols = cols;
  p.offsets.resize(count + 1);
  p.indices.resize(entries.size());
  std::vector<Index> next(starts.begin(), starts.end() - 1);
  for (const auto& [i, j] : entries) p.indices[static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++)] = j;
  auto end = p.indices.begin();
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = p.indices.begin() + starts[i], last = p.indices.begin() + starts[i + 1];
    std::sort(first, last);
    p.offsets[i] = end - p.indices.begin();
    end = std::copy(first, std::unique(first, last), end);
  }
  p.offsets[count] = end - p.indices.begin();
  p.indices.erase(end, p.indices.end());
  p.indices.shrink_to_fit();
  require_room(rows, cols, static_cast<double>(p.nonzeros()));
  return p;
}

void PatternBuilder::add(const SparsityPattern& block, Index row, Index col, bool transposed) {
  for (Index i = 0; i < block.rows; ++i)
    for (Index k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
      if (transposed)
        add(row + block.indices[k], col + i);
      else
        add(row + i, col + block.indices[k]);
    }
}

BlockMap::BlockMap(const SparsityPattern& whole, const SparsityPattern& block, Index row, Index col, bool transposed) {
  positions_.reserve(block.indices.size());
  for (Index i = 0; i < block.rows; ++i)
    for (Index k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
      const Index j = block.indices[k];
      positions_.push_back(static_cast<int>(transposed ? whole.find(row + j, col + i) : whole.find(row + i, col + j)));
    }
}

// Through plain pointers: the compiler need not read them again after each entry of the result.

void multiply(const SparsityPattern& a, const ConstVectorRef& values, const ConstVectorRef& x, VectorRef out) {
  const Index *const offset = a.offsets.data(), *const index = a.indices.data(), rows = a.rows;
  const double *const value = values.data(), *const from = x.data();
  double* const to = out.data();
  Index k = 0;
  for (Index i = 0; i < rows; ++i) {
    double sum = 0;
    for (const Index end = offset[i + 1]; k < end; ++k) sum += value[k] * from[index[k]];
    to[i] = sum;
  }
}

void multiply_transposed(const SparsityPattern& a, const ConstVectorRef& values, const ConstVectorRef& y,
                         VectorRef out) {
  out.setZero();
  const Index *const offset = a.offsets.data(), *const index = a.indices.data(), rows = a.rows;
  const double *const value = values.data(), *const from = y.data();
  double* const to = out.data();
  Index k = 0;
  for (Index i = 0; i < rows; ++i) {
    const double yi = from[i];
    for (const Index end = offset[i + 1]; k < end; ++k) to[index[k]] += value[k] * yi;
  }
}

Matrix to_dense(const SparsityPattern& a, const ConstVectorRef& values) {
  Matrix m = Matrix::Zero(a.rows, a.cols);
  for (Index i = 0; i < a.rows; ++i)
    for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) m(i, a.indices[k]) = values[k];
  return m;
}

Colouring colour_columns(const SparsityPattern& pattern) {
  const auto n = static_cast<std::size_t>(pattern.cols);
  std::vector<std::vector<Index>> rows_of(n);
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      rows_of[static_cast<std::size_t>(pattern.indices[k])].push_back(i);

  Colouring c;
  c.colour_of.assign(n, -1);
  std::vector<Index> seen_by;  // colour -> last column that found it taken
  for (Index j = 0; j < pattern.cols; ++j) {
    for (const Index i : rows_of[static_cast<std::size_t>(j)])
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index colour = c.colour_of[static_cast<std::size_t>(pattern.indices[k])];
        if (colour >= 0) seen_by[static_cast<std::size_t>(colour)] = j;
      }
    Index colour = 0;
    while (colour < c.colours && seen_by[static_cast<std::size_t>(colour)] == j) ++colour;
    if (colour == c.colours) {
      ++c.colours;
      seen_by.push_back(-1);
      c.columns.emplace_back();
    }
    c.colour_of[static_cast<std::size_t>(j)] = colour;
    c.columns[static_cast<std::size_t>(colour)].push_back(j);
  }
  c.entries.resize(c.columns.size());
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      c.entries[static_cast<std::size_t>(c.colour_of[static_cast<std::size_t>(pattern.indices[k])])].push_back({i, k});
  return c;
}

}  // namespace gnomon
