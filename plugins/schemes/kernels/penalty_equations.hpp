#pragma once
/// \file
/// The one residual behind the penalty and augmented Lagrange schemes of Leyendecker, Betsch, Steinmann (2004), for
/// quadratic constraints, in increments x = [dq | dp]:
///
///     F1 = M dq/h - p_m - s M W_p dp                      p_m = p0 + dp/2,  q_m = q0 + dq/2
///     F2 = dp + h (u + G(q_m)^T F + s W_q dq)
///     s = c/N,   N = dq.W_q dq + dp.W_p dp
///
/// With g1 - g0 = G(q_m) dq (exact for quadratic g) and delta_i = dq^T (Hess g_i) dq the schemes differ in the
/// effective multiplier F and in the penalty's part of c, neither of which cancels or divides:
///
///     equivariant   F = lambda + mu (g1 + g0)                               0
///     midpoint      F = lambda + 2 mu g(q_m) = lambda + mu (g1 + g0 - delta/4)   c = mu/4 delta.(g1 - g0)
///     d-hat         F = lambda + 2 mu g1                                    c = -mu |g1 - g0|^2
///
/// lambda = 0 for the penalty schemes. Energy: F.(g1 - g0) + c = lambda.(g1 - g0) + mu (|g1|^2 - |g0|^2) in all three.
/// The potential enters as in the multiplier schemes: u = grad U(q_m), with U1 - U0 - u.dq added to c where U is not
/// quadratic; or by the equivariant quotients in the quadratic invariants.

#include <algorithm>
#include <cmath>

#include "difference_quotient.hpp"
#include "gnomon/system_at.hpp"
#include "predictor.hpp"
#include "requirements.hpp"
#include "step_scales.hpp"

namespace gnomon::kernels {

struct PenaltyRule {
  enum class Derivative { equivariant, midpoint, d_hat };
  enum class Weight { identity, mass };

  Derivative derivative = Derivative::equivariant;
  double mu = 1e7;                   ///< P = mu |g|^2
  bool split_potential = false;      ///< equivariant: quotients in the quadratic invariants of U
  bool correct_potential = false;    ///< general: U enters c
  Weight weight = Weight::identity;  ///< W_q = W_p = 1, or W_q = M, W_p = h^2 M^-1

  /// F = lambda + mu (2 g0 + slope (g1 - g0) + ...): mu times this is how fast F follows g1.
  double slope() const { return derivative == Derivative::d_hat ? 2 : 1; }
};

class PenaltyEquations final : public TemplatedEquations<PenaltyEquations> {
 public:
  PenaltyEquations(const System& system, const PenaltyRule& rule)
      : system_(&system),
        at_(system),
        rule_(rule),
        scales_(system),
        n_(system.n()),
        m_(system.m()),
        corrected_(rule.correct_potential || (m_ > 0 && rule.derivative != PenaltyRule::Derivative::equivariant)) {
    blocks_ = {{"dq", 0, n_}, {"dp", n_, n_}};
    build_pattern();
    allocate(2 * n_);
    allocate_buffers(double_);
    allocate_buffers(dual_);
    for (Vector* v : {&g0_, &lambda_, &delta_, &ddelta_}) v->setZero(m_);
    for (Vector* v : {&q1_, &u_, &work_}) v->setZero(n_);
    for (Vector* v : {&ds_, &left_, &right_}) v->setZero(corrected_ ? 2 * n_ : 0);
    sum_.setZero(n_);
    for (Vector* v : {&g_values_, &g1_values_, &curvature_}) v->setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
    const Index k = rule.split_potential ? system.traits().n_invariants : 0;
    for (Vector* v : {&pi0_, &pi1_, &c_, &dc_}) v->setZero(k);
    if (k > 0) {
      pi_m_.setZero(system.invariant_pattern().nonzeros());
      pi_1_.setZero(system.invariant_pattern().nonzeros());
    }
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index n() const { return n_; }
  Index m() const { return m_; }
  const System& model() const { return *system_; }
  const PenaltyRule& rule() const { return rule_; }
  bool corrected() const { return corrected_; }
  double h() const { return h_; }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    tm_ = z0.t + 0.5 * h;
    t1_ = z0.t + h;
    scales_.update(z0, h);
    system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
    const double w = m_ > 0 ? (scales_.hidden() / scales_.s()).cwiseAbs2().maxCoeff() : 0;
    stiffness_ = rule_.slope() * rule_.mu * h * h * w;
    if (rule_.split_potential) system_->invariants(z0.q.value(), pi0_);
    if (corrected_) {
      u0_ = system_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_);
      const double weight =
          rule_.weight == PenaltyRule::Weight::mass ? system_->mass().diagonal_entries().maxCoeff() : 1;
      n_min_ = 1e-22 * std::max(1.0, z0.q.value().squaredNorm()) * weight;
    }
  }
  /// The multiplier that F starts from; stays until it is set again.
  void set_lambda(const Vector& lambda) { lambda_ = lambda; }

