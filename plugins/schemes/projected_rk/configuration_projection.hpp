#pragma once
/// \file
/// Projections of the end of a step (q^, p^) onto the constraints and the energy, with a mass M(q), v = T_p = M(q)^-1
/// p, all at the time t1. Directions at the end (q, p) = (q^ + dq, p^ + dp), x = [dq | mu | dp | nu | eta]:
///
///     W dq = G(q)^T mu + eta (T_q + grad U)       g(q) = 0                     position
///     W M(q)^-1 dp = G(q)^T nu + eta p            G(q) T_p(q,p) + g_t = 0      velocity
///                                                 H(q,p) = H*                  energy
///
/// solved with mu - eta l_q, nu - eta l_v and H - l_q.g - l_v.Psi in the places of mu, nu and H, l_q and l_v of
/// configuration_feasibility.hpp: T_q depends on the coordinates, and may be so much longer than its tangential part
/// that a matrix with all of it would be singular to rounding. Or frozen at (q^, p^), with t_q and t_p of configuration_feasibility.hpp, x = [mu | nu | eta]:
///
///     q = q^ + W^-1 G^^T mu + eta t_q,    p = p^ + M W^-1 G^^T nu + eta t_p
///
/// W = M, where dp = G^T nu + eta p, or W = 1. M^-1 f is T_p(q,f), linear in f. Without energy eta and its terms are
/// absent, without velocity dp and nu as well. With a constant mass they are those of
/// kernels/runge_kutta/manifold_projection.hpp and frozen_projection.hpp.
///
/// The Newton matrices are dense and small; that of frozen directions comes from dual numbers.

#include <cmath>
#include <optional>

#include "projected_rk/configuration_feasibility.hpp"

namespace gnomon::kernels {

/// What both have in common: the end, the metric and what is known of an energy projection.
class ConfigurationProjectionFrame {
 public:
  ConfigurationProjectionFrame(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system(&system), scales(&scales), rule(rule), metric(system, rule.mass_metric, scales), end(system) {
    if (rule.energy) look.emplace(system, metric);
    for (Vector* v : {&dq_hat, &dp_hat, &p_hat}) v->setZero(system.n());
    for (Vector* v : {&l_q, &l_v}) v->setZero(system.m());
  }

  void begin(const State& z0, const Vector& dq, const Vector& dp, double h, double energy_defect) {
    end.begin(z0, h, rule.energy);
    metric.update(z0, h, false);
    dq_hat = dq;
    dp_hat = dp;
    end.place_momentum(dp_hat, p_hat);
    defect = energy_defect;
    feasibility = Feasibility::regular;
    floor = 1e-15 + metric.floor() + (end.quadratic() ? 0 : scales->position_floor());
    if (!rule.energy) return;
    feasibility = look->look(end, dq_hat, dp_hat, defect);
    l_q = look->l_q();
    l_v = look->l_v();
    set_energy_scales();
  }
  /// g, Psi and H less l_q.g + l_v.Psi at (q, p): rows from `at` on, the next ones `stride` later.
  template <class S, class Points>
  void rows(Index at, Index stride, const S& eta, Points& b, SystemAt& model, VectorRefOf<S> f) {
    const Index m = b.g.size();
    end.constraints(b.step, b.q, b.g);
    for (Index i = 0; i < m; ++i) f[at + i] = b.g[i];
    if (!rule.velocity) return;
    model.kinetic_gradient(b.q, b.p, b.t_q, b.v);
    model.constraint_velocity(end.t(), b.q, b.v, b.g);
    for (Index i = 0; i < m; ++i) f[at + stride + i] = b.g[i];
    if (!rule.energy) return;
    S& last = f[f.size() - 1];
    if (feasibility == Feasibility::equilibrium) {
      last = eta;
      return;
    }
    last = end.energy_gain(b.step, b.q, b.gain, b.p) + S(defect);
    for (Index i = 0; i < m; ++i) last -= l_q[i] * f[at + i] + l_v[i] * f[at + stride + i];
  }
  /// Of eta, which moves (q, v) by eta (t_q, t_v), and of the energy that moves of typical size change.
  void set_energy_scales() {
    eta_scale = energy_scale = 1;
    if (feasibility == Feasibility::equilibrium || !(look->tangent() > 0)) return;
    const double dq = metric.dq(), dv = metric.dv(), t_q = look->tangent_q(), t_v = look->tangent_v();
    eta_scale = 1 / std::hypot(t_q / dq, t_v / dv);
    energy_scale = std::hypot(t_q * dq, t_v * dv);
    floor += 2.3e-16 * (std::abs(end.potential0()) + std::abs(end.kinetic0())) / energy_scale;
  }
  void energy_scales(VectorRef columns, VectorRef rows) const {
    columns[columns.size() - 1] = eta_scale;
    rows[columns.size() - 1] = energy_scale;
  }

  const System* system;
  const StepScales* scales;
  ProjectionRule rule;
  ProjectionMetric metric;
  ConfigurationEndPoint end;
  std::optional<ConfigurationFeasibility> look;
  double defect = 0, eta_scale = 1, energy_scale = 1, floor = 1e-15;
  Feasibility feasibility = Feasibility::regular;
  Vector dq_hat, dp_hat, p_hat, l_q, l_v;
};

/// Directions at the end.
class ConfigurationProjection final : public TemplatedEquations<ConfigurationProjection, true>, public EndProjection {
 public:
  ConfigurationProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : frame_(system, rule, scales), at_(system), n_(system.n()), m_(system.m()) {
    layout_.unknown("dq", n_);
    layout_.unknown("mu", m_);
    if (rule.velocity) {
      layout_.unknown("dp", n_);
      layout_.unknown("nu", m_);
    }
    if (rule.energy) layout_.unknown("eta", 1);
    layout_.place_dense(layout_.rows(layout_.size()));
    finish_layout();
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.step, &b.q, &b.dp, &b.gain, &b.p, &b.v, &b.t_q, &b.out, &b.force}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
    for (Vector* v : {&h_q_, &unit_, &column_}) v->setZero(n_);
    for (Matrix* a : {&inertia_, &of_force_}) a->setZero(2 * n_, 2 * n_);
    for (Matrix* a : {&turned_, &kick_}) a->setZero(n_, n_);
    directions_.setZero(n_, 2 * n_ + m_ + 1);
    jacobian_.setZero(size(), size());
    g_.setZero(m_, n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
    zero_.setZero(m_);
  }

