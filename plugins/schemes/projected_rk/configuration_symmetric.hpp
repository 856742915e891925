#pragma once
/// \file
/// Stages of Hamilton's equations with a mass M(q) between two projections that mirror each other, in one system
/// x = [V | F | Lambda | dq~ | dp~ | mu | nu | dq | dp], q1 = q0 + dq, p1 = p0 + dp, M0 = M(q0), M1 = M(q1):
///
///     W0 dq~ = G(q0)^T mu              W0 M0^-1 dp~ = G(q0)^T nu                            start of the stages
///     stages from (q0 + dq~, p0 + dp~)                                                      configuration_stages.hpp
///     W1 (dq - dq~ - h b^T V) = sign G(q1)^T mu                 g(q1) = 0
///     W1 M1^-1 (dp - dp~ - h b^T F) = sign G(q1)^T nu           G(q1) T_p(q1,p1) + g_t = 0
///
/// with W = M at that end, or 1. As kernels/runge_kutta/symmetric_projection.hpp says of a constant mass: with a
/// symmetric tableau the step is symmetric, since both ends have their own directions; the signs are those there.
///
/// The Newton matrix comes from dual numbers: it is dense and small.

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/projection_metric.hpp"
#include "projected_rk/configuration_stages.hpp"

namespace gnomon::kernels {

class ConfigurationSymmetricProjection final : public TemplatedEquations<ConfigurationSymmetricProjection> {
 public:
  /// sign: +1 for (+,+), -1 for (+,-)
  ConfigurationSymmetricProjection(const System& system, const RkTableau& tableau, bool index1, bool mass_metric,
                                   double sign, const StepScales& scales)
      : system_(&system),
        at_(system),
        rk_(tableau),
        sign_(sign),
        n_(system.n()),
        m_(system.m()),
        stage_size_(tableau.stages * (2 * n_ + m_)),
        rows_(system, tableau, index1, scales, stage_size_),
        step_scales_(&scales),
        metric_(system, mass_metric, scales),
        end_(system) {
    for (const Block& block : rows_.blocks()) layout_.unknown(block.name, block.size);
    const Index sizes[] = {n_, n_, m_, m_, n_, n_};
    const char* names[] = {"dq~", "dp~", "mu", "nu", "dq", "dp"};
    for (int k = 0; k < 6; ++k) offsets_[k] = layout_.unknown(names[k], sizes[k]).offset;
    layout_.place_dense(layout_.rows(layout_.size()));
    finish_layout();
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.q0, &b.q1, &b.p1, &b.force, &b.rest, &b.t_q, &b.out, &b.dq, &b.dp}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
  }

  Index dq() const { return offsets_[4]; }
  Index dv() const { return offsets_[5]; }  ///< dp
  ConfigurationStageRows& rows() { return rows_; }

  void begin(const State& z0, const Vector&, double h) {
    h_ = h;
    rows_.begin(z0, h);
    metric_.update(z0, h, false);
    end_.begin(z0, h, false);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    rows_.scales(columns, rows);
    const Vector& mass = system_->mass().diagonal_entries();
    for (const int k : {0, 4}) {  // dq~, dq
      columns.segment(offsets_[k], n_) = rows.segment(offsets_[k], n_) = metric_.dq() * metric_.root().cwiseInverse();
      columns.segment(offsets_[k + 1], n_) = metric_.dv() * mass.cwiseQuotient(metric_.root());
      rows.segment(offsets_[k + 1], n_) = metric_.dv() * metric_.root();
    }
    columns.segment(offsets_[2], m_) = metric_.dq() * metric_.row().cwiseInverse();
    rows.segment(offsets_[2], m_) = metric_.dq() * metric_.row();
    columns.segment(offsets_[3], m_) = metric_.dv() * metric_.row().cwiseInverse();
    rows.segment(offsets_[3], m_) = metric_.dv() * metric_.row();
  }
  double rounding_floor() const override {
    return rows_.rounding_floor() + (end_.quadratic() ? 0 : step_scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.evaluate<S>(x, f);
    auto& b = buffers_.get<S>();
    const State& z0 = end_.start();
    b.dq = x.segment(dq(), n_);
    b.dp = x.segment(dv(), n_);
    b.q0 = z0.q.value().template cast<S>();
    end_.place(b.dq, b.q1);
    end_.place_momentum(b.dp, b.p1);

    for (int level = 0; level < 2; ++level) {  // position, momentum
      const Index start = offsets_[level], end = offsets_[4 + level];
      b.mu = x.segment(offsets_[2 + level], m_);
      b.rest = x.segment(start, n_);
      at_.constraint_force(z0.t, b.q0, b.mu, b.force);
      project(level, b.q0, b, S(1.0), start, f);
      for (Index j = 0; j < n_; ++j) {
        b.rest[j] = x[end + j] - x[start + j];
        for (Index i = 0; i < rk_.stages; ++i) b.rest[j] -= x[(level * rk_.stages + i) * n_ + j] * (h_ * rk_.b[i]);
      }
      at_.constraint_force(end_.t(), b.q1, b.mu, b.force);
      project(level, b.q1, b, S(sign_), end, f);
    }

    end_.constraints(b.dq, b.q1, b.g);
    for (Index i = 0; i < m_; ++i) f[offsets_[2] + i] = b.g[i];
    at_.kinetic_gradient(b.q1, b.p1, b.t_q, b.out);
    at_.constraint_velocity(end_.t(), b.q1, b.out, b.g);
    for (Index i = 0; i < m_; ++i) f[offsets_[3] + i] = b.g[i];
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q0, q1, p1, force, rest, t_q, out, dq, dp, mu, g;
  };

  /// Rows at one end: rest - sign M^-1 force and rest - sign force (W = M), rest - sign force and M^-1 rest - sign
  /// force.
  template <class S>
  void project(int level, const VectorOf<S>& q, Buffers<S>& b, const S& sign, Index at, VectorRefOf<S> f) {
    const bool of_force = level == 0 && metric_.is_mass(), of_rest = level == 1 && !metric_.is_mass();
    if (of_force || of_rest) at_.kinetic_gradient(q, of_force ? b.force : b.rest, b.t_q, b.out);
    for (Index j = 0; j < n_; ++j)
      f[at + j] = (of_rest ? b.out[j] : b.rest[j]) - sign * (of_force ? b.out[j] : b.force[j]);
  }

  const System* system_;
  SystemAt at_;
  RkTableau rk_;
  double sign_;
  Index n_, m_, stage_size_;
  ConfigurationStageRows rows_;
  const StepScales* step_scales_;
  ProjectionMetric metric_;
  ConfigurationEndPoint end_;
  Index offsets_[6];
  double h_ = 0;
  ForBothScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
