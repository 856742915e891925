#pragma once
/// \file
/// Projections of the end of a step (q^, v^) onto the constraints and the energy along directions frozen at (q^, v^),
/// in 2 m + 1 unknowns x = [mu | nu | eta] instead of the 2 (n + m) + 1 of manifold_projection.hpp:
///
///     q = q^ + W^-1 G^^T mu + eta t_q       g(q) = 0
///     v = v^ + W^-1 G^^T nu + eta t_v       G(q) v + g_t = 0       H(q,v) = H*
///
/// at the time t1, with G^ = G(q^) and the tangential parts t_q, t_v of W^-1 grad U and W^-1 M v^
/// (energy_feasibility.hpp): the same directions as with the gradients themselves, but a matrix whose condition does
/// not suffer where grad H is nearly normal, as it is near equilibria. At an equilibrium t_q = t_v = 0, and eta = 0
/// replaces the energy row. W = 1 or W = M; without energy eta is absent, without velocity nu as well.
///
/// Source: (19), (23), (26)-(30) of Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), with the directions of Hairer,
/// Lubich, Wanner, Geometric Numerical Integration, IV.4. The matrix is dense: for systems of few constraints.

#include <cmath>
#include <optional>

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/end_projection.hpp"
#include "kernels/runge_kutta/energy_feasibility.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"

