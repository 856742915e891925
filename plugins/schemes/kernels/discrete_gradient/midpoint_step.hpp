#pragma once
/// \file
/// A step that is one solve of MidpointEquations.

#include "gnomon/scheme/scheme.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"

namespace gnomon::kernels {

/// State after a step with the solution x + low, x = [dq | dp | ...].
inline void advance(State& next, double h, const Vector& x, const Vector& low) {
  const Index n = next.q.value().size();
  next.q.add(x.head(n));
  next.p.add(x.segment(n, n));
  next.q.add(low.head(n));
  next.p.add(low.segment(n, n));
  remember(next, h, x);
  next.advance_time(h);
}

/// One MidpointEquations a step. With a penalty it conserves H + mu R(g), each less the work of forces.
template <class Multiplier>
class MidpointStep final : public StepEquations {
 public:
  MidpointStep(const System& system, const MidpointRule& rule, const typename Multiplier::Rule& multiplier = {})
      : equations_(system, rule, multiplier) {
    x_.setZero(equations_.size());
    low_.setZero(equations_.size());
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), predictor_depth); }
  void begin(const State& z0, double h) override {
    equations_.begin(z0, h);
    solves_ = 0;
  }
  void predict(Index, VectorRef x) override {
    if (solves_ == 0)
      equations_.predict(x);
    else
      x = x_;
  }
  /// A Newton correction of 1e-7, which is where solvers stop, leaves a residual of mu h^2 w 1e-14, and along the
  /// constraints that is energy: a stiff step is solved once more from its solution. (The tethered satellites at h =
  /// .1, mu = 1e7 lose 4e-11 in 2000 steps otherwise, linearly.)
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    if (++solves_ == 1 && equations_.stiff()) return Next::repeat;
    equations_.refine(x_, low_);
    return Next::advance;
  }
  void finish(State& next) override {
    next.lambda = equations_.effective_multiplier(x_);
    next.work.force += equations_.work(x_);
    advance(next, equations_.step().h, x_, low_);
  }
  long double added_energy(const State& z) override { return equations_.multiplier().energy(z) - z.work.total(); }

 private:
  MidpointEquations<Multiplier> equations_;
  Vector x_, low_;
  int solves_ = 0;
};

}  // namespace gnomon::kernels
