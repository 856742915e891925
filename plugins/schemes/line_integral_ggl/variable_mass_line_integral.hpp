#pragma once
/// \file
/// line-integral-ggl for a mass that depends on q, H = T(q,p) + U(q), Psi = G T_p: in the frame of
/// line_integral_frame.hpp, with p(ch) = p0 + sum_j I_j(c) pi_j and lambda, gamma polynomials with r coefficients,
///
///     u_j  =    sum_l b_l P_j(c_l) [ T_p + T_pp w ]_l,                                   w = G(q_l)^T gamma_l
///     pi_j = -h sum_l b_l P_j(c_l) [ T_q + grad U + G^T lambda + T_qp w + sum_i gamma_i (Hess g_i) T_p ]_l
///     i = 0:    g(q1) = 0,   Psi(q1,p1) = 0
///     0 < i:    sum_l b_l P_i(c_l) [ G q' ]_l = 0,   sum_l b_l P_i(c_l) [ h Psi_q q' + Psi_p p' ]_l = 0
///
/// and q1 = q0 + h u_0, p1 = p0 + pi_0. T is no polynomial: H is kept as far as the quadrature integrates it. Order
/// min(2s, 2r+2), and 2s without constraints. The Newton matrix comes from dual numbers.

#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "kernels/line_integral/line_integral_frame.hpp"
#include "kernels/variable_mass/variable_mass_multipliers.hpp"

namespace gnomon::kernels {

class VariableMassLineIntegral final : public TemplatedEquations<VariableMassLineIntegral> {
 public:
  VariableMassLineIntegral(const System& system, Index k, Index s, Index r)
      : system_(&system),
        at_(system),
        scales_(system),
        frame_(system, k, s, r),
        n_(system.n()),
        m_(system.m()),
        s_(s),
        r_(frame_.r()) {
    layout_.unknown("u", s_ * n_);
    layout_.unknown("pi", s_ * n_);
    layout_.unknown("lambda", r_ * m_);
    layout_.unknown("gamma", r_ * m_);
    layout_.place_dense(layout_.rows(layout_.size()));
    finish_layout();
    points_.for_each([&](auto& b) { b.allocate(n_, m_); });
    tail_.setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
  }

  Index pi_at(Index j) const { return (s_ + j) * n_; }
  Index lambda_at(Index i) const { return 2 * s_ * n_ + i * m_; }
  Index gamma_at(Index i) const { return 2 * s_ * n_ + (r_ + i) * m_; }

  void begin(const State& z0, double h) {
    scales_.update(z0, h);
    frame_.begin(z0, h);
  }
  /// The explicit step with the multipliers of the start and gamma = 0.
  void predict(VectorRef x) {
    const State& z0 = frame_.z0();
    x.setZero();
    auto& b = points_.at_double;
    system_->parts().mass->kinetic_gradient(z0.q.value(), z0.p.value(), b.t_q, b.t_p);
    system_->potential_gradient(z0.t, z0.q.value(), b.a);
    b.t_q += b.a;
    b.q = z0.q.value();
    at_.constraint_force(z0.t, b.q, z0.lambda, b.a);
    b.t_q += b.a;
    x.head(n_) = b.t_p;
    x.segment(pi_at(0), n_) = -frame_.h() * b.t_q;
    if (r_ > 0) x.segment(lambda_at(0), m_) = z0.lambda;
  }

