#pragma once
/// \file
/// Lagrange multipliers in the midpoint residual: F = lambda, m further unknowns, with the rows
///
///     F3 = g(q1)          (quadratic g: g0 + G(q_m) dq, which is the same and does not cancel)
///
/// Where g depends on time, G in F2 and c is that of the average over the two times (ledger.hpp), and F3 = g(q1,t1), of
/// quadratic g g(q0,t1) + G(q_m,t1) dq.
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
  static constexpr bool refines = true, takes_friction = true, assembled = true;
  struct Rule {
    bool correct = false;  ///< g enters c
  };

  /// at: the system that discrete derivatives are applied to.
  EndMultiplier(const System& system, SystemAt& at, const Rule& rule)
      : mean_(&at.system()),
        at_(&at),
        system_(&system),
        end_at_(system),
        rule_(rule),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    g_.for_each([&](auto& v) { v.resize(m_); });
    if (rule.correct || !quadratic_)
      for (Vector* v : {&force_, &work_}) v->setZero(n_);
    if (rule.correct) linear_.setZero(m_);
    g0_.setZero(m_);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    extended_values_.setZero(g_values_.size());
  }

  Index unknowns() const { return m_; }
  bool corrects() const { return rule_.correct; }
  void begin(const StepFrame& step, const StepScales&) {
    const Compensated& q0 = step.z0->q;
    if (moving())
      system_->constraints_compensated(step.t1, q0.value(), q0.tail(), g0_, g_values_);
    else
      g0_ = step.g0;
  }
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

  /// b.force = G(q_m)^T F; at double and at Extended with G(q_m) dq, in the same pass over G, for rows.
  void force(const StepFrame& step, StepPoint<double>& b) {
    middle_jacobian(step, b.qm, g_values_);
    multiply_both(g_values_, b, g_.at_double);
  }
  void force(const StepFrame& step, StepPoint<Extended>& b) {
    at_->constraint_jacobian(step.tm, b.qm, extended_values_);
    multiply_both(extended_values_, b, g_.at_extended);
  }
  void force(const StepFrame& step, StepPoint<Dual1>& b) { at_->constraint_force(step.tm, b.qm, b.lambda, b.force); }
  /// values = G(q_m)
  void middle_jacobian(const StepFrame& step, const Vector& qm, Vector& values) {
    mean_->constraint_jacobian(step.tm, qm, values);
  }

  /// After force.
  template <class S, class F>
  void rows(const StepFrame& step, StepPoint<S>& b, F& f) {
    auto& g = g_.get<S>();
    if (quadratic_) {
      middle_jacobian_times(step, b, g);
      for (Index i = 0; i < m_; ++i) f[f.size() - m_ + i] = g[i] + g0_[i];
    } else {
      end_constraints(*system_, end_at_, step, b, g);
      f.tail(m_) = g;
    }
  }

  /// Its part of c; b.force is G(q_m)^T lambda.
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>& b) {
    auto& g = g_.get<S>();
    end_constraints(*mean_, *at_, step, b, g);
    g -= step.g0.template cast<S>();
    return b.lambda.dot(g) - b.force.dot(b.dq);
  }
  /// The same with its gradient, added to dc.
  double linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc) {
    auto dc_dq = dc.head(n_);
    auto dc_dlambda = dc.tail(m_);
    at_->constraint_force(step.tm, b.qm, b.lambda, force_);
    at_->constraint_hessian_times(step.tm, b.qm, b.lambda, b.dq, work_);
    dc_dq -= force_ + 0.5 * work_;
    at_->constraint_force(step.t1, b.q1, b.lambda, work_);
    dc_dq += work_;
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, linear_);
    at_->constraints(step.t1, b.q1, g_.at_double);
    dc_dlambda = g_.at_double - step.g0 - linear_;
    return b.lambda.dot(dc_dlambda);
  }

  /// Its unknowns and rows, and its part of F2 on [dq | dp].
  void lay_out(Layout& layout, const Block& dq, const Block& balance) {
    const SparsityPattern& g = system_->constraint_pattern();
    lambda_ = layout.unknown("lambda", m_);
    const Block position = layout.rows(m_);
    layout.place(force_map_, balance, lambda_, g, Layout::transposed);
    layout.place(position_map_, position, dq, g);
  }
  const Block& lambda() const { return lambda_; }
  /// dF2 += h G(q_m)^T on lambda, dF3 = G(q1): for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1)
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
    middle_jacobian(step, b.qm, g_values_);
    force_map_.add(values, g_values_, step.h);
    system_->constraint_jacobian(step.t1, b.q1, g_values_);
    position_map_.add(values, g_values_, 1);
  }

  /// lambda.D_t g
  void book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work) const {
    work.position += times.position_work(step.z0->q.value(), b.q1, b.lambda);
  }

 private:
  bool moving() const { return mean_ != system_; }
  /// b.force = G^T lambda, product = G dq
  template <class S>
  void multiply_both(const VectorOf<S>& g_values, StepPoint<S>& b, VectorOf<S>& product) const {
    const SparsityPattern& g = system_->constraint_pattern();
    const Index *const offset = g.offsets.data(), *const column = g.indices.data();
    const S *const value = g_values.data(), *const lambda = b.lambda.data(), *const dq = b.dq.data();
    S *const force = b.force.data(), *const to = product.data();
    b.force.setZero();
    for (Index i = 0; i < m_; ++i) {
      const S factor = lambda[i];
      S sum = 0;
      for (Index k = offset[i]; k < offset[i + 1]; ++k) {
        const Index j = column[k];
        force[j] += value[k] * factor;
        sum += value[k] * dq[j];
      }
      to[i] = sum;
    }
  }
  /// G(q_m) dq, of moving constraints at t1; of others force() found it
  void middle_jacobian_times(const StepFrame& step, StepPoint<double>& b, Vector& out) {
    if (!moving()) return;
    system_->constraint_jacobian(step.t1, b.qm, g_values_);
    multiply(system_->constraint_pattern(), g_values_, b.dq, out);
  }
  void middle_jacobian_times(const StepFrame& step, StepPoint<Extended>& b, VectorOf<Extended>& out) {
    if (!moving()) return;
    end_at_.constraint_jacobian(step.t1, b.qm, extended_values_);
    multiply(system_->constraint_pattern(), extended_values_, b.dq, out);
  }
  void middle_jacobian_times(const StepFrame& step, StepPoint<Dual1>& b, VectorOf<Dual1>& out) {
    end_at_.constraint_jacobian_times(moving() ? step.t1 : step.tm, b.qm, b.dq, out);
  }
  /// g(q1) of the true system, or of the average. At double from the compensated q1: its rounding error would be the
  /// energy's.
  void end_constraints(const System& system, SystemAt&, const StepFrame& step, StepPoint<double>& b, Vector& out) {
    b.end_tail(step, work_);
    system.constraints_compensated(step.t1, b.q1, work_, out, g_values_);
  }
  template <class S>
  void end_constraints(const System&, SystemAt& at, const StepFrame& step, StepPoint<S>& b, VectorOf<S>& out) {
    at.constraints(step.t1, b.q1, out);
  }

  const System* mean_;
  SystemAt* at_;
  const System* system_;
  SystemAt end_at_;
  Rule rule_;
  Index n_, m_;
  bool quadratic_;
  ForAllScalars<VectorOf> g_;
  Vector force_, work_, linear_, g0_, g_values_;
  VectorOf<Extended> extended_values_;
  Block lambda_;
  BlockMap force_map_, position_map_;
};

}  // namespace gnomon::kernels
