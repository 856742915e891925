#pragma once
/// \file
/// The one residual behind the midpoint schemes and the general discrete derivative of Leyendecker, Betsch, Steinmann
/// (2004) and of Glowinski and Holmstroem (40), in increments x = [dq | dp | multipliers]:
///
///     F1 = dq - h (T_p + s W_p dp)                        p_m = p0 + dp/2,  q_m = q0 + dq/2
///     F2 = dp + h (T_q + u + G(q_m)^T F + s W_q dq - Q(q_m, dq/h, t_m) - R(q_m, dq/h, F))
///
/// (R with the LevelMultiplier only: elsewhere F alternates. The multiplier schemes of constant mass without s,
/// energy-momentum and constrained-midpoint: multiplier_equations.hpp.) T is the policy Inertia: ConstantInertia, with
/// F1 multiplied by M/h, or ConfigurationInertia. F and the rows that go with it are the policy Multiplier:
/// EndMultiplier, PenaltyMultiplier; for ConfigurationInertia also LevelMultiplier, ImpulseMultiplier, GapMultiplier. u
/// and s:
///
///     midpoint      u = grad U(q_m)                                         s = 0
///     equivariant   u = the quotients of split_gradient.hpp                 s = 0
///     general       u = grad U(q_m),   s = c/N,   N = dq.W_q dq + dp.W_p dp,
///                   c = H1 - H0 - grad H(z_m).dz + the Multiplier's part,    T1 - T0 = T_p.dp for constant mass
///
/// Energy: dq.F2/h - (M^-1 dp).F1 = 0 (dq.F2 - dp.F1 of the unmultiplied F1) gives T1 - T0 + u.dq + F.G_m dq + c = 0,
/// which for the last two is H1 - H0 = -lambda.(g1 - g0) = 0 (EndMultiplier) and H1 + P1 = H0 + P0 (penalties).

#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/energy_left.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/constant_inertia.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"
#include "kernels/discrete_gradient/split_gradient.hpp"

