#pragma once
/// \file
/// Projections of the end of a step (q^, v^) onto the constraints and the energy, stacked in one system
/// x = [dq | mu | dv | nu | eta], q = q^ + dq, v = v^ + dv:
///
///     W dq - G(q)^T mu - eta grad U(q) = 0       g(q) = 0                 position
///     W dv - G(q)^T nu - eta M v = 0             G(q) v + g_t = 0         velocity
///                                                H(q,v) = H*              energy
///
/// all at the time t1,
/// with W = 1 (the paper's Euclidean metric) or W = M: the directions are those at the end (q, v). Without energy eta
/// and its terms are absent, without velocity dv and nu as well. Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37
/// (2016), (19), (23), (26)-(30).

#include <cmath>
#include <optional>

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/end_projection.hpp"
#include "kernels/runge_kutta/energy_feasibility.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"

namespace gnomon::kernels {

class ManifoldProjection final : public TemplatedEquations<ManifoldProjection, true>, public EndProjection {
 public:
  ManifoldProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system_(&system),
        at_(system),
        rule_(rule),
        step_scales_(&scales),
        metric_(system, rule.mass_metric, scales),
        end_(system),
        n_(system.n()),
        m_(system.m()) {
    if (rule.energy) energy_feasibility_.emplace(system, metric_);
    build_pattern();
    allocate(pattern_.cols);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.step, &b.q, &b.dv, &b.v, &b.weighed, &b.force}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
    for (Vector* v : {&dq_hat_, &dv_hat_, &v_hat_, &q1_, &v1_, &work_, &force_}) v->setZero(n_);
    for (Vector* v : {&mu_, &zero_}) v->setZero(m_);
    for (Vector* v : {&g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&bending_, &stiffness_}) v->setZero(system.hessian_pattern().nonzeros());
  }

