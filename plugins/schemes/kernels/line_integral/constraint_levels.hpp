#pragma once
/// \file
/// How constraints enter the line integral of any Hamiltonian (general_line_integral.hpp): what their multipliers add
/// to H_p and H_q at the node l, and the rows that go with them.
///
///     PositionLevel    H_q + G^T lambda
///                      0 = sum_l b_l P_i(c_l) G(q_l) q'_l + delta_i0 g(q0)/h                            i < r
///     BothLevels       H_p + Psi_p^T gamma,    H_q + G^T lambda + Psi_q^T gamma,    Psi(q,p) = G(q) H_p
///                      i = 0:    g(q1) = 0,   Psi(q1,p1) = 0
///                      0 < i:    sum_l b_l P_i(c_l) [ G q' ]_l = 0, sum_l b_l P_i(c_l) [ h Psi_q q' + Psi_p p' ]_l = 0
///                      constraints of velocities, A v + b:   i = 0:   h sum_l b_l [ A q' + b ]_l = 0,   Psi(q1,p1) = 0
///                      with g(q,t): G q' + g_t, Psi + g_t and h (Psi_q q' + Psi_t) + Psi_p p'
///
/// For BothLevels H is T(q,p) + U(q,t) of the system: with w = G(q_l)^T gamma_l, Psi_p^T gamma = T_pp w and Psi_q^T
/// gamma = T_qp w + sum_i gamma_i (Hess g_i) T_p.

#include <type_traits>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/index1_multipliers.hpp"
#include "kernels/ggl/hidden_derivatives.hpp"
#include "kernels/line_integral/line_integral_frame.hpp"
#include "kernels/line_integral/node_derivatives.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"

namespace gnomon::kernels {

/// A node of a trial solution and what follows from it, at double, at duals or at Extended.
template <class S>
struct LineIntegralPoint {
  VectorOf<S> q, p, h_q, h_p;               ///< H_q and H_p, and what the multipliers add
  VectorOf<S> dq, dp, v, w, turn, push, a;  ///< q', p', T_p, and scratch
  VectorOf<S> lambda, gamma, unit, row;     ///< one a constraint
  void allocate(Index n, Index m) {
    for (auto* x : {&q, &p, &h_q, &h_p, &dq, &dp, &v, &w, &turn, &push, &a}) x->setConstant(n, S(0.0));
    for (auto* x : {&lambda, &gamma, &unit, &row}) x->setConstant(m, S(0.0));
  }
};

/// Places of the blocks of unknowns, and of rows.
struct LineIntegralBlocks {
  Index u, pi, lambda, gamma;
};

class PositionLevel {
 public:
  static constexpr bool two = false;

  PositionLevel(const System& system, LineIntegralFrame& frame);

  void lay_out(Layout& layout, LineIntegralBlocks& at) const { at.lambda = layout.unknown("lambda", rows()).offset; }
  Index rows() const { return frame_->r() * m_; }
  void begin(const StepScales& scales) { floor_ = frame_->rounding_floor(scales); }
  double floor() const { return floor_; }
  void scales(const StepScales& scales, const LineIntegralBlocks& at, VectorRef columns, VectorRef rows) const;
  /// State::lambda is lambda_0, the mean of the step.
  void finish(const Vector& x, const LineIntegralBlocks& at, State& next) const;

  template <class S>
  void start(const LineIntegralBlocks& at, VectorRefOf<S> f) const {
    frame_->start_constraint_rows(at.lambda, f);
  }
  template <class S, class X>
  void node(const X& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<S>& b, VectorRefOf<S> f) {
    frame_->multiplier(x, at.lambda, l, b.lambda);
    frame_->add_constraint_force(l, b.q, b.lambda, b.a, b.h_q);
    frame_->velocity(x, l, b.dq);
    frame_->add_constraint_rows(l, b.q, b.dq, b.row, at.lambda, f);
  }
  template <class S>
  void end(const LineIntegralBlocks&, LineIntegralPoint<S>&, VectorRefOf<S>) const {}

  /// \name The Newton matrix
  ///@{
  /// Where nothing moves.
  bool assembled() const { return !frame_->moving(); }
  /// What the multipliers add to the derivatives of node l, where d.by_state has those of H + lambda.g; and its part in
  /// the rows: d(G q') = (q'^T Hess g) dq_l + G dq'_l.
  void linearise(const ConstVectorRef& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<double>& b,
                 NodeDerivatives& d, Matrix& jacobian);
  void linearise_end(const LineIntegralBlocks&, LineIntegralPoint<double>&, NodeDerivatives&, Matrix&) const {}
  ///@}

  /// There is no second level.
  double hidden_power(const Vector&, Index, const LineIntegralBlocks&, LineIntegralPoint<double>&, const Vector&) const;

 private:
  const System* system_;
  LineIntegralFrame* frame_;
  Index m_;
  double floor_ = thresholds::residual_rounding;
  Vector g_values_;
  Matrix g_, change_;  // G and q'^T Hess g
};

class BothLevels {
 public:
  static constexpr bool two = true;

  BothLevels(const System& system, LineIntegralFrame& frame);

