#pragma once
/// \file
/// One step in (q,p) for a mass that depends on q, H = T(q,p) + U(q,t), in increments x = [dq | dp | ...]:
///
///     F1 = dq - h D_pH,     F2 = dp + h (D_qH + G(q_m)^T F - Q),    Q = Q(q_m, dq/h, t_m)
///
/// D is the gradient at the midpoint - that is (40) of Glowinski and Holmstroem, which in (q,p) is the implicit
/// midpoint rule: with p^n = p^(n-1/2) + (h/2) L_q^(n-1/2) and p^(n+1/2) = L_v(q_m, dq/h) it reads p_m = p^(n+1/2) - or
/// Gonzalez' discrete derivative in z = (q,p),
///
///     D H = grad H(z_m) + s W dz,    s = c/N,    c = H1 - H0 - grad H(z_m).dz + F.(y1 - y0 - G(q_m) dq),
///     N = dz.W dz,    W = 1 (weight=identity) or diag(W, h^2 W^-1), W = diag M at a typical configuration
///
/// for which dq.F2 - dp.F1 = 0 gives H1 - H0 = Q.dq - F.(y1 - y0). At dz = 0 the quotient has a removable singularity
/// of value zero: c is O(|dz|^3), and where |dz| < 3e-9 it is below the last digit of an extended H, and skipped.
/// Constraints y = g (and y = -c of obstacles, for penalties):
///
///     middle      F = lambda, unknown, with the rows g(q1) = 0
///     penalty     F = the gradient of P at y(q_m), or its difference quotients between y0 and y1: H + P is then kept
///     ends        no F, but kicks at both ends, p_a = p0 - (h/2) G(q0)^T lambda, p_b = p1 + (h/2) G(q1)^T mu between
///                 which the midpoint rule runs: p_m = (p_a + p_b)/2 and F2 = p_b - p_a + h (...), with the rows
///                 g(q1) = 0 and G(q1) T_p(z1) = 0
///     levels      F = lambda as for middle and Psi = G T_p beside H and g: D_pH + (D_pPsi)^T gamma, D_qH + (D_qPsi)^T
///                 gamma, with the rows g(q1) = 0 and Psi(z1) = 0; c has gamma.(Psi1 - Psi0 - grad Psi(z_m).dz) too,
///                 with grad Psi.gamma = (T_qp w + sum gamma_i (Hess g_i) T_p, T_pp w), w = G(q_m)^T gamma
///     augmented   ends, with lambda = 2 (Lambda + g(q1)/eps) - mu of the last step, Lambda fixed, and no row g
///
/// Ends: two neighbouring steps kick by h G(q^n)^T (mu^n + lambda^n)/2, which is the force h G(q^n)^T lambda^n of (40)
/// with g at n + 1 and lambda^n = (mu^n + lambda^n)/2; half-step multipliers with g at the midpoint, as the paper can
/// be read, carry an undamped (-1)^n. Symplectic, since kicks and midpoint rule are.
///
/// The Newton matrix comes from dual numbers: it is dense and small.

#include <algorithm>
#include <cmath>
#include <memory>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/gap_penalty.hpp"
#include "kernels/variable_mass/variable_mass_points.hpp"
#include "kernels/variable_mass/variable_mass_rule.hpp"

namespace gnomon::kernels {

class VariableMassEquations final : public TemplatedEquations<VariableMassEquations> {
  using Constraint = VariableMassRule::Constraint;

 public:
  VariableMassEquations(const System& system, const VariableMassRule& rule)
      : system_(&system),
        closed_(rule.constraint == Constraint::penalty && system.parts().n_obstacles() > 0
                    ? system.parts().obstacles->with_obstacles_closed()
                    : nullptr),
        rule_(rule),
        scales_(system),
        frame_(system, closed_ ? *closed_ : system),
        penalty_(system, rule.eps),
        n_(system.n()),
        m_(frame_.point<double>().y.size()),
        weight_(system.mass().diagonal_entries()) {
    layout_.unknown("dq", n_);
    layout_.unknown("dp", n_);
    const auto add = [&](const char* name, Index& at) {
      if (m_ > 0) at = layout_.unknown(name, m_).offset;
    };
    if (rule.constraint != Constraint::penalty && !augmented()) add("lambda", lambda_at_);
    if (levels())
      add("gamma", mu_at_);
    else if (ends())
      add("mu", mu_at_);
    layout_.place_dense(layout_.rows(layout_.size()));
    finish_layout();
    shift_.setZero(m_);
    if (rule.weight == GeneralQuotient::Weight::identity) weight_.setOnes();
  }

  const VariableMassRule& rule() const { return rule_; }
  const System& model() const { return *system_; }
  VariableMassFrame& frame() { return frame_; }
  const GapPenalty& penalty() const { return penalty_; }
  Index m() const { return m_; }
  Index lambda_at() const { return lambda_at_; }
  Index mu_at() const { return mu_at_; }
  bool ends() const { return rule_.constraint == Constraint::ends || augmented(); }
  bool levels() const { return rule_.constraint == Constraint::levels; }
  bool augmented() const { return rule_.constraint == Constraint::augmented; }

