#pragma once
/// \file
/// Projections of the end of a step (q^, v^) onto the constraints and the energy, stacked in one system
/// x = [dq | mu | dv | nu | eta], q = q^ + dq, v = v^ + dv:
///
///     W dq - G(q)^T mu - eta grad U(q) = 0       g(q) = 0                 position
///     W dv - G(q)^T nu - eta M v = 0             G(q) v = 0               velocity
///                                                H(q,v) = H*              energy
///
/// with W = 1 (the paper's Euclidean metric) or W = M. Without energy eta and its terms are absent, without velocity
/// dv and nu as well. Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (19), (23), (26)-(30).
///
/// The energy row is written in the increment from the start of the step, with p1 = p0 + M (v - v0):
///
///     (v - v0).(p0 + M (v - v0)/2) + U(q) - U(q0) + (H0 - H*) = 0,
///
/// so that only U is subtracted, in extended precision where the system has it.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "gnomon/system_at.hpp"
#include "requirements.hpp"
#include "step_scales.hpp"

namespace gnomon::kernels {

struct ProjectionRule {
  bool velocity = true;
  bool energy = false;  ///< with velocity
  bool mass_metric = true;
};

class ManifoldProjection final : public TemplatedEquations<ManifoldProjection> {
 public:
  enum class Outlook {
    regular,
    equilibrium,  ///< grad H has no tangential part and H is right: eta = 0 replaces the energy row
    impossible,   ///< H* is out of reach
  };

  ManifoldProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system_(&system),
        at_(system),
        rule_(rule),
        step_scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    build_pattern();
    allocate(pattern_.cols);
    allocate_buffers(double_);
    allocate_buffers(dual_);
    for (Vector* v : {&dq_hat_, &dv_hat_, &v_hat_, &q1_, &v1_, &work_, &tail_, &force_, &t_q_, &t_v_, &weight_})
      v->setZero(n_);
    for (Vector* v : {&g0_, &mu_, &zero_, &row_, &rhs_}) v->setZero(m_);
    for (Vector* v : {&g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&bending_, &stiffness_}) v->setZero(system.hessian_pattern().nonzeros());
    if (rule.mass_metric)
      weight_ = system.mass().diagonal_entries();
    else
      weight_.setOnes();
    if (rule.energy) {
      normal_ = Matrix::Identity(m_, m_);
      factor_ = Eigen::LLT<Matrix>(m_);
    }
    ones_.setOnes(n_);
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index dq() const { return 0; }
  Index dv() const { return n_ + m_; }

  /// From z0 with velocity v0 and increments dq_hat, dv_hat; energy_defect = H0 - H*.
  Outlook begin(const State& z0, const Vector& v0, const Vector& dq_hat, const Vector& dv_hat, double h,
                double energy_defect) {
    z0_ = &z0;
    h_ = h;
    t1_ = z0.t + h;
    dq_hat_ = dq_hat;
    dv_hat_ = dv_hat;
    v_hat_ = v0 + dv_hat;
    energy_defect_ = energy_defect;
    system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
    outlook_ = Outlook::regular;
    if (rule_.energy) u0_ = system_->potential_compensated(z0.t, z0.q.value(), z0.q.tail(), work_);
    find_scales();
    if (rule_.energy) outlook_ = look_ahead();
    return outlook_;
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index j = 0; j < n_; ++j) {
      const double root = std::sqrt(weight_[j]);
      columns[j] = size_q_ / root;
      rows[j] = size_q_ * root;
      if (!rule_.velocity) continue;
      columns[dv() + j] = size_v_ / root;
      rows[dv() + j] = size_v_ * root;
    }
    for (Index i = 0; i < m_; ++i) {
      columns[n_ + i] = size_q_ / row_[i];
      rows[n_ + i] = size_q_ * row_[i];
      if (!rule_.velocity) continue;
      columns[dv() + n_ + i] = size_v_ / row_[i];
      rows[dv() + n_ + i] = size_v_ * row_[i];
    }
    if (rule_.energy) {
      columns[eta()] = size_v_ / gradient_;
      rows[eta()] = outlook_ == Outlook::equilibrium ? size_v_ / gradient_ : size_v_ * gradient_;
    }
  }
  double rounding_floor() const override { return floor_; }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    const Vector &q0 = z0_->q.value(), &q0_tail = z0_->q.tail();
    b.dq = x.head(n_);
    b.mu = x.segment(n_, m_);
    b.step = b.dq + dq_hat_.template cast<S>();
    b.q = (b.step + q0_tail.template cast<S>()) + q0.template cast<S>();