  void finish(const Vector& x, State& next) {
    tail_ = frame_.h() * x.head(n_);
    next.q.add(tail_);
    tail_ = x.segment(pi_at(0), n_);
    next.p.add(tail_);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index j = 0; j < s_; ++j) {
      columns.segment(j * n_, n_) = rows.segment(j * n_, n_) = scales_.velocity();
      columns.segment(pi_at(j), n_) = rows.segment(pi_at(j), n_) = scales_.dp();
    }
    for (Index i = 0; i < r_; ++i) {
      columns.segment(lambda_at(i), m_) = scales_.lambda();
      columns.segment(gamma_at(i), m_) = std::abs(frame_.h()) * scales_.lambda();
      rows.segment(lambda_at(i), m_) = rows.segment(gamma_at(i), m_) = scales_.hidden();
    }
    if (r_ > 0) rows.segment(lambda_at(0), m_) = scales_.position();
  }
  double rounding_floor() const override { return 1e-15 + scales_.position_floor(); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = points_.get<S>();
    const State& z0 = frame_.z0();
    const double h = frame_.h();
    f = x;
    f.segment(lambda_at(0), 2 * r_ * m_).setConstant(S(0.0));
    for (Index l = 0; l < frame_.table.k; ++l) {
      const double t = frame_.time(l);
      LineIntegralFrame::combine(x, pi_at(0), frame_.table.I, l, s_, b.p);
      b.p = (b.p + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
      frame_.position(x, l, b.q);
      at_.kinetic_gradient(b.q, b.p, b.t_q, b.t_p);
      at_.potential_gradient(t, b.q, b.force);
      b.force += b.t_q;
      b.v = b.t_p;
      if (r_ > 0) constrain(x, l, b, f);
      frame_.add_moments(l, -1, b.v, 0, 0, s_, f);
      frame_.add_moments(l, h, b.force, pi_at(0), 0, s_, f);
    }
    if (r_ == 0) return;
    b.v = x.head(n_) * S(h) + z0.q.tail().template cast<S>();
    b.q = b.v + z0.q.value().template cast<S>();
    b.p = (x.segment(pi_at(0), n_) + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
    end_constraints(b);
    f.segment(lambda_at(0), m_) = b.row;
    at_.kinetic_gradient(b.q, b.p, b.t_q, b.t_p);
    at_.constraint_jacobian_times(z0.t + h, b.q, b.t_p, b.row);
    f.segment(gamma_at(0), m_) = b.row;
  }

 private:
  template <class S>
  struct Points {
    VectorOf<S> q, p, t_q, t_p, v, force, dq, dp, w, turn, push, a, lambda, gamma, unit, row;
    void allocate(Index n, Index m) {
      for (auto* x : {&q, &p, &t_q, &t_p, &v, &force, &dq, &dp, &w, &turn, &push, &a}) x->setConstant(n, S(0.0));
      for (auto* x : {&lambda, &gamma, &unit, &row}) x->setConstant(m, S(0.0));
    }
  };

  /// The multipliers' parts of velocity and force at node l, and the rows 0 < i.
  template <class S, class X>
  void constrain(const X& x, Index l, Points<S>& b, VectorRefOf<S> f) {
    const double t = frame_.time(l), h = frame_.h();
    frame_.multiplier(x, lambda_at(0), l, b.lambda);
    frame_.multiplier(x, gamma_at(0), l, b.gamma);
    at_.constraint_force(t, b.q, b.lambda, b.a);
    b.force += b.a;
    at_.constraint_force(t, b.q, b.gamma, b.w);
    at_.kinetic_hessian_times(b.q, b.p, b.w, b.turn, b.push);
    b.v += b.push;
    b.force += b.turn;
    at_.constraint_hessian_times(t, b.q, b.gamma, b.t_p, b.a);
    b.force += b.a;
    if (r_ == 1) return;
    frame_.velocity(x, l, b.dq);
    LineIntegralFrame::combine(x, pi_at(0), frame_.table.P, l, s_, b.dp);
    at_.constraint_jacobian_times(t, b.q, b.dq, b.row);
    frame_.add_moments(l, 1, b.row, lambda_at(0), 1, r_, f);
    at_.constraint_curvature(t, b.q, b.t_p, b.dq, b.row);
    b.row *= S(h);
    for (Index i = 0; i < m_; ++i) {  // G_i (h T_pq q' + T_pp p')
      b.unit.setConstant(S(0.0));
      b.unit[i] = S(1.0);
      at_.constraint_force(t, b.q, b.unit, b.w);
      at_.kinetic_hessian_times(b.q, b.p, b.w, b.turn, b.push);
      b.row[i] += b.turn.dot(b.dq) * S(h) + b.push.dot(b.dp);
    }
    frame_.add_moments(l, 1, b.row, gamma_at(0), 1, r_, f);
  }

  /// row = g(q1), at double from the compensated q1; v is q1 - q0.value().
  void end_constraints(Points<double>& b) {
    tail_ = b.v - (b.q - frame_.z0().q.value());
    system_->constraints_compensated(frame_.z0().t + frame_.h(), b.q, tail_, b.row, g_values_);
  }
  void end_constraints(Points<Dual1>& b) { at_.constraints(frame_.z0().t + frame_.h(), b.q, b.row); }

  const System* system_;
  SystemAt at_;
  StepScales scales_;
  LineIntegralFrame frame_;
  Index n_, m_, s_, r_;
  ForBothScalars<Points> points_;
  Vector tail_, g_values_;
};

/// One step; State::lambda are the index-1 multipliers of the state.
class VariableMassLineIntegralStep final : public OneSolveStep<VariableMassLineIntegral> {
 public:
  VariableMassLineIntegralStep(const System& system, Index k, Index s, Index r)
      : OneSolveStep(system, k, s, r), multipliers_(system) {}

  void finish(State& next) override {
    OneSolveStep::finish(next);
    multipliers_.solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }

 private:
  VariableMassMultipliers multipliers_;
};

}  // namespace gnomon::kernels