  void begin(const State& z0, double h) {
    scales_.update(z0, h);
    frame_.begin(z0, h);
    const double largest = rule_.weight == GeneralQuotient::Weight::identity ? 1 : weight_.maxCoeff();
    n_min_ = 1e-17 * std::max(1.0, z0.q.value().squaredNorm()) * largest;
  }
  /// augmented: lambda = shift + (2/eps) g(q1)
  void set_shift(const Vector& shift) { shift_ = shift; }

  /// The explicit step with the multipliers of the start.
  void predict(VectorRef x) {
    const State& z0 = frame_.z0();
    const double h = frame_.h();
    x.setZero();
    auto& b = frame_.point<double>();
    b.pm = z0.p.value();
    system_->parts().mass->kinetic_gradient(z0.q.value(), b.pm, b.t_q, b.t_p);
    system_->potential_gradient(z0.t, z0.q.value(), b.u);
    if (system_->parts().force) {
      system_->parts().force->force(frame_.tm(), z0.q.value(), b.t_p, b.force);
      b.u -= b.force;
    }
    if (system_->m() > 0 && rule_.constraint != Constraint::penalty) {
      frame_.start_force(z0.lambda, b.a);
      b.u += b.a;
      if (lambda_at_ > 0) x.segment(lambda_at_, m_) = z0.lambda;
      if (ends()) x.segment(mu_at_, m_) = z0.lambda;
    }
    x.segment(n_, n_) = -h * (b.t_q + b.u);
    b.pm += 0.5 * x.segment(n_, n_);
    system_->parts().mass->kinetic_gradient(z0.q.value(), b.pm, b.t_q, b.t_p);
    x.head(n_) = h * b.t_p;
  }
  /// The rounding floor of a step whose start value is x.
  void set_floor(const ConstVectorRef& x) { noise_ = rule_.exact ? quotient_noise(x) : 0; }

  /// The state after a step with the solution x.
  void finish(const Vector& x, State& next) {
    auto& b = frame_.place<double>(x);
    if (system_->parts().force) {
      b.v = b.dq / frame_.h();
      system_->parts().force->force(frame_.tm(), b.qm, b.v, b.force);
      for (Index j = 0; j < n_; ++j) next.work.force += static_cast<long double>(b.force[j]) * b.dq[j];
    }
    next.q.add(b.dq);
    next.p.add(b.dp);
    const Index m = system_->m();
    if (m > 0 && rule_.constraint == Constraint::penalty)
      next.lambda = b.lambda.head(m);
    else if (m > 0)
      next.lambda = x.segment(ends() ? mu_at_ : lambda_at_, m);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = rows.head(n_) = scales_.dq();
    columns.segment(n_, n_) = rows.segment(n_, n_) = scales_.dp();
    if (lambda_at_ > 0) {
      columns.segment(lambda_at_, m_) = scales_.lambda();
      rows.segment(lambda_at_, m_) = scales_.position();
    }
    if (mu_at_ > 0) {
      columns.segment(mu_at_, m_) = scales_.lambda();
      rows.segment(mu_at_, m_) = scales_.hidden();
    }
  }
  double rounding_floor() const override { return 1e-15 + scales_.position_floor() + noise_; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = frame_.template place<S>(x);
    const double h = frame_.h(), tm = frame_.tm();
    if (mu_at_ > 0) b.mu = x.segment(mu_at_, m_);
    if (m_ > 0) constrain(x, b);
    frame_.at().kinetic_gradient(b.qm, b.pm, b.t_q, b.t_p);
    frame_.at().potential_gradient(tm, b.qm, b.u);
    if (levels() && m_ > 0) add_hidden_derivative(b);
    for (Index j = 0; j < n_; ++j) {
      f[j] = b.dq[j] - b.t_p[j] * h;
      f[n_ + j] = b.dp[j] + (b.t_q[j] + b.u[j] + b.reaction[j] + (b.start[j] + b.end[j]) * 0.5) * h;
    }
    if (system_->parts().force) {
      for (Index j = 0; j < n_; ++j) b.v[j] = b.dq[j] / S(h);
      frame_.at().force(tm, b.qm, b.v, b.force);
      for (Index j = 0; j < n_; ++j) f[n_ + j] -= b.force[j] * h;
    }
    if (mu_at_ > 0) {  // Psi(z1)
      frame_.at().kinetic_gradient(b.q1, b.p1, b.a, b.v);
      frame_.shape_at().constraint_jacobian_times(frame_.t1(), b.q1, b.v, b.row);
    }
    if (rule_.exact) correct(b, f);
    if (lambda_at_ > 0) f.segment(lambda_at_, m_) = b.y;
    if (mu_at_ > 0) f.segment(mu_at_, m_) = b.row;
  }