    weigh(b.dq, b.weighed);
    at_.constraint_force(t1_, b.q, b.mu, b.force);
    for (Index j = 0; j < n_; ++j) f[j] = b.weighed[j] - b.force[j];
    if (quadratic_) {  // g(q1) = g0 + G(q0 + (q1-q0)/2) (q1-q0), without cancellation
      b.qm = (b.step * 0.5 + q0_tail.template cast<S>()) + q0.template cast<S>();
      at_.constraint_jacobian_times(t1_, b.qm, b.step, b.g);
      b.g += g0_.template cast<S>();
    } else {
      end_constraints(b);
    }
    for (Index i = 0; i < m_; ++i) f[n_ + i] = b.g[i];
    if (!rule_.velocity) return;

    b.dv = x.segment(dv(), n_);
    b.mu = x.segment(dv() + n_, m_);
    b.v = b.dv + v_hat_.template cast<S>();
    weigh(b.dv, b.weighed);
    at_.constraint_force(t1_, b.q, b.mu, b.force);
    at_.constraint_jacobian_times(t1_, b.q, b.v, b.g);
    for (Index j = 0; j < n_; ++j) f[dv() + j] = b.weighed[j] - b.force[j];
    for (Index i = 0; i < m_; ++i) f[dv() + n_ + i] = b.g[i];
    if (!rule_.energy) return;

    const S multiplier = x[eta()];
    at_.potential_gradient(t1_, b.q, b.force);
    at_.mass_times(b.v, b.weighed);
    for (Index j = 0; j < n_; ++j) {
      f[j] -= multiplier * b.force[j];
      f[dv() + j] -= multiplier * b.weighed[j];
    }
    if (outlook_ == Outlook::equilibrium) {
      f[eta()] = multiplier;
      return;
    }
    b.dv += dv_hat_.template cast<S>();
    at_.mass_times(b.dv, b.weighed);
    S gain = potential_difference(b) + S(energy_defect_);
    for (Index j = 0; j < n_; ++j) gain += b.dv[j] * (b.weighed[j] * 0.5 + S(z0_->p.tail()[j]) + S(z0_->p.value()[j]));
    f[eta()] = gain;
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    q1_ = ((x.head(n_) + dq_hat_) + z0_->q.tail()) + z0_->q.value();
    const double multiplier = rule_.energy ? x[eta()] : 0;
    system_->constraint_jacobian(t1_, q1_, g_values_);

    // position rows: [W - mu.Hess g - eta Hess U, -G^T, 0, 0, -grad U], [G, 0, 0, 0, 0]
    system_->lagrangian_hessian(t1_, q1_, zero_, stiffness_);
    mu_ = x.segment(n_, m_);
    add_bending(values, 0, multiplier);
    metric_q_.add(values, metric_values(), 1);
    force_q_.add(values, g_values_, -1);
    position_.add(values, g_values_, 1);
    if (!rule_.velocity) return;

    // velocity rows: [-nu.Hess g, 0, W - eta M, -G^T, -M v], [d(G v)/dq, 0, G, 0, 0]
    v1_ = x.segment(dv(), n_) + v_hat_;
    mu_ = x.segment(dv() + n_, m_);
    add_bending(values, 1, 0);
    metric_v_.add(values, metric_values(), 1);
    force_v_.add(values, g_values_, -1);
    system_->constraint_jacobian_derivative(t1_, q1_, v1_, dg_values_);
    hidden_q_.add(values, dg_values_, 1);
    hidden_v_.add(values, g_values_, 1);
    if (!rule_.energy) return;

