#pragma once
/// \file
/// A penalty P = mu R(g), R(g) = sum_i r(g_i), beside fixed multipliers lambda (zero in the penalty schemes), in the
/// midpoint residual, for quadratic constraints. With d = g1 - g0 = G(q_m) dq and delta_i = dq^T (Hess g_i) dq the
/// schemes differ in the effective multiplier F and in the penalty's part of c:
///
///     equivariant   F_i = lambda_i + mu [r(g1_i) - r(g0_i)]/d_i       c = 0
///     midpoint      F_i = lambda_i + mu r'(y_i),  y = g(q_m)          c = mu sum_i {r(g1_i) - r(g0_i) - r'(y_i) d_i}
///     d-hat         F_i = lambda_i + mu r'(y_i),  y = g1              likewise
///
/// and for R = |g|^2, with nothing that cancels or divides:
///
///     equivariant   F = lambda + mu (g1 + g0)                         c = 0
///     midpoint      F = lambda + mu (g1 + g0 - delta/4)               c = mu/4 delta.d
///     d-hat         F = lambda + 2 mu g1                              c = -mu |d|^2
///
/// Energy: F.d + c = lambda.d + P1 - P0 in all three.

#include <algorithm>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/penalty_function.hpp"

namespace gnomon::kernels {

class PenaltyMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true;
  enum class Derivative { equivariant, midpoint, d_hat };
  struct Rule {
    Derivative derivative = Derivative::equivariant;
    double mu = 1e7;
    PenaltyFunction r = PenaltyFunction::polynomial();

    /// For R = |g|^2, F = lambda + mu (2 g0 + slope (g1 - g0) + ...): mu times this is how fast F follows g1.
    double slope() const { return derivative == Derivative::d_hat ? 2 : 1; }
  };

  PenaltyMultiplier(const System& system, SystemAt& at, const Rule& rule)
      : system_(&system), at_(&at), rule_(rule), n_(system.n()), m_(system.m()) {
    for (auto* buffer : {&dg_, &delta_}) buffer->for_each([&](auto& v) { v.resize(m_); });
    for (Vector* v : {&lambda_, &g1_, &change_, &bent_, &at_end_, &at_y_}) v->setZero(m_);
    work_.setZero(n_);
    start_.setZero(n_);
    for (Vector* v : {&start_values_, &g_values_, &g1_values_, &curvature_})
      v->setZero(system.constraint_pattern().nonzeros());
  }

  const Rule& rule() const { return rule_; }
  /// The multipliers beside the penalty; they stay until they are set again.
  void set_lambda(const Vector& lambda) { lambda_ = lambda; }
  /// g(q1) of the last evaluation at Extended.
  const Vector& end_constraints(const StepFrame& step) {
    g1_ = (step.g0.cast<Extended>() + dg_.at_extended).cast<double>();
    return g1_;
  }

  bool corrects() const { return m_ > 0 && rule_.derivative != Derivative::equivariant; }
  void begin(const StepFrame& step, const StepScales& scales) {
    const double w = m_ > 0 ? (scales.hidden() / scales.s()).cwiseAbs2().maxCoeff() : 0;
    double slope = 0;
    for (Index i = 0; i < m_; ++i) slope = std::max(slope, 0.5 * rule_.slope() * rule_.r.second(step.g0[i]));
    stiffness_ = slope * rule_.mu * step.h * step.h * w;
    const Vector& q0 = step.z0->q.value();
    system_->constraint_jacobian(step.z0->t, q0, start_values_);
    system_->constraint_jacobian_derivative(step.z0->t, q0, step.z0->q.tail(), curvature_);
    start_values_ += curvature_;
  }
  /// Factor of the row scales where s is active. A residual of 1e-12, which is far above rounding, drifts there: count
  /// it a thousand times, so that Newton goes on until the residual stops shrinking.
  double unit() const { return 1e-3; }
  bool energy_noise() const { return false; }
  long double energy(const State& z) {
    system_->constraints_compensated(z.t, z.q.value(), z.q.tail(), g1_, g_values_);
    long double sum = 0;
    for (Index i = 0; i < m_; ++i) sum += rule_.r.value(g1_[i]);
    return rule_.mu * sum;
  }
  /// h mu G^T (G dq) carries mu h^2 w roundings of dq.
  double floor(const StepScales&) const { return 1e-16 * stiffness_; }

