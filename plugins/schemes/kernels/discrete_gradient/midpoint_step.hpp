#pragma once
/// \file
/// A step that is one solve of MidpointEquations. It books the work Q.dq of forces, exactly what H + P gains where the
/// derivative is a discrete one. State::lambda are the effective multipliers of the step (of kicks, those of its end) or,
/// with end_multipliers, the index-1 multipliers of the state; where G has lost rank, the step's.

#include <optional>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/index1_multipliers.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"

namespace gnomon::kernels {

/// With a penalty it conserves H + P, each less the work of forces.
template <class Multiplier, class Inertia = ConstantInertia>
class MidpointStep final : public OneSolveStep<MidpointEquations<Multiplier, Inertia>> {
  using Base = OneSolveStep<MidpointEquations<Multiplier, Inertia>>;
  using Base::equations_;
  using Base::x_;

 public:
  MidpointStep(const System& system, const MidpointRule& rule, const typename Multiplier::Rule& multiplier = {},
               bool end_multipliers = false)
      : Base(system, rule, multiplier) {
    if (end_multipliers) multipliers_.emplace(system);
  }

  void begin(const State& z0, double h) override {
    Base::begin(z0, h);
    solves_ = 0;
  }
  void predict(Index k, VectorRef x) override {
    if (solves_ > 0) {
      x = x_;
      return;
    }
    Base::predict(k, x);
    equations_.set_floor(x);
  }
  /// A Newton correction of 1e-7, which is where solvers stop, leaves a residual of mu h^2 w 1e-14, and along the
  /// constraints that is energy: a stiff step is solved once more from its solution. (The tethered satellites at h =
  /// .1, mu = 1e7 lose 4e-11 in 2000 steps otherwise, linearly.)
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    if (++solves_ == 1 && equations_.stiff()) return Next::repeat;
    equations_.refine(x_);
    return Next::advance;
  }
  void finish(State& next) override {
    Base::finish(next);
    if (multipliers_) multipliers_->solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }
  long double added_energy(const State& z) override { return equations_.multiplier().energy(z); }

 private:
  std::optional<Index1Multipliers> multipliers_;
  int solves_ = 0;
};

}  // namespace gnomon::kernels