  /// Start value: extrapolation, else the explicit step with the multipliers of the last step.
  void predict(VectorRef x) {
    if (!extrapolate(*z0_, h_, x)) {
      const Vector& q0 = z0_->q.value();
      system_->potential_gradient(z0_->t, q0, u_);
      at_.constraint_force(z0_->t, q0, z0_->lambda, work_);
      u_ += work_;
      x.tail(n_) = -h_ * u_;
      work_ = z0_->p.value() + 0.5 * x.tail(n_);
      system_->mass().solve(work_, u_);
      x.head(n_) = h_ * u_;
    }
    estimate_quotient_floor(x);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_.dq();
    columns.tail(n_) = scales_.dp();
    // A residual of 1e-12, which is far above rounding, drifts where s is active: count it a thousand times, so that
    // Newton goes on until the residual stops shrinking.
    const double unit = corrected_ ? 1e-3 : 1;
    rows.head(n_) = unit * scales_.dp();
    rows.tail(n_) = unit * scales_.dp();
  }
  /// h mu G^T (G dq) carries mu h^2 w roundings of dq.
  double rounding_floor() const override { return 1e-15 + 1e-16 * stiffness_ + quotient_floor_; }

  /// g(q1) = g0 + G(q_m) dq and the effective multiplier of a solution.
  void end_values(const Vector& x, Vector& g1, Vector& effective) {
    auto& b = double_;
    place(x, b);
    multiplier(b);
    g1 = g0_ + b.dg;
    effective = b.lambda;
  }