  template <class S, class X>
  void evaluate(const StepFrame& step, const X&, StepPoint<S>& b) {
    auto &dg = dg_.get<S>(), &delta = delta_.get<S>();
    differences(step, b, dg, delta);
    if (rule_.derivative == Derivative::equivariant)
      for (Index i = 0; i < m_; ++i) b.lambda[i] = quotient(step.g0[i], dg[i]) * rule_.mu;
    else
      for (Index i = 0; i < m_; ++i) b.lambda[i] = first(step.g0[i] + dg[i] * 0.5 - shift(dg[i], delta[i])) * rule_.mu;
    for (Index i = 0; i < m_; ++i) b.lambda[i] += S(lambda_[i]);
  }
  template <class S>
  void force(const StepFrame& step, StepPoint<S>& b) {
    at_->constraint_force(step.tm, b.qm, b.lambda, b.force);
  }

  /// Its part of c, after evaluate().
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>&) {
    auto &dg = dg_.get<S>(), &delta = delta_.get<S>();
    S sum(0.0);
    for (Index i = 0; i < m_; ++i) sum += dg[i] * excess(step.g0[i], dg[i], shift(dg[i], delta[i]));
    return sum * rule_.mu;
  }
  /// The same with its gradient, added to dc; after add_jacobian() at the same point. With Q the quotient,
  /// dc_i = mu [(Q - r'(y) + d dQ/dd) G(q1) - d r''(y) dy/dq]_i, dy/dq = G(q1) or G(q_m)/2.
  double linearise(const StepFrame& step, StepPoint<double>& b, VectorRef dc) {
    const Vector &dg = dg_.at_double, &delta = delta_.at_double;
    for (Index i = 0; i < m_; ++i) {
      const double e = shift(dg[i], delta[i]), y = step.g0[i] + 0.5 * dg[i] - e;
      at_end_[i] = excess(step.g0[i], dg[i], e) + dg[i] * rule_.r.quotient(step.g0[i], dg[i]).derivative;
      at_y_[i] = -dg[i] * rule_.r.second(y);
    }
    if (rule_.derivative == Derivative::midpoint) {
      multiply_transposed(system_->constraint_pattern(), g_values_, at_y_, work_);
      dc.head(n_) += 0.5 * rule_.mu * work_;
    } else {
      at_end_ += at_y_;
    }
    multiply_transposed(system_->constraint_pattern(), g1_values_, at_end_, work_);
    dc.head(n_) += rule_.mu * work_;
    return correction(step, b);
  }
  /// At dz = 0, D-hat's c/N = -mu sum_i r''(g0_i) (G dq)_i^2/2N has no limit, but s (dq, dp) is homogeneous of degree
  /// one: its derivative along w is s(w) w. The midpoint's c is of higher order.
  bool singular_at_rest() const { return rule_.derivative == Derivative::d_hat; }
  /// c along w, divided by the square of its length.
  double at_rest(const StepFrame& step, const Vector& w) {
    at_->constraint_jacobian_times(step.tm, step.z0->q.value(), w, g1_);
    double sum = 0;
    for (Index i = 0; i < m_; ++i) sum -= 0.5 * rule_.r.second(step.g0[i]) * g1_[i] * g1_[i];
    return rule_.mu * sum;
  }

  void lay_out(Layout& layout, const Block& dq, const Block& balance) {
    std::vector<std::pair<Index, Index>> pairs;
    each_pair([&](Index j, Index k) { pairs.emplace_back(j, k); });
    layout.place(balance, dq, SparsityPattern::from_entries(n_, n_, pairs));
  }
  void find_entries(const Layout& layout, const Block& dq, const Block& balance) {
    each_pair([&](Index j, Index k) { normal_.push_back(layout.entry(balance, dq, j, k)); });
  }
  /// dF2 += h G_m^T dF/dq, dF/dq = mu dQ/dd G(q1), or mu r''(y) dy/dq
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values) {
    system_->constraint_jacobian(step.tm, b.qm, g_values_);
    system_->constraint_jacobian(step.t1, b.q1, g1_values_);
    const bool middle = rule_.derivative == Derivative::midpoint;
    const Vector& end = middle ? g_values_ : g1_values_;
    const Vector &dg = dg_.at_double, &delta = delta_.at_double;
    const SparsityPattern& g = system_->constraint_pattern();
    std::size_t at = 0;
    for (Index i = 0; i < m_; ++i) {
      const double y = step.g0[i] + 0.5 * dg[i] - shift(dg[i], delta[i]);
      const double slope = rule_.derivative == Derivative::equivariant ? rule_.r.quotient(step.g0[i], dg[i]).derivative
                                                                       : rule_.r.second(y) * (middle ? 0.5 : 1);
      const double factor = step.h * rule_.mu * slope;
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) values[normal_[at++]] += factor * g_values_[j] * end[k];
    }
  }

 private:
  template <class Visit>
  void each_pair(const Visit& visit) const {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) visit(g.indices[j], g.indices[k]);
  }

  /// y = g0 + d/2 - shift
  template <class S>
  S shift(const S& d, const S& delta) const {
    return rule_.derivative == Derivative::midpoint ? S(delta * 0.125) : S(d * -0.5);
  }
  template <class Real>
  Real first(const Real& y) const {
    return rule_.r.first(y);
  }
  Dual1 first(const Dual1& y) const { return chain(y, rule_.r.first(y.value), rule_.r.second(y.value)); }
  template <class Real>
  Real quotient(double g0, const Real& d) const {
    return rule_.r.quotient(g0, d).value;
  }
  Dual1 quotient(double g0, const Dual1& d) const {
    const Quotient q = rule_.r.quotient(g0, d.value);
    return chain(d, q.value, q.derivative);
  }
  template <class Real>
  Real excess(double g0, const Real& d, const Real& e) const {
    return rule_.r.excess(g0, d, e);
  }
  Dual1 excess(double g0, const Dual1& d, const Dual1& e) const {
    const Dual1 y = g0 + d * 0.5 - e;
    Dual1 out(rule_.r.excess(g0, d.value, e.value));
    out.grad[0] = rule_.r.quotient(g0, d.value).derivative * d.grad[0] - rule_.r.second(y.value) * y.grad[0];
    return out;
  }

  template <class S>
  void differences(const StepFrame& step, const StepPoint<S>& b, VectorOf<S>& dg, VectorOf<S>& delta) {
    differences(step, b.dq, dg, delta);
  }
  /// At Extended dg = G(q_m) dq has digits enough, and delta = 2 (G(q_m) - G(q0)) dq.
  void differences(const StepFrame& step, const StepPoint<Extended>& b, VectorOf<Extended>& dg,
                   VectorOf<Extended>& delta) {
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, dg);
    start_ = step.z0->q.value().cast<Extended>() + step.z0->q.tail().cast<Extended>();
    at_->constraint_jacobian_times(step.tm, start_, b.dq, delta);
    delta = (dg - delta) * 2;
  }
  /// dg = g1 - g0 = G(q0) dq + delta/2, delta_i = dq^T (Hess g_i) dq, with G(q0) at the compensated q0: at the rounded
  /// midpoint far from the origin, G(q_m) dq is wrong by eps |q| |dq|, and the force by h mu times that.
  void differences(const StepFrame& step, const Vector& dq, Vector& dg, Vector& delta) {
    const SparsityPattern& g = system_->constraint_pattern();
    system_->constraint_jacobian_derivative(step.tm, step.z0->q.value(), dq, curvature_);
    multiply(g, curvature_, dq, delta);
    multiply(g, start_values_, dq, dg);
    dg += 0.5 * delta;
  }
  void differences(const StepFrame& step, const VectorOf<Dual1>& dq, VectorOf<Dual1>& dg, VectorOf<Dual1>& delta) {
    for (Index j = 0; j < n_; ++j) work_[j] = dq[j].value;
    differences(step, work_, change_, bent_);
    for (Index j = 0; j < n_; ++j) work_[j] = dq[j].grad[0];
    for (Index i = 0; i < m_; ++i) {
      dg[i].value = change_[i];
      delta[i].value = bent_[i];
    }
    const SparsityPattern& g = system_->constraint_pattern();
    multiply(g, start_values_, work_, change_);
    multiply(g, curvature_, work_, bent_);
    for (Index i = 0; i < m_; ++i) {
      dg[i].grad[0] = change_[i] + bent_[i];
      delta[i].grad[0] = 2 * bent_[i];
    }
  }

  const System* system_;
  SystemAt* at_;
  Rule rule_;
  Index n_, m_;
  double stiffness_ = 0;                ///< mu h^2 w, w the largest (G M^-1 G^T)_ii
  ForAllScalars<VectorOf> dg_, delta_;  ///< g1 - g0, and the second derivatives along dq
  Vector lambda_, g1_, change_, bent_, at_end_, at_y_, work_, start_values_, g_values_, g1_values_, curvature_;
  VectorOf<Extended> start_;
  std::vector<Index> normal_;
};

}  // namespace gnomon::kernels
