#pragma once
/// \file
/// Both constraint levels in the midpoint residual where the mass depends on q: EndMultiplier for g, and for Psi = G T_p
/// + g_t the multiplier gamma, whose discrete derivatives stand beside those of H:
///
///     dq = h [D_pH + (D_pPsi)^T gamma],    dp = -h [D_qH + G(q_m)^T lambda + (D_qPsi)^T gamma - Q]
///     0 = g(q1),    0 = Psi(q1,p1)
///
/// With w = G(q_m)^T gamma, the gradient of gamma.Psi at the midpoint is (T_qp w + sum_i gamma_i [(Hess g_i) T_p + grad
/// g_t,i], T_pp w); its part of c is gamma.(Psi1 - Psi0) less that gradient along dz. Where g depends on time, the
/// derivatives are those of the average over the two times (ledger.hpp), and the rows hold at t1.

#include <optional>

#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/ggl/hidden_derivatives.hpp"

namespace gnomon::kernels {

class LevelMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true, takes_friction = true, assembled = true;
  using Rule = EndMultiplier::Rule;

  LevelMultiplier(const System& system, SystemAt& at, const Rule& rule)
      : end_(system, at, rule),
        end_at_(system),
        hidden_(end_at_),
        derivatives_(system),
        at_(&at),
        n_(system.n()),
        m_(system.m()) {
    if (&at.system() != &system) mean_hidden_.emplace(at);
    for (Vector* v : {&v0_, &v1_, &t_q_}) v->setZero(n_);
    gamma_.for_each([&](auto& v) { v.resize(m_); });
    middle_.setZero(m_, 2 * n_);
    hessian_.setZero(2 * n_, 2 * n_);
    change_.setZero(m_);
    for (auto* buffer : {&w_, &t_qp_, &t_pp_}) buffer->for_each([&](auto& v) { v.resize(n_); });
  }

