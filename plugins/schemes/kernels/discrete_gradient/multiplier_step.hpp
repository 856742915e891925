#pragma once
/// \file
/// A step that is one solve of MultiplierEquations.

#include "gnomon/scheme/scheme.hpp"
#include "kernels/discrete_gradient/multiplier_equations.hpp"

namespace gnomon::kernels {

class MultiplierStep final : public StepEquations {
 public:
  MultiplierStep(const System& system, const MidpointRule& rule) : equations_(system, rule), n_(system.n()) {
    x_.setZero(equations_.size());
    for (Vector* v : {&dq_low_, &dp_, &dp_low_}) v->setZero(n_);
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), predictor_depth); }
  void begin(const State& z0, double h) override { equations_.begin(z0, h); }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    equations_.momentum(x_, dq_low_, dp_, dp_low_);
    return Next::advance;
  }
  void finish(State& next) override {
    const double h = equations_.step().h;
    next.q.add(x_.head(n_));
    next.q.add(dq_low_);
    next.p.add(dp_);
    next.p.add(dp_low_);
    next.lambda = x_.tail(next.lambda.size());
    next.work += equations_.work(x_);
    remember(next, h, x_);
    next.advance_time(h);
  }
  long double added_energy(const State& z) override { return -z.work.total(); }

 private:
  MultiplierEquations equations_;
  Index n_;
  Vector x_, dq_low_, dp_, dp_low_;
};

}  // namespace gnomon::kernels
