#pragma once
/// \file
/// The penalty of constraints and obstacles (gap_penalty.hpp) in the midpoint residual, for any g and c, y = (g, -c):
///
///     midpoint   F_i = dP/dy_i at y(q_m)                                         s of H alone, or none
///     exact      F_i = [P(y1_i) - P(y0_i)]/(y1_i - y0_i)                         c has F.(y1 - y0 - G_y(q_m) dq)
///
/// With the latter H + P is kept. Where g depends on time y is that of (q_m,t_m), or y0 of (q0,t0) and y1 of (q1,t1);
/// the force and c of the latter have the average ybar over both times (energy_balance.hpp), and since
///
///     P(y1) - P(y0) = F.(y1 - y0) = F.(ybar(q1) - ybar(q0)) + F.D_t y
///
/// H + P changes by the work F.D_t y, as with multipliers F, which is what they go to for eps -> 0. (Averaging P itself
/// over the two times has forces k h^2 along the motion instead, of opposite ones k h g_t with different G.)
///
/// The forces f of obstacles are unknowns. At the midpoint f = k y^+, k = w/eps, is written as
///
///     0 = [f - (f + rho (y - f/k))^+]/rho        that is f/k - y where f + rho (y - f/k) > 0, else f/rho,
///     rho = 4/(h^2 A), A = G M^-1 G^T of the obstacle: the force at q_m that a step answers with
///
/// which has the same solutions for every rho > 0; the quotient D of P as
///
///     0 = [f - D(y0, y1)]/rho
///
/// where D is convex in y1 and has a derivative everywhere. The generalised derivative of each branch is all that
/// Newton's method needs. With f eliminated an iterate 25 mm inside a wall has k times that as its force, whose
/// curvature f y_qq throws the next one out again: for k = 1e9 the iteration cycles, or leaves. Here f is what balances
/// the step.

#include <memory>
#include <optional>

#include "gnomon/model/system_at.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/common/time_average.hpp"
#include "kernels/discrete_gradient/gap_penalty.hpp"

namespace gnomon::kernels {

class GapMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true;
  struct Rule {
    double eps = 1;
    bool exact = false;
  };

  GapMultiplier(const System& system, SystemAt&, const Rule& rule);

  Index unknowns() const { return forces_; }
  void lay_out(Layout& layout, const Block&, const Block&) const;
  void scales(const StepScales&, VectorRef columns, VectorRef rows) const;
  void predict(const State&, VectorRef x) const { x.tail(forces_).setZero(); }

  bool corrects() const { return rule_.exact; }
  void begin(const StepFrame& step, const StepScales&);
  double floor(const StepScales& scales) const { return scales.position_floor(); }
  long double energy(const State& z);
  /// F.D_t y, after evaluate() at double.
  template <class Times>
  void book(const StepFrame& step, Times&, const StepPoint<double>& b, Work& work) {
    if (!moving_) return;
    for (const double t : {step.z0->t, step.t1})
      for (const Vector* q : {&step.z0->q.value(), &b.q1}) {
        system_->constraints(t, *q, work_);
        work.position += (t == step.t1 ? 0.5L : -0.5L) * push_.at_double.dot(work_);
      }
  }

  template <class S, class X>
  void evaluate(const StepFrame& step, const X& x, StepPoint<S>& b) {
    auto &y = y_.get<S>(), &push = push_.get<S>();
    constraints(*system_, at_, step, b, y);
    if (mean_) constraints(*mean_, *at_mean_, step, b, bar_.get<S>());
    for (Index i = 0; i < m_; ++i) push[i] = rule_.exact ? penalty_.quotient(i, y0_[i], y[i]) : penalty_.force(i, y[i]);
    push.tail(forces_) = x.tail(forces_);
    b.lambda = push.head(m_);
  }
  template <class S, class F>
  void rows(const StepFrame&, StepPoint<S>&, F& f) {
    const auto &y = y_.get<S>(), &push = push_.get<S>();
    for (Index i = 0; i < forces_; ++i) {
      const S &gap = y[m_ + i], &force = push[m_ + i];
      if (rule_.exact) {
        f[f.size() - forces_ + i] = (force - S(penalty_.quotient(m_ + i, y0_[m_ + i], gap))) / S(rho_[i]);
        continue;
      }
      const S apart = force / S(penalty_.stiffness(m_ + i)) - gap;
      const bool touches = value_of(force) > rho_[i] * value_of(apart);
      f[f.size() - forces_ + i] = touches ? apart : force / S(rho_[i]);
    }
  }
  template <class S>
  void force(const StepFrame& step, StepPoint<S>& b) {
    (mean_ ? *at_mean_ : at_).constraint_force(step.tm, b.qm, push_.get<S>(), b.force);
  }
  template <class S>
  S correction(const StepFrame&, const StepPoint<S>& b) {
    const auto& y = mean_ ? bar_.get<S>() : y_.get<S>();
    const Vector& y0 = mean_ ? bar0_ : y0_;
    S sum(0.0);
    for (Index i = 0; i < y0.size(); ++i) sum += push_.get<S>()[i] * (y[i] - y0[i]);
    return sum - b.force.dot(b.dq);
  }

 private:
  /// y at the midpoint, or at the end (exact), of the system or of its average; at double from the compensated
  /// position.
  void constraints(const System& system, SystemAt&, const StepFrame& step, const StepPoint<double>& b, Vector& out);
  template <class S>
  void constraints(const System&, SystemAt& at, const StepFrame& step, const StepPoint<S>& b, VectorOf<S>& out) {
    at.constraints(rule_.exact ? step.t1 : step.tm, rule_.exact ? b.q1 : b.qm, out);
  }

  std::shared_ptr<const System> closed_;
  const System* system_;  ///< the given one, or that with its obstacles held closed
  SystemAt at_;
  Rule rule_;
  GapPenalty penalty_;
  StepScales scales_;  ///< with the obstacles closed
  Index m_, forces_;   ///< forces_: unknown forces of obstacles
  bool moving_;
  std::unique_ptr<TimeAverage> mean_;  ///< exact, of constraints that move
  std::optional<SystemAt> at_mean_;
  ForAllScalars<VectorOf> push_, y_, bar_;
  Vector y0_, bar0_, work_, tail_, g_values_, rho_;
};

}  // namespace gnomon::kernels
