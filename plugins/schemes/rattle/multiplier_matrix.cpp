#include "rattle/multiplier_matrix.hpp"

namespace gnomon::kernels {

bool MultiplierMatrix::suits(const System& system) {
  if (system.m() == 0 || system.parts().mass || !system.mass().is_diagonal()) return false;
  return !couplings(system, saddle_entries(system)).empty();
}

MultiplierMatrix::MultiplierMatrix(const System& system) : system_(&system) {
  const SparsityPattern& g = system.constraint_pattern();
  pattern_ = SparsityPattern::from_entries(g.rows, g.rows, couplings(system, g.rows * g.rows));
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = pattern_.offsets[i]; e < pattern_.offsets[i + 1]; ++e)
      add_runs(g, i, pattern_.indices[e], static_cast<int>(e));
  weighed_.setZero(g.nonzeros());
}

void MultiplierMatrix::weigh(double factor, const Vector& right) {
  const Index* const column = system_->constraint_pattern().indices.data();
  const double *const mass = system_->mass().diagonal_entries().data(), *const from = right.data();
  double* const to = weighed_.data();
  OverMass<double> weight(factor);
  for (Index k = 0, count = weighed_.size(); k < count; ++k) to[k] = from[k] * weight(mass[column[k]]);
}

void MultiplierMatrix::assemble(const Vector& left, VectorRef values) const {
  const double *const a = left.data(), *const b = weighed_.data();
  double* const to = values.data();
  values.setZero();
  for (const Run& run : runs_) to[run.entry] += dot(run, a + run.left, b + run.right);
}

MultiplierMatrix::Entries MultiplierMatrix::couplings(const System& system, Index most) {
  const SparsityPattern& g = system.constraint_pattern();
  std::vector<Index> begin(at(g.cols) + 1, 0), rows(at(g.nonzeros()));
  for (const Index j : g.indices) ++begin[at(j) + 1];
  for (std::size_t j = 0; j < at(g.cols); ++j) begin[j + 1] += begin[j];
  std::vector<Index> next(begin.begin(), begin.end() - 1), seen(at(g.rows), -1);
  for (Index i = 0; i < g.rows; ++i)
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) rows[at(next[at(g.indices[k])]++)] = i;
  Entries entries;
  const auto couple = [&](Index i, Index l) {
    if (seen[at(l)] == i) return;
    seen[at(l)] = i;
    entries.emplace_back(i, l);
  };
  for (Index i = 0; i < g.rows; ++i) {
    couple(i, i);
    for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
      const std::size_t j = at(g.indices[k]);
      for (Index r = begin[j]; r < begin[j + 1]; ++r) couple(i, rows[at(r)]);
    }
    if (static_cast<Index>(entries.size()) > most) return {};
  }
  return entries;
}

void MultiplierMatrix::add_runs(const SparsityPattern& g, Index i, Index l, int e) {
  Index a = g.offsets[i], b = g.offsets[l];
  bool adjacent = false;
  while (a < g.offsets[i + 1] && b < g.offsets[l + 1]) {
    const Index left = g.indices[a], right = g.indices[b];
    if (left != right) {
      ++(left < right ? a : b);
      adjacent = false;
      continue;
    }
    if (adjacent)
      ++runs_.back().length;
    else
      runs_.push_back({static_cast<int>(a), static_cast<int>(b), 1, e});
    adjacent = true;
    ++a, ++b;
  }
}

}  // namespace gnomon::kernels
