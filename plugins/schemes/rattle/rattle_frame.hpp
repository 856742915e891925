#pragma once
/// \file
/// What both systems of a rattle step read (rattle_equations.hpp).

#include <vector>

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/step_scales.hpp"

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

  /// take(j, start_j + sum_i G_ij lambda(i)) for every j, at Extended
  template <class Lambda, class Take>
  void sums(const Vector& start_values, const Vector& g_values, const Lambda& lambda, const Take& take) const {
    const int* const begin = begin_.data();
    const Entry* const entry = entries_.data();
    const double *const value = g_values.data(), *const start = start_values.data();
    const Index count = start_values.size();
    for (Index j = 0; j < count; ++j) {
      const auto term = [&](int e) { return lambda(entry[e].row) * value[entry[e].position]; };
      const int first = begin[j], last = begin[j + 1];
      Extended sum(start[j]);
      if (last - first == 2)  // a point between two rods
        sum += term(first) + term(first + 1);
      else
        for (int e = first; e < last; ++e) sum += term(e);
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
  const System* system;
  const State* z0 = nullptr;
  double h = 0, t1 = 0;
  const Vector &gradient0, &g_start;  ///< grad U(q0), without the force, and G(q0)
  Vector g0;                          ///< g(q0,t1)
  Compensated end;                    ///< positions at the end
  Vector force0, force1;              ///< Q at both ends, empty without one
  Vector gradient1, g_end, rate1;     ///< what acts at q1 without the constraints, G(q1), g_t(q1,t1)
  Compensated p_half;
  Middle middle;
  ConstraintColumns columns;

  RattleFrame(const System& model, const StepScales& scales)
      : system(&model),
        gradient0(scales.gradient()),
        g_start(scales.constraint_jacobian()),
        middle(model),
        columns(model) {
    gradient1.setZero(model.n());
    for (Vector* v : {&g0, &rate1}) v->setZero(model.m());
    g_end.setZero(model.constraint_pattern().nonzeros());
    if (moving()) rest.setZero(model.n());
    for (Compensated* z : {&end, &p_half}) z->set(gradient1);
  }

  bool moving() const { return static_cast<bool>(system->parts().time_dependence); }
  /// After the scales were updated.
  void begin(const State& start, double step, double end_time) {
    z0 = &start;
    h = step;
    t1 = end_time;
    // g(q0,t1) is where the rows of moving constraints start from
    system->constraints_compensated(moving() ? t1 : z0->t, z0->q.value(), z0->q.tail(), g0, g_end);
  }
  /// Rounded.
  const Vector& q1() const { return end.value(); }
  /// At q1.
  void arrive() {
    system->potential_gradient(t1, q1(), gradient1);
    if (force1.size() > 0) gradient1 -= force1;
    system->constraint_jacobian(t1, q1(), g_end);
    if (moving()) system->constraint_velocity(t1, q1(), rest, rate1);
  }

  Vector rest;  ///< no velocity
};

}  // namespace gnomon::kernels