  /// Takes rounding errors out of a solution, in long double, returned as x + low. Stiff (mu h^2 w/2 > 1): the balance
  /// F2 carries h mu eps of rounding, so dp comes from F1. Else, where no correction s is active, dp from F2 and dq
  /// from F1: without it the energy does a random walk by an ulp of p.v a step.
  void polish(VectorRef x, VectorRef low) {
    low.setZero();
    if (!system_->mass().is_diagonal()) return;
    const Vector &mass = system_->mass().diagonal_entries(), &p0 = z0_->p.value(), &p0_tail = z0_->p.tail();
    auto& b = double_;
    place(x, b);
    if (0.5 * stiffness_ > 1) {
      const double s = correction_size(b);
      for (Index j = 0; j < n_; ++j) {
        const double weight = rule_.weight == PenaltyRule::Weight::mass ? h_ * h_ : mass[j];
        const long double momentum = static_cast<long double>(mass[j]) * x[j] / h_;
        store((momentum - p0[j] - p0_tail[j]) / (0.5L + s * weight), x[n_ + j], low[n_ + j]);
      }
      return;
    }
    if (corrected_) return;
    work_ = 0.5 * b.dq + z0_->q.tail();
    work_ -= b.qm - z0_->q.value();  // q_m minus its rounded value
    gradient(b);
    if (!rule_.split_potential) {
      system_->potential_hessian_times(tm_, b.qm, work_, u_);
      b.u += u_;
    }
    multiplier(b);
    system_->constraint_hessian_times(tm_, b.qm, b.lambda, work_, u_);
    for (Index j = 0; j < n_; ++j) sum_[j] = static_cast<long double>(b.u[j]) + u_[j];
    system_->constraint_jacobian(tm_, b.qm, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        sum_[g.indices[k]] += static_cast<long double>(g_values_[k]) * b.lambda[i];
    const auto dp = [&](Index j) { return -h_ * sum_[j]; };
    const auto dq = [&](Index j) { return h_ * (p0[j] + (p0_tail[j] + dp(j) / 2)) / mass[j]; };
    const long double allowed = 1e-13L * b.dq.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < n_; ++j)
      if (!(std::abs(dq(j) - x[j]) <= allowed)) return;
    for (Index j = 0; j < n_; ++j) {
      store(dq(j), x[j], low[j]);
      store(dp(j), x[n_ + j], low[n_ + j]);
    }
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    place(x, b);
    gradient(b);
    multiplier(b);
    at_.constraint_force(tm_, b.qm, b.lambda, b.force);
    at_.mass_times(b.dq, b.mdq);
    const Vector &p0 = z0_->p.value(), &p0_tail = z0_->p.tail();
    for (Index j = 0; j < n_; ++j) f[j] = ((b.mdq[j] / S(h_) - p0[j]) - p0_tail[j]) - b.dp[j] * 0.5;
    for (Index j = 0; j < n_; ++j) f[n_ + j] = b.dp[j] + (b.u[j] + b.force[j]) * h_;
    if (corrected_) add_correction(b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    auto& b = double_;
    b.x = x;
    place(b.x, b);
    multiplier(b);
    values.setZero();

    // dF1 = [M/h, -1/2]
    mass_q_.add(values, system_->mass().values(), 1 / h_);
    for (Index j = 0; j < n_; ++j) values[minus_half_[static_cast<std::size_t>(j)]] = -0.5;

    // dF2 = [h/2 (Hess U + F.Hess g)(q_m) + h G_m^T dF/dq, 1]
    if (rule_.split_potential)
      add_split_hessian(values);
    else
      system_->lagrangian_hessian(tm_, b.qm, b.lambda, hessian_values_);
    hessian_.add(values, hessian_values_, 0.5 * h_);
    for (Index j = 0; j < n_; ++j) values[one_[static_cast<std::size_t>(j)]] += 1;
    // dF/dq = slope mu G(q1); for the midpoint 2 mu G(q_m) / 2
    const bool midpoint = rule_.derivative == PenaltyRule::Derivative::midpoint;
    q1_ = (b.dq + z0_->q.tail()) + z0_->q.value();
    system_->constraint_jacobian(tm_, b.qm, g_values_);
    system_->constraint_jacobian(t1_, q1_, g1_values_);
    const Vector& end = midpoint ? g_values_ : g1_values_;
    const SparsityPattern& g = system_->constraint_pattern();
    const double factor = h_ * rule_.mu * rule_.slope();
    std::size_t at = 0;
    for (Index i = 0; i < m_; ++i)
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) values[normal_[at++]] += factor * g_values_[j] * end[k];

    if (corrected_) add_correction_jacobian(values);
  }

  /// G at the midpoint and at the end of a solution, on the constraint pattern.
  void constraint_jacobians(const Vector& x, Vector& middle, Vector& end) {
    place(x, double_);
    q1_ = (double_.dq + z0_->q.tail()) + z0_->q.value();
    system_->constraint_jacobian(tm_, double_.qm, middle);
    system_->constraint_jacobian(t1_, q1_, end);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> x, dq, dp, lambda, qm, q1, u, force, mdq, mdp, dg, delta, pi, c;
  };
  template <class S>
  Buffers<S>& buffers() {
    if constexpr (std::is_same_v<S, double>)
      return double_;
    else
      return dual_;
  }
  template <class S>
  void allocate_buffers(Buffers<S>& b) {
    b.x.resize(2 * n_);
    for (auto* v : {&b.dq, &b.dp, &b.qm, &b.q1, &b.u, &b.force, &b.mdq, &b.mdp}) v->resize(n_);
    for (auto* v : {&b.lambda, &b.dg, &b.delta}) v->resize(m_);
    for (auto* v : {&b.pi, &b.c}) v->resize(rule_.split_potential ? system_->traits().n_invariants : 0);
  }

