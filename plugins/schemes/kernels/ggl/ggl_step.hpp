#pragma once
/// \file
/// One step of a scheme with both constraint levels, x = [u_0 .. | y_0 .. | mu | gamma]:
///
///     q1 = q0 + h u_0,    p1 = p0 + M y_0
///
/// State::lambda are the index-1 multipliers of the new state (index1_multipliers.hpp), or those of the step. Where A
/// is singular they are the step's in either case.

#include <utility>

#include "gnomon/scheme/scheme.hpp"
#include "kernels/common/index1_multipliers.hpp"
#include "kernels/common/predictor.hpp"

namespace gnomon::kernels {

/// Equations: begin(z0, h), predict(x), y_at(0), step_multipliers(x, lambda) and work(x), that of forces outside H,
/// which is booked: H - work is what the scheme conserves.
template <class Equations>
class GglStep final : public StepEquations {
 public:
  template <class... Arguments>
  GglStep(const System& system, bool end_multipliers, Arguments&&... arguments)
      : system_(&system),
        equations_(system, std::forward<Arguments>(arguments)...),
        multipliers_(system),
        end_multipliers_(end_multipliers) {
    x_.setZero(equations_.size());
    increment_.setZero(system.n());
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(x_.size(), predictor_depth); }
  void begin(const State& z0, double h) override {
    h_ = h;
    equations_.begin(z0, h);
  }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    return Next::advance;
  }
  void finish(State& next) override {
    const Index n = system_->n();
    increment_ = h_ * x_.head(n);
    next.q.add(increment_);
    system_->mass().apply(x_.segment(equations_.y_at(0), n), increment_);
    next.p.add(increment_);
    next.work += equations_.work(x_);
    remember(next, h_, x_);
    next.advance_time(h_);
    if (end_multipliers_ && multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda)) return;
    equations_.step_multipliers(x_, next.lambda);
  }
  long double added_energy(const State& z) override { return -z.work.total(); }

 private:
  const System* system_;
  Equations equations_;
  Index1Multipliers multipliers_;
  bool end_multipliers_;
  double h_ = 0;
  Vector x_, increment_;
};

}  // namespace gnomon::kernels
