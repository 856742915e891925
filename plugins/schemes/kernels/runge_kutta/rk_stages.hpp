#pragma once
/// \file
/// The stages of a Runge-Kutta method for M q'' + grad U + G^T lambda = F(q,q',t), g = 0, in accelerations and
/// multipliers x = [W_1..W_s | Lambda_1..Lambda_s], from the start of the step or from one displaced by further
/// unknowns (dq~, dv~):
///
///     q~ = q0 + dq~,  v~ = v0 + dv~,  Q_i = q~ + h c_i v~ + h^2 sum_j (A^2)_ij W_j,  V_i = v~ + h sum_j a_ij W_j
///     0 = M W_i + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - F(Q_i,V_i,t_i),   t_i = t0 + c_i h
///     0 = g(Q_i,t_i)                                     index 3
///     0 = G(Q_i,t_i) W_i + b(Q_i,V_i,t_i)                index 1, b = V^T (Hess g) V + 2 G_t V + g_tt (stage_bias.hpp)
///
/// F is the force outside the potential (Q in System).
///
/// Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (11), for index 3. There Lambda depends on W through the
/// second derivative of g, which costs orders; with index 1 the method is the Runge-Kutta method of the underlying
/// ordinary differential equation and keeps its order.
///
/// Scales: W ~ dq/h^2, so that the rows g(Q_i) carry h^2: condition O(100) for every h.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/ledger.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"
#include "kernels/runge_kutta/stage_work.hpp"

