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
/// G and g at the start are those at t0, at the end those at t1.
///
/// With a symmetric tableau the step is symmetric: (q0, v0, h) and (q1, v1, -h) change places under
/// (mu, nu) -> -sign (mu, nu). A displacement dq~ = G^T mu of the start arrives at the end times +1, or with stages of
/// index 3 times R(infinity) = (-1)^s; with the opposite sign in the second projection the two cancel and the system is
/// singular: index 1 and even s need (+,+), index 3 with odd s needs (+,-).
///
/// Source: Hairer, BIT 40 (2000); Hairer, Lubich, Wanner, Geometric Numerical Integration, V.4.1.

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"

namespace gnomon::kernels {

class SymmetricProjection final : public TemplatedEquations<SymmetricProjection> {
 public:
  /// sign: +1 for (+,+), -1 for (+,-)
  SymmetricProjection(const System& system, const RkTableau& tableau, bool index1, bool mass_metric, double sign,
                      const StepScales& scales)
      : system_(&system),
        at_(system),
        rk_(tableau),
        sign_(sign),
        n_(system.n()),
        m_(system.m()),
        stage_size_(tableau.stages * (n_ + m_)),
        rows_(system, tableau, index1, scales, stage_size_),
        step_scales_(&scales),
        metric_(system, mass_metric, scales),
        end_(system) {
    blocks_ = rows_.blocks();
    const Index sizes[] = {n_, n_, m_, m_, n_, n_};
    const char* names[] = {"dq~", "dv~", "mu", "nu", "dq", "dv"};
    Index offset = stage_size_;
    for (int k = 0; k < 6; ++k) {
      blocks_.push_back({names[k], offset, sizes[k]});
      offset += sizes[k];
    }
    build_pattern();
    allocate(pattern_.cols);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.dv, &b.v, &b.rest, &b.sum, &b.q, &b.force}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
    for (Vector* v : {&v0_, &q1_, &v1_}) v->setZero(n_);
    for (Vector* v : {&mu_, &zero_}) v->setZero(m_);
    for (Vector* v : {&g0_values_, &g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&bending_, &stiffness_}) v->setZero(system.hessian_pattern().nonzeros());
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index dq() const { return offset(4); }
  Index dv() const { return offset(5); }
  RkStageRows& rows() { return rows_; }

  /// v0 = M^-1 p0
  void begin(const State& z0, const Vector& v0, double h) {
    h_ = h;
    v0_ = v0;
    rows_.begin(z0, v0, h);
    metric_.update(z0, h, false);
    end_.begin(z0, h, false);
    system_->constraint_jacobian(z0.t, z0.q.value(), g0_values_);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    rows_.scales(columns, rows);
    for (const int k : {0, 4}) {  // dq~, dq
      columns.segment(offset(k), n_) = metric_.dq() * metric_.root().cwiseInverse();
      rows.segment(offset(k), n_) = metric_.dq() * metric_.root();
      columns.segment(offset(k + 1), n_) = metric_.dv() * metric_.root().cwiseInverse();
      rows.segment(offset(k + 1), n_) = metric_.dv() * metric_.root();
    }
    columns.segment(offset(2), m_) = metric_.dq() * metric_.row().cwiseInverse();
    rows.segment(offset(2), m_) = metric_.dq() * metric_.row();
    columns.segment(offset(3), m_) = metric_.dv() * metric_.row().cwiseInverse();
    rows.segment(offset(3), m_) = metric_.dv() * metric_.row();
  }
  double rounding_floor() const override {
    return rows_.rounding_floor() + (end_.quadratic() ? 0 : step_scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.evaluate(x, f);
    auto& b = buffers_.get<S>();
    b.dq = x.segment(dq(), n_);
    b.dv = x.segment(dv(), n_);
    end_.place(b.dq, b.q);

    for (int level = 0; level < 2; ++level) {  // position, velocity
      const Index start = offset(level), multiplier = offset(2 + level), end = offset(4 + level);
      // Start: W d~ - G0^T mu
      b.rest = x.segment(start, n_);
      weigh(b.rest, b.sum);
      const SparsityPattern& g = system_->constraint_pattern();
      for (Index j = 0; j < n_; ++j) f[start + j] = b.sum[j];
      for (Index i = 0; i < m_; ++i)
        for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k)
          f[start + g.indices[at(k)]] -= x[multiplier + i] * g0_values_[k];
      // End: W (d - d~ - step of the method) - sign G1^T mu
      for (Index j = 0; j < n_; ++j) {
        b.rest[j] = x[end + j] - x[start + j];
        if (level == 0) b.rest[j] -= (x[dv_start() + j] + S(v0_[j])) * h_;
        for (Index i = 0; i < rk_.stages; ++i) b.rest[j] -= x[i * n_ + j] * weight(level, i);
      }
      weigh(b.rest, b.sum);
      b.mu = x.segment(multiplier, m_);
      at_.constraint_force(end_.t(), b.q, b.mu, b.force);
      for (Index j = 0; j < n_; ++j) f[end + j] = b.sum[j] - b.force[j] * sign_;
    }

    end_.constraints(b.dq, b.q, b.g);
    for (Index i = 0; i < m_; ++i) f[offset(2) + i] = b.g[i];
    end_.place_velocity(b.dv, b.v);
    at_.constraint_velocity(end_.t(), b.q, b.v, b.g);
    for (Index i = 0; i < m_; ++i) f[offset(3) + i] = b.g[i];
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    rows_.jacobian(x, values);
    buffers_.at_double.dq = x.segment(dq(), n_);
    buffers_.at_double.dv = x.segment(dv(), n_);
    end_.place(buffers_.at_double.dq, q1_);
    end_.place_velocity(buffers_.at_double.dv, v1_);
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
      for (Index i = 0; i < rk_.stages; ++i) map.end_by_stage[at(i)].add(values, w, -weight(level, i));
      map.end_force.add(values, g_values_, -sign_);
      mu_ = x.segment(offset(2 + level), m_);
      system_->lagrangian_hessian(end_.t(), q1_, mu_, bending_);
      bending_ -= stiffness_;
      map.bending.add(values, bending_, -sign_);
      map.constraint.add(values, g_values_, 1);
    }
    hidden_by_position_.add(values, dg_values_, 1);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, dv, v, rest, sum, q, force, mu, g;
  };
  /// Places of one level, position or velocity.
  struct Level {
    BlockMap start, start_force, end, end_by_start, end_force, bending, constraint;
    std::vector<BlockMap> end_by_stage;
  };

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  /// Of block k after the stages: dq~, dv~, mu, nu, dq, dv.
  Index offset(int k) const { return blocks_[static_cast<std::size_t>(k) + 2].offset; }
  Index dv_start() const { return offset(1); }
  /// Weight of W_i in the increment of q or v.
  double weight(int level, Index i) const { return level == 0 ? h_ * h_ * rk_.ba[i] : h_ * rk_.b[i]; }