  NonlinearEquations& equations() override { return *this; }
  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& dv_hat, double h,
                    double energy_defect) override {
    end_.begin(z0, h, rule_.energy);
    metric_.update(z0, h, rule_.energy);
    t1_ = end_.t();
    dq_hat_ = dq_hat;
    dv_hat_ = dv_hat;
    end_.place_velocity(dv_hat_, v_hat_);
    energy_defect_ = energy_defect;
    feasibility_ = Feasibility::regular;
    floor_ = 1e-15 + metric_.floor() + (end_.quadratic() ? 0 : step_scales_->position_floor());
    if (!rule_.energy) return feasibility_;
    system_->potential_gradient(z0.t, z0.q.value(), work_);
    system_->mass().apply(v_hat_, force_);
    gradient_ = std::hypot(metric_.length(work_), metric_.length(force_));
    if (gradient_ == 0) gradient_ = 1;
    floor_ += 2.3e-16 * std::abs(end_.potential0()) / (metric_.dv() * gradient_);
    feasibility_ = energy_feasibility_->look(end_, dq_hat_, dv_hat_, v_hat_, energy_defect_);
    return feasibility_;
  }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& dv) const override {
    dq = x.head(n_).cast<Extended>() + low().head(n_).cast<Extended>();
    if (rule_.velocity) dv = x.segment(dv_at(), n_).cast<Extended>() + low().segment(dv_at(), n_).cast<Extended>();
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    const double dq = metric_.dq(), dv = metric_.dv();
    columns.head(n_) = dq * metric_.root().cwiseInverse();
    rows.head(n_) = dq * metric_.root();
    columns.segment(n_, m_) = dq * metric_.row().cwiseInverse();
    rows.segment(n_, m_) = dq * metric_.row();
    if (rule_.velocity) {
      columns.segment(dv_at(), n_) = dv * metric_.root().cwiseInverse();
      rows.segment(dv_at(), n_) = dv * metric_.root();
      columns.segment(dv_at() + n_, m_) = dv * metric_.row().cwiseInverse();
      rows.segment(dv_at() + n_, m_) = dv * metric_.row();
    }
    if (rule_.energy) {
      columns[eta()] = dv / gradient_;
      rows[eta()] = feasibility_ == Feasibility::equilibrium ? dv / gradient_ : dv * gradient_;
    }
  }
  double rounding_floor() const override { return floor_; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    b.dq = x.head(n_);
    b.mu = x.segment(n_, m_);
    b.step = b.dq + dq_hat_.template cast<S>();
    end_.place(b.step, b.q);

    weigh(b.dq, b.weighed);
    at_.constraint_force(t1_, b.q, b.mu, b.force);
    for (Index j = 0; j < n_; ++j) f[j] = b.weighed[j] - b.force[j];
    end_.constraints(b.step, b.q, b.g);
    for (Index i = 0; i < m_; ++i) f[n_ + i] = b.g[i];
    if (!rule_.velocity) return;

    b.dv = x.segment(dv_at(), n_);
    b.mu = x.segment(dv_at() + n_, m_);
    weigh(b.dv, b.weighed);
    b.dv += dv_hat_.template cast<S>();
    end_.place_velocity(b.dv, b.v);
    at_.constraint_force(t1_, b.q, b.mu, b.force);
    at_.constraint_velocity(t1_, b.q, b.v, b.g);
    for (Index j = 0; j < n_; ++j) f[dv_at() + j] = b.weighed[j] - b.force[j];
    for (Index i = 0; i < m_; ++i) f[dv_at() + n_ + i] = b.g[i];
    if (!rule_.energy) return;

    const S multiplier = x[eta()];
    at_.potential_gradient(t1_, b.q, b.force);
    at_.mass_times(b.v, b.weighed);
    for (Index j = 0; j < n_; ++j) {
      f[j] -= multiplier * b.force[j];
      f[dv_at() + j] -= multiplier * b.weighed[j];
    }
    if (feasibility_ == Feasibility::equilibrium) {
      f[eta()] = multiplier;
      return;
    }
    f[eta()] = end_.energy_gain(b.step, b.q, b.dv) + S(energy_defect_);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    work_ = x.head(n_) + dq_hat_;
    end_.place(work_, q1_);
    const double multiplier = rule_.energy ? x[eta()] : 0;
    system_->constraint_jacobian(t1_, q1_, g_values_);

    // position rows: [W - mu.Hess g - eta Hess U, -G^T, 0, 0, -grad U], [G, 0, 0, 0, 0]
    system_->lagrangian_hessian(t1_, q1_, zero_, stiffness_);
    mu_ = x.segment(n_, m_);
    add_bending(values, 0, multiplier);
    metric_q_.add(values, metric_.values(), 1);
    force_q_.add(values, g_values_, -1);
    position_.add(values, g_values_, 1);
    if (!rule_.velocity) return;

    // velocity rows: [-nu.Hess g, 0, W - eta M, -G^T, -M v], [d(G v + g_t)/dq, 0, G, 0, 0]
    work_ = x.segment(dv_at(), n_) + dv_hat_;
    end_.place_velocity(work_, v1_);
    mu_ = x.segment(dv_at() + n_, m_);
    add_bending(values, 1, 0);
    metric_v_.add(values, metric_.values(), 1);
    force_v_.add(values, g_values_, -1);
    end_.hidden_jacobian(q1_, v1_, dg_values_);
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
    if (feasibility_ == Feasibility::equilibrium) {
      values[entry(eta_row_, 2 * n_)] = 1;
      return;
    }
    v1_ = x.segment(dv_at(), n_) + dv_hat_;
    system_->mass().apply(v1_, force_);
    const Compensated& p0 = end_.start().p;
    for (Index j = 0; j < n_; ++j) {
      values[entry(eta_row_, j)] = work_[j];
      values[entry(eta_row_, n_ + j)] = force_[j] + p0.tail()[j] + p0.value()[j];
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, step, q, dv, v, weighed, force, mu, g;
  };

  Index eta() const { return 2 * (n_ + m_); }
  static Index entry(const std::vector<Index>& list, Index k) { return list[static_cast<std::size_t>(k)]; }
  Index dv_at() const { return n_ + m_; }

  void build_pattern() {
    const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
    const SparsityPattern& hessian = system_->hessian_pattern();
    const SparsityPattern metric = metric_.pattern();
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

  const System* system_;
  SystemAt at_;
  ProjectionRule rule_;
  const StepScales* step_scales_;
  ProjectionMetric metric_;
  EndPoint end_;
  std::optional<EnergyFeasibility> energy_feasibility_;
  Index n_, m_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap metric_q_, metric_v_, force_q_, force_v_, position_, hidden_q_, hidden_v_, mass_v_;
  BlockMap bending_of_[2];
  std::vector<Index> eta_column_, eta_row_;

  double t1_ = 0, energy_defect_ = 0, gradient_ = 1, floor_ = 1e-15;
  Feasibility feasibility_ = Feasibility::regular;
  Vector dq_hat_, dv_hat_, v_hat_, q1_, v1_, work_, force_, mu_, zero_;
  Vector g_values_, dg_values_, bending_, stiffness_;
  ForAllScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
