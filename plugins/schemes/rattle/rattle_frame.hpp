#pragma once
/// \file
/// What both systems of a rattle step read (rattle_equations.hpp).

#include <vector>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// G column by column: (G^T lambda)_j is then summed up at once, and written once.
class ConstraintColumns {
 public:
  explicit ConstraintColumns(const System& system) {
    const SparsityPattern& g = system.constraint_pattern();
    begin_.assign(static_cast<std::size_t>(g.cols) + 1, 0);
    for (const Index j : g.indices) ++begin_[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
    entries_.resize(g.indices.size());
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[static_cast<std::size_t>(i)]; k < g.offsets[static_cast<std::size_t>(i) + 1]; ++k) {
        const auto j = static_cast<std::size_t>(g.indices[static_cast<std::size_t>(k)]);
        entries_[static_cast<std::size_t>(next[j]++)] = {static_cast<int>(i), static_cast<int>(k)};
      }
  }

  /// take(j, kick_j + sum_i G_ij lambda(i)) for every j, at S
  template <class S, class Lambda, class Take>
  void forces(const Vector& kick, const Vector& g_values, const Lambda& lambda, const Take& take) const {
    const int* const begin = begin_.data();
    const Entry* const entry = entries_.data();
    const double *const value = g_values.data(), *const start = kick.data();
    const Index count = kick.size();
    for (Index j = 0; j < count; ++j) {
      S sum(start[j]);
      for (int e = begin[j]; e < begin[j + 1]; ++e) sum += lambda(entry[e].row) * value[entry[e].position];
      take(j, sum);
    }
  }

 private:
  struct Entry {
    int row, position;  ///< among the values of G
  };
  std::vector<int> begin_;
  std::vector<Entry> entries_;
};

/// Middle: what follows from p_h, at double and Extended; v_h of a constant mass, p_h itself where it depends on q.
template <class Middle>
struct RattleFrame {
  const State* z0 = nullptr;
  double h = 0, t1 = 0;
  Vector kick0;           ///< grad U(q0), without the force
  Vector q1;              ///< positions at the end, rounded
  Vector force0, force1;  ///< Q at both ends, empty without one
  Compensated p_half;
  Middle middle;
  ConstraintColumns columns;

  explicit RattleFrame(const System& system) : middle(system), columns(system) {
    for (Vector* v : {&kick0, &q1}) v->setZero(system.n());
    p_half.set(q1);
  }
};

}  // namespace gnomon::kernels
