#pragma once
/// \file
/// The stages of a Runge-Kutta method for Hamilton's equations with a mass M(q), T = p.M(q)^-1 p/2, in the slopes of q
/// and p and the multipliers, x = [V_1..V_s | F_1..F_s | Lambda_1..Lambda_s], from the start of the step or from one
/// displaced by further unknowns (dq~, dp~):
///
///     Q_i = q0 + dq~ + h sum_j a_ij V_j,    P_i = p0 + dp~ + h sum_j a_ij F_j,    t_i = t0 + c_i h
///     0 = V_i - T_p(Q_i,P_i)
///     0 = F_i + T_q(Q_i,P_i) + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - Q(Q_i,V_i,t_i)
///     0 = g(Q_i,t_i)                                                    index 3
///     0 = G (T_pq V_i + T_pp F_i) + b(Q_i,V_i,t_i)                      index 1, b = V^T (Hess g) V + 2 G_t V + g_tt
///
/// T_pq V + T_pp F is the acceleration v' of the stage. With a constant mass these are the stages of rk_stages.hpp.
///
/// The Newton matrix is dense and small. A stage has in it its derivatives by Q_i, P_i, V_i, F_i and Lambda_i; with
/// y = T_pq V + T_pp F, those of G y by (Q,P) have the rows y^T (Hess g_k) + (Hess (G_k T_p)) [V; F], G_k constant in the latter.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/ledger.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/runge_kutta/rk_tableau.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"
#include "kernels/runge_kutta/stage_work.hpp"

