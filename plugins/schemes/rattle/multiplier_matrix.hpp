#pragma once
/// \file
/// A = a L M^-1 R^T (m x m) for a constant diagonal mass, L and R on the constraint pattern: the matrix of the
/// multipliers alone, tridiagonal for chains of rods.
///
///     A_il = a sum_j L_ij R_lj / m_j
///
/// O(m + products) time, no allocation.

#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

class MultiplierMatrix {
 public:
  /// Whether the mass is constant and diagonal, and A has no more entries than [M G^T; G 0], the matrix of positions
  /// and multipliers: constraints that share a coordinate are all coupled in A.
  static bool suits(const System& system) {
    if (system.m() == 0 || system.parts().mass || !system.mass().is_diagonal()) return false;
    return !couplings(system, saddle_entries(system)).empty();
  }

  explicit MultiplierMatrix(const System& system) : system_(&system) {
    const SparsityPattern& g = system.constraint_pattern();
    pattern_ = SparsityPattern::from_entries(g.rows, g.rows, couplings(system, g.rows * g.rows));
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = pattern_.offsets[at(i)]; e < pattern_.offsets[at(i) + 1]; ++e) {
        add_runs(g, i, pattern_.indices[at(e)]);
        runs_end_.push_back(static_cast<int>(runs_.size()));
      }
    weighed_.setZero(g.nonzeros());
  }

  const SparsityPattern& pattern() const { return pattern_; }

  /// values = A
  void assemble(double factor, const Vector& left, const Vector& right, VectorRef values) {
    const Index* const column = system_->constraint_pattern().indices.data();
    const double* const mass = system_->mass().diagonal_entries().data();
    for (Index k = 0; k < weighed_.size(); ++k) weighed_[k] = factor * right[k] / mass[column[k]];
    const double *const a = left.data(), *const b = weighed_.data();
    const Run* run = runs_.data();
    double* const to = values.data();
    for (std::size_t e = 0; e < runs_end_.size(); ++e) {
      double sum = 0;
      for (const Run* const end = runs_.data() + runs_end_[e]; run != end; ++run)
        sum = dot(*run, a + run->left, b + run->right, sum);
      to[e] = sum;
    }
  }

 private:
  using Entries = std::vector<std::pair<Index, Index>>;
  /// Products L_ij R_lj of consecutive entries of both.
  struct Run {
    int left, right, length;
  };
  /// sum + a.b; points in the plane and in space, one and two of them, with loops of fixed length
  static double dot(const Run& run, const double* a, const double* b, double sum) {
    const auto fixed = [&](auto length) {
      for (int k = 0; k < length; ++k) sum += a[k] * b[k];
      return sum;
    };
    if (run.length == 3) return fixed(std::integral_constant<int, 3>());
    if (run.length == 6) return fixed(std::integral_constant<int, 6>());
    if (run.length == 2) return fixed(std::integral_constant<int, 2>());
    if (run.length == 4) return fixed(std::integral_constant<int, 4>());
    return fixed(run.length);
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  static Index saddle_entries(const System& system) { return system.n() + 2 * system.constraint_pattern().nonzeros(); }

  /// The entries of A, each once, its diagonal too; none where they are more than `most`.
  static Entries couplings(const System& system, Index most) {
    const SparsityPattern& g = system.constraint_pattern();
    std::vector<Index> begin(at(g.cols) + 1, 0), rows(at(g.nonzeros()));
    for (const Index j : g.indices) ++begin[at(j) + 1];
    for (std::size_t j = 0; j < at(g.cols); ++j) begin[j + 1] += begin[j];
    std::vector<Index> next(begin.begin(), begin.end() - 1), seen(at(g.rows), -1);
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) rows[at(next[at(g.indices[at(k)])]++)] = i;
    Entries entries;
    const auto couple = [&](Index i, Index l) {
      if (seen[at(l)] == i) return;
      seen[at(l)] = i;
      entries.emplace_back(i, l);
    };
    for (Index i = 0; i < g.rows; ++i) {
      couple(i, i);
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) {
        const std::size_t j = at(g.indices[at(k)]);
        for (Index r = begin[j]; r < begin[j + 1]; ++r) couple(i, rows[at(r)]);
      }
      if (static_cast<Index>(entries.size()) > most) return {};
    }
    return entries;
  }

  /// The products that make A_il.
  void add_runs(const SparsityPattern& g, Index i, Index l) {
    Index a = g.offsets[at(i)], b = g.offsets[at(l)];
    bool adjacent = false;
    while (a < g.offsets[at(i) + 1] && b < g.offsets[at(l) + 1]) {
      const Index left = g.indices[at(a)], right = g.indices[at(b)];
      if (left != right) {
        ++(left < right ? a : b);
        adjacent = false;
        continue;
      }
      if (adjacent)
        ++runs_.back().length;
      else
        runs_.push_back({static_cast<int>(a), static_cast<int>(b), 1});
      adjacent = true;
      ++a, ++b;
    }
  }

  const System* system_;
  SparsityPattern pattern_;
  std::vector<Run> runs_;
  std::vector<int> runs_end_;  // per entry of A
  Vector weighed_;             // a R M^-1
};

}  // namespace gnomon::kernels