namespace gnomon::kernels {

class FrozenProjection final : public TemplatedEquations<FrozenProjection>, public EndProjection {
 public:
  FrozenProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system_(&system),
        at_(system),
        rule_(rule),
        step_scales_(&scales),
        metric_(system, rule.mass_metric, scales),
        end_(system),
        n_(system.n()),
        m_(system.m()) {
    if (rule.energy) energy_feasibility_.emplace(system, metric_);
    const Index size = (rule.velocity ? 2 : 1) * m_ + (rule.energy ? 1 : 0);
    pattern_ = SparsityPattern::dense(size, size);
    blocks_ = {{"mu", 0, m_}};
    if (rule.velocity) blocks_.push_back({"nu", m_, m_});
    if (rule.energy) blocks_.push_back({"eta", 2 * m_, 1});
    allocate(size);
    for (Vector* v : {&dq_hat_, &dv_hat_, &t_q_, &t_v_, &work_, &row_, &gradient_, &momentum_}) v->setZero(n_);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.q, &b.dv, &b.v}) v->setZero(n_);
      b.g.setZero(m_);
    });
    product_.setZero(m_);
    x_.setZero(size);
    for (Vector* v : {&g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    directions_.setZero(n_, m_);
    jacobian_.setZero(size, size);
  }

  NonlinearEquations& equations() override { return *this; }
  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& dv_hat, double h,
                    double energy_defect) override {
    end_.begin(z0, h, rule_.energy);
    metric_.update(z0, h, rule_.energy);
    dq_hat_ = dq_hat;
    dv_hat_ = dv_hat;
    energy_defect_ = energy_defect;
    find_directions();
    feasibility_ = Feasibility::regular;
    floor_ = 1e-15 + metric_.floor() + (end_.quadratic() ? 0 : step_scales_->position_floor());
    if (!rule_.energy) return feasibility_;
    end_.place_velocity(dv_hat_, work_);
    feasibility_ = energy_feasibility_->look(end_, dq_hat_, dv_hat_, work_, energy_defect_);
    tangent_ = 1;
    if (feasibility_ == Feasibility::equilibrium) {
      t_q_.setZero();
      t_v_.setZero();
    } else {
      t_q_ = energy_feasibility_->t_q();
      t_v_ = energy_feasibility_->t_v();
      if (energy_feasibility_->tangent() > 0) tangent_ = energy_feasibility_->tangent();
      floor_ += 2.3e-16 * std::abs(end_.potential0()) / (metric_.dv() * tangent_);
    }
    return feasibility_;
  }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& dv) const override {
    dq.setZero();
    for (Index i = 0; i < m_; ++i) dq += (x[i] * directions_.col(i)).cast<Extended>();
    if (rule_.velocity) dv.setZero();
    if (rule_.velocity)
      for (Index i = 0; i < m_; ++i) dv += (x[m_ + i] * directions_.col(i)).cast<Extended>();
    if (!rule_.energy) return;
    dq += (x[2 * m_] * t_q_).cast<Extended>();
    dv += (x[2 * m_] * t_v_).cast<Extended>();
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(m_) = metric_.dq() * metric_.row().cwiseInverse();
    rows.head(m_) = metric_.dq() * metric_.row();
    if (!rule_.velocity) return;
    columns.segment(m_, m_) = metric_.dv() * metric_.row().cwiseInverse();
    rows.segment(m_, m_) = metric_.dv() * metric_.row();
    if (!rule_.energy) return;
    columns[2 * m_] = metric_.dv() / tangent_;
    rows[2 * m_] = feasibility_ == Feasibility::equilibrium ? metric_.dv() / tangent_ : metric_.dv() * tangent_;
  }
  double rounding_floor() const override { return floor_; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    place(x, b);
    end_.constraints(b.dq, b.q, b.g);
    for (Index i = 0; i < m_; ++i) f[i] = b.g[i];
    if (!rule_.velocity) return;
    at_.constraint_velocity(end_.t(), b.q, b.v, b.g);
    for (Index i = 0; i < m_; ++i) f[m_ + i] = b.g[i];
    if (!rule_.energy) return;
    if (feasibility_ == Feasibility::equilibrium)
      f[2 * m_] = x[2 * m_];
    else
      f[2 * m_] = end_.energy_gain(b.dq, b.q, b.dv) + S(energy_defect_);
  }

  /// [G D, 0, G t_q], [K D, G D, K t_q + G t_v], [grad U.D, p.D, grad U.t_q + p.t_v], with D = W^-1 G^^T and
  /// K = d(G v + g_t)/dq
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    auto& b = buffers_.at_double;
    x_ = x;
    place(x_, b);
    jacobian_.setZero();
    system_->constraint_jacobian(end_.t(), b.q, g_values_);
    if (rule_.velocity) end_.hidden_jacobian(b.q, b.v, dg_values_);
    if (rule_.energy) {
      system_->potential_gradient(end_.t(), b.q, gradient_);
      system_->mass().apply(b.dv, momentum_);
      momentum_ += end_.start().p.tail() + end_.start().p.value();
    }
    for (Index i = 0; i < m_; ++i) {
      work_ = directions_.col(i);
      add_column(i, work_, 0);
      if (rule_.velocity) add_column(m_ + i, work_, 1);
    }
    if (rule_.energy) {
      add_column(2 * m_, t_q_, 0);
      add_column(2 * m_, t_v_, 1);
      if (feasibility_ == Feasibility::equilibrium) {
        jacobian_.row(2 * m_).setZero();
        jacobian_(2 * m_, 2 * m_) = 1;
      }
    }
    for (Index i = 0; i < jacobian_.rows(); ++i)
      for (Index j = 0; j < jacobian_.cols(); ++j) values[i * jacobian_.cols() + j] = jacobian_(i, j);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, q, dv, v, g;
  };
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  /// D = W^-1 G(q^)^T
  void find_directions() {
    const SparsityPattern& g = system_->constraint_pattern();
    end_.place(dq_hat_, buffers_.at_double.q);
    system_->constraint_jacobian(end_.t(), buffers_.at_double.q, g_values_);
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) row_[g.indices[at(k)]] = g_values_[k];
      metric_.solve(row_, work_);
      directions_.col(i) = work_;
    }
  }

  /// Increments from the start of the step, and the point they lead to.
  template <class S, class X>
  void place(const X& x, Buffers<S>& b) {
    for (Index j = 0; j < n_; ++j) {
      b.dq[j] = S(dq_hat_[j]);
      b.dv[j] = S(dv_hat_[j]);
      for (Index i = 0; i < m_; ++i) {
        b.dq[j] += x[i] * directions_(j, i);
        if (rule_.velocity) b.dv[j] += x[m_ + i] * directions_(j, i);
      }
      if (rule_.energy) {
        b.dq[j] += x[2 * m_] * t_q_[j];
        b.dv[j] += x[2 * m_] * t_v_[j];
      }
    }
    end_.place(b.dq, b.q);
    end_.place_velocity(b.dv, b.v);
  }

  /// Adds the derivative by an unknown that moves q (level 0) or v (level 1) along a direction.
  void add_column(Index column, const Vector& direction, int level) {
    const SparsityPattern& g = system_->constraint_pattern();
    multiply(g, g_values_, direction, product_);
    jacobian_.col(column).segment(level * m_, m_) += product_;
    if (rule_.velocity && level == 0) {
      multiply(g, dg_values_, direction, product_);
      jacobian_.col(column).segment(m_, m_) += product_;
    }
    if (rule_.energy) jacobian_(2 * m_, column) += direction.dot(level == 0 ? gradient_ : momentum_);
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

  double energy_defect_ = 0, tangent_ = 1, floor_ = 1e-15;
  Feasibility feasibility_ = Feasibility::regular;
  Matrix directions_, jacobian_;
  Vector dq_hat_, dv_hat_, t_q_, t_v_, work_, row_, gradient_, momentum_, product_, x_, g_values_, dg_values_;
  ForBothScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