  void lay_out(Layout& layout, LineIntegralBlocks& at) const;
  Index rows() const { return 2 * frame_->r() * m_; }
  void begin(const StepScales& scales) { floor_ = scales.force_floor() + scales.position_floor(); }
  double floor() const { return floor_; }
  void scales(const StepScales& scales, const LineIntegralBlocks& at, VectorRef columns, VectorRef rows) const;
  /// State::lambda are the index-1 multipliers of the state; where G has lost rank, lambda_0.
  void finish(const Vector& x, const LineIntegralBlocks& at, State& next);

  template <class S>
  void start(const LineIntegralBlocks& at, VectorRefOf<S> f) const {
    f.segment(at.lambda, rows()).setConstant(S(0.0));
  }
  template <class S, class X>
  void node(const X& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<S>& b, VectorRefOf<S> f) {
    const double t = frame_->time(l), h = frame_->h();
    const Index r = frame_->r();
    b.v = b.h_p;
    frame_->multiplier(x, at.lambda, l, b.lambda);
    frame_->multiplier(x, at.gamma, l, b.gamma);
    at_.constraint_force(t, b.q, b.lambda, b.a);
    b.h_q += b.a;
    at_.constraint_force(t, b.q, b.gamma, b.w);
    at_.kinetic_hessian_times(b.q, b.p, b.w, b.turn, b.push);
    b.h_p += b.push;
    b.h_q += b.turn;
    at_.hidden_gradient(t, b.q, b.gamma, b.v, b.a);
    b.h_q += b.a;
    if (frame_->moving()) {
      at_.constraint_rate_force(t, b.q, b.gamma, b.a);
      b.h_q += b.a;
    }
    if (r == 1 && velocities_ == 0) return;
    frame_->velocity(x, l, b.dq);
    LineIntegralFrame::combine(x, at.pi, frame_->table.at<S>().P, l, frame_->table.s, b.dp);
    if (frame_->moving())
      at_.constraint_velocity(t, b.q, b.dq, b.row);
    else
      at_.constraint_jacobian_times(t, b.q, b.dq, b.row);
    for (Index i = m_ - velocities_; i < m_; ++i) f[at.lambda + i] += b.row[i] * (h * frame_->table.at<S>().b[l]);
    if (r == 1) return;
    frame_->add_moments(l, 1, b.row, at.lambda, 1, r, f);
    at_.constraint_curvature(t, b.q, b.v, b.dq, b.row);
    b.row *= S(h);
    b.w = b.dq * S(h);
    at_.kinetic_hessian_times(b.q, b.p, b.w, b.dp, b.turn, b.push);  // push = h T_pq q' + T_pp p'
    at_.constraint_jacobian_times(t, b.q, b.push, b.unit);
    b.row += b.unit;
    frame_->add_moments(l, 1, b.row, at.gamma, 1, r, f);
    if (!frame_->moving()) return;  // else r(q, (q' + v)/2), stage_bias.hpp
    b.a = (b.dq + b.v) * S(0.5);
    bias_.of_time(t, b.q, b.a, b.unit, b.row);
    frame_->add_moments(l, h, b.row, at.gamma, 1, r, f);
  }
  /// At b.q = q1, b.p = p1, b.dq = q1 - q0.value().
  template <class S>
  void end(const LineIntegralBlocks& at, LineIntegralPoint<S>& b, VectorRefOf<S> f) {
    end_constraints(b);
    f.segment(at.lambda, m_ - velocities_) = b.row.head(m_ - velocities_);
    at_.kinetic_gradient(b.q, b.p, b.h_q, b.h_p);
    at_.constraint_velocity(frame_->end(), b.q, b.h_p, b.row);
    f.segment(at.gamma, m_) = b.row;
  }

  /// \name The Newton matrix
  ///@{
  /// Where no rows belong to the nodes, and nothing moves.
  bool assembled() const { return frame_->r() <= 1 && velocities_ == 0 && !frame_->moving(); }
  /// As for PositionLevel: Hess (gamma.Psi), and by gamma Psi_q^T and Psi_p^T.
  void linearise(const ConstVectorRef& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<double>& b,
                 NodeDerivatives& d, Matrix&);
  /// g(q1) and Psi(q1,p1), at b.q and b.p
  void linearise_end(const LineIntegralBlocks& at, LineIntegralPoint<double>& b, NodeDerivatives& d, Matrix& jacobian);
  ///@}

  /// gamma.[h Psi_q q' + Psi_p p'] at node l, where b has q, p and q'
  double hidden_power(const Vector& x, Index l, const LineIntegralBlocks& at, LineIntegralPoint<double>& b,
                      const Vector& dp);

 private:
  /// row = g(q1), at double from the compensated q1.
  void end_constraints(LineIntegralPoint<double>& b);
  template <class S>
  void end_constraints(LineIntegralPoint<S>& b) {
    at_.constraints(frame_->end(), b.q, b.row);
  }

  const System* system_;
  LineIntegralFrame* frame_;
  SystemAt at_;
  StageBias bias_;
  Index1Multipliers multipliers_;
  HiddenDerivatives hidden_;
  Index n_, m_, velocities_;
  double floor_ = thresholds::residual_rounding;
  Vector tail_, g_values_;
};

}  // namespace gnomon::kernels
