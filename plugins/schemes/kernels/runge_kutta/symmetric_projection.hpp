#pragma once
/// \file
/// Stages between two projections that mirror each other, in one system
/// x = [W_1..W_s | Lambda_1..Lambda_s | dq~ | dv~ | mu | nu | dq | dv], q1 = q0 + dq, v1 = v0 + dv:
///
///     W dq~ = G(q0)^T mu          W dv~ = G(q0)^T nu                    start of the stages
///     stages from (q0 + dq~, v0 + dv~)                                  rk_stages.hpp
///     W (dq - dq~ - h (v0 + dv~) - h^2 b^T A W) = sign G(q1)^T mu       g(q1) = 0
///     W (dv - dv~ - h b^T W) = sign G(q1)^T nu                          G(q1) v1 + g_t = 0
///
/// With M(q), x = [V | P' | Lambda | dq~ | dp~ | mu | nu | dq | dp], p1 = p0 + dp, M0 = M(q0), M1 = M(q1), W0 and W1
/// M at that end, or 1:
///
///     W0 dq~ = G(q0)^T mu         W0 M0^-1 dp~ = G(q0)^T nu
///     W1 (dq - dq~ - h b^T V) = sign G(q1)^T mu
///     W1 M1^-1 (dp - dp~ - h b^T P') = sign G(q1)^T nu                  G(q1) T_p(q1,p1) + g_t = 0
///
/// in the rows of ConfigurationEnd::directed; the matrix is dense and small, and comes from dual numbers. G and g at
/// the start are those at t0, at the end those at t1.
///
/// With a symmetric tableau the step is symmetric: (q0, v0, h) and (q1, v1, -h) change places under
/// (mu, nu) -> -sign (mu, nu). A displacement dq~ = G^T mu of the start arrives at the end times +1, or with stages of
/// index 3 times R(infinity) = (-1)^s; with the opposite sign in the second projection the two cancel and the system is
/// singular: index 1 and even s need (+,+), index 3 with odd s needs (+,-).
///
/// Source: Hairer, BIT 40 (2000); Hairer, Lubich, Wanner, Geometric Numerical Integration, V.4.1.

#include "kernels/runge_kutta/projection_metric.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