  template <class S>
  void weigh(const VectorOf<S>& d, VectorOf<S>& out) {
    if (metric_.is_mass())
      at_.mass_times(d, out);
    else
      out = d;
  }

  void build_pattern() {
    const SparsityPattern &g = system_->constraint_pattern(), &hessian = system_->hessian_pattern();
    const SparsityPattern w = metric_.pattern();
    const Index size = offset(5) + n_;
    PatternBuilder builder(size, size);
    rows_.add_pattern(builder);
    for (int level = 0; level < 2; ++level) {
      const Index start = offset(level), multiplier = offset(2 + level), end = offset(4 + level);
      builder.add(w, start, start);
      builder.add(g, start, multiplier, true);
      builder.add(w, end, end);
      builder.add(w, end, start);
      if (level == 0) builder.add(w, end, dv_start());
      for (Index i = 0; i < rk_.stages; ++i) builder.add(w, end, i * n_);
      builder.add(g, end, multiplier, true);
      builder.add(hessian, end, dq());
      builder.add(g, multiplier, end);
    }
    builder.add(g, offset(3), dq());
    pattern_ = builder.build();

    rows_.map(pattern_);
    for (int level = 0; level < 2; ++level) {
      const Index start = offset(level), multiplier = offset(2 + level), end = offset(4 + level);
      Level& map = levels_[level];
      map.start = BlockMap(pattern_, w, start, start);
      map.start_force = BlockMap(pattern_, g, start, multiplier, true);
      map.end = BlockMap(pattern_, w, end, end);
      map.end_by_start = BlockMap(pattern_, w, end, start);
      for (Index i = 0; i < rk_.stages; ++i) map.end_by_stage.emplace_back(pattern_, w, end, i * n_);
      map.end_force = BlockMap(pattern_, g, end, multiplier, true);
      map.bending = BlockMap(pattern_, hessian, end, dq());
      map.constraint = BlockMap(pattern_, g, multiplier, end);
    }
    position_by_velocity_ = BlockMap(pattern_, w, dq(), dv_start());
    hidden_by_position_ = BlockMap(pattern_, g, offset(3), dq());
  }

  const System* system_;
  SystemAt at_;
  RkTableau rk_;
  double sign_;
  Index n_, m_, stage_size_;
  RkStageRows rows_;
  const StepScales* step_scales_;
  ProjectionMetric metric_;
  EndPoint end_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  Level levels_[2];
  BlockMap position_by_velocity_, hidden_by_position_;

  double h_ = 0;
  Vector v0_, q1_, v1_, mu_, zero_, g0_values_, g_values_, dg_values_, bending_, stiffness_;
  ForBothScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
