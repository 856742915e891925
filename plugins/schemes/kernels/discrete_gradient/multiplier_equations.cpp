#include "kernels/discrete_gradient/multiplier_equations.hpp"

#include <type_traits>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/discrete_gradient/split_gradient.hpp"

namespace gnomon::kernels {
namespace {

class MultiplierEquations final : public TemplatedEquations<MultiplierEquations, true> {
 public:
  /// split_potential: u are the quotients of split_gradient.hpp.
  MultiplierEquations(const System& system, bool split_potential)
      : system_(&system),
        times_(system),
        at_(times_.mean()),
        split_potential_(split_potential),
        quadratic_(quadratic_constraints(system)),
        multiplier_(system, at_, {}),
        scales_(system),
        split_(times_.mean(), at_),
        applied_(system),
        friction_(system),
        n_(system.n()),
        m_(system.m()) {
    const SparsityPattern& g = system.constraint_pattern();
    const Block dq = layout_.unknown("dq", n_), lambda = layout_.unknown("lambda", m_);
    const Block balance = layout_.rows(n_), position = layout_.rows(m_);
    layout_.place(mass_, balance, dq, system.mass().pattern());
    layout_.place(hessian_, balance, dq, system.hessian_pattern());
    applied_.place(layout_, applied_place_, balance, dq);
    friction_.place(layout_, friction_place_, balance, dq, lambda);
    layout_.place(force_, balance, lambda, g, Layout::transposed);
    layout_.place(position, dq, g);
    finish_layout();
    hessian_holds_mass_ =
        !friction_.active() && pattern().nonzeros() == system.hessian_pattern().nonzeros() + 2 * g.nonzeros();
    if (split_potential_) split_.find_outer(layout_, balance, dq);

    allocate_point(points_.at_double);
    allocate_point(points_.at_extended);
    step_.g0.setZero(m_);
    for (Vector* v : {&u_, &work_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  void begin(const State& z0, double h) {
    step_.z0 = &z0;
    step_.h = h;
    scales_.update(z0, h);
    times_.begin(z0, h);
    step_.tm = times_.middle();
    step_.t1 = times_.end();
    times_.mean().constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), step_.g0, g_values_);
    multiplier_.begin(step_, scales_);
    if (split_potential_) split_.begin(z0);
  }

  /// The explicit step with the multipliers of the last step.
  void predict(VectorRef x) {
    const State& z0 = *step_.z0;
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
  double rounding_floor() const override { return thresholds::residual_rounding + multiplier_.floor(scales_); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    StepPoint<S>& b = points_.get<S>();
    allocate_point(b);
    place(x, b);
    gradient(b);
    multiplier_.force(step_, b);
    const typename DualBase<S>::type inverse_h = 1 / typename DualBase<S>::type(step_.h), half = 0.5 * step_.h;
    const Vector &p0 = step_.z0->p.value(), &p0_tail = step_.z0->p.tail();
    for_momenta(b, [&](Index j, const S& mdq) {
      f[j] = ((mdq * inverse_h - p0[j]) - p0_tail[j]) + (b.u[j] + b.force[j]) * half;
    });
    multiplier_.rows(step_, b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    StepPoint<double>& b = points_.at_double;
    place(x, b);
    b.place_end(step_);
    if (!hessian_holds_mass_) values.setZero();

    // dF1 = [M/h + h/4 (Hess U + lambda.Hess g)(q_m), h/2 G(q_m)^T]
    if (split_potential_)
      split_.hessian(step_.tm, b.qm, b.q1, b.lambda, hessian_values_);
    else
      times_.mean().lagrangian_hessian(step_.tm, b.qm, b.lambda, hessian_values_);
    hessian_.set(values, hessian_values_, 0.25 * step_.h);
    mass_.add(values, system_->mass().values(), 1 / step_.h);
    if (split_potential_) split_.add_outer(0.5 * step_.h, values);
    if (applied_.active()) {
      b.rate = b.dq / step_.h;
      applied_.linearise(step_.tm, b.qm, b.rate);
      applied_.add(applied_place_, -0.25 * step_.h, -0.5, values);
    }
    multiplier_.middle_jacobian(step_, b.qm, g_values_);
    force_.set(values, g_values_, 0.5 * step_.h);
    if (friction_.active()) {
      b.rate = b.dq / step_.h;
      friction_.add(friction_place_, b.qm, b.rate, b.lambda, -0.25 * step_.h, -0.5, -0.5 * step_.h, values);
    }

    // dF3 = [G(q1), 0]: for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1). The last rows are G's own.
    system_->constraint_jacobian(step_.t1, b.q1, values.tail(g_values_.size()));
  }

  /// dp by F1 at x + low, at Extended.
  void finish(const Vector& x, State& next) {
    StepPoint<Extended>& b = points_.at_extended;
    const Vector &p0 = step_.z0->p.value(), &p0_tail = step_.z0->p.tail();
    const Extended inverse_h = 1 / Extended(step_.h);
    b.dq = x.head(n_).cast<Extended>() + low_.head(n_).cast<Extended>();
    VectorOf<Extended>& dp = b.u;
    for_momenta(b, [&](Index j, Extended mdq) { dp[j] = 2 * ((mdq * inverse_h - p0[j]) - p0_tail[j]); });
    next.q.add(x.head(n_));
    next.q.add(low_.head(n_));
    next.p.add_extended(dp);
    next.lambda = x.tail(m_);
    if (applied_.active() || friction_.active() || times_.moving()) next.work += work(x);
  }

 private:
  /// What evaluations need; of duals, which most solvers never ask for, at the first one.
  template <class S>
  void allocate_point(StepPoint<S>& b) const {
    if (b.dq.size() == n_) return;
    for (auto* v : {&b.dq, &b.qm, &b.u, &b.force}) v->resize(n_);
    if (!system_->mass().is_diagonal()) b.mdq.resize(n_);
    if (split_potential_ || !quadratic_ || std::is_same_v<S, double>) b.q1.resize(n_);
    if (applied_.active() || friction_.active()) b.rate.resize(n_);
    b.lambda.resize(m_);
  }
  /// Work of the force, of friction and of moving constraints in the step.
  Work work(const Vector& x) {
    StepPoint<double>& b = points_.at_double;
    place(x, b);
    b.place_end(step_);
    Work sum;
    sum.potential = times_.potential_work(step_.z0->q.value(), b.q1);
    multiplier_.book(step_, times_, b, sum);
    b.rate = b.dq / step_.h;
    if (applied_.active()) sum.force += applied_.work(step_.tm, b.qm, b.rate, b.dq);
    if (friction_.active()) sum.force += friction_.work(b.qm, b.rate, b.lambda, b.dq);
    return sum;
  }

  template <class X, class S>
  void place(const X& x, StepPoint<S>& b) const {
    b.place_middle(x.head(n_), step_);
    if (split_potential_ || !quadratic_) b.place_end(step_);
    b.lambda = x.tail(m_);
  }
  /// take(j, (M dq)_j) for every j
  template <class S, class Take>
  void for_momenta(StepPoint<S>& b, const Take& take) {
    const Mass& mass = system_->mass();
    if (mass.is_diagonal()) {
      const double* const entries = mass.diagonal_entries().data();
      for (Index j = 0; j < n_; ++j) take(j, S(b.dq[j] * entries[j]));
    } else {
      at_.mass_times(b.dq, b.mdq);
      for (Index j = 0; j < n_; ++j) take(j, b.mdq[j]);
    }
  }
  template <class S>
  void gradient(StepPoint<S>& b) {
    if (split_potential_)
      split_.evaluate(step_.tm, b.qm, b.q1, b.u);
    else
      at_.potential_gradient(step_.tm, b.qm, b.u);
    if (!applied_.active() && !friction_.active()) return;
    b.rate = b.dq * S(1 / step_.h);
    if (applied_.active()) b.u -= applied_(step_.tm, b.qm, b.rate);
    if (friction_.active()) b.u -= friction_(b.qm, b.rate, b.lambda);
  }

  const System* system_;
  StepTimes times_;
  SystemAt at_;  ///< averaged over the times of the step
  bool split_potential_, quadratic_;
  EndMultiplier multiplier_;
  StepScales scales_;
  SplitGradient split_;
  AppliedForce applied_;
  AppliedForce::Place applied_place_;
  AppliedFriction friction_;
  AppliedFriction::Place friction_place_;
  Index n_, m_;
  BlockMap mass_, hessian_, force_;
  bool hessian_holds_mass_ = false;

  StepFrame step_;
  ForAllScalars<StepPoint> points_;
  Vector u_, work_, g_values_, hessian_values_;
};

}  // namespace

std::unique_ptr<StepEquations> multiplier_step(const System& system, bool split_potential) {
  return std::make_unique<OneSolveStep<MultiplierEquations>>(system, split_potential);
}

}  // namespace gnomon::kernels
