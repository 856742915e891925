#pragma once
/// \file
/// The one residual behind the Lagrange multiplier schemes of Leyendecker, Betsch, Steinmann (2004), and behind the
/// constrained midpoint rule, in increments x = [dq | dp | lambda]:
///
///     F1 = M dq/h - p_m - s M W_p dp                      p_m = p0 + dp/2,  q_m = q0 + dq/2
///     F2 = dp + h (u + G(q_m)^T lambda + s W_q dq)
///     F3 = g(q1)          (quadratic g: g0 + G(q_m) dq, which is the same and does not cancel)
///
/// (F1 is dq = h (M^-1 p_m + s W_p dp) multiplied by M/h.) The schemes differ in u and s:
///
///     midpoint      u = grad U(q_m)                                         s = 0
///     equivariant   u = grad U2(q_m) + sum_k c_k grad pi_k(q_m),            s = 0
///                   c_k = [V_k(pi_k(q1)) - V_k(pi_k(q0))] / [pi_k(q1) - pi_k(q0)]
///     general       u = grad U(q_m),   s = c/N,   N = dq.W_q dq + dp.W_p dp,
///                   c = U1 - U0 - u.dq + lambda.(g1 - g0 - G(q_m) dq)
///
/// Energy: dq.F2/h - (M^-1 dp).F1 = 0 gives T1 - T0 + u.dq + lambda.G_m dq + c = 0, i.e. H1 - H0 = -lambda.(g1 - g0) =
/// 0 for the last two, where pi_k quadratic makes grad pi_k(q_m).dq = pi_k(q1) - pi_k(q0).

#include <cmath>

#include "difference_quotient.hpp"
#include "gnomon/system_at.hpp"
#include "predictor.hpp"
#include "requirements.hpp"
#include "step_scales.hpp"

namespace gnomon::kernels {

/// How U (and g) are differentiated between the two ends of the step.
struct MidpointRule {
  enum class Weight { identity, mass };

