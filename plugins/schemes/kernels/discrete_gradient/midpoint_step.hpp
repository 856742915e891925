#pragma once
/// \file
/// A step that is one solve of MidpointEquations.

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"

namespace gnomon::kernels {

/// With a penalty it conserves H + mu R(g), each less the work of forces.
template <class Multiplier>
class MidpointStep final : public OneSolveStep<MidpointEquations<Multiplier>> {
  using Base = OneSolveStep<MidpointEquations<Multiplier>>;
  using Base::equations_;
  using Base::x_;

 public:
  MidpointStep(const System& system, const MidpointRule& rule, const typename Multiplier::Rule& multiplier = {})
      : Base(system, rule, multiplier) {}

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
    next.lambda = equations_.effective_multiplier(x_);
    Base::finish(next);
  }
  long double added_energy(const State& z) override { return equations_.multiplier().energy(z); }

 private:
  int solves_ = 0;
};

}  // namespace gnomon::kernels