    mass_v_.add(values, system_->mass().values(), -multiplier);
    system_->potential_gradient(t1_, q1_, work_);
    system_->mass().apply(v1_, force_);
    for (Index j = 0; j < n_; ++j) {
      values[entry(eta_column_, j)] = -work_[j];
      values[entry(eta_column_, n_ + j)] = -force_[j];
    }
    // energy row: [grad U, 0, p1, 0, 0]
    if (outlook_ == Outlook::equilibrium) {
      values[entry(eta_row_, 2 * n_)] = 1;
      return;
    }
    t_v_ = x.segment(dv(), n_) + dv_hat_;
    system_->mass().apply(t_v_, force_);
    for (Index j = 0; j < n_; ++j) {
      values[entry(eta_row_, j)] = work_[j];
      values[entry(eta_row_, n_ + j)] = force_[j] + z0_->p.tail()[j] + z0_->p.value()[j];
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, step, q, qm, dv, v, weighed, force, mu, g;
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
    for (auto* v : {&b.dq, &b.step, &b.q, &b.qm, &b.dv, &b.v, &b.weighed, &b.force}) v->resize(n_);
    for (auto* v : {&b.mu, &b.g}) v->resize(m_);
  }

  Index eta() const { return 2 * (n_ + m_); }
  static Index entry(const std::vector<Index>& list, Index k) { return list[static_cast<std::size_t>(k)]; }
  const Vector& metric_values() const { return rule_.mass_metric ? system_->mass().values() : ones_; }

  void build_pattern() {
    const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
    const SparsityPattern& hessian = system_->hessian_pattern();
    const SparsityPattern metric = rule_.mass_metric ? mass : SparsityPattern::diagonal(n_);
    const Index size = (rule_.velocity ? 2 : 1) * (n_ + m_) + (rule_.energy ? 1 : 0);
    const Index v = n_ + m_;
    blocks_ = {{"dq", 0, n_}, {"mu", n_, m_}};
    PatternBuilder builder(size, size);
    builder.add(metric, 0, 0);
    builder.add(hessian, 0, 0);
    builder.add(g, 0, n_, true);
    builder.add(g, n_, 0);
    if (rule_.velocity) {
      blocks_.push_back({"dv", v, n_});
      blocks_.push_back({"nu", v + n_, m_});
      builder.add(hessian, v, 0);
      builder.add(metric, v, v);
      builder.add(g, v, v + n_, true);
      builder.add(g, v + n_, 0);
      builder.add(g, v + n_, v);
    }
    if (rule_.energy) {
      blocks_.push_back({"eta", eta(), 1});
      builder.add(mass, v, v);
      builder.add(eta(), eta());
      for (const Index block : {Index{0}, v})
        for (Index j = 0; j < n_; ++j) {
          builder.add(block + j, eta());
          builder.add(eta(), block + j);
        }
    }
    pattern_ = builder.build();
    metric_q_ = BlockMap(pattern_, metric, 0, 0);
    bending_of_[0] = BlockMap(pattern_, hessian, 0, 0);
    force_q_ = BlockMap(pattern_, g, 0, n_, true);
    position_ = BlockMap(pattern_, g, n_, 0);
    if (rule_.velocity) {
      bending_of_[1] = BlockMap(pattern_, hessian, v, 0);
      metric_v_ = BlockMap(pattern_, metric, v, v);
      force_v_ = BlockMap(pattern_, g, v, v + n_, true);
      hidden_q_ = BlockMap(pattern_, g, v + n_, 0);
      hidden_v_ = BlockMap(pattern_, g, v + n_, v);
    }
    if (rule_.energy) {
      mass_v_ = BlockMap(pattern_, mass, v, v);
      for (const Index block : {Index{0}, v})
        for (Index j = 0; j < n_; ++j) {
          eta_column_.push_back(pattern_.find(block + j, eta()));
          eta_row_.push_back(pattern_.find(eta(), block + j));
        }
      eta_row_.push_back(pattern_.find(eta(), eta()));
    }
  }

