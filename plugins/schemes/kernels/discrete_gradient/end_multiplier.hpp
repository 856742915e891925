#pragma once
/// \file
/// Lagrange multipliers in the midpoint residual: F = lambda, m further unknowns, with the rows
///
///     F3 = g(q1)          (quadratic g: g0 + G(q_m) dq, which is the same and does not cancel)
///
/// Where g depends on time (quadratic in q then), G is averaged over the two times in F2, and F3 = g(q1,t1) =
/// g(q0,t1) + G(q_m,t1) dq: step.g0 is g(q0,t1).
///
/// Part of c in the general discrete derivative: lambda.(g1 - g0 - G(q_m) dq), which vanishes for quadratic g and is of
/// third order in (dq, dp).

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/ledger.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

class EndMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true;
  struct Rule {
    bool correct = false;  ///< g enters c
  };

  EndMultiplier(const System& system, SystemAt& at, const Rule& rule)
      : system_(&system),
        at_(&at),
        rule_(rule),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)),
        times_(system) {
    g_.for_each([&](auto& v) { v.resize(m_); });
    for (Vector* v : {&force_, &work_}) v->setZero(n_);
    linear_.setZero(m_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    extended_values_.setZero(g_values_.size());
    if (!times_.moving()) return;
    g_scratch_ = g_values_;
    extended_scratch_ = extended_values_;
  }

  Index unknowns() const { return m_; }
  bool corrects() const { return rule_.correct; }
  void begin(const StepFrame& step, const StepScales&) { times_.begin(*step.z0, step.h); }
  void predict(const State& z0, VectorRef x) const { x.tail(m_) = z0.lambda; }

  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const {
    columns.tail(m_) = scales.lambda();
    rows.tail(m_) = scales.position();
  }
  double floor(const StepScales& scales) const { return quadratic_ ? 0 : scales.position_floor(); }

  template <class S, class X>
  void evaluate(const StepFrame&, const X& x, StepPoint<S>& b) {
    b.lambda = x.tail(m_);
  }

  /// b.force = G(q_m)^T F; at double and at Extended G is stored for rows.
  void force(const StepFrame& step, StepPoint<double>& b) {
    middle_jacobian(step, b.qm, g_values_);
    multiply_transposed(system_->constraint_pattern(), g_values_, b.lambda, b.force);
  }
  void force(const StepFrame&, StepPoint<Extended>& b) {
    times_.average(extended_values_, extended_scratch_,
                   [&](double t, auto& out) { at_->constraint_jacobian(t, b.qm, out); });
    multiply_transposed(system_->constraint_pattern(), extended_values_, b.lambda, b.force);
  }
  void force(const StepFrame&, StepPoint<Dual1>& b) {
    times_.average(b.force, b.mdq, [&](double t, auto& out) { at_->constraint_force(t, b.qm, b.lambda, out); });
  }
  /// values = G(q_m)
  void middle_jacobian(const StepFrame& step, const Vector& qm, Vector& values) {
    if (times_.moving())
      times_.average(values, g_scratch_, [&](double t, Vector& out) { system_->constraint_jacobian(t, qm, out); });
    else
      system_->constraint_jacobian(step.tm, qm, values);
  }

  /// After force.
  template <class S, class F>
  void rows(const StepFrame& step, StepPoint<S>& b, F& f) {
    auto& g = g_.get<S>();
    if (quadratic_) {
      middle_jacobian_times(step, b, g);
      g += step.g0.template cast<S>();
    } else {
      end_constraints(step, b, g);
    }
    f.tail(m_) = g;
  }

  /// Its part of c; b.force is G(q_m)^T lambda.
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>& b) {
    auto& g = g_.get<S>();
    end_constraints(step, b, g);
    g -= step.g0.template cast<S>();
    return b.lambda.dot(g) - b.force.dot(b.dq);
  }
  /// The same with its gradient, added to dc.
  double linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc) {
    auto dc_dq = dc.head(n_);
    auto dc_dlambda = dc.tail(m_);
    at_->constraint_force(step.tm, b.qm, b.lambda, force_);
    system_->constraint_hessian_times(step.tm, b.qm, b.lambda, b.dq, work_);
    dc_dq -= force_ + 0.5 * work_;
    at_->constraint_force(step.t1, b.q1, b.lambda, work_);
    dc_dq += work_;
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, linear_);
    system_->constraints(step.t1, b.q1, g_.at_double);
    dc_dlambda = g_.at_double - step.g0 - linear_;
    return b.lambda.dot(dc_dlambda);
  }

  /// Its unknowns and rows, and its part of F2 on [dq | dp].
  void lay_out(Layout& layout, const Block& dq, const Block& balance) {
    const SparsityPattern& g = system_->constraint_pattern();
    const Block lambda = layout.unknown("lambda", m_), position = layout.rows(m_);
    layout.place(force_map_, balance, lambda, g, Layout::transposed);
    layout.place(position_map_, position, dq, g);
  }
  /// dF2 += h G(q_m)^T on lambda, dF3 = G(q1): for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1)
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
    middle_jacobian(step, b.qm, g_values_);
    force_map_.add(values, g_values_, step.h);
    system_->constraint_jacobian(step.t1, b.q1, g_values_);
    position_map_.add(values, g_values_, 1);
  }

 private:
  /// G(q_m) dq
  void middle_jacobian_times(const StepFrame& step, StepPoint<double>& b, Vector& out) {
    if (times_.moving()) system_->constraint_jacobian(step.t1, b.qm, g_values_);
    multiply(system_->constraint_pattern(), g_values_, b.dq, out);
  }
  void middle_jacobian_times(const StepFrame& step, StepPoint<Extended>& b, VectorOf<Extended>& out) {
    if (times_.moving()) at_->constraint_jacobian(step.t1, b.qm, extended_values_);
    multiply(system_->constraint_pattern(), extended_values_, b.dq, out);
  }
  void middle_jacobian_times(const StepFrame& step, StepPoint<Dual1>& b, VectorOf<Dual1>& out) {
    at_->constraint_jacobian_times(times_.moving() ? step.t1 : step.tm, b.qm, b.dq, out);
  }
  /// At double from the compensated q1: its rounding error would be the energy's.
  void end_constraints(const StepFrame& step, StepPoint<double>& b, Vector& out) {
    b.end_tail(step, work_);
    system_->constraints_compensated(step.t1, b.q1, work_, out, g_values_);
  }
  template <class S>
  void end_constraints(const StepFrame& step, StepPoint<S>& b, VectorOf<S>& out) {
    at_->constraints(step.t1, b.q1, out);
  }

  const System* system_;
  SystemAt* at_;
  Rule rule_;
  Index n_, m_;
  bool quadratic_;
  MovingConstraints times_;
  ForAllScalars<VectorOf> g_;
  Vector force_, work_, linear_, g_values_, g_scratch_;
  VectorOf<Extended> extended_values_, extended_scratch_;
  BlockMap force_map_, position_map_;
};

}  // namespace gnomon::kernels
