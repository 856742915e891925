#pragma once
/// \file
/// A step that is one solve of MidpointEquations. It books the work Q.dq of forces, exactly what H + P gains where the
/// derivative is a discrete one. State::lambda are the effective multipliers of the step (of impulses, those of its
/// end) or, with end_multipliers, the index-1 multipliers of the state; where G has lost rank, the step's.

#include <optional>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/index1_multipliers.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"

namespace gnomon::kernels {

/// With a penalty it conserves H + P, each less the work of forces.
template <class Multiplier, class Inertia = ConstantInertia>
class MidpointStep : public OneSolveStep<MidpointEquations<Multiplier, Inertia>> {
  using Base = OneSolveStep<MidpointEquations<Multiplier, Inertia>>;
  using Base::equations_;

 public:
  MidpointStep(const System& system, const MidpointRule& rule, const typename Multiplier::Rule& multiplier = {},
               bool end_multipliers = false)
      : Base(system, rule, multiplier) {
    if (end_multipliers) multipliers_.emplace(system);
  }

  void predict(Index k, VectorRef x) override {
    Base::predict(k, x);
    equations_.look_at_start(x);
  }
  Next accept(Index k, const ConstVectorRef& x) override {
    return equations_.stands(x) ? Base::accept(k, x) : Next::repeat;
  }
  void finish(State& next) override {
    Base::finish(next);
    if (multipliers_) multipliers_->solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }
  long double added_energy(const State& z) override { return equations_.multiplier().energy(z); }

 private:
  std::optional<Index1Multipliers> multipliers_;
};

}  // namespace gnomon::kernels
