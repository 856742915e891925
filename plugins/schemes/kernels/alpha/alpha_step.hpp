#pragma once
/// \file
/// A step of an alpha-scheme. The two-step scheme is a one-step map (x^n, v^n) -> (x^{n+1}, v^{n+1}) with central
/// velocities v^n = (x^{n+1} - x^{n-1})/(2h): the equation at the start node, into which x^{-1} = x^1 - 2 h v^0 is put,
/// gives d+, and the equation at the next node the one after it, d++, hence v^{n+1} = (d++ + d+)/(2h). From a state
/// with such a v the start's equation has the two-step scheme's solution. So a step solves at its *end* node for the
/// increment of the step to come; `scheme_data` keeps that, and only at a start, or where h or p was changed, the step's
/// own increment is solved for first.
///
///     scheme_data = [d+ | d+'s tail | p | h, work at the node]

#include <algorithm>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "kernels/alpha/alpha_equations.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/ledger.hpp"

namespace gnomon::kernels {

class AlphaStep : public StepEquations, public StepWarning {
  std::shared_ptr<const System> owner_;

 public:
  /// owner: keeps `system` alive where it is not the caller's, else null.
  AlphaStep(const System& system, std::shared_ptr<const System> owner, const AlphaRule& rule)
      : owner_(std::move(owner)),
        equations_(system, rule),
        start_velocity_(system),
        n_(system.n()),
        m_(system.m() - rule.multiplier.n_obstacles) {
    alpha_ = rule.alpha;
    x_.setZero(equations_.size());
    x_start_.setZero(equations_.size());
    lambda_.setZero(m_);
    delta_.setZero(n_);
    for (Vector* v : {&zero_, &sum_, &momentum_, &work_}) v->setZero(n_);
    for (Compensated* v : {&node_, &increment_}) v->set(zero_);
  }

  Index n_systems() const override { return 1; }
  Index n_solves() const override { return starting_ ? 2 : 1; }
  Index system_of(Index) const override { return 0; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override {
    z.history.resize(equations_.size(), predictor_depth);
    z.scheme_data.setZero(3 * n_ + 2);
  }

  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    const Vector& c = z0.scheme_data;
    starting_ = c[3 * n_] != h || c.segment(2 * n_, n_) != z0.p.value();
    equations_.begin(z0, h);
    if (warning_.empty() && equations_.limit() < std::numeric_limits<double>::infinity())
      warning_ = "the step is above the stability limit " + number_text(equations_.limit()) +
                 " of alpha = " + number_text(alpha_) + ": solutions grow";
    lambda_ = z0.lambda.head(m_);
    if (starting_) return;
    increment_.set(c.head(n_));
    increment_.add(c.segment(n_, n_));
    work_before_ = c[3 * n_ + 1];
    place_end();
  }

  void predict(Index k, VectorRef x) override {
    if (starting_ && k == 0) {
      start_velocity_.begin(z0_->p);
      delta_ = start_velocity_.at<Extended>() * h_;
      increment_.set(zero_);
      add(increment_, delta_, work_);
      equations_.place_times(z0_->t - h_, time_after(*z0_, h_));
      equations_.place_node(z0_->t, z0_->q, increment_, 0.5);
      equations_.predict(lambda_, x);
    } else if (starting_ || z0_->history.count() == 0 || z0_->last_h != h_) {
      x = x_start_;
    } else if (equations_.stiff()) {
      // A penalty's fast modes turn by an angle near pi in every step: an extrapolation of them would be far outside,
      // from where Newton's method may not come back.
      x = z0_->history.at(z0_->history.count() > 1 ? 1 : 0);
    } else if (!extrapolate(*z0_, h_, x)) {
      x = z0_->history.at(0);
    }
  }

  Next accept(Index k, const ConstVectorRef& x) override {
    x_ = x;
    delta_ = x_.head(n_).cast<Extended>() + equations_.low().head(n_).cast<Extended>();
    if (!starting_ || k == 1) return Next::advance;
    // d+ = h v0 + delta/2
    x_start_ = x_;
    work_before_ = equations_.work(x_);
    delta_ *= 0.5;
    add(increment_, delta_, work_);
    place_end();
    return Next::advance;
  }

  void finish(State& next) override {
    const double work = equations_.work(x_);
    next.q.add(increment_.value());
    next.q.add(increment_.tail());
    sum_ = increment_.value();
    add(increment_, delta_, work_);
    sum_ += increment_.value();  // d+ + d-
    equations_.model().mass().apply(sum_, momentum_);
    momentum_ /= 2 * h_;
    next.p.set(momentum_);
    if (m_ > 0) next.lambda = equations_.effective_multiplier(x_).head(m_);
    next.work.force += 0.5L * (static_cast<long double>(work_before_) + work);
    next.scheme_data.head(n_) = increment_.value();
    next.scheme_data.segment(n_, n_) = increment_.tail();
    next.scheme_data.segment(2 * n_, n_) = next.p.value();
    next.scheme_data[3 * n_] = h_;
    next.scheme_data[3 * n_ + 1] = work;
    if (starting_) remember(next, h_, x_start_);
    next.last_h = h_;
    remember(next, h_, x_);
    next.advance_time(h_);
  }

  /// (23)
  const char* warning() const override { return std::abs(h_) > equations_.limit() ? warning_.c_str() : nullptr; }

  /// The penalty's energy.
  long double added_energy(const State& z) override {
    return equations_.multiplier().energy(z.t, z.q.value(), z.q.tail());
  }
  const char* discrete_energy_name() const override { return "E at n+1/2"; }
  /// Of the step that begins at z, whose increment is known there.
  long double discrete_energy(const State& z) override {
    const Vector& c = z.scheme_data;
    return equations_.energy(z.t, z.q, c.head(n_), c.segment(n_, n_), c[3 * n_]) -
           (z.work.total() + 0.5L * c[3 * n_ + 1]);
  }

 protected:
  AlphaEquations equations_;
  Vector x_;  ///< solution of the current solve

 private:
  void place_end() {
    node_ = z0_->q;
    node_.add(increment_.value());
    node_.add(increment_.tail());
    State after;
    after.t = z0_->t;
    after.t_tail = z0_->t_tail;
    for (int step = 0; step < 2; ++step) after.advance_time(h_);
    equations_.place_times(z0_->t, after.t);
    equations_.place_node(z0_->t + h_, node_, increment_, 1);
  }

  StartVelocity start_velocity_;
  Index n_, m_;
  double alpha_ = 0.25, h_ = 1, work_before_ = 0;
  bool starting_ = true;
  const State* z0_ = nullptr;
  std::string warning_;
  Compensated node_, increment_;
  VectorOf<Extended> delta_;  ///< of the current solve, x_ + low
  Vector x_start_, lambda_, zero_, sum_, momentum_, work_;
};

}  // namespace gnomon::kernels
