#pragma once
/// \file
/// The residual of the multiplier schemes whose discrete derivative needs no correction (s = 0 in
/// midpoint_equations.hpp), without dp among the unknowns, x = [dq | lambda]. Its second row
///
///     dp = -h (u + G(q_m)^T lambda)
///
/// is explicit in dp, and put into the first one, M dq/h - p0 - dp/2 = 0, it leaves
///
///     F1 = M dq/h - p0 + h/2 (u + G(q_m)^T lambda)
///     F3 = g(q1)          (end_multiplier.hpp)
///
/// with u = grad U(q_m), or the quotients of split_gradient.hpp, less a force Q(q_m, dq/h, t_m). Same solutions, 4
/// unknowns a point mass and rod instead of 7; dp is evaluated from the forces of the solution, to its own last place.

#include "kernels/common/applied_force.hpp"
#include "kernels/common/predictor.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/balance_refinement.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/discrete_gradient/entry_map.hpp"
#include "kernels/discrete_gradient/midpoint_rule.hpp"
#include "kernels/discrete_gradient/split_gradient.hpp"

namespace gnomon::kernels {

class MultiplierEquations final : public NonlinearEquations {
 public:
  /// The rule must not correct the potential.
  MultiplierEquations(const System& system, const MidpointRule& rule)
      : system_(&system),
        at_(system),
        split_potential_(rule.split_potential),
        quadratic_(quadratic_constraints(system)),
        multiplier_(system, at_, {}),
        scales_(system),
        split_(system, at_),
        refinement_(system),
        applied_(system),
        times_(system),
        n_(system.n()),
        m_(system.m()) {
    blocks_ = {{"dq", 0, n_}, {"lambda", n_, m_}};
    build_pattern();
    point_.allocate(n_, m_);
    dual_point_.allocate(n_, m_);
    x_dual_.resize(n_ + m_);
    f_dual_.resize(n_ + m_);
    step_.g0.setZero(m_);
    for (Vector* v : {&u_, &work_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
    if (times_.moving()) hessian_scratch_ = hessian_values_;
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  const StepFrame& step() const { return step_; }

  void begin(const State& z0, double h) {
    step_.z0 = &z0;
    step_.h = h;
    step_.tm = z0.t + 0.5 * h;
    scales_.update(z0, h);
    times_.begin(z0, h);
    step_.t1 = times_.end(z0, h);
    multiplier_.begin(step_, scales_);
    system_->constraints_compensated(times_.moving() ? step_.t1 : z0.t, z0.q.value(), z0.q.tail(), step_.g0, g_values_);
    if (split_potential_) split_.begin(z0.q.value());
  }

  /// Start value: extrapolation, else the explicit step with the multipliers of the last step.
  void predict(VectorRef x) {
    const State& z0 = *step_.z0;
    if (extrapolate(z0, step_.h, x)) return;
    const Vector& q0 = z0.q.value();
    system_->potential_gradient(z0.t, q0, u_);
    if (applied_.active()) {
      system_->mass().solve(z0.p.value(), work_);
      u_ -= applied_(z0.t, q0, work_);
    }
    at_.constraint_force(z0.t, q0, z0.lambda, work_);
    work_ = z0.p.value() - 0.5 * step_.h * (u_ + work_);
    system_->mass().solve(work_, u_);
    x.head(n_) = step_.h * u_;
    multiplier_.predict(z0, x);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_.dq();
    rows.head(n_) = 0.5 * scales_.dp();  // dp enters F1 by half
    multiplier_.scales(scales_, columns, rows);
  }
  double rounding_floor() const override { return 1e-15 + multiplier_.floor(scales_); }

  void residual(const ConstVectorRef& x, VectorRef f) override { evaluate(x, f, point_); }
  void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) override {
    for (Index i = 0; i < x.size(); ++i) {
      x_dual_[i].value = x[i];
      x_dual_[i].grad[0] = w[i];
    }
    evaluate(x_dual_, f_dual_, dual_point_);
    for (Index i = 0; i < x.size(); ++i) jw[i] = f_dual_[i].grad[0];
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    place(x, point_);
    point_.place_end(step_);
    double* const value = values.data();
    if (!hessian_holds_mass_) values.setZero();

    // dF1 = [M/h + h/4 (Hess U + lambda.Hess g)(q_m), h/2 G(q_m)^T]
    if (split_potential_)
      split_.hessian(step_.tm, point_.qm, point_.q1, point_.lambda, hessian_values_);
    else
      times_.average(hessian_values_, hessian_scratch_,
                     [&](double t, Vector& out) { system_->lagrangian_hessian(t, point_.qm, point_.lambda, out); });
    hessian_.set(value, hessian_values_, 0.25 * step_.h);
    mass_.add(value, system_->mass().values(), 1 / step_.h);
    if (split_potential_) {
      std::size_t at = 0;
      split_.for_each_outer([&](Index, Index, double outer) { value[outer_[at++]] += 0.5 * step_.h * outer; });
    }
    if (applied_.active()) {
      point_.rate = point_.dq / step_.h;
      applied_.linearise(step_.tm, point_.qm, point_.rate);
      applied_.add(applied_place_, -0.25 * step_.h, -0.5, values);
    }
    multiplier_.middle_jacobian(step_, point_.qm, g_values_);
    force_.set(value, g_values_, 0.5 * step_.h);

    // dF3 = [G(q1), 0]: for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1). The last rows are G's own.
    system_->constraint_jacobian(step_.t1, point_.q1, values.tail(g_values_.size()));
  }

  /// dp of a solution dq, as dp + dp_low, and what rounding took from dq, see BalanceRefinement.
  void momentum(VectorRef x, VectorRef dq_low, VectorRef dp, VectorRef dp_low) {
    place(x, point_);
    gradient(point_);
    dq_low.setZero();
    dp_low.setZero();
    if (system_->mass().is_diagonal() && !times_.moving() &&
        refinement_.balance(step_, point_, !split_potential_, x.head(n_), dq_low, dp, dp_low))
      return;
    multiplier_.force(step_, point_);
    dp = -step_.h * (point_.u + point_.force);
  }

  /// Work of the force and of moving constraints in the step.
  Work work(const Vector& x) {
    if (!applied_.active() && !times_.moving()) return {};
    place(x, point_);
    point_.place_end(step_);
    Work sum = times_.work(step_.z0->q.value(), work_, point_.q1, work_, point_.lambda, none_);
    if (applied_.active()) {
      point_.rate = point_.dq / step_.h;
      sum.force = applied_.work(step_.tm, point_.qm, point_.rate, point_.dq);
    }
    return sum;
  }

 private:
  void build_pattern() {
    const SparsityPattern &mass = system_->mass().pattern(), &hessian = system_->hessian_pattern(),
                          &g = system_->constraint_pattern();
    PatternBuilder builder(n_ + m_, n_ + m_);
    builder.add(mass, 0, 0);
    builder.add(hessian, 0, 0);
    applied_.add_pattern(builder, 0, 0);
    builder.add(g, 0, n_, true);
    builder.add(g, n_, 0);
    pattern_ = builder.build();
    mass_ = EntryMap(pattern_, mass, 0, 0);
    hessian_ = EntryMap(pattern_, hessian, 0, 0);
    applied_place_ = applied_.place(pattern_, 0, 0);
    force_ = EntryMap(pattern_, g, 0, n_, true);
    hessian_holds_mass_ = pattern_.nonzeros() == hessian.nonzeros() + 2 * g.nonzeros();
    if (split_potential_)
      split_.for_each_outer([this](Index j, Index k, double) { outer_.push_back(pattern_.find(j, k)); });
  }

  template <class X, class S>
  void place(const X& x, StepPoint<S>& b) const {
    b.place_middle(x.head(n_), step_);
    if (split_potential_ || !quadratic_) b.place_end(step_);
    b.lambda = x.tail(m_);
  }
  template <class S>
  void gradient(StepPoint<S>& b) {
    if (split_potential_)
      split_.evaluate(step_.tm, b.qm, b.q1, b.u);
    else
      times_.average(b.u, b.mdq, [&](double t, auto& out) { at_.potential_gradient(t, b.qm, out); });
    if (!applied_.active()) return;
    b.rate = b.dq * (1 / step_.h);
    b.u -= applied_(step_.tm, b.qm, b.rate);
  }

  template <class X, class F, class S>
  void evaluate(const X& x, F& f, StepPoint<S>& b) {
    place(x, b);
    gradient(b);
    multiplier_.force(step_, b);
    at_.mass_times(b.dq, b.mdq);
    const double inverse_h = 1 / step_.h, half = 0.5 * step_.h;
    const Vector &p0 = step_.z0->p.value(), &p0_tail = step_.z0->p.tail();
    for (Index j = 0; j < n_; ++j) f[j] = ((b.mdq[j] * inverse_h - p0[j]) - p0_tail[j]) + (b.u[j] + b.force[j]) * half;
    multiplier_.rows(step_, b, f);
  }

  const System* system_;
  SystemAt at_;
  bool split_potential_, quadratic_;
  EndMultiplier multiplier_;
  StepScales scales_;
  SplitGradient split_;
  BalanceRefinement refinement_;
  AppliedForce applied_;
  AppliedForce::Place applied_place_;
  MovingConstraints times_;
  Index n_, m_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  EntryMap mass_, hessian_, force_;
  bool hessian_holds_mass_ = false;
  std::vector<Index> outer_;

  StepFrame step_;
  StepPoint<double> point_;
  StepPoint<Dual1> dual_point_;
  VectorOf<Dual1> x_dual_, f_dual_;
  Vector u_, work_, none_, g_values_, hessian_values_, hessian_scratch_;
};

}  // namespace gnomon::kernels
