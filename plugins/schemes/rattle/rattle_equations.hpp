#pragma once
/// \file
/// The two systems of a rattle step, as rattle.cpp has them:
///
///     positions    p_h = p0 - h/2 (T_q(q0,p_h) + grad U(q0,t0) - Q(q0, dq/h, t0) + G0^T lambda)
///                  dq = h/2 (T_p(q0,p_h) + T_p(q1,p_h)),    g(q1,t1) = 0
///     momenta      p1 = p_h - h/2 (T_q(q1,p_h) + grad U(q1,t1) - Q(q1, dq/h, t1) + G1^T mu)
///                  G1 T_p(q1,p1) + g_t(q1,t1) = 0
///
/// The policies Inertia (rattle_inertia.hpp) have what comes from T: rates and balances, the velocity at the end. What
/// comes from U, Q and g is here. With a constant mass dp is no unknown, and dv = M^-1 (p1 - p_h) that of the momenta.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/rattle_inertia.hpp"

namespace gnomon::kernels {

template <class Inertia>
class RattlePositions final : public TemplatedEquations<RattlePositions<Inertia>, true> {
  using Frame = typename Inertia::Frame;

 public:
  RattlePositions(const System& system, const Frame& step, const StepScales& scales)
      : system_(&system),
        at_(system),
        inertia_(system),
        step_(&step),
        scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        first_(Inertia::constant_mass ? 0 : n_),
        quadratic_(quadratic_constraints(system)),
        applied_(system) {
    Layout& layout = this->layout_;
    const SparsityPattern& g = system.constraint_pattern();
    const Block dq = layout.unknown("dq", n_);
    const Block dp = layout.unknown("dp", first_);
    const Block lambda = layout.unknown("lambda", m_);
    const Block rate = layout.rows(first_), balance = layout.rows(n_), position = layout.rows(m_);
    inertia_.lay_out_positions(layout, rate, balance, dq, dp);
    layout.place(force_, balance, lambda, g, Layout::transposed);
    layout.place(position_, position, dq, g);
    applied_.place(layout, applied_place_, balance, dq);
    this->finish_layout();
    v_.setZero(n_);
    q1_.setZero(n_);
    g_end_.setZero(g.nonzeros());
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.qm, &b.rate}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g}) v->setZero(m_);
    });
  }

  Inertia& inertia() { return inertia_; }

  void begin() const {}
  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_->dq();
    columns.tail(m_) = scales_->lambda();
    rows.segment(first_, n_) = scales_->dp();
    if (!Inertia::constant_mass) {
      rows.head(n_) = scales_->dq();
      columns.segment(n_, n_) = scales_->dp();
    }
    rows.tail(m_) = scales_->position();
  }
  double rounding_floor() const override {
    return scales_->force_floor() + (quadratic_ ? 0 : scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.template get<S>();
    const State& z0 = *step_->z0;
    const double h = step_->h;
    b.dq = x.head(n_);
    b.lambda = x.tail(m_);
    inertia_.template position_rows<S>(x, b.dq, *step_, f);
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        f[first_ + g.indices[k]] += b.lambda[i] * (0.5 * h) * step_->g_start[k];

    if (applied_.active()) {
      b.rate = b.dq / S(h);
      b.qm = z0.q.tail().template cast<S>() + z0.q.value().template cast<S>();
      const auto& force = applied_(z0.t, b.qm, b.rate);
      for (Index j = 0; j < n_; ++j) f[first_ + j] -= force[j] * S(0.5 * h);
    }

    // For quadratic g: g(q1) = g0 + G(q0 + dq/2) dq, without cancellation.
    const double fraction = quadratic_ ? 0.5 : 1;
    b.qm = (b.dq * fraction + z0.q.tail().template cast<S>()) + z0.q.value().template cast<S>();
    if (quadratic_) {
      at_.constraint_jacobian_times(step_->t1, b.qm, b.dq, b.g);
      b.g += step_->g0.template cast<S>();
    } else {
      at_.constraints(step_->t1, b.qm, b.g);
    }
    for (Index i = 0; i < m_; ++i) f[first_ + n_ + i] = b.g[i];
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    const State& z0 = *step_->z0;
    q1_ = (x.head(n_) + z0.q.tail()) + z0.q.value();
    values.setZero();
    inertia_.add_position_jacobian(x, q1_, *step_, values);
    force_.add(values, step_->g_start, 0.5 * step_->h);
    system_->constraint_jacobian(step_->t1, q1_, g_end_);
    position_.add(values, g_end_, 1);
    if (!applied_.active()) return;
    v_ = x.head(n_) / step_->h;
    applied_.linearise(z0.t, z0.q.value(), v_);
    applied_.add(applied_place_, 0, -0.5, values);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, qm, rate, lambda, g;
  };

  const System* system_;
  SystemAt at_;
  Inertia inertia_;
  const Frame* step_;
  const StepScales* scales_;
  Index n_, m_;
  Index first_;  ///< row of the balance, after the rates of M(q)
  bool quadratic_;
  AppliedForce applied_;
  AppliedForce::Place applied_place_;
  BlockMap force_, position_;
  ForAllScalars<Buffers> buffers_;
  Vector q1_, v_, g_end_;
};