 private:
  /// Effective multipliers, reactions and kicks, and y at the end where it is needed.
  template <class S, class X>
  void constrain(const X& x, VariableMassPoint<S>& b) {
    const double h = frame_.h();
    const Vector& y0 = frame_.y0();
    if (rule_.constraint == Constraint::penalty && !rule_.exact) {
      frame_.constraints(b, 0.5, b.y);
      for (Index i = 0; i < m_; ++i) b.lambda[i] = penalty_.force(i, b.y[i]);
    } else {
      frame_.constraints(b, 1, b.y);
    }
    if (rule_.constraint == Constraint::penalty && rule_.exact)
      for (Index i = 0; i < m_; ++i) b.lambda[i] = penalty_.quotient(i, y0[i], b.y[i]);
    if (lambda_at_ > 0) b.lambda = x.segment(lambda_at_, m_);
    if (augmented())
      for (Index i = 0; i < m_; ++i) b.lambda[i] = b.y[i] * (2 * penalty_.stiffness(i)) + S(shift_[i]);
    if (!ends()) {
      frame_.shape_at().constraint_force(frame_.tm(), b.qm, b.lambda, b.reaction);
      return;
    }
    frame_.start_force(b.lambda, b.start);
    frame_.shape_at().constraint_force(frame_.t1(), b.q1, b.mu, b.end);
    for (Index j = 0; j < n_; ++j) b.pm[j] += (b.end[j] - b.start[j]) * (0.25 * h);
  }

  /// grad (gamma.Psi)(z_m) = [T_qp w + sum_i gamma_i (Hess g_i) T_p; T_pp w], w = G^T gamma, added to T_q and T_p
  template <class S>
  void add_hidden_derivative(VariableMassPoint<S>& b) {
    frame_.shape_at().constraint_force(frame_.tm(), b.qm, b.mu, b.a);
    frame_.at().kinetic_hessian_times(b.qm, b.pm, b.a, b.start, b.end);
    frame_.shape_at().constraint_hessian_times(frame_.tm(), b.qm, b.mu, b.t_p, b.a);
    for (Index j = 0; j < n_; ++j) {
      b.t_q[j] += b.start[j] + b.a[j];
      b.t_p[j] += b.end[j];
      b.start[j] = b.end[j] = S(0.0);
    }
  }

  /// F1 -= h s W_p dp,  F2 += h s W_q dq
  template <class S>
  void correct(VariableMassPoint<S>& b, VectorRefOf<S> f) {
    const double h = frame_.h();
    const bool identity = rule_.weight == GeneralQuotient::Weight::identity;
    S norm(0.0), c = S(frame_.energy_change(b));
    for (Index j = 0; j < n_; ++j) {
      const double w_p = identity ? 1 : h * h / weight_[j];
      norm += b.dq[j] * b.dq[j] * weight_[j] + b.dp[j] * b.dp[j] * w_p;
      c -= (b.t_q[j] + b.u[j] + b.reaction[j]) * b.dq[j] + b.t_p[j] * b.dp[j];
    }
    for (Index i = 0; i < m_; ++i) c += b.lambda[i] * (b.y[i] - S(frame_.y0()[i]));
    if (levels())
      for (Index i = 0; i < m_; ++i) c += b.mu[i] * (b.row[i] - S(frame_.hidden0()[i]));
    if (value_of(norm) <= n_min_) return;
    const S s = c / norm * h;
    for (Index j = 0; j < n_; ++j) {
      f[j] -= s * b.dp[j] * (identity ? 1 : h * h / weight_[j]);
      f[n_ + j] += s * b.dq[j] * weight_[j];
    }
  }
  /// What the rounding of c, a sum of terms of the size of dz.grad H, does to the scaled rows.
  double quotient_noise(const ConstVectorRef& x) {
    const bool identity = rule_.weight == GeneralQuotient::Weight::identity;
    const double h = frame_.h(), s = scales_.s();
    double norm = 0, q_row = 0, p_row = 0;
    for (Index j = 0; j < n_; ++j) {
      const double w_p = identity ? 1 : h * h / weight_[j], dq = x[j], dp = x[n_ + j];
      norm += weight_[j] * dq * dq + w_p * dp * dp;
      q_row = std::max(q_row, std::abs(h) * w_p * std::abs(dp) / (scales_.dq()[j]));
      p_row = std::max(p_row, std::abs(h) * weight_[j] * std::abs(dq) / (scales_.dp()[j]));
    }
    const double rounding = 1e-16 * s * s + 1e-19 * std::abs(static_cast<double>(frame_.start_energy()));
    return norm > n_min_ ? rounding * std::max(q_row, p_row) / norm : 0;
  }

  const System* system_;
  std::shared_ptr<const System> closed_;
  VariableMassRule rule_;
  StepScales scales_;
  VariableMassFrame frame_;
  GapPenalty penalty_;
  Index n_, m_, lambda_at_ = -1, mu_at_ = -1;
  Vector weight_, shift_;
  double n_min_ = 0, noise_ = 0;
};

}  // namespace gnomon::kernels
