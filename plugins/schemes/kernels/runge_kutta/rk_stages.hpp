#pragma once
/// \file
/// The stages of a Runge-Kutta method for Hamilton's equations with constraints, T = p.M^-1 p/2, in slopes and
/// multipliers, from the start of the step or from one displaced by further unknowns. The policy Inertia says how T
/// enters. ConstantRkInertia: in accelerations, x = [W_1..W_s | Lambda_1..Lambda_s], displaced by (dq~, dv~),
///
///     q~ = q0 + dq~,  v~ = v0 + dv~,  Q_i = q~ + h c_i v~ + h^2 sum_j (A^2)_ij W_j,  V_i = v~ + h sum_j a_ij W_j
///     0 = M W_i + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - F(Q_i,V_i,t_i),   t_i = t0 + c_i h
///
/// ConfigurationRkInertia, M(q): x = [V_1..V_s | P'_1..P'_s | Lambda_1..Lambda_s], displaced by (dq~, dp~),
///
///     Q_i = q0 + dq~ + h sum_j a_ij V_j,    P_i = p0 + dp~ + h sum_j a_ij P'_j
///     0 = V_i - T_p(Q_i,P_i)
///     0 = P'_i + T_q(Q_i,P_i) + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - F(Q_i,V_i,t_i)
///
/// and of both, with W_i = T_pq V_i + T_pp P'_i in the second,
///
///     0 = g(Q_i,t_i)                                     index 3
///     0 = G(Q_i,t_i) W_i + b(Q_i,V_i,t_i)                index 1, b = V^T (Hess g) V + 2 G_t V + g_tt (stage_bias.hpp)
///
/// With a constant mass these are one method: the V_i are eliminated. F is the force outside the potential (Q in
/// System).
///
/// Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (11), for index 3. There Lambda depends on W through the
/// second derivative of g, which costs orders; with index 1 the method is the Runge-Kutta method of the underlying
/// ordinary differential equation and keeps its order.
///
/// Scales: W ~ dq/h^2, so that the rows g(Q_i) carry h^2: condition O(100) for every h.

#include <optional>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/runge_kutta/rk_inertia.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"
#include "kernels/runge_kutta/stage_inverse.hpp"
#include "kernels/runge_kutta/stage_work.hpp"