  bool split_potential = false;      ///< equivariant: quotients in the quadratic invariants
  bool correct_potential = false;    ///< general: U enters c
  bool correct_constraints = false;  ///< general: g enters c
  Weight weight = Weight::identity;  ///< W_q = W_p = 1, or W_q = M, W_p = h^2 M^-1
  bool corrected() const { return correct_potential || correct_constraints; }
};

class MidpointEquations final : public TemplatedEquations<MidpointEquations> {
 public:
  MidpointEquations(const System& system, const MidpointRule& rule)
      : system_(&system),
        at_(system),
        rule_(rule),
        scales_(system),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    const Index size = 2 * n_ + m_;
    blocks_ = {{"dq", 0, n_}, {"dp", n_, n_}, {"lambda", 2 * n_, m_}};
    build_pattern();
    allocate(size);
    allocate_buffers(double_);
    allocate_buffers(dual_);
    for (Vector* v : {&g0_, &lambda_}) v->setZero(m_);
    for (Vector* v : {&q1_, &qm_, &dq_, &dp_, &u_, &work_}) v->setZero(n_);
    sum_.setZero(n_);
    for (Vector* v : {&ds_, &left_, &right_}) v->setZero(rule.corrected() ? size : 0);
    g_values_.setZero(system.constraint_pattern().nonzeros());
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

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    tm_ = z0.t + 0.5 * h;
    t1_ = z0.t + h;
    scales_.update(z0, h);
    system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
    if (rule_.split_potential) system_->invariants(z0.q.value(), pi0_);
    if (rule_.corrected()) {
      u0_ = system_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_);
      const double weight =
          rule_.weight == MidpointRule::Weight::mass ? system_->mass().diagonal_entries().maxCoeff() : 1;
      n_min_ = 1e-22 * std::max(1.0, z0.q.value().squaredNorm()) * weight;
    }
  }

  /// Start value: extrapolation, else the explicit step with the multipliers of the last step.
  void predict(VectorRef x) {
    if (!extrapolate(*z0_, h_, x)) predict_explicitly(x);
    if (rule_.corrected()) estimate_quotient_floor(x);
  }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_.dq();
    columns.segment(n_, n_) = scales_.dp();
    columns.tail(m_) = scales_.lambda();
    rows.head(n_) = scales_.dp();
    rows.segment(n_, n_) = scales_.dp();
    rows.tail(m_) = scales_.position();
  }

  double rounding_floor() const override {
    double floor = 1e-15;
    if (!quadratic_) floor += scales_.position_floor();
    return floor + quotient_floor_;
  }

  /// Takes the last rounding errors out of a solution: with q_m and lambda as solved, dp from the balance F2 and then
  /// dq from F1, summed in long double and returned as x + low. G and grad U belong to the midpoint itself, not to its
  /// rounded value: the difference enters through the Hessians. Without this the energy does a random walk by an ulp of
  /// dp.v a step, 6e-14 in 1e6 steps of the double spherical pendulum instead of 4e-15. Where a correction s is active,
  /// M is not diagonal, or the step is so large that dq cancels in F1, the solution stays as it is.
  void polish(VectorRef x, VectorRef low) {
    low.setZero();
    if (rule_.corrected() || !system_->mass().is_diagonal()) return;
    auto& b = double_;
    b.dq = x.head(n_);
    b.lambda = x.tail(m_);
    b.q1 = (b.dq + z0_->q.tail()) + z0_->q.value();
    work_ = 0.5 * b.dq + z0_->q.tail();
    b.qm = work_ + z0_->q.value();
    work_ -= b.qm - z0_->q.value();  // q_m minus its rounded value
    gradient(b);
    if (!rule_.split_potential) {
      system_->potential_hessian_times(tm_, b.qm, work_, u_);
      b.u += u_;
    }
    system_->constraint_hessian_times(tm_, b.qm, b.lambda, work_, u_);
    for (Index j = 0; j < n_; ++j) sum_[j] = static_cast<long double>(b.u[j]) + u_[j];
    system_->constraint_jacobian(tm_, b.qm, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        sum_[g.indices[k]] += static_cast<long double>(g_values_[k]) * b.lambda[i];
    const Vector& mass = system_->mass().diagonal_entries();
    const auto dp = [&](Index j) { return -h_ * sum_[j]; };
    const auto dq = [&](Index j) { return h_ * (z0_->p.value()[j] + (z0_->p.tail()[j] + dp(j) / 2)) / mass[j]; };
    const long double allowed = 1e-13L * b.dq.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < n_; ++j)
      if (!(std::abs(dq(j) - x[j]) <= allowed)) return;
    for (Index j = 0; j < n_; ++j) {
      x[j] = static_cast<double>(dq(j));
      low[j] = static_cast<double>(dq(j) - x[j]);
      x[n_ + j] = static_cast<double>(dp(j));
      low[n_ + j] = static_cast<double>(dp(j) - x[n_ + j]);
    }
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    b.dq = x.head(n_);
    b.dp = x.segment(n_, n_);
    b.lambda = x.tail(m_);
    b.qm = (b.dq * 0.5 + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    b.q1 = (b.dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();

    gradient(b);
    at_.constraint_force(tm_, b.qm, b.lambda, b.force);
    at_.mass_times(b.dq, b.mdq);
    if (quadratic_) {
      at_.constraint_jacobian_times(tm_, b.qm, b.dq, b.g);
      b.g += g0_.template cast<S>();
    } else {
      end_constraints(b, b.g);
    }

    const Vector &p0 = z0_->p.value(), &p0_tail = z0_->p.tail();
    for (Index j = 0; j < n_; ++j) f[j] = ((b.mdq[j] / S(h_) - p0[j]) - p0_tail[j]) - b.dp[j] * 0.5;
    for (Index j = 0; j < n_; ++j) f[n_ + j] = b.dp[j] + (b.u[j] + b.force[j]) * h_;
    for (Index i = 0; i < m_; ++i) f[2 * n_ + i] = b.g[i];

    if (rule_.corrected()) add_correction(b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    dq_ = x.head(n_);
    dp_ = x.segment(n_, n_);
    lambda_ = x.tail(m_);
    qm_ = (0.5 * dq_ + z0_->q.tail()) + z0_->q.value();
    q1_ = (dq_ + z0_->q.tail()) + z0_->q.value();
    values.setZero();

    // dF1 = [M/h, -1/2, 0]
    mass_q_.add(values, system_->mass().values(), 1 / h_);
    for (Index j = 0; j < n_; ++j) values[minus_half_[static_cast<std::size_t>(j)]] = -0.5;

    // dF2 = [h/2 (Hess U + lambda.Hess g)(q_m), 1, h G_m^T]
    if (rule_.split_potential)
      add_split_hessian(values);
    else
      system_->lagrangian_hessian(tm_, qm_, lambda_, hessian_values_);
    hessian_.add(values, hessian_values_, 0.5 * h_);
    for (Index j = 0; j < n_; ++j) values[one_[static_cast<std::size_t>(j)]] += 1;
    system_->constraint_jacobian(tm_, qm_, g_values_);
    force_.add(values, g_values_, h_);

    if (rule_.corrected()) add_correction_jacobian(values);

    // dF3 = [G(q1), 0, 0]: for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1)
    system_->constraint_jacobian(t1_, q1_, g_values_);
    position_.add(values, g_values_, 1);
  }

 private:
  void predict_explicitly(VectorRef x) {
    const Vector& q0 = z0_->q.value();
    system_->potential_gradient(z0_->t, q0, u_);
    at_.constraint_force(z0_->t, q0, z0_->lambda, work_);
    u_ += work_;
    x.segment(n_, n_) = -h_ * u_;
    dp_ = z0_->p.value() + 0.5 * x.segment(n_, n_);
    system_->mass().solve(dp_, dq_);
    x.head(n_) = h_ * dq_;
    x.tail(m_) = z0_->lambda;
  }

  /// A rounding error eps |U| in c enters F1 as s r and F2 as h s W_q dq, s = c/N.
  void estimate_quotient_floor(const VectorRef& x) {
    const double dq2 = x.head(n_).squaredNorm(), dp2 = x.segment(n_, n_).squaredNorm();
    const double mass = system_->mass().diagonal_entries().mean(), root = std::sqrt(mass);
    const bool mass_weight = rule_.weight == MidpointRule::Weight::mass;
    const double norm = mass_weight ? mass * dq2 + h_ * h_ * dp2 / mass : dq2 + dp2;
    const double r = (mass_weight ? h_ * h_ : mass) * std::sqrt(dp2) / root;
    const double w = std::abs(h_) * (mass_weight ? mass : 1) * std::sqrt(dq2) / root;
    const double noise = 1e-16 * static_cast<double>(std::abs(u0_));
    quotient_floor_ = norm > n_min_ ? noise * std::max(r, w) / (norm * scales_.s()) : 0;
  }

  template <class S>
  struct Buffers {
    VectorOf<S> dq, dp, lambda, qm, q1, u, force, mdq, mdp, g, g1, pi, c;
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
    for (auto* v : {&b.dq, &b.dp, &b.qm, &b.q1, &b.u, &b.force, &b.mdq, &b.mdp}) v->resize(n_);
    for (auto* v : {&b.lambda, &b.g, &b.g1}) v->resize(m_);
    for (auto* v : {&b.pi, &b.c}) v->resize(rule_.split_potential ? system_->traits().n_invariants : 0);
  }

  void build_pattern() {
    const SparsityPattern& g = system_->constraint_pattern();
    const SparsityPattern& mass = system_->mass().pattern();
    const Index size = 2 * n_ + m_;
    PatternBuilder builder(size, size);
    builder.add(mass, 0, 0);
    builder.add(system_->hessian_pattern(), n_, 0);
    builder.add(g, n_, 2 * n_, true);
    builder.add(g, 2 * n_, 0);
    for (Index j = 0; j < n_; ++j) {
      builder.add(j, n_ + j);
      builder.add(n_ + j, n_ + j);
    }
    if (rule_.corrected()) {
      // s depends on every unknown: F1 and F2 are dense. (c does not vanish only for U or g of degree > 2.)
      builder.add(SparsityPattern::dense(2 * n_, size), 0, 0);
    }
    pattern_ = builder.build();
    mass_q_ = BlockMap(pattern_, mass, 0, 0);
    hessian_ = BlockMap(pattern_, system_->hessian_pattern(), n_, 0);
    force_ = BlockMap(pattern_, g, n_, 2 * n_, true);
    position_ = BlockMap(pattern_, g, 2 * n_, 0);
    for (Index j = 0; j < n_; ++j) {
      minus_half_.push_back(pattern_.find(j, n_ + j));
      one_.push_back(pattern_.find(n_ + j, n_ + j));
    }
    if (rule_.split_potential) {
      const SparsityPattern& pi = system_->invariant_pattern();
      for (Index k = 0; k < pi.rows; ++k)
        for (Index a = pi.offsets[k]; a < pi.offsets[k + 1]; ++a)
          for (Index b = pi.offsets[k]; b < pi.offsets[k + 1]; ++b)
            outer_.push_back(pattern_.find(n_ + pi.indices[a], pi.indices[b]));
    }
  }

  template <class S>
  void gradient(Buffers<S>& b) {
    if (!rule_.split_potential) {
      at_.potential_gradient(tm_, b.qm, b.u);
      return;
    }
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

  void add_split_hessian(VectorRef values) {
    system_->invariants(q1_, pi1_);
    for (Index k = 0; k < c_.size(); ++k) {
      const Quotient quotient = difference_quotient(*system_, k, pi0_[k], pi1_[k]);
      c_[k] = quotient.value;
      dc_[k] = quotient.derivative;
    }
    system_->split_hessian(tm_, qm_, c_, lambda_, hessian_values_);
    // plus h sum_k grad pi_k(q_m) (dc_k/dpi1) grad pi_k(q1)^T
    const SparsityPattern& pattern = system_->invariant_pattern();
    system_->invariant_jacobian(qm_, pi_m_);
    system_->invariant_jacobian(q1_, pi_1_);
    std::size_t at = 0;
    for (Index k = 0; k < c_.size(); ++k)
      for (Index a = pattern.offsets[k]; a < pattern.offsets[k + 1]; ++a)
        for (Index b = pattern.offsets[k]; b < pattern.offsets[k + 1]; ++b)
          values[outer_[at++]] += h_ * pi_m_[a] * dc_[k] * pi_1_[b];
  }

  template <class S>
  void add_correction(Buffers<S>& b, VectorOf<S>& f) {
    const bool mass_weight = rule_.weight == MidpointRule::Weight::mass;
    S norm;
    if (mass_weight) {
      mass_solve(b.dp, b.mdp);
      norm = b.dq.dot(b.mdq) + b.dp.dot(b.mdp) * S(h_ * h_);
    } else {
      at_.mass_times(b.dp, b.mdp);
      norm = b.dq.dot(b.dq) + b.dp.dot(b.dp);
    }
    if (value_of(norm) <= n_min_) return;  // s (dq, dp) -> 0 with dz: c = O(|dz|^3)
    S c(0.0);
    if (rule_.correct_potential) c += potential_difference(b) - b.u.dot(b.dq);
    if (rule_.correct_constraints) {
      end_constraints(b, b.g1);
      b.g1 -= g0_.template cast<S>();
      c += b.lambda.dot(b.g1) - b.force.dot(b.dq);
    }
    const S s = c / norm;
    for (Index j = 0; j < n_; ++j) {
      f[j] -= s * (mass_weight ? b.dp[j] * (h_ * h_) : b.mdp[j]);
      f[n_ + j] += s * (mass_weight ? b.mdq[j] : b.dq[j]) * h_;
    }
  }

  /// g(q1) and U(q1) - U(q0), at double from the compensated q1: their rounding errors would be the energy's.
  void end_constraints(Buffers<double>& b, Vector& out) {
    end_tail(b);
    system_->constraints_compensated(t1_, b.q1, work_, out, g_values_);
  }
  void end_constraints(Buffers<Dual1>& b, VectorOf<Dual1>& out) { at_.constraints(t1_, b.q1, out); }
  double potential_difference(Buffers<double>& b) {
    end_tail(b);
    return static_cast<double>(system_->potential_compensated(t1_, b.q1, work_, u_) - u0_);
  }
  Dual1 potential_difference(Buffers<Dual1>& b) { return at_.potential(t1_, b.q1) - Dual1(static_cast<double>(u0_)); }
  /// work = q1 minus its rounded value
  void end_tail(const Buffers<double>& b) {
    const Vector& q0 = z0_->q.value();
    work_ = (b.dq + z0_->q.tail()) - (b.q1 - q0);
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
    const bool mass_weight = rule_.weight == MidpointRule::Weight::mass;
    const Mass& mass = system_->mass();
    auto left = left_.head(2 * n_);    // (W_q dq, W_p dp)
    auto right = right_.head(2 * n_);  // (h W_q dq, -M W_p dp) by rows F2, F1
    if (mass_weight) {
      mass.apply(dq_, left.head(n_));
      mass.solve(dp_, left.tail(n_));
      left.tail(n_) *= h_ * h_;
      right.tail(n_) = -h_ * h_ * dp_;
    } else {
      left.head(n_) = dq_;
      left.tail(n_) = dp_;
      mass.apply(dp_, right.tail(n_));
      right.tail(n_) *= -1;
    }
    right.head(n_) = h_ * left.head(n_);
    const double norm = dq_.dot(left.head(n_)) + dp_.dot(left.tail(n_));
    if (norm <= n_min_) return;

    double c = 0;
    ds_.setZero();
    auto dc_dq = ds_.head(n_);
    if (rule_.correct_potential) {
      system_->potential_gradient(tm_, qm_, u_);
      c += system_->potential(t1_, q1_) - static_cast<double>(u0_) - u_.dot(dq_);
      system_->potential_hessian_times(tm_, qm_, dq_, work_);
      dc_dq -= u_ + 0.5 * work_;
      system_->potential_gradient(t1_, q1_, work_);
      dc_dq += work_;
    }
    if (rule_.correct_constraints) {
      auto dc_dlambda = ds_.tail(m_);
      at_.constraint_force(tm_, qm_, lambda_, u_);
      system_->constraint_hessian_times(tm_, qm_, lambda_, dq_, work_);
      dc_dq -= u_ + 0.5 * work_;
      at_.constraint_force(t1_, q1_, lambda_, work_);
      dc_dq += work_;
      at_.constraint_jacobian_times(tm_, qm_, dq_, double_.g1);
      system_->constraints(t1_, q1_, double_.g);
      dc_dlambda = double_.g - g0_ - double_.g1;
      c += lambda_.dot(dc_dlambda);
    }
    const double s = c / norm;
    ds_.head(2 * n_) -= 2 * s * left;
    ds_ /= norm;

    const Index size = 2 * n_ + m_;
    for (Index j = 0; j < n_; ++j) {  // rows F1 and F2 are dense then
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

  const System* system_;
  SystemAt at_;
  MidpointRule rule_;
  StepScales scales_;
  Index n_, m_;
  bool quadratic_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap mass_q_, hessian_, force_, position_;
  std::vector<Index> minus_half_, one_, outer_;

  const State* z0_ = nullptr;
  double h_ = 0, tm_ = 0, t1_ = 0, n_min_ = 0, quotient_floor_ = 0;
  long double u0_ = 0;
  Vector g0_, pi0_;

  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector q1_, qm_, dq_, dp_, u_, work_, lambda_, ds_, left_, right_;
  VectorOf<long double> sum_;
  Vector g_values_, hessian_values_, pi1_, c_, dc_, pi_m_, pi_1_;
};

}  // namespace gnomon::kernels