namespace gnomon::kernels {

template <class Multiplier, class Inertia = ConstantInertia>
class MidpointEquations final
    : public TemplatedEquations<MidpointEquations<Multiplier, Inertia>, Multiplier::refines && Inertia::refines> {
  static constexpr bool refines = Multiplier::refines && Inertia::refines;
  static constexpr bool constant_mass = Inertia::constant_mass;
  static constexpr bool assembled = constant_mass || Multiplier::assembled;

 public:
  MidpointEquations(const System& system, const MidpointRule& rule, const typename Multiplier::Rule& multiplier)
      : system_(&system),
        times_(system),
        mean_(&times_.mean()),
        at_(*mean_),
        rule_(rule),
        inertia_(system, at_),
        multiplier_(system, at_, multiplier),
        scales_(system),
        split_(*mean_, at_),
        quotient_(system, rule.weight, rule.correct_potential || multiplier_.corrects(),
                  2 * system.n() + multiplier_.unknowns()),
        applied_(system),
        friction_(system),
        n_(system.n()) {
    const Block dq = this->layout_.unknown("dq", n_), dp = this->layout_.unknown("dp", n_);
    const Block rate = this->layout_.rows(n_), balance = this->layout_.rows(n_);
    inertia_.lay_out(this->layout_, rate, dq, dp);
    this->layout_.place(hessian_, balance, dq, system.hessian_pattern());
    this->layout_.place(one_, balance, dp, SparsityPattern::diagonal(n_));
    applied_.place(this->layout_, force_, balance, dq);
    multiplier_.lay_out(this->layout_, dq, balance);
    if constexpr (assembled && Multiplier::takes_friction)
      friction_.place(this->layout_, friction_place_, balance, dq, multiplier_.lambda());
    if (!constant_mass)
      this->layout_.place_dense({"", 0, this->layout_.size()});
    else if (corrected())  // s depends on every unknown
      for (const Block& rows : {rate, balance}) this->layout_.place_dense(rows);
    this->finish_layout();
    multiplier_.find_entries(this->layout_, dq, balance);
    if (rule.split_potential) split_.find_outer(this->layout_, balance, dq);

    points_.for_each([&](auto& b) {
      b.allocate(n_, system.m());
      inertia_.allocate(b);
    });
    direction_.allocate(n_, system.m());
    step_.g0.setZero(system.m());
    this->low_.setZero(this->size());
    x_extended_.setZero(this->size());
    rows_.setZero(this->size());
    for (Vector* v : {&u_, &work_, &p1_, &p_tail_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  const System& model() const { return *system_; }
  SystemAt& at() { return at_; }
  Multiplier& multiplier() { return multiplier_; }
  const StepFrame& step() const { return step_; }
  /// Whether a correction s is active, which makes the first 2n rows dense.
  bool corrected() const { return quotient_.active(); }

  void begin(const State& z0, double h) {
    step_.z0 = &z0;
    step_.h = h;
    times_.begin(z0, h);
    step_.tm = times_.middle();
    step_.t1 = times_.end();
    scales_.update(z0, h);
    mean_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), step_.g0, g_values_);
    multiplier_.begin(step_, scales_);
    if (rule_.split_potential) split_.begin(z0);
    if (!corrected()) return;
    energy0_ = mean_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_) +
               inertia_.energy(z0.q.value(), z0.q.tail(), z0.p.value(), z0.p.tail());
    quotient_.begin(z0.q.value(), scales_, h);
    energy_left_.begin(z0);
  }

  /// The explicit step with the multipliers of the last step.
  void predict(VectorRef x) {
    const State& z0 = *step_.z0;
    const Vector& q0 = z0.q.value();
    system_->potential_gradient(z0.t, q0, u_);
    at_.constraint_force(z0.t, q0, z0.lambda, work_);
    u_ += work_;
    inertia_.add_gradient(q0, z0.p.value(), u_);
    if (applied_.active()) {
      inertia_.velocity(q0, z0.p.value(), work_);
      u_ -= applied_(z0.t, q0, work_);
    }
    x.segment(n_, n_) = -step_.h * u_;
    work_ = z0.p.value() + 0.5 * x.segment(n_, n_);
    inertia_.velocity(q0, work_, u_);
    x.head(n_) = step_.h * u_;
    multiplier_.predict(z0, x);
  }
  /// The rounding floor of a step whose start value is x, and what its correction is asked for, see energy_left.hpp.
  void look_at_start(const ConstVectorRef& x) {
    quotient_floor_ = 0;
    if (!corrected()) return;
    if (rule_.correct_potential || multiplier_.energy_noise())
      quotient_floor_ = quotient_.floor(x, inertia_.noise(energy0_, scales_.s()), scales_.s());
    if (!rule_.correct_potential || !energy_left_.doubtful(x.head(n_).cwiseQuotient(scales_.dq()).norm(), scales_.s()))
      return;
    evaluate<double>(x, rows_);
    energy_left_.decide(correction(points_.at_double));
  }

  /// Whether a solution stands, or is to be found again with the correction.
  bool stands(const ConstVectorRef& x) {
    if (!corrected() || energy_left_.active()) return true;
    evaluate<double>(x, rows_);
    return energy_left_.take(correction(points_.at_double));
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_.dq();
    columns.segment(n_, n_) = scales_.dp();
    const double unit = corrected() ? multiplier_.unit() : 1;
    inertia_.rate_scales(scales_, unit, rows.head(n_));
    rows.segment(n_, n_) = unit * scales_.dp();
    multiplier_.scales(scales_, columns, rows);
  }
  double rounding_floor() const override {
    return scales_.force_floor() + multiplier_.floor(scales_) + quotient_floor_;
  }

  /// The points of the last evaluation at double.
  const StepPoint<double>& point() const { return points_.at_double; }
  /// The effective multiplier of a solution.
  const Vector& effective_multiplier(const ConstVectorRef& x) {
    auto& b = points_.at_double;
    place(x, b);
    multiplier_.evaluate(step_, x, b);
    return b.lambda;
  }
  /// The same at x + low, at Extended.
  void refined_multiplier(const Vector& x) {
    auto& b = points_.at_extended;
    x_extended_ = x.cast<Extended>() + this->low_.template cast<Extended>();
    place(x_extended_, b);
    multiplier_.evaluate(step_, x_extended_, b);
  }
  /// G at the midpoint and at the end of a solution, on the constraint pattern.
  void constraint_jacobians(const Vector& x, Vector& middle, Vector& end) {
    auto& b = points_.at_double;
    place(x, b);
    mean_->constraint_jacobian(step_.tm, b.qm, middle);
    system_->constraint_jacobian(step_.t1, b.q1, end);
  }
  /// out = d[F1; F2]/dc of a solution; zero where N counts as zero.
  void correction_column(const Vector& x, VectorRef out) {
    out.setZero();
    if (!energy_left_.active()) return;
    if constexpr (constant_mass) {
      auto& b = points_.at_double;
      place(x, b);
      at_.mass_times(b.dq, b.mdq);
      const double norm = quotient_.norm(b);
      if (norm > quotient_.smallest()) quotient_.add(b, 1 / norm, out);
    }
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = points_.template get<S>();
    place(x, b);
    gradient(b);
    multiplier_.evaluate(step_, x, b);
    multiplier_.force(step_, b);
    inertia_.rates(b);
    multiplier_.add_hidden(step_, b);
    inertia_.template rows<S>(step_, b, f);
    if (applied_.active()) {
      const auto& force = applied(b);
      for (Index j = 0; j < n_; ++j) f[n_ + j] -= force[j] * step_.h;
    }
    if (Multiplier::takes_friction && friction_.active()) {
      b.rate = b.dq / S(step_.h);
      const auto& force = friction_(b.qm, b.rate, b.lambda);
      for (Index j = 0; j < n_; ++j) f[n_ + j] -= force[j] * step_.h;
    }
    multiplier_.rows(step_, b, f);
    if (corrected()) add_correction(b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if constexpr (assembled)
      if (multiplier_.assembles()) return assemble(x, values);
    NonlinearEquations::jacobian(x, values);
  }

  /// At x + low. Sets the multipliers of the state to the effective ones, those of constraints.
  void finish(const Vector& x, State& next) {
    if (applied_.active() || friction_.active() || times_.moving()) book(x, next.work);
    next.q.add(x.head(n_));
    next.p.add(x.segment(n_, n_));
    next.q.add(this->low_.head(n_));
    next.p.add(this->low_.segment(n_, n_));
    next.lambda = effective_multiplier(x);
    if (corrected()) energy_left_.finish(next);
  }

 private:
  /// The work of the force and of what depends on time.
  void book(const Vector& x, Work& work) {
    auto& b = points_.at_double;
    place(x, b);
    if (applied_.active()) {
      b.rate = b.dq / step_.h;
      work.force += applied_.work(step_.tm, b.qm, b.rate, b.dq);
    }
    multiplier_.evaluate(step_, x, b);
    if (Multiplier::takes_friction && friction_.active()) {
      b.rate = b.dq / step_.h;
      work.force += friction_.work(b.qm, b.rate, b.lambda, b.dq);
    }
    if (!times_.moving()) return;
    work.potential += times_.potential_work(step_.z0->q.value(), b.q1);
    multiplier_.book(step_, times_, b, work);
  }

  void assemble(const ConstVectorRef& x, VectorRef values) {
    auto& b = points_.at_double;
    place(x, b);
    multiplier_.evaluate(step_, x, b);
    values.setZero();

    // dF1, of a constant mass [M/h, -1/2, 0], and what T has in dF2
    if constexpr (!constant_mass) multiplier_.add_hidden_hessian(step_, b, inertia_.hessian(b));
    inertia_.add_jacobian(step_.h, this->pattern(), values);

    // dF2 = [h/2 (Hess U + F.Hess g)(q_m), 1, 0] + the Multiplier's
    if (rule_.split_potential) {
      split_.hessian(step_.tm, b.qm, b.q1, b.lambda, hessian_values_);
      split_.add_outer(step_.h, values);
    } else {
      mean_->lagrangian_hessian(step_.tm, b.qm, b.lambda, hessian_values_);
    }
    hessian_.add(values, hessian_values_, 0.5 * step_.h);
    if (applied_.active()) {
      b.rate = b.dq / step_.h;
      applied_.linearise(step_.tm, b.qm, b.rate);
      applied_.add(force_, -0.5 * step_.h, -1, values);
    }
    if constexpr (assembled && Multiplier::takes_friction)
      if (friction_.active()) {
        b.rate = b.dq / step_.h;
        friction_.add(friction_place_, b.qm, b.rate, b.lambda, -0.5 * step_.h, -1, -step_.h, values);
      }
    one_.add(values, 1);
    multiplier_.add_jacobian(step_, b, values);

    if (corrected()) add_correction_jacobian(values);
  }

  template <class S>
  const VectorOf<S>& applied(StepPoint<S>& b) {
    b.rate = b.dq / S(step_.h);
    return applied_(step_.tm, b.qm, b.rate);
  }
  template <class X, class S>
  void place(const X& x, StepPoint<S>& b) const {
    b.place_middle(x.head(n_), step_);
    b.place_end(step_);
    b.dp = x.segment(n_, n_);
    inertia_.place(step_, b);
  }
  template <class S>
  void gradient(StepPoint<S>& b) {
    if (rule_.split_potential)
      split_.evaluate(step_.tm, b.qm, b.q1, b.u);
    else
      at_.potential_gradient(step_.tm, b.qm, b.u);
  }

  template <class S>
  S correction(StepPoint<S>& b) {
    S c(0.0);
    if (rule_.correct_potential) c += (energy_difference(b) - b.u.dot(b.dq)) - inertia_.gradient_along(b);
    if (multiplier_.corrects()) c += multiplier_.correction(step_, b);
    return c;
  }

  template <class S>
  void add_correction(StepPoint<S>& b, VectorRefOf<S> f) {
    if (!energy_left_.active()) return;
    const S norm = quotient_.norm(b);
    if (value_of(norm) > quotient_.smallest())
      quotient_.add(b, S((correction(b) + S(energy_left_.left())) / norm), f);
    else
      add_correction_at_rest(b, f);
  }
  template <class S>
  void add_correction_at_rest(StepPoint<S>&, const VectorRefOf<S>&) {}
  void add_correction_at_rest(StepPoint<Dual1>& b, VectorRefOf<Dual1> f) {
    if constexpr (constant_mass) {
      if (!multiplier_.singular_at_rest()) return;
      for (Index j = 0; j < n_; ++j) {
        direction_.dq[j] = b.dq[j].grad[0];
        direction_.dp[j] = b.dp[j].grad[0];
      }
      at_.mass_times(direction_.dq, direction_.mdq);
      const double norm = quotient_.norm(direction_);
      if (norm > 0) quotient_.add_tangent(direction_, multiplier_.at_rest(step_, direction_.dq) / norm, f);
    }
  }

  /// H(z1) - H(z0), of constant mass U(q1) - U(q0), at double from the compensated state: its rounding error would be
  /// the energy's.
  double energy_difference(StepPoint<double>& b) {
    const State& z0 = *step_.z0;
    b.end_tail(step_, work_);
    long double end = mean_->potential_compensated(step_.t1, b.q1, work_, u_);
    if (!constant_mass) {
      p_tail_ = (b.dp + z0.p.tail()) - (b.p1 - z0.p.value());
      end += inertia_.energy(b.q1, work_, b.p1, p_tail_);
    }
    return static_cast<double>(end - energy0_);
  }
  Extended energy_difference(StepPoint<Extended>& b) {
    work_ = b.q1.template cast<double>();
    u_ = (b.q1 - work_.cast<Extended>()).template cast<double>();
    Extended end = mean_->potential_compensated(step_.t1, work_, u_, p_tail_);
    if (!constant_mass) {
      p1_ = b.p1.template cast<double>();
      p_tail_ = (b.p1 - p1_.cast<Extended>()).template cast<double>();
      end += inertia_.energy(work_, u_, p1_, p_tail_);
    }
    return end - energy0_;
  }
  Dual1 energy_difference(StepPoint<Dual1>& b) {
    Dual1 change = at_.potential(step_.t1, b.q1) - Dual1(static_cast<double>(energy0_)) + inertia_.energy(b);
    if (!constant_mass) {
      auto& a = points_.at_double;
      copy_values(b.dq, a.dq);
      copy_values(b.dp, a.dp);
      copy_values(b.q1, a.q1);
      copy_values(b.p1, a.p1);
      change.value = energy_difference(a);
    }
    return change;
  }
  static void copy_values(const VectorOf<Dual1>& from, Vector& to) {
    for (Index j = 0; j < to.size(); ++j) to[j] = from[j].value;
  }

  void add_correction_jacobian(VectorRef values) {
    if (!energy_left_.active()) return;
    auto& b = points_.at_double;
    const bool moving =
        quotient_.add_jacobian(b, this->pattern(), values, [&](Vector& gradient) { return linearise(b, gradient); });
    if (moving || !multiplier_.singular_at_rest()) return;
    if constexpr (constant_mass) {
      work_.setZero();
      for (Index j = 0; j < n_; ++j) {
        work_[j] = 1;
        quotient_.add_column_at_rest(j, multiplier_.at_rest(step_, work_) / quotient_.position_weight(j),
                                     this->pattern(), values);
        work_[j] = 0;
      }
    }
  }
  /// c, with U1 of a constant mass as the dual numbers have it, not compensated, and its gradient.
  double linearise(StepPoint<double>& b, Vector& dc) {
    double c = 0;
    if (rule_.correct_potential) {
      mean_->potential_gradient(step_.tm, b.qm, b.u);
      c += constant_mass ? mean_->potential(step_.t1, b.q1) - static_cast<double>(energy0_) : energy_difference(b);
      if constexpr (!constant_mass) {
        inertia_.rates(b);
        multiplier_.add_hidden(step_, b);
      }
      c -= b.u.dot(b.dq) + inertia_.linearise(b, dc);
      mean_->potential_hessian_times(step_.tm, b.qm, b.dq, work_);
      dc.head(n_) -= b.u + 0.5 * work_;
      mean_->potential_gradient(step_.t1, b.q1, work_);
      dc.head(n_) += work_;
    }
    if (multiplier_.corrects()) c += multiplier_.linearise(step_, b, dc);
    return c + energy_left_.left();
  }

  const System* system_;
  StepTimes times_;
  const System* mean_;  ///< averaged over the times of the step
  SystemAt at_;         ///< the same
  MidpointRule rule_;
  Inertia inertia_;
  Multiplier multiplier_;
  StepScales scales_;
  SplitGradient split_;
  typename Inertia::Quotient quotient_;
  AppliedForce applied_;
  AppliedForce::Place force_;
  AppliedFriction friction_;
  AppliedFriction::Place friction_place_;
  Index n_;
  BlockMap hessian_, one_;

  StepFrame step_;
  double quotient_floor_ = 0;
  EnergyLeft energy_left_;
  long double energy0_ = 0;  ///< H(z0), of constant mass U(q0)
  ForAllScalars<StepPoint> points_;
  StepPoint<double> direction_;
  Vector u_, work_, p1_, p_tail_, rows_, g_values_, hessian_values_;
  VectorOf<Extended> x_extended_;
};

}  // namespace gnomon::kernels
