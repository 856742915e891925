#pragma once
/// \file
/// The residual of energy-momentum-ggl, see energy_momentum_ggl.cpp for the equations and their derivation. Unknowns
/// x = [u = dq/h | y = M^-1 dp | mu = h lambda | gamma], v_m = v0 + y/2, rows multiplied by M:
///
///     F1 = M u - p0 - M y/2 - M (D_pPsi)^T gamma
///     F2 = M y + h D_qU + (D_q g)^T mu + h (D_qPsi)^T gamma
///     F3 = g(q1)/h            (quadratic g: g0/h + G(q_m) u, which is the same and does not cancel)
///     F4 = G(q1) (v0 + y)
///
/// The corrections of the discrete derivatives (part: along M dq; zorb: orthogonal to the orbits) are scalars times one
/// direction: with C_q = h c_U + mu.c_g (and h gamma.c_Psi), C_z = gamma.c_Psi,
///
///     part   F2 += M u (C_q + h gamma.c_Psi) / (h u.M u)
///     zorb   F2 += M n C_q / (n.M n) + h M n_q C_z / |n|^2,   F1 -= h^2 M n_v C_z / |n|^2
///
/// where n = dq - sum alpha_a xi_a(q_m) and (n_q, n_v) = (dq, y) - sum alpha_a (xi_a(q_m), xi_a'(v_m)) are orthogonal
/// to the orbits in the inner products M and (M, h^2 M). (The momentum part of the generator's lift is -xi_a'^T p = M
/// xi_a' M^-1 p, since the kinetic energy is invariant.)

#include <cmath>

#include "constraint_hessians.hpp"
#include "gnomon/system_at.hpp"
#include "orbits.hpp"
#include "predictor.hpp"
#include "requirements.hpp"
#include "split_gradient.hpp"
#include "step_scales.hpp"

namespace gnomon::kernels {

/// Which terms the discrete derivatives have for a system.
struct GglRule {
  bool split_potential = false;      ///< D_qU by quotients in the quadratic invariants
  bool correct_potential = false;    ///< D_qU with a correction
  bool correct_constraints = false;  ///< D_q g and DPsi with corrections
  bool orthogonal = false;           ///< zorb instead of part
  bool corrected() const { return correct_potential || correct_constraints; }
};

class GglEquations final : public TemplatedEquations<GglEquations> {
 public:
  GglEquations(const System& system, const GglRule& rule)
      : system_(&system),
        at_(system),
        rule_(rule),
        scales_(system),
        split_(system, at_),
        hessians_(system),
        orbits_(system, rule.orthogonal && rule.corrected()),
        n_(system.n()),
        m_(system.m()) {
    blocks_ = {{"u", 0, n_}, {"y", n_, n_}, {"mu", 2 * n_, m_}, {"gamma", 2 * n_ + m_, m_}};
    build_pattern();
    allocate(2 * (n_ + m_));
    allocate_buffers(double_);
    allocate_buffers(dual_);
    for (Vector* v : {&v0_, &work_, &gradient0_, &dc_q_}) v->setZero(n_);
    for (Vector* v : {&g0_, &lambda_}) v->setZero(m_);
    for (Vector* v : {&g_start_, &g_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&h_values_, &h_more_}) v->setZero(system.hessian_pattern().nonzeros());
    if (rule.corrected()) dk_.setZero(2 * (n_ + m_));
    if (uses_tangents()) unit_.setZero(2 * (n_ + m_));
    tangent_.setZero(unit_.size());
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
    system_->mass().solve(z0.p.value(), v0_);
    system_->mass().solve(z0.p.tail(), work_);
    v0_ += work_;
    if (rule_.split_potential) split_.begin(z0.q.value());
    if (rule_.corrected()) {
      system_->constraint_jacobian(z0.t, z0.q.value(), g_start_);
      u0_ = system_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_);
      n_min_ = 1e-22 * std::max(1.0, z0.q.value().squaredNorm()) * system_->mass().diagonal_entries().maxCoeff();
    }
  }

