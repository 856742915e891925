#pragma once
/// \file
/// One step of a scheme with both constraint levels, x = [u_0 .. | y_0 .. | mu | gamma]:
///
///     q1 = q0 + h u_0,    p1 = p0 + M y_0
///
/// State::lambda are the index-1 multipliers of the new state (index1_multipliers.hpp), or those of the step. Where A
/// is singular they are the step's in either case.

#include <utility>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/index1_multipliers.hpp"

namespace gnomon::kernels {

/// Equations: those of OneSolveStep, and step_multipliers(x, lambda).
template <class Equations>
class GglStep : public OneSolveStep<Equations> {
  using Base = OneSolveStep<Equations>;

 public:
  template <class... Arguments>
  GglStep(const System& system, bool end_multipliers, Arguments&&... arguments)
      : Base(system, std::forward<Arguments>(arguments)...), multipliers_(system), end_multipliers_(end_multipliers) {}

  void finish(State& next) override {
    Base::finish(next);
    if (end_multipliers_ && multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda)) return;
    this->equations_.step_multipliers(this->x_, next.lambda);
  }

 private:
  Index1Multipliers multipliers_;
  bool end_multipliers_;
};

}  // namespace gnomon::kernels