/// Linear in its unknowns.
template <class Inertia>
class RattleMomenta final : public TemplatedEquations<RattleMomenta<Inertia>, true> {
  using Frame = typename Inertia::Frame;

 public:
  RattleMomenta(const System& system, const Frame& step, const StepScales& scales)
      : system_(&system), inertia_(system), step_(&step), scales_(&scales), n_(system.n()), m_(system.m()) {
    Layout& layout = this->layout_;
    const SparsityPattern& g = system.constraint_pattern();
    const Block change = layout.unknown(Inertia::constant_mass ? "dv" : "dp", n_), mu = layout.unknown("mu", m_);
    const Block balance = layout.rows(n_), hidden = layout.rows(m_);
    inertia_.lay_out_momenta(layout, balance, hidden, change);
    layout.place(force_, balance, mu, g, Layout::transposed);
    this->finish_layout();
  }

  /// The gradient of q1 takes T_q(q1,p_h) in.
  void begin(Frame& step) {
    if (!Inertia::constant_mass) inertia_.add_gradient(step.q1(), step.p_half.value(), step.gradient1);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    if (Inertia::constant_mass)
      columns.head(n_) = scales_->velocity();
    else
      columns.head(n_) = scales_->dp();
    columns.tail(m_) = scales_->lambda();
    rows.head(n_) = scales_->dp();
    rows.tail(m_) = scales_->hidden();
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    const double h = step_->h;
    const SparsityPattern& g = system_->constraint_pattern();
    inertia_.template momentum_rows<S>(x, *step_, step_->gradient1, f);
    const auto velocity = inertia_.template end_velocity<S>(*step_);
    for (Index i = 0; i < m_; ++i) {
      S sum(step_->rate1[i]);
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        const Index j = g.indices[k];
        f[j] += x[n_ + i] * (0.5 * h) * step_->g_end[k];
        sum += velocity(j) * step_->g_end[k];
      }
      f[n_ + i] = sum;
    }
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    inertia_.add_momentum_jacobian(x, *step_, step_->g_end, values);
    force_.add(values, step_->g_end, 0.5 * step_->h);
  }

 private:
  const System* system_;
  Inertia inertia_;
  const Frame* step_;
  const StepScales* scales_;
  Index n_, m_;
  BlockMap force_;
};

extern template class RattlePositions<ConstantRattleInertia>;
extern template class RattlePositions<ConfigurationRattleInertia>;
extern template class RattleMomenta<ConstantRattleInertia>;
extern template class RattleMomenta<ConfigurationRattleInertia>;

}  // namespace gnomon::kernels
