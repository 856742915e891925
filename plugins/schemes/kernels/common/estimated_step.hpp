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

/// The estimate. State::scheme_data = [q'' | p' | 1 + rank of G if they are known, else 0].
class EndValueError {
 public:
  explicit EndValueError(const System& system) : system_(&system), index1_(system), n_(system.n()) {
    for (Vector* v : {&v0_, &v1_, &q_, &p_, &a_, &slope_}) v->setZero(n_);
    lambda_.setZero(system.m());
  }

  void prepare(State& z) const { z.scheme_data.setZero(2 * n_ + 1); }

  /// The accelerations of a state, and its lambda where that is asked for and G has full rank.
  void record(State& z, bool multipliers) {
    if (!prepared(z)) prepare(z);  // a state from before errors were estimated
    auto a = z.scheme_data.head(n_), slope = z.scheme_data.segment(n_, n_);
    lambda_ = z.lambda;
    const bool known = index1_.solve(z.t, z.q.value(), z.p.value(), lambda_, a, slope);
    z.scheme_data[2 * n_] = known ? 1 + static_cast<double>(index1_.rank()) : 0;
    if (known && multipliers && index1_.full_rank()) z.lambda = lambda_;
  }

  /// False where G has lost rank at an end or in the middle.
  bool estimate(const State& z0, const State& z1, VectorRef error_q, VectorRef error_v) {
    if (!known(z1)) return false;
    lambda_ = z0.lambda;
    if (known(z0)) {
      a_ = z0.scheme_data.head(n_);
      slope_ = z0.scheme_data.segment(n_, n_);
    } else if (!index1_.solve(z0.t, z0.q.value(), z0.p.value(), lambda_, a_, slope_)) {
      return false;
    }
    const auto a1 = z1.scheme_data.head(n_), slope1 = z1.scheme_data.segment(n_, n_);
    const double h = (z1.t - z0.t) + (z1.t_tail - z0.t_tail);

    system_->velocity(z0.q.value(), z0.p.value(), q_, v0_);
    system_->velocity(z1.q.value(), z1.p.value(), q_, v1_);
    error_q = (z1.q.value() - z0.q.value()) + (z1.q.tail() - z0.q.tail());
    error_q -= h / 2 * (v0_ + v1_) - h * h / 12 * (a1 - a_);

    if (system_->parts().mass) {
      error_v = v1_ - v0_;
    } else {
      p_ = (z1.p.value() - z0.p.value()) + (z1.p.tail() - z0.p.tail());
      system_->velocity(z1.q.value(), p_, q_, error_v);
    }
    error_v -= h / 6 * (a_ + a1);
    q_ = 0.5 * (z0.q.value() + z1.q.value()) + h / 8 * (v0_ - v1_);
    p_ = 0.5 * (z0.p.value() + z1.p.value()) + h / 8 * (slope_ - slope1);
    lambda_ = z1.lambda;
    index1_.expect_rank(static_cast<Index>(z1.scheme_data[2 * n_]) - 1);
    if (!index1_.solve(z0.t + 0.5 * h, q_, p_, lambda_, a_, slope_)) return false;
    error_v -= 4 * h / 6 * a_;
    return true;
  }

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