  /// Sizes of the corrections: the step's own without energy. With it, one size for both, in which the directions
  /// (grad U, M v) of the energy projection have length one.
  void find_scales() {
    const double ratio = std::sqrt((weight_.array() / system_->mass().diagonal_entries().array()).maxCoeff());
    const double speed = step_scales_->s() * ratio;
    size_q_ = std::abs(h_) * speed;
    size_v_ = rule_.energy ? size_q_ : speed;
    const SparsityPattern& g = system_->constraint_pattern();
    system_->constraint_jacobian(z0_->t, z0_->q.value(), g_values_);
    for (Index i = 0; i < m_; ++i) {
      double a = 0;
      for (Index k = g.offsets[static_cast<std::size_t>(i)]; k < g.offsets[static_cast<std::size_t>(i) + 1]; ++k)
        a += g_values_[k] * g_values_[k] / weight_[g.indices[static_cast<std::size_t>(k)]];
      row_[i] = a > 0 ? std::sqrt(a) : 1;
    }
    constexpr double eps = 2.3e-16;
    floor_ = 1e-15 + eps * speed / size_v_ + (quadratic_ ? 0 : step_scales_->position_floor());
    if (!rule_.energy) return;
    system_->potential_gradient(z0_->t, z0_->q.value(), work_);
    system_->mass().apply(v_hat_, force_);
    gradient_ =
        std::sqrt((work_.array().square() / weight_.array()).sum() + (force_.array().square() / weight_.array()).sum());
    if (gradient_ == 0) gradient_ = 1;
    floor_ += eps * std::abs(static_cast<double>(u0_)) / (size_v_ * gradient_);
  }

  /// What the energy projection will meet, to first order in the corrections of the constraints: with the tangential
  /// parts t_q, t_v of W^-1 grad U and W^-1 M v at (q^, v^), H along them is D + a eta + b eta^2/2, a = grad H . t,
  /// b = t . (Hess H) t, D = H - H*. (With a metric that is not diagonal this is left to the solver.)
  Outlook look_ahead() {
    if (rule_.mass_metric && !system_->mass().is_diagonal()) return Outlook::regular;
    q1_ = (dq_hat_ + z0_->q.tail()) + z0_->q.value();
    system_->constraint_jacobian(t1_, q1_, g_values_);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index j = 0; j <= i; ++j) normal_(i, j) = normal_(j, i) = row_product(g, i, j);
    factor_.compute(normal_);
    if (m_ > 0 && factor_.info() != Eigen::Success) return Outlook::regular;  // the solver will say what is wrong

    end_tail(dq_hat_, q1_);
    double defect = static_cast<double>(system_->potential_compensated(t1_, q1_, tail_, work_) - u0_) + energy_defect_;
    system_->mass().apply(dv_hat_, force_);
    defect += dv_hat_.dot(z0_->p.value()) + 0.5 * dv_hat_.dot(force_);

    // The constraint projections remove the normal parts g and G v: dH = -(grad U, M v) . W^-1 G^T (G W^-1 G^T)^-1 r.
    system_->potential_gradient(t1_, q1_, work_);
    system_->constraints(t1_, q1_, rhs_);
    const double a_q = tangential(work_, defect, t_q_);
    system_->mass().apply(v_hat_, work_);
    multiply(g, g_values_, v_hat_, rhs_);
    const double a_v = tangential(work_, defect, t_v_);

