#pragma once
/// \file
/// OneSolveStep: a step that is one solve of one system of equations, which is all that a scheme writes then.

#include <utility>

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// Solutions of earlier steps that extrapolate() needs.
constexpr Index predictor_depth = 4;

/// x(n+1) ~ 2 x(n) - 2 x(n-2) + x(n-3): exact for quadratics and for the alternating (-1)^n that the multipliers of
/// index-3 schemes carry (its characteristic polynomial is (r-1)^3 (r+1)). False when the history is too short or was
/// made with another step size.
inline bool extrapolate(const State& z0, double h, VectorRef x) {
  if (z0.history.count() < predictor_depth || z0.last_h != h) return false;
  x = 2 * z0.history.at(0) - 2 * z0.history.at(2) + z0.history.at(3);
  return true;
}

inline void remember(State& next, double h, const ConstVectorRef& x) {
  if (next.last_h != h) next.history.clear();
  next.history.push(x);
}

/// Equations are NonlinearEquations, made from the arguments of the constructor, with
///
///     begin(const State& z0, double h)    the step: from z0, which outlives it, over h, which may be negative
///     predict(VectorRef x)                a start value where the history does not give one
///     finish(Vector& x, State& next)      next, a copy of z0, gets q, p, lambda and booked work of the solution x
///
/// Start values are extrapolated from the solutions of earlier steps; finish() may refine x before it is one of them.
template <class Equations>
class OneSolveStep : public StepEquations {
 public:
  template <class... Arguments>
  explicit OneSolveStep(Arguments&&... arguments) : equations_(std::forward<Arguments>(arguments)...) {
    x_.setZero(equations_.size());
  }

  Index n_systems() const final { return 1; }
  NonlinearEquations& system(Index) final { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), predictor_depth); }
  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    equations_.begin(z0, h);
  }
  void predict(Index, VectorRef x) override {
    if (!extrapolate(*z0_, h_, x)) equations_.predict(x);
  }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    return Next::advance;
  }
  void finish(State& next) override {
    equations_.finish(x_, next);
    remember(next, h_, x_);
    next.advance_time(h_);
  }

 protected:
  Equations equations_;
  Vector x_;  ///< the solution
  const State* z0_ = nullptr;
  double h_ = 0;
};

}  // namespace gnomon
