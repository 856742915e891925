#pragma once
/// \file
/// Lagrange multipliers in the midpoint residual: F = lambda, m further unknowns, with the rows
///
///     F3 = g(q1)          (quadratic g: g0 + G(q_m) dq, which is the same and does not cancel)
///
/// Where g depends on time, G in F2 and c is that of the average over the two times (energy_balance.hpp), and F3 =
/// g(q1,t1), of quadratic g g(q0,t1) + G(q_m,t1) dq.
///
/// Constraints of velocities, Psi = A(q,t) v + b: F3 = A(q_m) dq + h b(q_m), of the average; they have no part in c.
///
/// Part of c in the general discrete derivative: lambda.(g1 - g0 - G(q_m) dq), which vanishes for quadratic g and is of
/// third order in (dq, dp).

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/energy_balance.hpp"
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
  EndMultiplier(const System& system, SystemAt& at, const Rule& rule);

  Index unknowns() const { return m_; }
  bool corrects() const { return rule_.correct; }
  void begin(const StepFrame& step, const StepScales&);
  void predict(const State& z0, VectorRef x) const { x.tail(m_) = z0.lambda; }

  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const;
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
    if (velocities_ > 0) velocity_rows(step, b, f);
  }

  /// Its part of c; b.force is G(q_m)^T lambda.
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>& b) {
    auto& g = g_.get<S>();
    end_constraints(*mean_, *at_, step, b, g);
    g -= step.g0.template cast<S>();
    S sum = b.lambda.dot(g) - b.force.dot(b.dq);
    for (Index i = 0; i < velocities_; ++i) sum += b.lambda[m_ - velocities_ + i] * slide_.get<S>()[i];
    return sum;
  }
  /// The same with its gradient, added to dc.
  double linearise(const StepFrame& step, const StepPoint<double>& b, VectorRef dc);

  /// Its unknowns and rows, and its part of F2 on [dq | dp].
  void lay_out(Layout& layout, const Block& dq, const Block& balance);
  const Block& lambda() const { return lambda_; }
  /// dF2 += h G(q_m)^T on lambda, dF3 = G(q1): for quadratic g, d(G_m dq)/d(dq) = G_m + (Hess g) dq/2 = G(q1)
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values);

  /// lambda.D_t g
  void book(const StepFrame& step, StepTimes& times, const StepPoint<double>& b, Work& work);

 private:
  bool moving() const { return mean_ != system_; }
  template <class S, class F>
  void velocity_rows(const StepFrame& step, StepPoint<S>& b, F& f) {
    auto &slide = slide_.get<S>(), &row = row_.get<S>();
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, row);
    slide = row.tail(velocities_);
    if (moving()) {
      b.rate = b.dq / S(step.h);
      at_->constraint_velocity(step.tm, b.qm, b.rate, row);
      row *= S(step.h);
    }
    f.tail(velocities_) = row.tail(velocities_);
  }
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
  void middle_jacobian_times(const StepFrame& step, StepPoint<double>& b, Vector& out);
  void middle_jacobian_times(const StepFrame& step, StepPoint<Extended>& b, VectorOf<Extended>& out);
  void middle_jacobian_times(const StepFrame& step, StepPoint<Dual1>& b, VectorOf<Dual1>& out);
  /// g(q1) of the true system, or of the average. At double from the compensated q1: its rounding error would be the
  /// energy's.
  void end_constraints(const System& system, SystemAt&, const StepFrame& step, StepPoint<double>& b, Vector& out);
  template <class S>
  void end_constraints(const System&, SystemAt& at, const StepFrame& step, StepPoint<S>& b, VectorOf<S>& out) {
    at.constraints(step.t1, b.q1, out);
  }

  const System* mean_;
  SystemAt* at_;
  const System* system_;
  SystemAt end_at_;
  Rule rule_;
  Index n_, m_, velocities_;
  bool quadratic_;
  ForAllScalars<VectorOf> g_, row_, slide_;  ///< slide: A(q_m) dq of constraints of velocities
  Vector force_, work_, linear_, lambda_of_g_, g0_, g_values_, row_values_;
  VectorOf<Extended> extended_values_;
  Block lambda_;
  BlockMap force_map_, position_map_;
};

}  // namespace gnomon::kernels
