#pragma once
/// \file
/// A = a L M^-1 R^T (m x m) for a constant diagonal mass, L and R on the constraint pattern: the matrix of the
/// multipliers alone, tridiagonal for chains of rods.
///
///     A_il = a sum_j L_ij R_lj / m_j
///
/// O(m + products) time, no allocation.

#include <vector>

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

/// factor/m. Neighbours often have the same mass: one division for all of them.
template <class S>
class OverMass {
 public:
  explicit OverMass(S factor) : factor_(factor) {}
  S operator()(double mass) {
    if (mass != mass_) {
      mass_ = mass;
      value_ = factor_ / mass;
    }
    return value_;
  }

 private:
  S factor_, value_ = 0;
  double mass_ = 0;
};

class MultiplierMatrix {
 public:
  /// Whether the mass is constant and diagonal, and A has no more entries than [M G^T; G 0], the matrix of positions
  /// and multipliers: constraints that share a coordinate are all coupled in A.
  static bool suits(const System& system);

  explicit MultiplierMatrix(const System& system);

  const SparsityPattern& pattern() const { return pattern_; }

  /// Sets W = a R M^-1.
  void weigh(double factor, const Vector& right);

  /// values = A
  void assemble(const Vector& left, VectorRef values) const;
  /// out = start + W^T x
  template <class S>
  void add_weighed(const Vector& start, const ConstVectorRefOf<S>& x, VectorOf<S>& out) const {
    const SparsityPattern& g = system_->constraint_pattern();
    const Index *const offset = g.offsets.data(), *const column = g.indices.data();
    const double* const w = weighed_.data();
    S* const to = out.data();
    for (Index j = 0, count = start.size(); j < count; ++j) to[j] = S(start[j]);
    for (Index i = 0; i < g.rows; ++i) {
      const S xi = x[i];
      for (Index k = offset[i]; k < offset[i + 1]; ++k) to[column[k]] += xi * w[k];
    }
  }

 private:
  using Entries = std::vector<std::pair<Index, Index>>;
  /// Products L_ij R_lj of consecutive entries of both, of an entry of A.
  struct Run {
    int left, right, length, entry;
  };
  /// a.b; points in the plane and in space, one and two of them, with loops of fixed length
  static double dot(const Run& run, const double* a, const double* b) {
    const auto fixed = [&](auto length) {
      double sum = 0;
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
  static Entries couplings(const System& system, Index most);

  /// The products that make A_il, its entry e.
  void add_runs(const SparsityPattern& g, Index i, Index l, int e);

  const System* system_;
  SparsityPattern pattern_;
  std::vector<Run> runs_;
  Vector weighed_;  // W, on the constraint pattern
};

}  // namespace gnomon::kernels
