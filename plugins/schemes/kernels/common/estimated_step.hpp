#pragma once
/// \file
/// A step of order two, completed at its end by one index-1 solve: the multipliers of the state and, for steps of a
/// tolerance, an estimate of the local error of q and v = M^-1 p from the accelerations a there:
///
///     e_q = q1 - q0 - h/2 (v0 + v1) + h^2/12 (a1 - a0)                 the Hermite rule, O(h^5) for the motion itself
///     e_v = v1 - v0 - h/6 (a0 + 4 a_m + a1)                            Simpson's rule,   O(h^5)
///
/// a_m belongs to the middle of the Hermite cubic, q_m = (q0 + q1)/2 + h/8 (v0 - v1), and p_m alike from p and p'. The
/// end values are off by O(h^3), which enters the right sides with one more h: what is left is the local error, to
/// leading order, whatever the sizes of the steps before. Under friction R(q,v,lambda) the accelerations are those that
/// agree with it (friction_multipliers.hpp).

#include <utility>

#include "gnomon/scheme/state.hpp"
#include "kernels/common/friction_multipliers.hpp"

namespace gnomon::kernels {

/// The estimate. State::scheme_data = [q'' | p' | 1 if they are known, else 0].
class EndValueError {
 public:
  explicit EndValueError(const System& system);

  void prepare(State& z) const { z.scheme_data.setZero(2 * n_ + 1); }

  /// The accelerations of a state, and its lambda where that is asked for and G has full rank.
  void record(State& z, bool multipliers);

  /// False where G has lost rank at an end or in the middle.
  bool estimate(const State& z0, const State& z1, VectorRef error_q, VectorRef error_v);

 private:
  bool prepared(const State& z) const { return z.scheme_data.size() == 2 * n_ + 1; }
  bool known(const State& z) const { return prepared(z) && z.scheme_data[2 * n_] != 0; }

  const System* system_;
  FrictionMultipliers index1_;
  Index n_;
  Vector v0_, v1_, q_, p_, a_, slope_, lambda_;
};

/// Step: of order two, one that leaves its own multipliers in the state. With end_multipliers they are replaced by the
/// index-1 multipliers of the state, where G has full rank.
template <class Step>
class EstimatedStep final : public Step {
 public:
  template <class... Arguments>
  EstimatedStep(const System& system, bool end_multipliers, Arguments&&... arguments)
      : Step(system, std::forward<Arguments>(arguments)...),
        end_multipliers_(end_multipliers && !system.parts().friction),
        multipliers_(system),
        end_(system) {}

  void prepare(State& z) const override {
    Step::prepare(z);
    z.scheme_data.resize(0);
    if (estimates_) end_.prepare(z);
  }
  Index carried_arguments(const State&) const override { return 0; }
  void finish(State& next) override {
    Step::finish(next);
    if (estimates_)
      end_.record(next, end_multipliers_);
    else if (end_multipliers_)
      multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }
  int estimate_errors(bool on) override {
    estimates_ = on;
    return estimates_ ? 2 : 0;
  }
  bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) override {
    return estimates_ && end_.estimate(before, after, error_q, error_v);
  }

 private:
  bool end_multipliers_, estimates_ = false;
  Index1Multipliers multipliers_;
  EndValueError end_;
};

}  // namespace gnomon::kernels