namespace gnomon::kernels {

/// The rows of the stages, as the first rows and columns of a system of equations.
template <class Inertia>
class RkStageRows {
  using Stage = typename Inertia::Stage;
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  /// displaced: whether the first unknowns after the stages are [dq~ | dv~], with M(q) [dq~ | dp~].
  RkStageRows(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales,
              bool displaced = false)
      : system_(&system),
        at_(system),
        applied_(system),
        bias_(system),
        work_(system, index1),
        inertia_(system),
        rk_(tableau),
        index1_(index1),
        scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        displaced_(displaced ? size() : -1),
        quadratic_(quadratic_constraints(system)) {
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.slope, &b.inertial, &b.dq, &b.q, &b.v, &b.u, &b.force}) v->setZero(n_);
      if (!constant_mass)
        for (auto* v : {&b.dp, &b.p, &b.t_p, &b.w}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g, &b.bias}) v->setZero(m_);
    });
    v0_.setZero(n_);
    g_.setZero(m_);
    for (Vector* v : {&g_values_, &by_position_}) v->setZero(system.constraint_pattern().nonzeros());
    times_.setZero(rk_.stages);
    g0_.setZero(m_, rk_.stages);
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  Index size() const { return rk_.stages * (Stage::slopes * n_ + m_); }

  void lay_out_unknowns(Layout& layout) const {
    for (const char* slope : Stage::names) layout.unknown(slope, rk_.stages * n_);
    layout.unknown("Lambda", rk_.stages * m_);
  }
  /// The first rows, once all unknowns are laid out.
  void lay_out_rows(Layout& layout) {
    const Block all = layout.rows(size());
    if (!constant_mass) layout.place_dense(all);
    const SparsityPattern& g = system_->constraint_pattern();
    const Index stages = rk_.stages, blocks = stages * columns();
    for (auto* maps : {&mass_, &force_}) maps->resize(stages);
    for (auto* maps : {&hessian_, &constraint_}) maps->resize(blocks);
    applied_at_.resize(blocks);
    for (Index i = 0; i < rk_.stages; ++i) {
      const Block balance{{}, slope(i), n_}, lambda{{}, multiplier(i), m_};
      if (constant_mass) layout.place(mass_[i], balance, balance, system_->mass().pattern());
      layout.place(force_[i], balance, lambda, g, Layout::transposed);
      for (Index j = 0; j < columns(); ++j) {
        const Block column{{}, j < rk_.stages ? j * n_ : displaced_ + (j - rk_.stages) * n_, n_};
        const Index k = i * columns() + j;
        layout.place(hessian_[k], balance, column, system_->hessian_pattern());
        layout.place(constraint_[k], lambda, column, g);
        applied_.place(layout, applied_at_[k], balance, column);
      }
    }
  }

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

  /// A start value: the slopes at the start, at every stage.
  void predict(const Vector& v0, const Vector& start, const Vector& lambda, VectorRef x) const {
    for (Index i = 0; i < rk_.stages; ++i) {
      if (!constant_mass) x.segment(i * n_, n_) = v0;
      x.segment(slope(i), n_) = start;
      x.segment(multiplier(i), m_) = lambda;
    }
  }
  /// The stage `to` of x += weight times the stage `from` of y.
  void add_stage(double weight, const ConstVectorRef& y, Index from, VectorRef x, Index to) const {
    const Index s = rk_.stages;
    for (Index k = 0; k < Stage::slopes; ++k)
      x.segment((k * s + to) * n_, n_) += weight * y.segment((k * s + from) * n_, n_);
    x.segment(multiplier(to), m_) += weight * y.segment(multiplier(from), m_);
  }
  /// dq = h v0 + h^2 b^T A W,  dv = h b^T W,  with M(q) dq = h b^T V,  dp = h b^T P'
  void increments(const ConstVectorRef& x, Vector& dq, Vector& second) const {
    dq.setZero();
    second.setZero();
    for (Index i = 0; i < rk_.stages; ++i) {
      dq += (constant_mass ? rk_.ba : rk_.b)[i] * x.segment(i * n_, n_);
      second += rk_.b[i] * x.segment(slope(i), n_);
    }
    if (constant_mass)
      dq = h_ * v0_ + (h_ * h_) * dq;
    else
      dq *= h_;
    second *= h_;
  }
  /// out_j -= the increment of q (level 0) or of the second half (level 1), with the displaced start's velocity
  template <class S>
  void subtract_increment(int level, const ConstVectorRefOf<S>& x, VectorOf<S>& out) const {
    for (Index j = 0; j < n_; ++j) {
      if (constant_mass && level == 0) out[j] -= (x[displaced_ + n_ + j] + S(v0_[j])) * h_;
      for (Index i = 0; i < rk_.stages; ++i) out[j] -= x[(level == 0 ? i * n_ : slope(i)) + j] * weight(level, i);
    }
  }
  /// Weight of the unknown slope of stage i in the increment of q (level 0) or of the second half (level 1).
  double weight(int level, Index i) const { return constant_mass && level == 0 ? h_ * h_ * rk_.ba[i] : h_ * rk_.b[i]; }
  /// w += d^T W,  lambda += d^T Lambda
  void carry(const ConstVectorRef& x, Vector& w, Vector& lambda) {
    for (Index i = 0; i < rk_.stages; ++i) {
      if constexpr (constant_mass) {
        w += rk_.d[i] * x.segment(slope(i), n_);
      } else {
        place(x, i, buffers_.at_double);
        w += rk_.d[i] * inertia_.acceleration(buffers_.at_double);
      }
      lambda += rk_.d[i] * x.segment(multiplier(i), m_);
    }
  }

  /// Q_i and t_i of x, and h
  const Vector& position(const ConstVectorRef& x, Index stage) {
    place(x, stage, buffers_.at_double);
    return buffers_.at_double.q;
  }
  double time(Index stage) const { return times_[stage]; }
  double step() const { return h_; }

  bool works() const { return work_.active(); }
  /// What is done on the system in the step whose solution is x.
  Work work(const ConstVectorRef& x) {
    auto& b = buffers_.at_double;
    Work done;
    for (Index i = 0; i < rk_.stages; ++i) {
      place(x, i, b);
      work_.add(h_ * rk_.b[i], times_[i], b.q, b.v, inertia_.momentum(b), b.lambda, done);
    }
    return done;
  }

  void scales(VectorRef columns, VectorRef rows) const {
    const double h = std::abs(h_);
    for (Index i = 0; i < rk_.stages; ++i) {
      rows.segment(slope(i), n_) = scales_->dp() / h;
      if (constant_mass) {
        columns.segment(slope(i), n_) = scales_->dq() / (h * h);
      } else {
        columns.segment(i * n_, n_) = rows.segment(i * n_, n_) = scales_->velocity();
        columns.segment(slope(i), n_) = scales_->dp() / h;
      }
      columns.segment(multiplier(i), m_) = scales_->lambda();
      if (index1_)
        rows.segment(multiplier(i), m_) = scales_->hidden() / h;
      else
        rows.segment(multiplier(i), m_) = scales_->position();
    }
  }
  /// EndErrors::bound
  void bound(const ConstVectorRef& d, Vector& q, Vector& v) const {
    const double h = std::abs(h_);
    q.setZero();
    v.setZero();
    for (Index i = 0; i < rk_.stages; ++i) {
      const auto slopes = d.segment(i * n_, q.size()).cwiseAbs();
      q += (constant_mass ? h * h * rk_.ba[i] : h * rk_.b[i]) * slopes;
      v += (constant_mass ? h * rk_.b[i] : rk_.b[i]) * slopes;
    }
  }
  double rounding_floor() const {
    return scales_->force_floor() + (quadratic_ || index1_ ? 0 : scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.template get<S>();
    for (Index i = 0; i < rk_.stages; ++i) {
      const double t = times_[i];
      place(x, i, b);
      inertia_.rates(b);
      at_.potential_gradient(t, b.q, b.u);
      constexpr bool at_once = constant_mass;  // else the acceleration takes what the rows below have
      if (index1_ && at_once)
        at_.constraint_products(t, b.q, b.lambda, inertia_.acceleration(b), b.force, b.g);
      else
        at_.constraint_force(t, b.q, b.lambda, b.force);
      if constexpr (!constant_mass) f.segment(i * n_, n_) = b.v - b.t_p;
      f.segment(slope(i), n_) = b.inertial + b.u + b.force;
      if (applied_.active()) f.segment(slope(i), n_) -= applied_(t, b.q, b.v);

      if (m_ == 0) continue;
      if (index1_) {
        if (!at_once) at_.constraint_jacobian_times(t, b.q, inertia_.acceleration(b), b.g);
        bias_(t, b.q, b.v, b.bias);
        b.g += b.bias;
      } else if (quadratic_) {  // g(Q_i) = g(q0) + G(q0 + dQ/2) dQ at the time t_i, without cancellation
        b.q = (b.dq * 0.5 + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
        at_.constraint_jacobian_times(t, b.q, b.dq, b.g);
        b.g += g0_.col(i).template cast<S>();
      } else {
        at_.constraints(t, b.q, b.g);
      }
      f.segment(multiplier(i), m_) = b.g;
    }
  }

  /// Adds to values. With M(q) of stages that are not displaced, and alone.
  void jacobian(const ConstVectorRef& x, VectorRef values) {
    auto& b = buffers_.at_double;
    const Index s = rk_.stages;
    for (Index i = 0; i < s; ++i) {
      const double t = times_[i];
      place(x, i, b);
      system_->lagrangian_hessian(t, b.q, b.lambda, hessian_values_);
      system_->constraint_jacobian(t, b.q, g_values_);
      if constexpr (constant_mass)
        mass_[i].add(values, system_->mass().values(), 1);
      else
        inertia_.add_jacobian(b, rk_, h_, i, index1_, g_values_, values);
      force_[i].add(values, g_values_, 1);
      if (applied_.active()) applied_.linearise(t, b.q, b.v);
      if (index1_) {
        system_->constraint_jacobian_derivative(t, b.q, inertia_.acceleration(b), by_position_);
        bias_.linearise(t, b.q, b.v);
        by_position_ += bias_.by_q();
        if (constant_mass) constraint_[i * columns() + i].add(values, g_values_, 1);
      }
      for (Index j = 0; j < s; ++j) {
        if (constant_mass)
          add_stage_derivative(values, i, j, h_ * h_ * rk_.a2(i, j), h_ * rk_.a(i, j));
        else
          add_stage_derivative(values, i, j, h_ * rk_.a(i, j), i == j ? 1 : 0);
      }
      if (constant_mass && displaced_ >= 0) {
        add_stage_derivative(values, i, s, 1, 0);
        add_stage_derivative(values, i, s + 1, h_ * rk_.c[i], 1);
      }
    }
  }

 private:
  /// W_i or P'_i
  Index slope(Index stage) const { return ((Stage::slopes - 1) * rk_.stages + stage) * n_; }
  Index multiplier(Index stage) const { return Stage::slopes * rk_.stages * n_ + stage * m_; }
  /// Blocks of columns that Q_i and V_i depend on: W_1..W_s, dq~ and dv~, with M(q) V_1..V_s.
  Index columns() const { return rk_.stages + (constant_mass && displaced_ >= 0 ? 2 : 0); }

  /// Q_i, V_i, the slope and Lambda_i, with M(q) P_i
  template <class X, class S>
  void place(const X& x, Index i, StagePoint<S>& b) const {
    b.lambda = x.segment(multiplier(i), m_);
    b.slope = x.segment(slope(i), n_);
    if constexpr (!constant_mass) b.v = x.segment(i * n_, n_);
    const bool displaced = displaced_ >= 0;
    if constexpr (constant_mass) {
      b.dq = (h_ * rk_.c[i] * v0_).template cast<S>();
      b.v = v0_.template cast<S>();
      if (displaced) {
        b.dq += x.segment(displaced_, n_) + x.segment(displaced_ + n_, n_) * S(h_ * rk_.c[i]);
        b.v += x.segment(displaced_ + n_, n_);
      }
      for (Index j = 0; j < rk_.stages; ++j) {
        b.dq += x.segment(j * n_, n_) * S(h_ * h_ * rk_.a2(i, j));
        b.v += x.segment(j * n_, n_) * S(h_ * rk_.a(i, j));
      }
    } else {
      b.dq.setZero();
      b.dp.setZero();
      if (displaced) {
        b.dq = x.segment(displaced_, n_);
        b.dp = x.segment(displaced_ + n_, n_);
      }
      for (Index j = 0; j < rk_.stages; ++j) {
        b.dq += x.segment(j * n_, n_) * S(h_ * rk_.a(i, j));
        b.dp += x.segment(slope(j), n_) * S(h_ * rk_.a(i, j));
      }
    }
    b.q = (b.dq + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
    if constexpr (!constant_mass) b.p = (b.dp + z0_->p.tail().template cast<S>()) + z0_->p.value().template cast<S>();
  }

  /// Derivatives of the rows of stage i by a column with dQ_i = by_q, dV_i = by_v.
  void add_stage_derivative(VectorRef values, Index i, Index j, double by_q, double by_v) {
    const Index k = i * columns() + j;
    hessian_[k].add(values, hessian_values_, by_q);
    if (applied_.active()) applied_.add(applied_at_[k], -by_q, -by_v, values);
    if (index1_) {
      constraint_[k].add(values, by_position_, by_q);
      constraint_[k].add(values, bias_.by_v(), by_v);
    } else {
      constraint_[k].add(values, g_values_, by_q);
    }
  }

  const System* system_;
  SystemAt at_;
  AppliedForce applied_;
  StageBias bias_;
  StageWork work_;
  Stage inertia_;
  RkTableau rk_;
  bool index1_;
  const StepScales* scales_;
  Index n_, m_;
  Index displaced_;  ///< column of dq~; -1 without
  bool quadratic_;
  std::vector<BlockMap> mass_, force_;          // one a stage
  std::vector<BlockMap> hessian_, constraint_;  // one a stage and block of columns
  std::vector<AppliedForce::Place> applied_at_;

  const State* z0_ = nullptr;
  double h_ = 0;
  Vector v0_, times_;
  Matrix g0_;  ///< g(q0, t_i), one column a stage
  ForBothScalars<StagePoint> buffers_;
  Vector g_, g_values_, by_position_, hessian_values_;
};

/// The stages alone.
template <class Inertia>
class RkStages final : public TemplatedEquations<RkStages<Inertia>>, public EndErrors {
 public:
  RkStages(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales)
      : rows_(system, tableau, index1, scales) {
    rows_.lay_out_unknowns(this->layout_);
    rows_.lay_out_rows(this->layout_);
    this->finish_layout();
    if (index1) inverse_.emplace(system, tableau, rows_);
  }

  /// v0 = M^-1 p0
  void begin(const State& z0, const Vector& v0, double h) { rows_.begin(z0, v0, h); }
  RkStageRows<Inertia>& rows() { return rows_; }
  void scales(VectorRef columns, VectorRef rows) const override { rows_.scales(columns, rows); }
  double rounding_floor() const override { return rows_.rounding_floor(); }
  /// Energy and constraints are those of the projection that follows.
  const EndErrors* end_errors() const override { return this; }
  void bound(const ConstVectorRef& d, Vector& q, Vector& v) const override { rows_.bound(d, q, v); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.template evaluate<S>(x, f);
  }
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    rows_.jacobian(x, values);
  }
  ApproximateInverse* simplified_newton() override { return inverse_ ? &*inverse_ : nullptr; }

 private:
  RkStageRows<Inertia> rows_;
  std::optional<StageInverse<Inertia>> inverse_;
};

extern template class RkStageRows<ConstantRkInertia>;
extern template class RkStageRows<ConfigurationRkInertia>;
extern template class RkStages<ConstantRkInertia>;
extern template class RkStages<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