  Index unknowns() const { return 2 * m_; }
  bool corrects() const { return end_.corrects(); }
  void begin(const StepFrame& step, const StepScales& scales) {
    end_.begin(step, scales);
    hidden_.begin(*step.z0);
    if (mean_hidden_) mean_hidden_->begin(*step.z0);
  }
  void predict(const State& z0, VectorRef x) const {
    x.segment(2 * n_, m_).setZero();
    end_.predict(z0, x);
  }
  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
    columns.segment(2 * n_, m_) = scales.lambda();
    rows.segment(2 * n_, m_) = scales.hidden();
    end_.scales(scales, columns, rows);
  }
  double floor(const StepScales& scales) const { return scales.position_floor(); }
  void lay_out(Layout& layout, const Block& dq, const Block& balance) {
    layout.unknown("gamma", m_);
    layout.rows(m_);
    end_.lay_out(layout, dq, balance);
  }

  template <class S, class X>
  void evaluate(const StepFrame& step, const X& x, StepPoint<S>& b) {
    gamma_.get<S>() = x.segment(2 * n_, m_);
    end_.evaluate(step, x, b);
  }
  template <class S>
  void force(const StepFrame& step, StepPoint<S>& b) {
    end_.force(step, b);
  }
  template <class S>
  void add_hidden(const StepFrame& step, StepPoint<S>& b) {
    if (m_ == 0) return;
    auto &gamma = gamma_.get<S>(), &w = w_.get<S>(), &t_qp = t_qp_.get<S>(), &t_pp = t_pp_.get<S>();
    at_->constraint_force(step.tm, b.qm, gamma, w);
    at_->kinetic_hessian_times(b.qm, b.pm, w, t_qp, t_pp);
    at_->constraint_hessian_times(step.tm, b.qm, gamma, b.t_p, w);
    b.t_q += t_qp + w;
    b.t_p += t_pp;
    if (!mean_hidden_) return;
    at_->constraint_rate_force(step.tm, b.qm, gamma, w);
    b.t_q += w;
  }
  template <class S, class F>
  void rows(const StepFrame& step, StepPoint<S>& b, F& f) {
    end_.rows(step, b, f);
    f.segment(2 * n_, m_) = hidden_.end(step, b);
  }
  /// After rows().
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>& b) {
    S sum = end_.correction(step, b);
    if (mean_hidden_) mean_hidden_->end(step, b);
    HiddenConstraint& hidden = mean_hidden_ ? *mean_hidden_ : hidden_;
    for (Index i = 0; i < m_; ++i) sum += gamma_.get<S>()[i] * (hidden.last<S>()[i] - hidden.start()[i]);
    return sum;
  }

  /// \name The Newton matrix
  ///@{
  /// Of constraints that do not move.
  bool assembles() const { return !mean_hidden_; }
  const Block& lambda() const { return end_.lambda(); }
  /// Hess T becomes Hess (T + gamma.Psi) at the midpoint.
  void add_hidden_hessian(const StepFrame& step, const StepPoint<double>& b, Matrix& hessian) {
    if (m_ == 0) return;
    at_->kinetic_gradient(b.qm, b.pm, t_q_, v0_);
    derivatives_.first(step.tm, b.qm, v0_, hessian);
    middle_.leftCols(n_) = derivatives_.psi_q();
    middle_.rightCols(n_) = derivatives_.psi_p();
    derivatives_.add_second(step.tm, b.qm, b.pm, v0_, gamma_.at_double, hessian);
  }
  /// dF1 -= h Psi_p^T and dF2 += h Psi_q^T at the midpoint, on gamma; the row of Psi(z1).
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
    end_.add_jacobian(step, b, values);
    at_->kinetic_gradient(b.q1, b.p1, t_q_, v1_);
    at_->kinetic_hessian(b.q1, b.p1, hessian_);
    derivatives_.first(step.t1, b.q1, v1_, hessian_);
    const Index gamma = 2 * n_, size = gamma + 2 * m_;  // of dense rows
    for (Index i = 0; i < m_; ++i) {
      for (Index j = 0; j < n_; ++j) {
        values[j * size + gamma + i] -= step.h * middle_(i, n_ + j);
        values[(n_ + j) * size + gamma + i] += step.h * middle_(i, j);
      }
      values.segment((gamma + i) * size, n_) += derivatives_.psi_q().row(i).transpose();
      values.segment((gamma + i) * size + n_, n_) += derivatives_.psi_p().row(i).transpose();
    }
  }
  /// As correction(), with its gradient beside that of H + gamma.Psi at the midpoint; after add_jacobian().
  double linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc) {
    const Vector& gamma = gamma_.at_double;
    const double c = end_.linearise(step, b, dc);
    change_ = hidden_.end(step, b) - hidden_.start();
    dc.head(n_).noalias() += derivatives_.psi_q().transpose() * gamma;
    dc.segment(n_, n_).noalias() += derivatives_.psi_p().transpose() * gamma;
    auto by_gamma = dc.segment(2 * n_, m_);
    by_gamma += change_;
    by_gamma.noalias() -= middle_.leftCols(n_) * b.dq;
    by_gamma.noalias() -= middle_.rightCols(n_) * b.dp;
    return c + gamma.dot(change_);
  }
  ///@}

  /// lambda.D_t g + gamma.D_t Psi
  void book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work) {
    end_.book(step, times, b, work);
    const State& z0 = *step.z0;
    const ConfigurationMass& mass = *at_->system().parts().mass;
    mass.kinetic_gradient(z0.q.value(), z0.p.value(), t_q_, v0_);
    mass.kinetic_gradient(b.q1, b.p1, t_q_, v1_);
    work.velocity += times.velocity_work(z0.q.value(), v0_, b.q1, v1_, gamma_.at_double);
  }

 private:
  EndMultiplier end_;
  SystemAt end_at_;
  HiddenConstraint hidden_;
  HiddenDerivatives derivatives_;
  std::optional<HiddenConstraint> mean_hidden_;  ///< of moving constraints
  SystemAt* at_;
  Index n_, m_;
  Vector v0_, v1_, t_q_, change_;
  Matrix middle_, hessian_;  ///< [Psi_q, Psi_p] at the midpoint; Hess T at the end
  ForAllScalars<VectorOf> gamma_, w_, t_qp_, t_pp_;
};

}  // namespace gnomon::kernels