    const double a = a_q + a_v;
    system_->mass().apply(t_v_, work_);
    double b = t_v_.dot(work_);
    system_->potential_hessian_times(t1_, q1_, t_q_, work_);
    b += t_q_.dot(work_);
    const double size = std::abs(static_cast<double>(u0_)) + std::abs(v_hat_.dot(z0_->p.value())) + 1e-300;
    if (a <= 1e-16 * gradient_ * gradient_ && std::abs(defect) <= 1e-14 * size) return Outlook::equilibrium;
    if (a * a < b * defect) return Outlook::impossible;  // twice beyond the double root a^2 = 2 b D
    return Outlook::regular;
  }

  /// t = W^-1 (f - G^T l), l = (G W^-1 G^T)^-1 G W^-1 f; defect -= l.r with r in rhs_. Returns f.t.
  double tangential(const Vector& f, double& defect, Vector& t) {
    t = f;
    if (rule_.mass_metric) system_->mass().solve(f, t);
    if (m_ > 0) {
      multiply(system_->constraint_pattern(), g_values_, t, mu_);
      factor_.solveInPlace(mu_);
      defect -= mu_.dot(rhs_);
      multiply_transposed(system_->constraint_pattern(), g_values_, mu_, force_);
      force_ = f - force_;
      t = force_;
      if (rule_.mass_metric) system_->mass().solve(force_, t);
    }
    return f.dot(t);
  }

  /// (G W^-1 G^T)_ij for diagonal W
  double row_product(const SparsityPattern& g, Index i, Index j) const {
    double sum = 0;
    Index a = g.offsets[static_cast<std::size_t>(i)], b = g.offsets[static_cast<std::size_t>(j)];
    const Index a_end = g.offsets[static_cast<std::size_t>(i) + 1], b_end = g.offsets[static_cast<std::size_t>(j) + 1];
    while (a < a_end && b < b_end) {
      const Index ca = g.indices[static_cast<std::size_t>(a)], cb = g.indices[static_cast<std::size_t>(b)];
      if (ca == cb) sum += g_values_[a] * g_values_[b] / weight_[ca];
      if (ca <= cb) ++a;
      if (cb <= ca) ++b;
    }
    return sum;
  }

  /// values -= mu.Hess g + eta Hess U in the q columns of the position (0) or velocity (1) rows
  void add_bending(VectorRef values, int rows, double multiplier) {
    system_->lagrangian_hessian(t1_, q1_, mu_, bending_);
    bending_ -= stiffness_;
    bending_of_[rows].add(values, bending_, -1);
    if (multiplier != 0) bending_of_[rows].add(values, stiffness_, -multiplier);
  }

  template <class S>
  void weigh(const VectorOf<S>& d, VectorOf<S>& out) {
    if (rule_.mass_metric)
      at_.mass_times(d, out);
    else
      out = d;
  }

  void end_tail(const Vector& step, const Vector& q) { tail_ = (step + z0_->q.tail()) - (q - z0_->q.value()); }
  void end_constraints(Buffers<double>& b) {
    end_tail(b.step, b.q);
    system_->constraints_compensated(t1_, b.q, tail_, b.g, g_values_);
  }
  void end_constraints(Buffers<Dual1>& b) { at_.constraints(t1_, b.q, b.g); }
  double potential_difference(Buffers<double>& b) {
    end_tail(b.step, b.q);
    return static_cast<double>(system_->potential_compensated(t1_, b.q, tail_, work_) - u0_);
  }
  Dual1 potential_difference(Buffers<Dual1>& b) { return at_.potential(t1_, b.q) - Dual1(static_cast<double>(u0_)); }

  const System* system_;
  SystemAt at_;
  ProjectionRule rule_;
  const StepScales* step_scales_;
  Index n_, m_;
  bool quadratic_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap metric_q_, metric_v_, force_q_, force_v_, position_, hidden_q_, hidden_v_, mass_v_;
  BlockMap bending_of_[2];
  std::vector<Index> eta_column_, eta_row_;

  const State* z0_ = nullptr;
  double h_ = 0, t1_ = 0, energy_defect_ = 0;
  double size_q_ = 1, size_v_ = 1, gradient_ = 1, floor_ = 1e-15;
  long double u0_ = 0;
  Outlook outlook_ = Outlook::regular;
  Vector dq_hat_, dv_hat_, v_hat_, weight_, ones_, row_;
  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector q1_, v1_, work_, tail_, force_, t_q_, t_v_, g0_, mu_, zero_, rhs_;
  Vector g_values_, dg_values_, bending_, stiffness_;
  Matrix normal_;
  Eigen::LLT<Matrix> factor_;
};

}  // namespace gnomon::kernels