  NonlinearEquations& equations() override { return *this; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& dp_hat, double h,
                    double energy_defect) override {
    frame_.begin(z0, dq_hat, dp_hat, h, energy_defect);
    return frame_.feasibility;
  }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& dp) const override {
    dq = x.head(n_).cast<Extended>() + low().head(n_).cast<Extended>();
    if (frame_.rule.velocity)
      dp = x.segment(dp_at(), n_).cast<Extended>() + low().segment(dp_at(), n_).cast<Extended>();
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    const ProjectionMetric& metric = frame_.metric;
    const Vector& mass = frame_.system->mass().diagonal_entries();
    columns.head(n_) = rows.head(n_) = metric.dq() * metric.root().cwiseInverse();
    columns.segment(n_, m_) = metric.dq() * metric.row().cwiseInverse();
    rows.segment(n_, m_) = metric.dq() * metric.row();
    if (!frame_.rule.velocity) return;
    columns.segment(dp_at(), n_) = metric.dv() * mass.cwiseQuotient(metric.root());
    rows.segment(dp_at(), n_) = metric.dv() * metric.root();
    columns.segment(dp_at() + n_, m_) = metric.dv() * metric.row().cwiseInverse();
    rows.segment(dp_at() + n_, m_) = metric.dv() * metric.row();
    if (frame_.rule.energy) frame_.energy_scales(columns, rows);
  }
  double rounding_floor() const override { return frame_.floor; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const double t1 = frame_.end.t();
    const bool mass = frame_.rule.mass_metric, energy = frame_.rule.energy;
    b.dq = x.head(n_);
    b.mu = x.segment(n_, m_);
    b.step = b.dq + frame_.dq_hat.template cast<S>();
    frame_.end.place(b.step, b.q);
    if (frame_.rule.velocity) {
      b.dp = x.segment(dp_at(), n_);
      b.gain = b.dp + frame_.dp_hat.template cast<S>();
      frame_.end.place_momentum(b.gain, b.p);
    }

    const S eta = energy ? S(x[x.size() - 1]) : S(0.0);
    if (energy)
      for (Index i = 0; i < m_; ++i) b.mu[i] -= eta * frame_.l_q[i];
    at_.constraint_force(t1, b.q, b.mu, b.force);
    if (energy) {
      at_.kinetic_gradient(b.q, b.p, b.t_q, b.v);
      at_.potential_gradient(t1, b.q, b.out);
      for (Index j = 0; j < n_; ++j) b.force[j] += eta * (b.t_q[j] + b.out[j]);
    }
    if (mass) {
      at_.kinetic_gradient(b.q, b.force, b.t_q, b.out);
      for (Index j = 0; j < n_; ++j) f[j] = b.dq[j] - b.out[j];
    } else {
      for (Index j = 0; j < n_; ++j) f[j] = b.dq[j] - b.force[j];
    }
    if (frame_.rule.velocity) {
      b.mu = x.segment(dp_at() + n_, m_);
      if (energy)
        for (Index i = 0; i < m_; ++i) b.mu[i] -= eta * frame_.l_v[i];
      at_.constraint_force(t1, b.q, b.mu, b.force);
      if (energy)
        for (Index j = 0; j < n_; ++j) b.force[j] += eta * b.p[j];
      if (!mass) at_.kinetic_gradient(b.q, b.dp, b.t_q, b.out);
      for (Index j = 0; j < n_; ++j) f[dp_at() + j] = (mass ? b.dp[j] : b.out[j]) - b.force[j];
    }
    frame_.rows<S>(n_, n_ + m_, eta, b, at_, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    auto& b = buffers_.at_double;
    const System& system = *frame_.system;
    const SparsityPattern &g = system.constraint_pattern(), &hessian = system.hessian_pattern();
    const double t1 = frame_.end.t();
    const bool mass = frame_.rule.mass_metric, velocity = frame_.rule.velocity, energy = frame_.rule.energy;
    const Index eta = size() - 1, nu = dp_at() + n_;
    b.step = x.head(n_) + frame_.dq_hat;
    frame_.end.place(b.step, b.q);
    b.mu = x.segment(n_, m_);
    if (energy) b.mu -= x[eta] * frame_.l_q;
    jacobian_.setZero();

    // force = G^T (mu - eta l_q) + eta (T_q + grad U) by q, p, mu and eta
    auto by_q = directions_.leftCols(n_), by_p = directions_.middleCols(n_, n_);
    auto by_mu = directions_.middleCols(2 * n_, m_);
    directions_.setZero();
    constraint_jacobian(t1, b.q);
    by_mu = g_.transpose();
    turn(t1, b.q, b.mu, by_q);
    b.force.noalias() = g_.transpose() * b.mu;
    if (velocity) {
      b.dp = x.segment(dp_at(), n_);
      b.gain = b.dp + frame_.dp_hat;
      frame_.end.place_momentum(b.gain, b.p);
      at_.kinetic_gradient(b.q, b.p, b.t_q, b.v);
      at_.kinetic_hessian(b.q, b.p, inertia_);
    }
    if (energy) {
      system.potential_gradient(t1, b.q, h_q_);
      h_q_ += b.t_q;
      system.lagrangian_hessian(t1, b.q, zero_, hessian_values_);
      directions_.leftCols(2 * n_) += x[eta] * inertia_.topRows(n_);
      add_dense(hessian, hessian_values_, x[eta], by_q);
      directions_.rightCols(1) = h_q_;
      directions_.rightCols(1).noalias() -= g_.transpose() * frame_.l_q;
      b.force += x[eta] * h_q_;
    }
    // dq - force, or dq - M^-1 force
    if (mass) {
      at_.kinetic_hessian(b.q, b.force, of_force_);
      kick_ = of_force_.bottomRightCorner(n_, n_);
      for (Index j = 0; j < directions_.cols(); ++j) {
        column_ = directions_.col(j);
        directions_.col(j).noalias() = kick_ * column_;
      }
      by_q += of_force_.bottomLeftCorner(n_, n_);
    }
    auto rows = jacobian_.topRows(n_);
    rows.leftCols(n_) = -by_q;
    rows.leftCols(n_).diagonal().array() += 1;
    rows.middleCols(n_, m_) = -by_mu;
    jacobian_.block(n_, 0, m_, n_) = g_;
    if (velocity) {
      rows.middleCols(dp_at(), n_) = -by_p;
      // dp, or M^-1 dp, - G^T (nu - eta l_v) - eta p
      auto momentum_rows = jacobian_.middleRows(dp_at(), n_);
      b.mu = x.segment(nu, m_);
      if (energy) b.mu -= x[eta] * frame_.l_v;
      turn(t1, b.q, b.mu, turned_);
      momentum_rows.leftCols(n_) = -turned_;
      if (mass) {
        momentum_rows.middleCols(dp_at(), n_).diagonal().setOnes();
      } else {
        at_.kinetic_hessian(b.q, b.dp, of_force_);
        momentum_rows.leftCols(n_) += of_force_.bottomLeftCorner(n_, n_);
        momentum_rows.middleCols(dp_at(), n_) = of_force_.bottomRightCorner(n_, n_);
      }
      momentum_rows.middleCols(nu, m_) = -g_.transpose();
      // Psi = G T_p + g_t
      auto hidden_rows = jacobian_.middleRows(nu, m_);
      hidden_rows.leftCols(n_).noalias() += g_ * inertia_.bottomLeftCorner(n_, n_);
      hidden_rows.middleCols(dp_at(), n_).noalias() += g_ * inertia_.bottomRightCorner(n_, n_);
      system.constraint_jacobian_derivative(t1, b.q, b.v, g_values_);
      add_dense(g, g_values_, 1, hidden_rows);
      if (const TimeDependence* moving = system.parts().time_dependence) {
        moving->constraint_rate_jacobian(t1, b.q, g_values_);
        add_dense(g, g_values_, 1, hidden_rows);
      }
      if (energy) {
        rows.col(eta) = -directions_.rightCols(1);
        momentum_rows.middleCols(dp_at(), n_).diagonal().array() -= x[eta];
        momentum_rows.col(eta) = -b.p;
        momentum_rows.col(eta).noalias() += g_.transpose() * frame_.l_v;
        if (frame_.feasibility == Feasibility::equilibrium) {
          jacobian_(eta, eta) = 1;
        } else {
          // H - l_q.g - l_v.Psi
          auto energy_row = jacobian_.row(eta);
          energy_row.head(n_) = h_q_.transpose();
          energy_row.segment(dp_at(), n_) = b.v.transpose();
          energy_row.noalias() -= frame_.l_q.transpose() * jacobian_.middleRows(n_, m_);
          energy_row.noalias() -= frame_.l_v.transpose() * hidden_rows;
        }
      }
    }
    for (Index i = 0; i < size(); ++i) values.segment(i * size(), size()) = jacobian_.row(i);
  }

 private:
  void constraint_jacobian(double t, const Vector& q) {
    frame_.system->constraint_jacobian(t, q, g_values_);
    g_.setZero();
    add_dense(frame_.system->constraint_pattern(), g_values_, 1, g_);
  }
  /// out = sum_i lambda_i Hess g_i
  template <class Out>
  void turn(double t, const Vector& q, const Vector& lambda, Out&& out) {
    for (Index j = 0; j < n_; ++j) {
      unit_[j] = 1;
      frame_.system->constraint_hessian_times(t, q, lambda, unit_, column_);
      out.col(j) = column_;
      unit_[j] = 0;
    }
  }

  template <class S>
  struct Buffers {
    VectorOf<S> dq, step, q, dp, gain, p, v, t_q, out, force, mu, g;
  };
  Index dp_at() const { return n_ + m_; }

  ConfigurationProjectionFrame frame_;
  SystemAt at_;
  Index n_, m_;
  ForAllScalars<Buffers> buffers_;
  Vector h_q_, unit_, column_, zero_, g_values_, hessian_values_;  // of jacobian()
  Matrix inertia_, of_force_, turned_, kick_, directions_, g_, jacobian_;
};

/// Frozen directions.
class ConfigurationFrozenProjection final : public TemplatedEquations<ConfigurationFrozenProjection, true>,
                                            public EndProjection {
 public:
  ConfigurationFrozenProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : frame_(system, rule, scales), at_(system), n_(system.n()), m_(system.m()) {
    layout_.unknown("mu", m_);
    if (rule.velocity) layout_.unknown("nu", m_);
    if (rule.energy) layout_.unknown("eta", 1);
    layout_.place_dense(layout_.rows(layout_.size()));
    finish_layout();
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.step, &b.q, &b.gain, &b.p, &b.v, &b.t_q}) v->setZero(n_);
      b.g.setZero(m_);
    });
    for (Vector* v : {&t_q_, &t_p_, &row_, &work_, &out_}) v->setZero(n_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    mass_.setZero(n_, n_);
    for (Matrix* d : {&of_q_, &of_p_}) d->setZero(n_, m_);
  }

  NonlinearEquations& equations() override { return *this; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& dp_hat, double h,
                    double energy_defect) override {
    frame_.begin(z0, dq_hat, dp_hat, h, energy_defect);
    find_directions();
    if (!frame_.rule.energy) return frame_.feasibility;
    t_q_.setZero();
    t_p_.setZero();
    if (frame_.feasibility == Feasibility::equilibrium) return frame_.feasibility;
    t_q_ = frame_.look->t_q();
    t_p_ = frame_.look->t_p();
    return frame_.feasibility;
  }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& dp) const override {
    const auto along = [&](Index k, const auto& direction, VectorOf<Extended>& out) {
      const Extended size = static_cast<Extended>(x[k]) + low()[k];
      for (Index j = 0; j < n_; ++j) out[j] += size * direction[j];
    };
    dq.setZero();
    for (Index i = 0; i < m_; ++i) along(i, of_q_.col(i), dq);
    if (!frame_.rule.velocity) return;
    dp.setZero();
    for (Index i = 0; i < m_; ++i) along(m_ + i, of_p_.col(i), dp);
    if (!frame_.rule.energy) return;
    along(2 * m_, t_q_, dq);
    along(2 * m_, t_p_, dp);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    const ProjectionMetric& metric = frame_.metric;
    columns.head(m_) = metric.dq() * metric.row().cwiseInverse();
    rows.head(m_) = metric.dq() * metric.row();
    if (!frame_.rule.velocity) return;
    columns.segment(m_, m_) = metric.dv() * metric.row().cwiseInverse();
    rows.segment(m_, m_) = metric.dv() * metric.row();
    if (frame_.rule.energy) frame_.energy_scales(columns, rows);
  }
  double rounding_floor() const override { return frame_.floor; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const bool velocity = frame_.rule.velocity, energy = frame_.rule.energy;
    for (Index j = 0; j < n_; ++j) {
      b.step[j] = S(frame_.dq_hat[j]);
      b.gain[j] = S(frame_.dp_hat[j]);
      for (Index i = 0; i < m_; ++i) {
        b.step[j] += x[i] * of_q_(j, i);
        if (velocity) b.gain[j] += x[m_ + i] * of_p_(j, i);
      }
      if (energy) {
        b.step[j] += x[2 * m_] * t_q_[j];
        b.gain[j] += x[2 * m_] * t_p_[j];
      }
    }
    frame_.end.place(b.step, b.q);
    frame_.end.place_momentum(b.gain, b.p);
    frame_.rows<S>(0, m_, x.size() > 0 ? S(x[x.size() - 1]) : S(0.0), b, at_, f);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> step, q, gain, p, v, t_q, g;
  };
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  /// W^-1 G(q^)^T and M W^-1 G(q^)^T
  void find_directions() {
    const System& system = *frame_.system;
    const SparsityPattern& g = system.constraint_pattern();
    Vector& q = buffers_.at_double.q;
    frame_.end.place(frame_.dq_hat, q);
    system.constraint_jacobian(frame_.end.t(), q, g_values_);
    if (!frame_.rule.mass_metric) system.parts().mass->mass_matrix(q, mass_);
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[at(i)]; k < g.offsets[at(i) + 1]; ++k) row_[g.indices[at(k)]] = g_values_[k];
      if (frame_.rule.mass_metric) {
        system.parts().mass->kinetic_gradient(q, row_, out_, work_);
        of_q_.col(i) = work_;
        of_p_.col(i) = row_;
      } else {
        of_q_.col(i) = row_;
        work_.noalias() = mass_ * row_;
        of_p_.col(i) = work_;
      }
    }
  }

  ConfigurationProjectionFrame frame_;
  SystemAt at_;
  Index n_, m_;
  Matrix of_q_, of_p_, mass_;
  Vector t_q_, t_p_, row_, work_, out_, g_values_;
  ForAllScalars<Buffers> buffers_;
};

}  // namespace gnomon::kernels