namespace gnomon::kernels {

/// The rows of the stages, as the first rows and columns of a system of equations.
class ConfigurationStageRows {
 public:
  /// displaced: column of [dq~ | dp~] in x; -1 without them.
  ConfigurationStageRows(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales,
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
      for (auto* v : {&b.v, &b.f, &b.dq, &b.dp, &b.q, &b.p, &b.t_q, &b.t_p, &b.u, &b.force}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g, &b.bias}) v->setZero(m_);
    });
    for (Vector* v : {&q_, &p_, &v_, &f_, &out_q_, &out_p_}) v->setZero(n_);
    for (Vector* v : {&g_, &lambda_}) v->setZero(m_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    times_.setZero(rk_.stages);
    g0_.setZero(m_, rk_.stages);
    for (Vector* v : {&slopes_, &row_}) v->setZero(2 * n_);
    for (Matrix* a : {&hessian_, &turned_}) a->setZero(2 * n_, 2 * n_);
    jacobian_.setZero(m_, n_);
    by_state_.setZero(m_, 2 * n_);
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
    if (!applied_.active()) return;
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
      force_values_[by == ForceArgument::v].setZero(system.parts().force->force_pattern(by).nonzeros());
  }

  Index size() const { return rk_.stages * (2 * n_ + m_); }
  std::vector<Block> blocks() const {
    const Index s = rk_.stages;
    return {{"V", 0, s * n_}, {"F", s * n_, s * n_}, {"Lambda", multiplier(0), s * m_}};
  }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    for (Index i = 0; i < rk_.stages; ++i) times_[i] = time_after(z0, rk_.c[i] * h);
    if (index1_ || !quadratic_) return;
    for (Index i = 0; i < rk_.stages; ++i) {
      system_->constraints_compensated(times_[i], z0.q.value(), z0.q.tail(), g_, g_values_);
      g0_.col(i) = g_;
    }
  }
  /// A start value: the slopes at the start, at every stage.
  void predict(const Vector& v0, const Vector& slope, const Vector& lambda, VectorRef x) const {
    for (Index i = 0; i < rk_.stages; ++i) {
      x.segment(velocity(i), n_) = v0;
      x.segment(momentum(i), n_) = slope;
      x.segment(multiplier(i), m_) = lambda;
    }
  }
  /// dq = h b^T V,  dp = h b^T F
  void increments(const ConstVectorRef& x, Vector& dq, Vector& dp) const {
    dq.setZero();
    dp.setZero();
    for (Index i = 0; i < rk_.stages; ++i) {
      dq += (h_ * rk_.b[i]) * x.segment(velocity(i), n_);
      dp += (h_ * rk_.b[i]) * x.segment(momentum(i), n_);
    }
  }
  /// w += sum_i d_i (T_pq V_i + T_pp F_i),  lambda += d^T Lambda
  void carry(const ConstVectorRef& x, Vector& w, Vector& lambda) {
    for (Index i = 0; i < rk_.stages; ++i) {
      place(x, i);
      system_->parts().mass->kinetic_hessian_times(q_, p_, v_, f_, out_q_, out_p_);
      w += rk_.d[i] * out_p_;
      lambda += rk_.d[i] * lambda_;
    }
  }

  bool works() const { return work_.active(); }
  /// What is done on the system in the step whose solution is x.
  Work work(const ConstVectorRef& x) {
    Work done;
    for (Index i = 0; i < rk_.stages; ++i) {
      place(x, i);
      work_.add(h_ * rk_.b[i], times_[i], q_, v_, p_, lambda_, done);
    }
    return done;
  }

  void scales(VectorRef columns, VectorRef rows) const {
    const double h = std::abs(h_);
    for (Index i = 0; i < rk_.stages; ++i) {
      columns.segment(velocity(i), n_) = rows.segment(velocity(i), n_) = scales_->velocity();
      columns.segment(momentum(i), n_) = rows.segment(momentum(i), n_) = scales_->dp() / h;
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
    const State& z0 = *z0_;
    for (Index i = 0; i < rk_.stages; ++i) {
      const double t = times_[i];
      b.v = x.segment(velocity(i), n_);
      b.f = x.segment(momentum(i), n_);
      b.lambda = x.segment(multiplier(i), m_);
      for (Index k = 0; k < n_; ++k) {
        b.dq[k] = displaced_ < 0 ? S(0.0) : S(x[displaced_ + k]);
        b.dp[k] = displaced_ < 0 ? S(0.0) : S(x[displaced_ + n_ + k]);
        for (Index j = 0; j < rk_.stages; ++j) {
          b.dq[k] += x[velocity(j) + k] * (h_ * rk_.a(i, j));
          b.dp[k] += x[momentum(j) + k] * (h_ * rk_.a(i, j));
        }
      }
      b.q = (b.dq + z0.q.tail().template cast<S>()) + z0.q.value().template cast<S>();
      b.p = (b.dp + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
      at_.kinetic_gradient(b.q, b.p, b.t_q, b.t_p);
      at_.potential_gradient(t, b.q, b.u);
      at_.constraint_force(t, b.q, b.lambda, b.force);
      for (Index k = 0; k < n_; ++k) {
        f[velocity(i) + k] = b.v[k] - b.t_p[k];
        f[momentum(i) + k] = ((b.f[k] + b.t_q[k]) + b.u[k]) + b.force[k];
      }
      if (applied_.active()) {
        const VectorOf<S>& applied = applied_(t, b.q, b.v);
        for (Index k = 0; k < n_; ++k) f[momentum(i) + k] -= applied[k];
      }
      if (m_ > 0) constraint_rows(i, b, f);
    }
  }
  /// The rows of the stages in the Newton matrix, which is zero there before.
  void linearise(const ConstVectorRef& x, Matrix& out) {
    const ConfigurationMass& mass = *system_->parts().mass;
    for (Index i = 0; i < rk_.stages; ++i) {
      const double t = times_[i];
      place(x, i);
      at_.kinetic_hessian(q_, p_, hessian_);
      auto velocity_rows = out.middleRows(velocity(i), n_), momentum_rows = out.middleRows(momentum(i), n_),
           constraint_rows = out.middleRows(multiplier(i), m_);
      velocity_rows.middleCols(velocity(i), n_).diagonal().setOnes();
      momentum_rows.middleCols(momentum(i), n_).diagonal().setOnes();
      system_->constraint_jacobian(t, q_, g_values_);
      jacobian_.setZero();
      add_dense(system_->constraint_pattern(), g_values_, 1, jacobian_);
      momentum_rows.middleCols(multiplier(i), m_) = jacobian_.transpose();
      by_state_.setZero();
      if (index1_) {
        auto t_pq = hessian_.bottomLeftCorner(n_, n_), t_pp = hessian_.bottomRightCorner(n_, n_);
        constraint_rows.middleCols(velocity(i), n_).noalias() += jacobian_ * t_pq;
        constraint_rows.middleCols(momentum(i), n_).noalias() += jacobian_ * t_pp;
        bias_.linearise(t, q_, v_);
        add_dense(system_->constraint_pattern(), bias_.by_v(), 1, constraint_rows.middleCols(velocity(i), n_));
        add_dense(system_->constraint_pattern(), bias_.by_q(), 1, by_state_.leftCols(n_));
        mass.kinetic_hessian_times(q_, p_, v_, f_, out_q_, out_p_);
        system_->constraint_jacobian_derivative(t, q_, out_p_, g_values_);
        add_dense(system_->constraint_pattern(), g_values_, 1, by_state_.leftCols(n_));
        slopes_.head(n_) = v_;
        slopes_.tail(n_) = f_;
        for (Index k = 0; k < m_; ++k) {
          out_q_ = jacobian_.row(k).transpose();
          at_.velocity_hessian(q_, p_, out_q_, turned_);
          row_.noalias() = turned_ * slopes_;
          by_state_.row(k) += row_.transpose();
        }
      } else {
        by_state_.leftCols(n_) = jacobian_;
      }
      system_->lagrangian_hessian(t, q_, lambda_, hessian_values_);
      add_dense(system_->hessian_pattern(), hessian_values_, 1, hessian_.topLeftCorner(n_, n_));
      if (applied_.active()) {
        const Force& force = *system_->parts().force;
        for (const ForceArgument by : {ForceArgument::q, ForceArgument::v}) {
          Vector& values = force_values_[by == ForceArgument::v];
          force.force_jacobian(by, t, q_, v_, values);
          if (by == ForceArgument::q)
            add_dense(force.force_pattern(by), values, -1, hessian_.topLeftCorner(n_, n_));
          else
            add_dense(force.force_pattern(by), values, -1, momentum_rows.middleCols(velocity(i), n_));
        }
      }
      // By Q_i and P_i, which move with dq~ + h sum_j a_ij V_j and dp~ + h sum_j a_ij F_j.
      const auto add_state = [&](Index column, Index first, double factor) {
        velocity_rows.middleCols(column, n_) -= factor * hessian_.block(n_, first, n_, n_);
        momentum_rows.middleCols(column, n_) += factor * hessian_.block(0, first, n_, n_);
        constraint_rows.middleCols(column, n_) += factor * by_state_.middleCols(first, n_);
      };
      for (Index j = 0; j < rk_.stages; ++j) {
        add_state(velocity(j), 0, h_ * rk_.a(i, j));
        add_state(momentum(j), n_, h_ * rk_.a(i, j));
      }
      if (displaced_ < 0) continue;
      add_state(displaced_, 0, 1);
      add_state(displaced_ + n_, n_, 1);
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> v, f, dq, dp, q, p, t_q, t_p, u, force, lambda, g, bias;
  };

  Index velocity(Index stage) const { return stage * n_; }
  Index momentum(Index stage) const { return (rk_.stages + stage) * n_; }
  Index multiplier(Index stage) const { return 2 * rk_.stages * n_ + stage * m_; }

  template <class S>
  void constraint_rows(Index i, Buffers<S>& b, VectorRefOf<S> f) {
    const double t = times_[i];
    if (index1_) {
      bias_(t, b.q, b.v, b.bias);
      at_.kinetic_hessian_times(b.q, b.p, b.v, b.f, b.t_q, b.t_p);
      at_.constraint_jacobian_times(t, b.q, b.t_p, b.g);
      b.g += b.bias;
    } else if (quadratic_) {  // g(Q_i) = g(q0) + G(q0 + dQ/2) dQ at the time t_i, without cancellation
      b.q = (b.dq * 0.5 + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
      at_.constraint_jacobian_times(t, b.q, b.dq, b.g);
      b.g += g0_.col(i).template cast<S>();
    } else {
      at_.constraints(t, b.q, b.g);
    }
    for (Index k = 0; k < m_; ++k) f[multiplier(i) + k] = b.g[k];
  }

  /// Q_i, P_i, V_i, F_i and Lambda_i
  void place(const ConstVectorRef& x, Index i) {
    v_ = x.segment(velocity(i), n_);
    f_ = x.segment(momentum(i), n_);
    lambda_ = x.segment(multiplier(i), m_);
    q_ = z0_->q.tail();
    p_ = z0_->p.tail();
    if (displaced_ >= 0) {
      q_ += x.segment(displaced_, n_);
      p_ += x.segment(displaced_ + n_, n_);
    }
    for (Index j = 0; j < rk_.stages; ++j) {
      q_ += (h_ * rk_.a(i, j)) * x.segment(velocity(j), n_);
      p_ += (h_ * rk_.a(i, j)) * x.segment(momentum(j), n_);
    }
    q_ += z0_->q.value();
    p_ += z0_->p.value();
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

  const State* z0_ = nullptr;
  double h_ = 0;
  Vector times_;
  Matrix g0_;  ///< g(q0, t_i), one column a stage
  ForBothScalars<Buffers> buffers_;
  Vector q_, p_, v_, f_, out_q_, out_p_, g_, lambda_, g_values_;
  Vector slopes_, row_, hessian_values_, force_values_[2];  // of linearise()
  Matrix hessian_, turned_, jacobian_, by_state_;
};

/// The stages alone.
class ConfigurationStages final : public TemplatedEquations<ConfigurationStages> {
 public:
  ConfigurationStages(const System& system, const RkTableau& tableau, bool index1, const StepScales& scales)
      : rows_(system, tableau, index1, scales) {
    for (const Block& block : rows_.blocks()) layout_.unknown(block.name, block.size);
    layout_.place_dense(layout_.rows(rows_.size()));
    finish_layout();
    jacobian_.setZero(rows_.size(), rows_.size());
  }

  void begin(const State& z0, const Vector&, double h) { rows_.begin(z0, h); }
  ConfigurationStageRows& rows() { return rows_; }
  void scales(VectorRef columns, VectorRef rows) const override { rows_.scales(columns, rows); }
  double rounding_floor() const override { return rows_.rounding_floor(); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    rows_.evaluate<S>(x, f);
  }
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    jacobian_.setZero();
    rows_.linearise(x, jacobian_);
    const Index size = rows_.size();
    for (Index i = 0; i < size; ++i) values.segment(i * size, size) = jacobian_.row(i);
  }

 private:
  ConfigurationStageRows rows_;
  Matrix jacobian_;
};

}  // namespace gnomon::kernels
