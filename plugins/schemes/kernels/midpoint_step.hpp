#pragma once
/// \file
/// A step that is one solve of MidpointEquations.

#include "gnomon/scheme.hpp"
#include "midpoint_equations.hpp"

namespace gnomon::kernels {

/// One MidpointEquations a step.
class MidpointStep final : public StepEquations {
 public:
  MidpointStep(const System& system, const MidpointRule& rule) : equations_(system, rule) {
    x_.setZero(equations_.size());
    low_.setZero(equations_.size());
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), predictor_depth); }
  void begin(const State& z0, double h) override {
    h_ = h;
    equations_.begin(z0, h);
  }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    equations_.polish(x_, low_);
    return Next::advance;
  }
  void finish(State& next) override {
    const Index n = equations_.n(), m = equations_.m();
    next.q.add(x_.head(n));
    next.p.add(x_.segment(n, n));
    next.q.add(low_.head(n));
    next.p.add(low_.segment(n, n));
    next.lambda = x_.tail(m);
    remember(next, h_, x_);
    next.advance_time(h_);
  }

 private:
  MidpointEquations equations_;
  double h_ = 0;
  Vector x_, low_;
};

}  // namespace gnomon::kernels