  /// Start value: extrapolation, else the explicit step with the multipliers of the start and gamma = 0.
  void predict(VectorRef x) {
    if (extrapolate(*z0_, h_, x)) return;
    const Vector& q0 = z0_->q.value();
    system_->potential_gradient(z0_->t, q0, gradient0_);
    at_.constraint_force(z0_->t, q0, z0_->lambda, work_);
    gradient0_ += work_;
    system_->mass().solve(gradient0_, work_);
    x.segment(n_, n_) = -h_ * work_;
    x.head(n_) = v0_ + 0.5 * x.segment(n_, n_);
    x.segment(2 * n_, m_) = h_ * z0_->lambda;
    x.tail(m_).setZero();
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_.velocity();
    columns.segment(n_, n_) = scales_.velocity();
    columns.segment(2 * n_, m_) = std::abs(h_) * scales_.lambda();
    columns.tail(m_) = std::abs(h_) * scales_.lambda();
    rows.head(n_) = scales_.dp();
    rows.segment(n_, n_) = scales_.dp();
    rows.segment(2 * n_, m_) = scales_.position() / std::abs(h_);
    rows.tail(m_) = scales_.hidden();
  }
  /// Rows F3 of constraints that are not quadratic are evaluated at q1; the corrections carry the rounding of U.
  double rounding_floor() const override {
    double floor = 1e-15;
    if (rule_.correct_constraints) floor += scales_.position_floor();
    if (rule_.correct_potential) floor += 1e-16 * static_cast<double>(std::abs(u0_)) / (scales_.s() * scales_.s());
    return floor;
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    set_points(x, b);
    at_.mass_times(b.u, b.mass_u);
    at_.mass_times(b.y, b.mass_y);

    // M (D_pPsi)^T gamma: (G0 + G1)^T gamma/2, which is G(q_m)^T gamma for quadratic g; zorb has G(q_m)^T gamma too.
    if (rule_.correct_constraints && !rule_.orthogonal) {
      at_.constraint_force(t1_, b.q1, b.gamma, b.kick);
      add_start_force(b.gamma, b.kick);
      b.kick *= S(0.5);
    } else {
      at_.constraint_force(tm_, b.qm, b.gamma, b.kick);
    }
    at_.constraint_force(tm_, b.qm, b.mu, b.force);
    at_.constraint_hessian_times(tm_, b.qm, b.gamma, b.vm, b.turn);
    if (rule_.split_potential)
      split_.evaluate(tm_, b.qm, b.q1, b.gradient);
    else
      at_.potential_gradient(tm_, b.qm, b.gradient);

    const Vector &p0 = z0_->p.value(), &p0_tail = z0_->p.tail();
    for (Index j = 0; j < n_; ++j) {
      f[j] = ((b.mass_u[j] - p0[j]) - p0_tail[j]) - b.mass_y[j] * 0.5 - b.kick[j];
      f[n_ + j] = b.mass_y[j] + b.force[j] + (b.gradient[j] + b.turn[j]) * h_;
    }
    if (rule_.correct_constraints) {
      end_constraints(b, b.g1);
      for (Index i = 0; i < m_; ++i) f[2 * n_ + i] = b.g1[i] / S(h_);
    } else {
      at_.constraint_jacobian_times(tm_, b.qm, b.u, b.row);
      for (Index i = 0; i < m_; ++i) f[2 * n_ + i] = b.row[i] + S(g0_[i] / h_);
    }
    at_.constraint_jacobian_times(t1_, b.q1, b.v1, b.row);
    for (Index i = 0; i < m_; ++i) f[2 * n_ + m_ + i] = b.row[i];

    if (rule_.corrected()) add_corrections(b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if (uses_tangents()) {
      dense_by_tangents(x, values);
      return;
    }
    auto& b = double_;
    x_work_ = x;
    set_points(x_work_, b);
    values.setZero();
    const Vector& mass = system_->mass().values();
    const bool corrected = rule_.correct_constraints;

    // dF1 = [M - h/2 sum gamma_i Hess g_i, -M/2, 0, -(D_pPsi)^T]
    mass_1u_.add(values, mass, 1);
    mass_1y_.add(values, mass, -0.5);
    hessians_.weighted(corrected ? t1_ : tm_, corrected ? b.q1 : b.qm, b.gamma, h_more_);
    hessian_1u_.add(values, h_more_, -0.5 * h_);
    if (corrected) {
      system_->constraint_jacobian(t1_, b.q1, g_values_);
      g_1gamma_.add(values, g_values_, -0.5);
      g_1gamma_.add(values, g_start_, -0.5);
      hessians_.weighted(tm_, b.qm, b.gamma, h_more_);
    }
    // dF2 = [h^2/2 (Hess U + lambda.Hess g) + h^2/2 gamma.D^3 g v_m, M + h/2 gamma.Hess g, G_m^T, h (Hess g v_m)^T]
    lambda_ = b.mu / h_;
    if (rule_.split_potential) {
      split_.hessian(tm_, b.qm, b.q1, lambda_, h_values_);
      std::size_t at = 0;
      split_.for_each_outer([&](Index, Index, double value) { values[outer_[at++]] += h_ * h_ * value; });
    } else {
      system_->lagrangian_hessian(tm_, b.qm, lambda_, h_values_);
    }
    hessian_2u_.add(values, h_values_, 0.5 * h_ * h_);
    mass_2y_.add(values, mass, 1);
    hessian_2y_.add(values, h_more_, 0.5 * h_);
    if (corrected) {
      hessians_.weighted_derivative(tm_, b.qm, b.gamma, b.vm, h_values_);
      hessian_2u_.add(values, h_values_, 0.5 * h_ * h_);
    }
    system_->constraint_jacobian(tm_, b.qm, g_values_);
    g_2mu_.add(values, g_values_, 1);
    if (!corrected) g_1gamma_.add(values, g_values_, -1);
    system_->constraint_jacobian_derivative(tm_, b.qm, b.vm, g_values_);
    g_2gamma_.add(values, g_values_, h_);
    // dF3 = [G1, 0, 0, 0],  dF4 = [h (Hess g(q1) v1), G1, 0, 0]
    system_->constraint_jacobian(t1_, b.q1, g_values_);
    g_3u_.add(values, g_values_, 1);
    g_4y_.add(values, g_values_, 1);
    system_->constraint_jacobian_derivative(t1_, b.q1, b.v1, g_values_);
    g_4u_.add(values, g_values_, h_);

    if (rule_.corrected()) add_correction_jacobian(values);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> u, y, dq, qm, q1, vm, v1, mass_u, mass_y, kick, force, turn, gradient, a;
    VectorOf<S> mu, gamma, row, g1, c;
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
    for (auto* v : {&b.u, &b.y, &b.dq, &b.qm, &b.q1, &b.vm, &b.v1, &b.mass_u, &b.mass_y, &b.kick, &b.force, &b.turn,
                    &b.gradient, &b.a})
      v->resize(n_);
    for (auto* v : {&b.mu, &b.gamma, &b.row, &b.g1, &b.c}) v->resize(m_);
  }
  bool uses_tangents() const { return rule_.orthogonal && rule_.corrected(); }

  template <class S>
  void set_points(const VectorOf<S>& x, Buffers<S>& b) {
    b.u = x.head(n_);
    b.y = x.segment(n_, n_);
    b.mu = x.segment(2 * n_, m_);
    b.gamma = x.tail(m_);
    b.dq = b.u * S(h_);
    b.qm = (b.dq * S(0.5) + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    b.q1 = (b.dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    b.vm = b.y * S(0.5) + v0_.template cast<S>();
    b.v1 = b.y + v0_.template cast<S>();
  }

  /// out += G(q0)^T gamma
  template <class S>
  void add_start_force(const VectorOf<S>& gamma, VectorOf<S>& out) {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) out[g.indices[k]] += gamma[i] * g_start_[k];
  }

  /// g(q1) and U(q1) - U(q0) from the compensated q1, the values of duals too: their rounding errors would be the
  /// energy's, and after a short dq the Newton matrix's.
  void end_constraints(Buffers<double>& b, Vector& out) {
    end_tail(b);
    system_->constraints_compensated(t1_, b.q1, work_, out, g_values_);
  }
  void end_constraints(Buffers<Dual1>& b, VectorOf<Dual1>& out) {
    at_.constraints(t1_, b.q1, out);
    copy_end(b);
    end_constraints(double_, double_.g1);
    for (Index i = 0; i < m_; ++i) out[i].value = double_.g1[i];
  }
  double potential_difference(Buffers<double>& b) {
    end_tail(b);
    return static_cast<double>(system_->potential_compensated(t1_, b.q1, work_, gradient0_) - u0_);
  }
  Dual1 potential_difference(Buffers<Dual1>& b) {
    Dual1 u = at_.potential(t1_, b.q1);
    copy_end(b);
    u.value = potential_difference(double_);
    return u;
  }
  void end_tail(const Buffers<double>& b) { work_ = (b.dq + z0_->q.tail()) - (b.q1 - z0_->q.value()); }
  void copy_end(const Buffers<Dual1>& b) {
    for (Index j = 0; j < n_; ++j) {
      double_.dq[j] = b.dq[j].value;
      double_.q1[j] = b.q1[j].value;
    }
  }

  /// C_q = h c_U + mu.c_g,  c_f = f1 - f0 - grad f(q_m).dq
  template <class S>
  S position_correction(Buffers<S>& b) {
    S c(0.0);
    if (rule_.correct_potential) c += (potential_difference(b) - b.gradient.dot(b.dq)) * h_;
    if (rule_.correct_constraints) {
      for (Index i = 0; i < m_; ++i) c += b.mu[i] * (b.g1[i] - S(g0_[i]));
      c -= b.force.dot(b.dq);
    }
    return c;
  }
  /// gamma.c_Psi. part: (G1 - G0) v_m - (Hess g(q_m) v_m).dq;  zorb: Psi1 - Psi0 - (Hess g(q_m) v_m).dq - G_m y
  template <class S>
  S velocity_correction(Buffers<S>& b) {
    if (!rule_.correct_constraints) return S(0.0);
    b.a.setConstant(S(0.0));
    add_start_force(b.gamma, b.a);
    S c = -b.turn.dot(b.dq);
    if (rule_.orthogonal) {
      for (Index j = 0; j < n_; ++j) c -= b.a[j] * v0_[j] + b.kick[j] * b.y[j];
      at_.constraint_force(t1_, b.q1, b.gamma, b.a);
      c += b.a.dot(b.v1);
    } else {
      c -= b.a.dot(b.vm);
      at_.constraint_force(t1_, b.q1, b.gamma, b.a);
      c += b.a.dot(b.vm);
    }
    return c;
  }

  template <class S>
  void add_corrections(Buffers<S>& b, VectorOf<S>& f) {
    if (!rule_.orthogonal) {
      const S norm = b.u.dot(b.mass_u);
      if (value_of(norm) * h_ * h_ <= n_min_) return;  // removable: c = O(|dq|^3)
      const S k = (position_correction(b) + velocity_correction(b) * h_) / (norm * h_);
      for (Index j = 0; j < n_; ++j) f[n_ + j] += b.mass_u[j] * k;
      return;
    }
    auto& o = orbits_.template directions<S>();
    S norm = orbits_.position(b.dq, b.qm, o);
    if (value_of(norm) > n_min_) {
      const S k = position_correction(b) / norm;
      at_.mass_times(o.q, b.a);
      for (Index j = 0; j < n_; ++j) f[n_ + j] += b.a[j] * k;
    }
    if (!rule_.correct_constraints) return;
    norm = orbits_.phase(b.dq, b.y, b.qm, b.vm, h_, o);
    if (value_of(norm) <= n_min_) return;
    const S k = velocity_correction(b) / norm;
    at_.mass_times(o.q, b.a);
    for (Index j = 0; j < n_; ++j) f[n_ + j] += b.a[j] * k * h_;
    at_.mass_times(o.v, b.a);
    for (Index j = 0; j < n_; ++j) f[j] -= b.a[j] * k * (h_ * h_);
  }

  /// part: F2 += M u k, k = C/(h N), N = u.M u:  dF2 += M u dk^T + k M du,  dk = (dC - 2 h k M u)/(h N).
  void add_correction_jacobian(VectorRef values) {
    auto& b = double_;
    at_.mass_times(b.u, b.mass_u);
    const double norm = b.u.dot(b.mass_u);
    if (norm * h_ * h_ <= n_min_) return;
    at_.potential_gradient(tm_, b.qm, b.gradient);
    at_.constraint_force(tm_, b.qm, b.mu, b.force);
    at_.constraint_hessian_times(tm_, b.qm, b.gamma, b.vm, b.turn);
    if (rule_.correct_constraints) end_constraints(b, b.g1);
    const double k = (position_correction(b) + h_ * velocity_correction(b)) / (norm * h_);

    auto dq = dc_q_.head(n_);
    dq.setZero();
    dk_.setZero();
    if (rule_.correct_potential) {
      system_->potential_gradient(t1_, b.q1, work_);
      dq += h_ * (work_ - b.gradient);
      system_->potential_hessian_times(tm_, b.qm, b.dq, work_);
      dq -= 0.5 * h_ * work_;
    }
    if (rule_.correct_constraints) {
      at_.constraint_force(t1_, b.q1, b.mu, work_);
      dq += work_ - b.force;
      system_->constraint_hessian_times(tm_, b.qm, b.mu, b.dq, work_);
      dq -= 0.5 * work_;
      system_->constraint_hessian_times(t1_, b.q1, b.gamma, b.vm, work_);
      dq += h_ * (work_ - b.turn);
      system_->constraint_third(tm_, b.qm, b.dq, b.vm, g_values_);
      multiply_transposed(system_->constraint_pattern(), g_values_, b.gamma, work_);
      dq -= 0.5 * h_ * work_;
      // by y through v_m
      auto dy = dk_.segment(n_, n_);
      at_.constraint_force(t1_, b.q1, b.gamma, b.a);
      dy = b.a;
      b.a.setZero();
      add_start_force(b.gamma, b.a);
      dy -= b.a;
      system_->constraint_hessian_times(tm_, b.qm, b.gamma, b.dq, work_);
      dy -= work_;
      dy *= 0.5 * h_;
      // by mu and gamma
      at_.constraint_jacobian_times(tm_, b.qm, b.dq, b.row);
      dk_.segment(2 * n_, m_) = b.g1 - g0_ - b.row;
      auto dgamma = dk_.tail(m_);
      at_.constraint_jacobian_times(t1_, b.q1, b.vm, b.row);
      dgamma = b.row;
      multiply(system_->constraint_pattern(), g_start_, b.vm, b.row);
      dgamma -= b.row;
      system_->constraint_jacobian_derivative(tm_, b.qm, b.vm, g_values_);
      multiply(system_->constraint_pattern(), g_values_, b.dq, b.row);
      dgamma -= b.row;
      dgamma *= h_;
    }
    dk_.head(n_) = h_ * (dq - 2 * k * b.mass_u);
    dk_ /= h_ * norm;
    for (Index j = 0; j < n_; ++j) values.segment(pattern_.offsets[n_ + j], dk_.size()) += b.mass_u[j] * dk_;
    mass_2u_.add(values, system_->mass().values(), k);
  }

  /// zorb: rows F1 and F2 are dense, and come from dual numbers through the residual, one direction an unknown.
  void dense_by_tangents(const ConstVectorRef& x, VectorRef values) {
    for (Index j = 0; j < unit_.size(); ++j) {
      unit_[j] = 1;
      tangent(x, unit_, tangent_);
      unit_[j] = 0;
      for (Index i = 0; i < unit_.size(); ++i) {
        const Index k = pattern_.find(i, j);
        if (k >= 0) values[k] = tangent_[i];
      }
    }
  }

  void build_pattern() {
    const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
    const SparsityPattern& hessian = system_->hessian_pattern();
    const Index size = 2 * (n_ + m_), mu = 2 * n_, gamma = 2 * n_ + m_;
    PatternBuilder builder(size, size);
    for (const Index row : {Index{0}, n_})
      for (const Index col : {Index{0}, n_}) builder.add(mass, row, col);
    builder.add(hessian, 0, 0);
    builder.add(hessian, n_, 0);
    builder.add(hessian, n_, n_);
    builder.add(g, 0, gamma, true);
    builder.add(g, n_, mu, true);
    builder.add(g, n_, gamma, true);
    builder.add(g, mu, 0);
    builder.add(g, gamma, 0);
    builder.add(g, gamma, n_);
    // A correction depends on every unknown. (It does not vanish only for U or g of degree > 2.)
    if (rule_.corrected()) builder.add(SparsityPattern::dense(n_, size), n_, 0);
    if (uses_tangents()) builder.add(SparsityPattern::dense(n_, size), 0, 0);
    pattern_ = builder.build();
    mass_1u_ = BlockMap(pattern_, mass, 0, 0);
    mass_1y_ = BlockMap(pattern_, mass, 0, n_);
    mass_2u_ = BlockMap(pattern_, mass, n_, 0);
    mass_2y_ = BlockMap(pattern_, mass, n_, n_);
    hessian_1u_ = BlockMap(pattern_, hessian, 0, 0);
    hessian_2u_ = BlockMap(pattern_, hessian, n_, 0);
    hessian_2y_ = BlockMap(pattern_, hessian, n_, n_);
    g_1gamma_ = BlockMap(pattern_, g, 0, gamma, true);
    g_2mu_ = BlockMap(pattern_, g, n_, mu, true);
    g_2gamma_ = BlockMap(pattern_, g, n_, gamma, true);
    g_3u_ = BlockMap(pattern_, g, mu, 0);
    g_4u_ = BlockMap(pattern_, g, gamma, 0);
    g_4y_ = BlockMap(pattern_, g, gamma, n_);
    if (rule_.split_potential)
      split_.for_each_outer([&](Index i, Index j, double) { outer_.push_back(pattern_.find(n_ + i, j)); });
  }

  const System* system_;
  SystemAt at_;
  GglRule rule_;
  StepScales scales_;
  SplitGradient split_;
  ConstraintHessians hessians_;
  Orbits orbits_;
  Index n_, m_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap mass_1u_, mass_1y_, mass_2u_, mass_2y_, hessian_1u_, hessian_2u_, hessian_2y_;
  BlockMap g_1gamma_, g_2mu_, g_2gamma_, g_3u_, g_4u_, g_4y_;
  std::vector<Index> outer_;

  const State* z0_ = nullptr;
  double h_ = 0, tm_ = 0, t1_ = 0, n_min_ = 0;
  long double u0_ = 0;
  Vector v0_, g0_, g_start_;

  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector x_work_, work_, gradient0_, dc_q_, lambda_, g_values_, h_values_, h_more_, dk_, unit_, tangent_;
};

}  // namespace gnomon::kernels
