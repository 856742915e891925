#pragma once
/// \file
/// Work for time_tasks: a fixed number of steps along a trajectory, always the same ones.

#include <string>
#include <utility>

#include "gnomon/run/integrator.hpp"
#include "timing.hpp"

namespace gnomon::bench {

/// Steps before the timed ones: predictors then have their history.
constexpr long warm_up_steps = 10;

/// Steps of a hand-coded integrator, which is a value with step() and iterations().
template <class HandCoded>
class HandCodedSteps final : public Work {
 public:
  HandCodedSteps(HandCoded integrator, long steps) : start_(std::move(integrator)), steps_(steps) {
    for (long i = 0; i < warm_up_steps; ++i) start_.step();
    now_ = start_;
  }
  void rewind() override { now_ = start_; }
  std::string run() override {
    for (long i = 0; i < steps_; ++i)
      if (!now_.step()) return "the hand-coded integrator did not converge";
    return {};
  }
  double iterations_a_step() const {
    return static_cast<double>(now_.iterations() - start_.iterations()) / static_cast<double>(steps_);
  }

 private:
  HandCoded start_, now_ = start_;
  long steps_;
};

/// Steps of an integrator that has started.
class IntegratorSteps final : public Work {
 public:
  IntegratorSteps(Integrator integrator, double h, long steps)
      : integrator_(std::move(integrator)), h_(h), steps_(steps) {
    integrator_.advance(warm_up_steps, h);
    start_ = integrator_.state();
  }
  void rewind() override {
    integrator_.restore(start_);
    before_ = integrator_.counters();
  }
  std::string run() override { return integrator_.advance(steps_, h_).message; }

  /// What the last run counted, per step.
  double a_step(long RunCounters::*counter) const {
    return static_cast<double>(integrator_.counters().*counter - before_.*counter) / static_cast<double>(steps_);
  }
  const State& start() const { return start_; }

 private:
  Integrator integrator_;
  double h_;
  long steps_;
  State start_;
  RunCounters before_;
};

}  // namespace gnomon::bench