namespace gnomon::kernels {

/// The rows of the stages, as the first rows and columns of a system of equations.
class RkStageRows {
 public:
  /// displaced: column of [dq~ | dv~] in x; -1 without them.
  RkStageRows(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales,
              Index displaced = -1)
      : system_(&system),
        at_(system),
        applied_(system),
        bias_(system),
        work_(system, index1),
        rk_(tableau),
        index1_(index1),
        displaced_(displaced),
        scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.w, &b.mw, &b.dq, &b.q, &b.v, &b.u, &b.force}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g, &b.bias}) v->setZero(m_);
    });
    for (Vector* v : {&v0_, &q_, &v_, &w_, &dq_}) v->setZero(n_);
    for (Vector* v : {&g_, &lambda_}) v->setZero(m_);
    for (Vector* v : {&g_values_, &by_position_}) v->setZero(system.constraint_pattern().nonzeros());
    times_.setZero(rk_.stages);
    g0_.setZero(m_, rk_.stages);
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  Index size() const { return rk_.stages * (n_ + m_); }
  std::vector<Block> blocks() const { return {{"W", 0, rk_.stages * n_}, {"Lambda", multiplier(0), rk_.stages * m_}}; }

  /// v0 = M^-1 p0
  void begin(const State& z0, const Vector& v0, double h) {
    z0_ = &z0;
    v0_ = v0;
    h_ = h;
    for (Index i = 0; i < rk_.stages; ++i) times_[i] = time_after(z0, rk_.c[i] * h);
    if (index1_ || !quadratic_) return;
    for (Index i = 0; i < rk_.stages; ++i) {
      system_->constraints_compensated(times_[i], z0.q.value(), z0.q.tail(), g_, g_values_);
      g0_.col(i) = g_;
    }
  }

  /// A start value: w0 at every stage.
  void predict(const Vector&, const Vector& w0, const Vector& lambda, VectorRef x) const {
    for (Index i = 0; i < rk_.stages; ++i) {
      x.segment(i * n_, n_) = w0;
      x.segment(multiplier(i), m_) = lambda;
    }
  }
  /// dq = h v0 + h^2 b^T A W,  dv = h b^T W
  void increments(const ConstVectorRef& x, Vector& dq, Vector& dv) const {
    dq.setZero();
    dv.setZero();
    for (Index i = 0; i < rk_.stages; ++i) {
      dq += rk_.ba[i] * x.segment(i * n_, n_);
      dv += rk_.b[i] * x.segment(i * n_, n_);
    }
    dq = h_ * v0_ + (h_ * h_) * dq;
    dv *= h_;
  }
  /// w += d^T W,  lambda += d^T Lambda
  void carry(const ConstVectorRef& x, Vector& w, Vector& lambda) const {
    for (Index i = 0; i < rk_.stages; ++i) {
      w += rk_.d[i] * x.segment(i * n_, n_);
      lambda += rk_.d[i] * x.segment(multiplier(i), m_);
    }
  }

  bool works() const { return work_.active(); }
  /// What is done on the system in the step whose solution is x.
  Work work(const ConstVectorRef& x) {
    Work done;
    for (Index i = 0; i < rk_.stages; ++i) {
      place(x, i);
      work_.add(h_ * rk_.b[i], times_[i], q_, v_, lambda_, done);
    }
    return done;
  }

  void scales(VectorRef columns, VectorRef rows) const {
    const double h = std::abs(h_);
    for (Index i = 0; i < rk_.stages; ++i) {
      columns.segment(i * n_, n_) = scales_->dq() / (h * h);
      rows.segment(i * n_, n_) = scales_->dp() / h;
      columns.segment(multiplier(i), m_) = scales_->lambda();
      if (index1_)
        rows.segment(multiplier(i), m_) = scales_->hidden() / h;
      else
        rows.segment(multiplier(i), m_) = scales_->position();
    }
  }
  double rounding_floor() const { return 1e-15 + (quadratic_ || index1_ ? 0 : scales_->position_floor()); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const Vector &q0 = z0_->q.value(), &q0_tail = z0_->q.tail();
    for (Index i = 0; i < rk_.stages; ++i) {
      const double t = times_[i];
      b.w = x.segment(i * n_, n_);
      b.lambda = x.segment(multiplier(i), m_);
      for (Index k = 0; k < n_; ++k) {
        b.dq[k] = S(h_ * rk_.c[i] * v0_[k]);
        b.v[k] = S(v0_[k]);
        if (displaced_ >= 0) {
          b.dq[k] += x[displaced_ + k] + x[displaced_ + n_ + k] * (h_ * rk_.c[i]);
          b.v[k] += x[displaced_ + n_ + k];
        }
        for (Index j = 0; j < rk_.stages; ++j) {
          b.dq[k] += x[j * n_ + k] * (h_ * h_ * rk_.a2(i, j));
          b.v[k] += x[j * n_ + k] * (h_ * rk_.a(i, j));
        }
      }
      b.q = (b.dq + q0_tail.template cast<S>()) + q0.template cast<S>();
      at_.mass_times(b.w, b.mw);
      at_.potential_gradient(t, b.q, b.u);
      at_.constraint_force(t, b.q, b.lambda, b.force);
      for (Index k = 0; k < n_; ++k) f[i * n_ + k] = b.mw[k] + b.u[k] + b.force[k];
      if (applied_.active()) {
        const VectorOf<S>& applied = applied_(t, b.q, b.v);
        for (Index k = 0; k < n_; ++k) f[i * n_ + k] -= applied[k];
      }

      if (m_ == 0) continue;
      if (index1_) {
        at_.constraint_jacobian_times(t, b.q, b.w, b.g);
        bias_(t, b.q, b.v, b.bias);
        b.g += b.bias;
      } else if (quadratic_) {  // g(Q_i) = g(q0) + G(q0 + dQ/2) dQ at the time t_i, without cancellation
        b.q = (b.dq * 0.5 + q0_tail.template cast<S>()) + q0.template cast<S>();
        at_.constraint_jacobian_times(t, b.q, b.dq, b.g);
        b.g += g0_.col(i).template cast<S>();
      } else {
        at_.constraints(t, b.q, b.g);
      }
      for (Index k = 0; k < m_; ++k) f[multiplier(i) + k] = b.g[k];
    }
  }

  /// Adds to values.
  void jacobian(const ConstVectorRef& x, VectorRef values) {
    const Index s = rk_.stages;
    for (Index i = 0; i < s; ++i) {
      const double t = times_[i];
      place(x, i);
      system_->lagrangian_hessian(t, q_, lambda_, hessian_values_);
      system_->constraint_jacobian(t, q_, g_values_);
      mass_[at(i)].add(values, system_->mass().values(), 1);
      force_[at(i)].add(values, g_values_, 1);
      if (applied_.active()) applied_.linearise(t, q_, v_);
      if (index1_) {
        w_ = x.segment(i * n_, n_);
        system_->constraint_jacobian_derivative(t, q_, w_, by_position_);
        bias_.linearise(t, q_, v_);
        by_position_ += bias_.by_q();
        constraint_[at(i * columns() + i)].add(values, g_values_, 1);
      }
      for (Index j = 0; j < s; ++j) add_stage_derivative(values, i, j, h_ * h_ * rk_.a2(i, j), h_ * rk_.a(i, j));
      if (displaced_ >= 0) {
        add_stage_derivative(values, i, s, 1, 0);
        add_stage_derivative(values, i, s + 1, h_ * rk_.c[i], 1);
      }
    }
  }

  void add_pattern(PatternBuilder& builder) const {
    const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
    for (Index i = 0; i < rk_.stages; ++i) {
      builder.add(mass, i * n_, i * n_);
      builder.add(g, i * n_, multiplier(i), true);
      for (Index j = 0; j < columns(); ++j) {
        builder.add(system_->hessian_pattern(), i * n_, column(j));
        builder.add(g, multiplier(i), column(j));
        if (!applied_.active()) continue;
        for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
          builder.add(system_->parts().force->force_pattern(by), i * n_, column(j));
      }
    }
  }
  /// Finds the rows in the assembled pattern.
  void map(const SparsityPattern& whole) {
    const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
    for (Index i = 0; i < rk_.stages; ++i) {
      mass_.emplace_back(whole, mass, i * n_, i * n_);
      force_.emplace_back(whole, g, i * n_, multiplier(i), true);
      for (Index j = 0; j < columns(); ++j) {
        hessian_.emplace_back(whole, system_->hessian_pattern(), i * n_, column(j));
        constraint_.emplace_back(whole, g, multiplier(i), column(j));
        if (!applied_.active()) continue;
        const Force& force = *system_->parts().force;
        applied_at_.push_back({BlockMap(whole, force.force_pattern(ForceArgument::q), i * n_, column(j)),
                               BlockMap(whole, force.force_pattern(ForceArgument::v), i * n_, column(j))});
      }
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> w, mw, dq, q, v, u, force, lambda, g, bias;
  };

  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  Index multiplier(Index stage) const { return rk_.stages * n_ + stage * m_; }

  /// Blocks of columns that Q_i and V_i depend on: W_1..W_s, dq~, dv~.
  Index columns() const { return rk_.stages + (displaced_ < 0 ? 0 : 2); }
  Index column(Index j) const { return j < rk_.stages ? j * n_ : displaced_ + (j - rk_.stages) * n_; }

  /// Q_i, V_i and Lambda_i
  void place(const ConstVectorRef& x, Index i) {
    lambda_ = x.segment(multiplier(i), m_);
    dq_ = h_ * rk_.c[i] * v0_;
    v_ = v0_;
    if (displaced_ >= 0) {
      dq_ += x.segment(displaced_, n_) + h_ * rk_.c[i] * x.segment(displaced_ + n_, n_);
      v_ += x.segment(displaced_ + n_, n_);
    }
    for (Index j = 0; j < rk_.stages; ++j) {
      dq_ += h_ * h_ * rk_.a2(i, j) * x.segment(j * n_, n_);
      v_ += h_ * rk_.a(i, j) * x.segment(j * n_, n_);
    }
    q_ = (dq_ + z0_->q.tail()) + z0_->q.value();
  }

  /// Derivatives of the rows of stage i by a column with dQ_i = by_q, dV_i = by_v.
  void add_stage_derivative(VectorRef values, Index i, Index j, double by_q, double by_v) {
    hessian_[at(i * columns() + j)].add(values, hessian_values_, by_q);
    if (applied_.active()) applied_.add(applied_at_[at(i * columns() + j)], -by_q, -by_v, values);
    const BlockMap& row = constraint_[at(i * columns() + j)];
    if (index1_) {
      row.add(values, by_position_, by_q);
      row.add(values, bias_.by_v(), by_v);
    } else {
      row.add(values, g_values_, by_q);
    }
  }

  const System* system_;
  SystemAt at_;
  AppliedForce applied_;
  StageBias bias_;
  StageWork work_;
  RkTableau rk_;
  bool index1_;
  Index displaced_;
  const StepScales* scales_;
  Index n_, m_;
  bool quadratic_;
  std::vector<BlockMap> mass_, force_;          // one a stage
  std::vector<BlockMap> hessian_, constraint_;  // one a stage and block of columns
  std::vector<AppliedForce::Place> applied_at_;

  const State* z0_ = nullptr;
  double h_ = 0;
  Vector v0_, times_;
  Matrix g0_;  ///< g(q0, t_i), one column a stage
  ForBothScalars<Buffers> buffers_;
  Vector q_, v_, w_, dq_, g_, lambda_, g_values_, by_position_, hessian_values_;
};

/// The stages alone.
class RkStages final : public TemplatedEquations<RkStages> {
 public:
  RkStages(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales)
      : rows_(system, tableau, index1, scales), blocks_(rows_.blocks()) {
    PatternBuilder builder(rows_.size(), rows_.size());
    rows_.add_pattern(builder);
    pattern_ = builder.build();
    rows_.map(pattern_);
    allocate(rows_.size());
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  /// v0 = M^-1 p0
  void begin(const State& z0, const Vector& v0, double h) { rows_.begin(z0, v0, h); }
  RkStageRows& rows() { return rows_; }
  void scales(VectorRef columns, VectorRef rows) const override { rows_.scales(columns, rows); }
  double rounding_floor() const override { return rows_.rounding_floor(); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.evaluate(x, f);
  }
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    rows_.jacobian(x, values);
  }

 private:
  RkStageRows rows_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
};

}  // namespace gnomon::kernels