template <class Inertia>
class SymmetricProjection final : public TemplatedEquations<SymmetricProjection<Inertia>> {
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  /// sign: +1 for (+,+), -1 for (+,-)
  SymmetricProjection(const System& system, const RkTableau& tableau, bool index1, bool mass_metric, double sign,
                      const StepScales& scales)
      : system_(&system),
        at_(system),
        stages_(tableau.stages),
        sign_(sign),
        n_(system.n()),
        m_(system.m()),
        rows_(system, tableau, index1, scales, true),
        step_scales_(&scales),
        metric_(system, mass_metric, scales),
        end_(system) {
    lay_out();
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.d, &b.second, &b.rest, &b.q0, &b.q, &b.force}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
    for (Vector* v : {&d_, &q1_, &v1_}) v->setZero(n_);
    for (Vector* v : {&mu_, &zero_}) v->setZero(m_);
    for (Vector* v : {&g0_values_, &g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&bending_, &stiffness_}) v->setZero(system.hessian_pattern().nonzeros());
  }

  Index dq() const { return end_block_[0].offset; }
  /// dv, or dp
  Index dv() const { return end_block_[1].offset; }
  RkStageRows<Inertia>& rows() { return rows_; }

  /// v0 = M^-1 p0
  void begin(const State& z0, const Vector& v0, double h) {
    h_ = h;
    rows_.begin(z0, v0, h);
    metric_.update(z0, h);
    end_.begin(z0, h, false);
    system_->constraint_jacobian(z0.t, z0.q.value(), g0_values_);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    rows_.scales(columns, rows);
    for (int level = 0; level < 2; ++level) {
      for (const Block* block : {&start_[level], &end_block_[level]})
        metric_.template direction_scales<constant_mass>(level, block->offset, columns, rows);
      metric_.multiplier_scales(level, multiplier_[level].offset, columns, rows);
    }
  }
  double rounding_floor() const override {
    return rows_.rounding_floor() + (end_.quadratic() ? 0 : step_scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.template evaluate<S>(x, f);
    auto& b = buffers_.template get<S>();
    const SparsityPattern& g = system_->constraint_pattern();
    const bool mass = metric_.is_mass();
    b.q0 = end_.start().q.value().template cast<S>();
    b.d = x.segment(dq(), n_);
    end_.place(b.d, b.q);

    for (int level = 0; level < 2; ++level) {  // position, velocity
      const Index start = start_[level].offset, multiplier = multiplier_[level].offset, end = end_block_[level].offset;
      // Start: W d~ - G0^T mu
      b.rest = x.segment(start, n_);
      const VectorOf<S>& left = end_.directed(level, mass, b.q0, b.rest);
      if constexpr (constant_mass) {
        for (Index j = 0; j < n_; ++j) f[start + j] = left[j];
        for (Index i = 0; i < m_; ++i)
          for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
            f[start + g.indices[k]] -= x[multiplier + i] * g0_values_[k];
      } else {
        b.mu = x.segment(multiplier, m_);
        at_.constraint_force(end_.start().t, b.q0, b.mu, b.force);
        const VectorOf<S>& right = end_.direction(level, mass, b.q0, b.force);
        for (Index j = 0; j < n_; ++j) f[start + j] = left[j] - right[j];
      }
      // End: W (d - d~ - step of the method) - sign G1^T mu
      for (Index j = 0; j < n_; ++j) b.rest[j] = x[end + j] - x[start + j];
      rows_.template subtract_increment<S>(level, x, b.rest);
      b.mu = x.segment(multiplier, m_);
      at_.constraint_force(end_.t(), b.q, b.mu, b.force);
      const VectorOf<S>& rest = end_.directed(level, mass, b.q, b.rest);
      const VectorOf<S>& right = end_.direction(level, mass, b.q, b.force);
      for (Index j = 0; j < n_; ++j) f[end + j] = rest[j] - right[j] * sign_;
    }

    end_.constraints(b.d, b.q, b.g);
    for (Index i = 0; i < m_; ++i) f[multiplier_[0].offset + i] = b.g[i];
    b.d = x.segment(dv(), n_);
    end_.place_second(b.d, b.second);
    at_.constraint_velocity(end_.t(), b.q, end_.velocity(b.q, b.second), b.g);
    for (Index i = 0; i < m_; ++i) f[multiplier_[1].offset + i] = b.g[i];
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if (!constant_mass) return NonlinearEquations::jacobian(x, values);
    values.setZero();
    rows_.jacobian(x, values);
    d_ = x.segment(dq(), n_);
    end_.place(d_, q1_);
    d_ = x.segment(dv(), n_);
    end_.place_second(d_, v1_);
    system_->constraint_jacobian(end_.t(), q1_, g_values_);
    end_.hidden_jacobian(q1_, v1_, dg_values_);
    system_->lagrangian_hessian(end_.t(), q1_, zero_, stiffness_);
    const Vector& w = metric_.values();
    for (int level = 0; level < 2; ++level) {
      Level& map = levels_[level];
      map.start.add(values, w, 1);
      map.start_force.add(values, g0_values_, -1);
      map.end.add(values, w, 1);
      map.end_by_start.add(values, w, -1);
      if (level == 0) position_by_velocity_.add(values, w, -h_);
      for (Index i = 0; i < stages_; ++i) map.end_by_stage[i].add(values, w, -rows_.weight(level, i));
      map.end_force.add(values, g_values_, -sign_);
      const double unit = level == 0 ? h_ * h_ : h_;  // of multipliers, beside those of forces and Hess U
      mu_ = x.segment(multiplier_[level].offset, m_) / unit;
      system_->lagrangian_hessian(end_.t(), q1_, mu_, bending_);
      bending_ = (bending_ - stiffness_) * unit;
      map.bending.add(values, bending_, -sign_);
      map.constraint.add(values, g_values_, 1);
    }
    hidden_by_position_.add(values, dg_values_, 1);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> d, second, rest, q0, q, force, mu, g;
  };
  /// Places of one level, position or velocity.
  struct Level {
    BlockMap start, start_force, end, end_by_start, end_force, bending, constraint;
    std::vector<BlockMap> end_by_stage;
  };

  void lay_out() {
    Layout& layout = this->layout_;
    rows_.lay_out_unknowns(layout);
    const std::string d = constant_mass ? "dv" : "dp";
    start_[0] = layout.unknown("dq~", n_);
    start_[1] = layout.unknown(d + "~", n_);
    multiplier_[0] = layout.unknown("mu", m_);
    multiplier_[1] = layout.unknown("nu", m_);
    end_block_[0] = layout.unknown("dq", n_);
    end_block_[1] = layout.unknown(d, n_);
    rows_.lay_out_rows(layout);
    const Block rest = layout.rows(layout.size() - rows_.size());
    if (constant_mass)
      place(layout);
    else
      layout.place_dense(rest);
    this->finish_layout();
  }
  /// The blocks of the rows are those of the unknowns.
  void place(Layout& layout) {
    const SparsityPattern& g = system_->constraint_pattern();
    const SparsityPattern w = metric_.pattern();
    for (int level = 0; level < 2; ++level) {
      const Block &start = start_[level], &multiplier = multiplier_[level], &end = end_block_[level];
      Level& map = levels_[level];
      layout.place(map.start, start, start, w);
      layout.place(map.start_force, start, multiplier, g, Layout::transposed);
      layout.place(map.end, end, end, w);
      layout.place(map.end_by_start, end, start, w);
      map.end_by_stage.resize(stages_);
      for (Index i = 0; i < stages_; ++i) layout.place(map.end_by_stage[i], end, {{}, i * n_, n_}, w);
      layout.place(map.end_force, end, multiplier, g, Layout::transposed);
      layout.place(map.bending, end, end_block_[0], system_->hessian_pattern());
      layout.place(map.constraint, multiplier, end, g);
    }
    layout.place(position_by_velocity_, end_block_[0], start_[1], w);
    layout.place(hidden_by_position_, multiplier_[1], end_block_[0], g);
  }

  const System* system_;
  SystemAt at_;
  Index stages_;
  double sign_;
  Index n_, m_;
  RkStageRows<Inertia> rows_;
  const StepScales* step_scales_;
  ProjectionMetric metric_;
  typename Inertia::End end_;
  Block start_[2], multiplier_[2], end_block_[2];  // of q and of v, or p
  Level levels_[2];
  BlockMap position_by_velocity_, hidden_by_position_;

  double h_ = 0;
  Vector d_, q1_, v1_, mu_, zero_, g0_values_, g_values_, dg_values_, bending_, stiffness_;
  ForBothScalars<Buffers> buffers_;
};

extern template class SymmetricProjection<ConstantRkInertia>;
extern template class SymmetricProjection<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