  void build_pattern() {
    const SparsityPattern& g = system_->constraint_pattern();
    const SparsityPattern& mass = system_->mass().pattern();
    const auto each_pair = [](const SparsityPattern& p, const auto& visit) {
      for (Index i = 0; i < p.rows; ++i)
        for (Index j = p.offsets[i]; j < p.offsets[i + 1]; ++j)
          for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) visit(p.indices[j], p.indices[k]);
    };
    PatternBuilder builder(2 * n_, 2 * n_);
    builder.add(mass, 0, 0);
    builder.add(system_->hessian_pattern(), n_, 0);
    each_pair(g, [&](Index j, Index k) { builder.add(n_ + j, k); });
    for (Index j = 0; j < n_; ++j) {
      builder.add(j, n_ + j);
      builder.add(n_ + j, n_ + j);
    }
    if (corrected_) builder.add(SparsityPattern::dense(2 * n_, 2 * n_), 0, 0);  // s depends on every unknown
    pattern_ = builder.build();
    mass_q_ = BlockMap(pattern_, mass, 0, 0);
    hessian_ = BlockMap(pattern_, system_->hessian_pattern(), n_, 0);
    each_pair(g, [&](Index j, Index k) { normal_.push_back(pattern_.find(n_ + j, k)); });
    for (Index j = 0; j < n_; ++j) {
      minus_half_.push_back(pattern_.find(j, n_ + j));
      one_.push_back(pattern_.find(n_ + j, n_ + j));
    }
    if (rule_.split_potential)
      each_pair(system_->invariant_pattern(), [&](Index j, Index k) { outer_.push_back(pattern_.find(n_ + j, k)); });
  }

  static void store(long double sum, double& value, double& low) {
    value = static_cast<double>(sum);
    low = static_cast<double>(sum - value);
  }

  template <class X, class S>
  void place(const X& x, Buffers<S>& b) {
    b.dq = x.head(n_);
    b.dp = x.tail(n_);
    b.qm = (b.dq * 0.5 + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
  }

  /// b.dg = g1 - g0, b.delta where it is needed, b.lambda = F
  template <class S>
  void multiplier(Buffers<S>& b) {
    const S mu(rule_.mu);
    at_.constraint_jacobian_times(tm_, b.qm, b.dq, b.dg);
    switch (rule_.derivative) {
      case PenaltyRule::Derivative::equivariant:
        for (Index i = 0; i < m_; ++i) b.lambda[i] = mu * (b.dg[i] + S(2 * g0_[i]));
        break;
      case PenaltyRule::Derivative::midpoint:
        curvature(b.dq, b.delta);
        for (Index i = 0; i < m_; ++i) b.lambda[i] = mu * (b.dg[i] + S(2 * g0_[i]) - b.delta[i] * 0.25);
        break;
      case PenaltyRule::Derivative::d_hat:
        for (Index i = 0; i < m_; ++i) b.lambda[i] = mu * ((b.dg[i] + S(g0_[i])) * 2.0);
        break;
    }
    for (Index i = 0; i < m_; ++i) b.lambda[i] += S(lambda_[i]);
  }

  /// out_i = dq^T (Hess g_i) dq
  void curvature(const Vector& dq, Vector& out) {
    system_->constraint_jacobian_derivative(tm_, z0_->q.value(), dq, curvature_);
    multiply(system_->constraint_pattern(), curvature_, dq, out);
  }
  void curvature(const VectorOf<Dual1>& dq, VectorOf<Dual1>& out) {
    for (Index j = 0; j < n_; ++j) work_[j] = dq[j].value;
    curvature(work_, delta_);
    for (Index j = 0; j < n_; ++j) work_[j] = dq[j].grad[0];
    multiply(system_->constraint_pattern(), curvature_, work_, ddelta_);
    for (Index i = 0; i < m_; ++i) {
      out[i].value = delta_[i];
      out[i].grad[0] = 2 * ddelta_[i];
    }
  }

  template <class S>
  void gradient(Buffers<S>& b) {
    if (!rule_.split_potential) {
      at_.potential_gradient(tm_, b.qm, b.u);
      return;
    }
    end_position(b);
    at_.invariants(b.q1, b.pi);
    for (Index k = 0; k < b.pi.size(); ++k) {
      const Quotient quotient = difference_quotient(*system_, k, pi0_[k], value_of(b.pi[k]));
      if constexpr (std::is_same_v<S, double>)
        b.c[k] = quotient.value;
      else
        b.c[k] = chain(b.pi[k], quotient.value, quotient.derivative);
    }
    at_.invariant_force(b.qm, b.c, b.u);
    at_.regular_potential_gradient(tm_, b.qm, b.mdq);
    b.u += b.mdq;
  }
  template <class S>
  void end_position(Buffers<S>& b) {
    b.q1 = (b.dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
  }

  void add_split_hessian(VectorRef values) {
    auto& b = double_;
    q1_ = (b.dq + z0_->q.tail()) + z0_->q.value();
    system_->invariants(q1_, pi1_);
    for (Index k = 0; k < c_.size(); ++k) {
      const Quotient quotient = difference_quotient(*system_, k, pi0_[k], pi1_[k]);
      c_[k] = quotient.value;
      dc_[k] = quotient.derivative;
    }
    system_->split_hessian(tm_, b.qm, c_, b.lambda, hessian_values_);
    // plus h sum_k grad pi_k(q_m) (dc_k/dpi1) grad pi_k(q1)^T
    const SparsityPattern& pattern = system_->invariant_pattern();
    system_->invariant_jacobian(b.qm, pi_m_);
    system_->invariant_jacobian(q1_, pi_1_);
    std::size_t at = 0;
    for (Index k = 0; k < c_.size(); ++k)
      for (Index i = pattern.offsets[k]; i < pattern.offsets[k + 1]; ++i)
        for (Index j = pattern.offsets[k]; j < pattern.offsets[k + 1]; ++j)
          values[outer_[at++]] += h_ * pi_m_[i] * dc_[k] * pi_1_[j];
  }

  /// (W_q dq, W_p dp) and M W_p dp; returns N.
  template <class S>
  S weigh(Buffers<S>& b) {
    if (rule_.weight == PenaltyRule::Weight::mass) {
      mass_solve(b.dp, b.mdp);
      return b.dq.dot(b.mdq) + b.dp.dot(b.mdp) * S(h_ * h_);
    }
    at_.mass_times(b.dp, b.mdp);
    return b.dq.dot(b.dq) + b.dp.dot(b.dp);
  }

  template <class S>
  S correction(Buffers<S>& b) {
    S c(0.0);
    if (rule_.correct_potential) c += potential_difference(b) - b.u.dot(b.dq);
    if (rule_.derivative == PenaltyRule::Derivative::midpoint) c += b.delta.dot(b.dg) * S(0.25 * rule_.mu);
    if (rule_.derivative == PenaltyRule::Derivative::d_hat) c -= b.dg.dot(b.dg) * S(rule_.mu);
    return c;
  }

  template <class S>
  void add_correction(Buffers<S>& b, VectorOf<S>& f) {
    const bool mass_weight = rule_.weight == PenaltyRule::Weight::mass;
    const S norm = weigh(b);
    if (value_of(norm) <= n_min_) {  // s (dq, dp) -> 0 with dz
      add_correction_at_rest(b, f);
      return;
    }
    const S s = correction(b) / norm;
    for (Index j = 0; j < n_; ++j) {
      f[j] -= s * (mass_weight ? b.dp[j] * (h_ * h_) : b.mdp[j]);
      f[n_ + j] += s * (mass_weight ? b.mdq[j] : b.dq[j]) * h_;
    }
  }

  /// At dz = 0, D-hat's c/N = -mu |G dq|^2/N has no limit, but s (dq, dp) is homogeneous of degree one: its derivative
  /// along w is s(w) w. The other corrections are of higher order.
  void add_correction_at_rest(Buffers<double>&, Vector&) {}
  void add_correction_at_rest(Buffers<Dual1>& b, VectorOf<Dual1>& f) {
    if (rule_.derivative != PenaltyRule::Derivative::d_hat) return;
    for (Index j = 0; j < n_; ++j) {
      double_.dq[j] = b.dq[j].grad[0];
      double_.dp[j] = b.dp[j].grad[0];
    }
    at_.mass_times(double_.dq, double_.mdq);
    const double norm = weigh(double_);
    if (!(norm > 0)) return;
    at_.constraint_jacobian_times(tm_, z0_->q.value(), double_.dq, double_.dg);
    const double s = -rule_.mu * double_.dg.squaredNorm() / norm;
    const bool mass_weight = rule_.weight == PenaltyRule::Weight::mass;
    for (Index j = 0; j < n_; ++j) {
      f[j].grad[0] -= s * (mass_weight ? double_.dp[j] * (h_ * h_) : double_.mdp[j]);
      f[n_ + j].grad[0] += s * (mass_weight ? double_.mdq[j] : double_.dq[j]) * h_;
    }
  }

  /// s at a placed solution.
  double correction_size(Buffers<double>& b) {
    if (!corrected_) return 0;
    gradient(b);
    multiplier(b);
    at_.mass_times(b.dq, b.mdq);
    const double norm = weigh(b);
    return norm > n_min_ ? correction(b) / norm : 0;
  }

  /// U(q1) - U(q0), at double from the compensated q1: its rounding error would be the energy's.
  double potential_difference(Buffers<double>& b) {
    end_position(b);
    work_ = (b.dq + z0_->q.tail()) - (b.q1 - z0_->q.value());
    return static_cast<double>(system_->potential_compensated(t1_, b.q1, work_, u_) - u0_);
  }
  Dual1 potential_difference(Buffers<Dual1>& b) {
    end_position(b);
    return at_.potential(t1_, b.q1) - Dual1(static_cast<double>(u0_));
  }

  void mass_solve(const Vector& p, Vector& out) { system_->mass().solve(p, out); }
  void mass_solve(const VectorOf<Dual1>& p, VectorOf<Dual1>& out) {
    for (Index j = 0; j < n_; ++j) work_[j] = p[j].value;
    system_->mass().solve(work_, u_);
    for (Index j = 0; j < n_; ++j) out[j].value = u_[j];
    for (Index j = 0; j < n_; ++j) work_[j] = p[j].grad[0];
    system_->mass().solve(work_, u_);
    for (Index j = 0; j < n_; ++j) out[j].grad[0] = u_[j];
  }

  /// dF1 -= M W_p (s, on dp) + r ds^T, dF2 += h (W_q (s, on dq) + W_q dq ds^T), ds = (dc - s dN)/N, r = M W_p dp.
  void add_correction_jacobian(VectorRef values) {
    auto& b = double_;
    const bool mass_weight = rule_.weight == PenaltyRule::Weight::mass;
    const Mass& mass = system_->mass();
    auto left = left_.head(2 * n_);    // (W_q dq, W_p dp)
    auto right = right_.head(2 * n_);  // (h W_q dq, -M W_p dp) by rows F2, F1
    if (mass_weight) {
      mass.apply(b.dq, left.head(n_));
      mass.solve(b.dp, left.tail(n_));
      left.tail(n_) *= h_ * h_;
      right.tail(n_) = -h_ * h_ * b.dp;
    } else {
      left.head(n_) = b.dq;
      left.tail(n_) = b.dp;
      mass.apply(b.dp, right.tail(n_));
      right.tail(n_) *= -1;
    }
    right.head(n_) = h_ * left.head(n_);
    const double norm = b.dq.dot(left.head(n_)) + b.dp.dot(left.tail(n_));
    if (norm <= n_min_) {
      add_correction_jacobian_at_rest(values);
      return;
    }

    gradient(b);
    double c = correction(b);  // with U1 as the dual numbers have it, not compensated
    if (rule_.correct_potential)
      c += (system_->potential(t1_, q1_) - static_cast<double>(u0_)) - potential_difference(b);
    const double s = c / norm;
    ds_.setZero();
    auto dc_dq = ds_.head(n_);
    if (rule_.correct_potential) {
      system_->potential_hessian_times(tm_, b.qm, b.dq, work_);
      dc_dq -= b.u + 0.5 * work_;
      system_->potential_gradient(t1_, q1_, work_);
      dc_dq += work_;
    }
    if (rule_.derivative == PenaltyRule::Derivative::midpoint) {
      // c = mu/4 delta.dg: d(delta_i) = 2 dq^T Hess g_i, d(dg) = G(q1)
      multiply_transposed(system_->constraint_pattern(), curvature_, b.dg, work_);
      dc_dq += 0.5 * rule_.mu * work_;
      multiply_transposed(system_->constraint_pattern(), g1_values_, b.delta, work_);
      dc_dq += 0.25 * rule_.mu * work_;
    } else if (rule_.derivative == PenaltyRule::Derivative::d_hat) {
      multiply_transposed(system_->constraint_pattern(), g1_values_, b.dg, work_);
      dc_dq -= 2 * rule_.mu * work_;
    }
    ds_ -= 2 * s * left;
    ds_ /= norm;

    const Index size = 2 * n_;
    for (Index j = 0; j < n_; ++j) {  // every row is dense then
      values.segment(pattern_.offsets[j], size) += right[n_ + j] * ds_;
      values.segment(pattern_.offsets[n_ + j], size) += right[j] * ds_;
    }
    const SparsityPattern& mp = mass.pattern();
    for (Index j = 0; j < n_; ++j) {
      if (mass_weight)
        values[pattern_.find(j, n_ + j)] -= s * h_ * h_;
      else
        values[pattern_.find(n_ + j, j)] += s * h_;
      for (Index k = mp.offsets[j]; k < mp.offsets[j + 1]; ++k) {
        if (mass_weight)
          values[pattern_.find(n_ + j, mp.indices[k])] += s * h_ * mass.values()[k];
        else
          values[pattern_.find(j, n_ + mp.indices[k])] -= s * mass.values()[k];
      }
    }
  }

  /// Column by column the derivative along a unit vector e_j of q: h s(e_j) W_q e_j, s(e_j) = -mu |G e_j|^2/(e_j.W_q
  /// e_j).
  void add_correction_jacobian_at_rest(VectorRef values) {
    if (rule_.derivative != PenaltyRule::Derivative::d_hat) return;
    const bool mass_weight = rule_.weight == PenaltyRule::Weight::mass;
    work_.setZero();
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index k = 0; k < g.nonzeros(); ++k)
      work_[g.indices[static_cast<std::size_t>(k)]] += g_values_[k] * g_values_[k];
    const SparsityPattern& mp = system_->mass().pattern();
    for (Index j = 0; j < n_; ++j) {
      const double s = -rule_.mu * work_[j] / (mass_weight ? system_->mass().diagonal_entries()[j] : 1);
      if (!mass_weight) values[pattern_.find(n_ + j, j)] += s * h_;
      for (Index k = mp.offsets[j]; mass_weight && k < mp.offsets[j + 1]; ++k)
        values[pattern_.find(n_ + mp.indices[k], j)] += s * h_ * system_->mass().values()[k];
    }
  }

  /// A rounding error eps |U| in c enters F1 as s r and F2 as h s W_q dq, s = c/N.
  void estimate_quotient_floor(const VectorRef& x) {
    quotient_floor_ = 0;
    if (!rule_.correct_potential) return;
    const double dq2 = x.head(n_).squaredNorm(), dp2 = x.tail(n_).squaredNorm();
    const double mass = system_->mass().diagonal_entries().mean(), root = std::sqrt(mass);
    const bool mass_weight = rule_.weight == PenaltyRule::Weight::mass;
    const double norm = mass_weight ? mass * dq2 + h_ * h_ * dp2 / mass : dq2 + dp2;
    const double r = (mass_weight ? h_ * h_ : mass) * std::sqrt(dp2) / root;
    const double w = std::abs(h_) * (mass_weight ? mass : 1) * std::sqrt(dq2) / root;
    const double noise = 1e-16 * static_cast<double>(std::abs(u0_));
    if (norm > n_min_) quotient_floor_ = noise * std::max(r, w) / (norm * scales_.s());
  }

  const System* system_;
  SystemAt at_;
  PenaltyRule rule_;
  StepScales scales_;
  Index n_, m_;
  bool corrected_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap mass_q_, hessian_;
  std::vector<Index> normal_, minus_half_, one_, outer_;

  const State* z0_ = nullptr;
  double h_ = 0, tm_ = 0, t1_ = 0, n_min_ = 0, stiffness_ = 0, quotient_floor_ = 0;
  long double u0_ = 0;
  Vector g0_, lambda_, pi0_;

  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector q1_, u_, work_, delta_, ddelta_, ds_, left_, right_;
  VectorOf<long double> sum_;
  Vector g_values_, g1_values_, curvature_, hessian_values_, pi1_, c_, dc_, pi_m_, pi_1_;
};

}  // namespace gnomon::kernels
