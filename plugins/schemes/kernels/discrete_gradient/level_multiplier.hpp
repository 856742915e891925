#pragma once
/// \file
/// Both constraint levels in the midpoint residual where the mass depends on q: EndMultiplier for g, and for Psi = G
/// T_p + g_t the multiplier gamma, whose discrete derivatives stand beside those of H:
///
///     dq = h [D_pH + (D_pPsi)^T gamma],    dp = -h [D_qH + G(q_m)^T lambda + (D_qPsi)^T gamma - Q]
///     0 = g(q1),    0 = Psi(q1,p1)
///
/// With w = G(q_m)^T gamma, the gradient of gamma.Psi at the midpoint is (T_qp w + sum_i gamma_i [(Hess g_i) T_p + grad
/// g_t,i], T_pp w); its part of c is gamma.(Psi1 - Psi0) less that gradient along dz. Where g depends on time, the
/// derivatives are those of the average over the two times (energy_balance.hpp), and the rows hold at t1. Constraints
/// of velocities are the same with A in place of G, d(A v)/dq in place of (Hess g) v and the rows of EndMultiplier.

#include <optional>

#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/end_multiplier.hpp"
#include "kernels/ggl/hidden_derivatives.hpp"

namespace gnomon::kernels {

class LevelMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true, takes_friction = true, assembled = true;
  using Rule = EndMultiplier::Rule;

  LevelMultiplier(const System& system, SystemAt& at, const Rule& rule);

  Index unknowns() const { return 2 * m_; }
  bool corrects() const { return end_.corrects(); }
  void begin(const StepFrame& step, const StepScales& scales);
  void predict(const State& z0, VectorRef x) const;
  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const;
  double floor(const StepScales& scales) const { return scales.position_floor(); }
  void lay_out(Layout& layout, const Block& dq, const Block& balance);

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
    at_->hidden_gradient(step.tm, b.qm, gamma, b.t_p, w);
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
  void add_hidden_hessian(const StepFrame& step, const StepPoint<double>& b, Matrix& hessian);
  /// dF1 -= h Psi_p^T and dF2 += h Psi_q^T at the midpoint, on gamma; the row of Psi(z1).
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values);
  /// As correction(), with its gradient beside that of H + gamma.Psi at the midpoint; after add_jacobian().
  double linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc);
  ///@}

  /// lambda.D_t g + gamma.D_t Psi
  void book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work);

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
