#pragma once
/// \file
/// A penalty P = mu R(g), R(g) = sum_i r(g_i), beside fixed multipliers lambda (zero in the penalty schemes), in the
/// midpoint residual. With d = g1 - g0 and e = d - G(q_m) dq, which is zero for quadratic g, the schemes differ in the
/// effective multiplier F and in the penalty's part of c:
///
///     equivariant   F_i = lambda_i + mu [r(g1_i) - r(g0_i)]/d_i       c = F.e
///     midpoint      F_i = lambda_i + mu r'(y_i),  y = g(q_m)          c = F.e + mu sum_i {r(g1_i) - r(g0_i) - r'(y_i) d_i}
///     d-hat         F_i = lambda_i + mu r'(y_i),  y = g1              likewise
///
/// and for R = |g|^2 and quadratic g, delta_i = dq^T (Hess g_i) dq, with nothing that cancels or divides:
///
///     equivariant   F = lambda + mu (g1 + g0)                         c = 0
///     midpoint      F = lambda + mu (g1 + g0 - delta/4)               c = mu/4 delta.d
///     d-hat         F = lambda + 2 mu g1                              c = -mu |d|^2
///
/// Energy: F.G(q_m) dq + c = lambda.d + P1 - P0 in all three. For g that is not quadratic (19) of Leyendecker, Betsch,
/// Steinmann (2004) is applied to lambda.g + P(g(q)) (midpoint, d-hat) or to each g_i (equivariant, whose correction is
/// then that of no symmetry); d comes from g at the compensated q1, and delta/8 stands for (g0 + g1)/2 - g(q_m).

#include <algorithm>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/requirements.hpp"
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
      : system_(&system),
        at_(&at),
        rule_(rule),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    for (auto* buffer : {&dg_, &delta_}) buffer->for_each([&](auto& v) { v.resize(m_); });
    for (Vector* v : {&lambda_, &g1_, &change_, &bent_, &at_end_, &at_y_}) v->setZero(m_);
    for (Vector* v : {&work_, &qm_, &q1_, &tail_}) v->setZero(n_);
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

  bool corrects() const { return m_ > 0 && !(quadratic_ && rule_.derivative == Derivative::equivariant); }
  void begin(const StepFrame& step, const StepScales& scales) {
    const double w = m_ > 0 ? (scales.hidden() / scales.s()).cwiseAbs2().maxCoeff() : 0;
    double slope = 0;
    for (Index i = 0; i < m_; ++i) slope = std::max(slope, 0.5 * rule_.slope() * rule_.r.second(step.g0[i]));
    stiffness_ = slope * rule_.mu * step.h * step.h * w;
    if (!quadratic_) return;
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
  /// h mu G^T (G dq) carries mu h^2 w roundings of dq, and where g1 is evaluated at double those of g.
  double floor(const StepScales& scales) const {
    const bool rounded = !quadratic_ && !system_->parts().extended;
    return (1e-16 + (rounded ? scales.position_floor() : 0)) * stiffness_;
  }

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

  /// Its part of c, after evaluate() and force().
  template <class S>
  S correction(const StepFrame& step, StepPoint<S>& b) {
    auto &dg = dg_.get<S>(), &delta = delta_.get<S>();
    S sum(0.0);
    if (rule_.derivative != Derivative::equivariant)
      for (Index i = 0; i < m_; ++i) sum += dg[i] * excess(step.g0[i], dg[i], shift(dg[i], delta[i]));
    sum *= S(rule_.mu);
    if (!quadratic_) sum += b.lambda.dot(dg) - b.force.dot(b.dq);
    return sum;
  }
  /// The same with its gradient, added to dc; after add_jacobian() at the same point. With Q the quotient,
  /// dc_i = mu [(Q - r'(y) + d dQ/dd) G(q1) - d r''(y) dy/dq]_i, dy/dq = G(q1) or G(q_m)/2, and of F.e
  /// e_i dF_i/dq + F_i [G(q1) - G(q_m) - dq^T (Hess g_i)(q_m)/2].
  double linearise(const StepFrame& step, StepPoint<double>& b, VectorRef dc) {
    const Vector &dg = dg_.at_double, &delta = delta_.at_double;
    const bool equivariant = rule_.derivative == Derivative::equivariant;
    if (quadratic_) {
      bent_.setZero();
    } else {
      multiply(system_->constraint_pattern(), g_values_, b.dq, bent_);
      bent_ = dg - bent_;
      add_remainder(step, b, dc);
    }
    for (Index i = 0; i < m_; ++i) {
      const double e = shift(dg[i], delta[i]), y = step.g0[i] + 0.5 * dg[i] - e;
      const double slope = rule_.r.quotient(step.g0[i], dg[i]).derivative;
      at_end_[i] = equivariant ? bent_[i] * slope : excess(step.g0[i], dg[i], e) + dg[i] * slope;
      at_y_[i] = equivariant ? 0 : (bent_[i] - dg[i]) * rule_.r.second(y);
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
  /// Whether c depends on the multipliers.
  bool remains() const { return corrects() && !quadratic_; }
  /// e = dc/dlambda at the points of b.
  const Vector& remainder(const StepFrame& step, const StepPoint<double>& b) {
    differences(step, b, change_, bent_);
    at_->constraint_jacobian_times(step.tm, b.qm, b.dq, g1_);
    g1_ = change_ - g1_;
    return g1_;
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

  /// dc += G(q1)^T F - G(q_m)^T F - (F.Hess g)(q_m) dq/2; leaves G(q_m)^T F in b.force.
  void add_remainder(const StepFrame& step, StepPoint<double>& b, VectorRef dc) {
    const SparsityPattern& g = system_->constraint_pattern();
    multiply_transposed(g, g_values_, b.lambda, b.force);
    multiply_transposed(g, g1_values_, b.lambda, work_);
    dc.head(n_) += work_ - b.force;
    system_->constraint_hessian_times(step.tm, b.qm, b.lambda, b.dq, work_);
    dc.head(n_) -= 0.5 * work_;
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

  /// dg = g1 - g0 and delta.
  void differences(const StepFrame& step, const StepPoint<double>& b, Vector& dg, Vector& delta) {
    if (quadratic_)
      quadratic_differences(step, b.dq, dg, delta);
    else
      smooth_differences(step, b.dq, b.qm, b.q1, dg, delta);
  }
  /// For quadratic g dg = G(q_m) dq has digits enough at Extended, and delta = 2 (G(q_m) - G(q0)) dq.
  void differences(const StepFrame& step, const StepPoint<Extended>& b, VectorOf<Extended>& dg,
                   VectorOf<Extended>& delta) {
    if (quadratic_) {
      at_->constraint_jacobian_times(step.tm, b.qm, b.dq, dg);
      start_ = step.z0->q.value().cast<Extended>() + step.z0->q.tail().cast<Extended>();
      at_->constraint_jacobian_times(step.tm, start_, b.dq, delta);
      delta = (dg - delta) * 2;
      return;
    }
    at_->constraints(step.t1, b.q1, dg);
    dg -= step.g0.cast<Extended>();
    if (rule_.derivative != Derivative::midpoint) return;
    at_->constraints(step.tm, b.qm, delta);
    delta = (step.g0.cast<Extended>() + dg / 2 - delta) * 8;
  }
  void differences(const StepFrame& step, const StepPoint<Dual1>& b, VectorOf<Dual1>& dg, VectorOf<Dual1>& delta) {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index j = 0; j < n_; ++j) {
      work_[j] = b.dq[j].value;
      qm_[j] = b.qm[j].value;
      q1_[j] = b.q1[j].value;
    }
    if (quadratic_)
      quadratic_differences(step, work_, change_, bent_);
    else
      smooth_differences(step, work_, qm_, q1_, change_, bent_);
    for (Index i = 0; i < m_; ++i) {
      dg[i].value = change_[i];
      delta[i].value = bent_[i];
    }
    for (Index j = 0; j < n_; ++j) work_[j] = b.dq[j].grad[0];
    if (quadratic_) {
      multiply(g, start_values_, work_, change_);
      multiply(g, curvature_, work_, bent_);
      change_ += bent_;
      bent_ *= 2;
    } else {
      at_->constraint_jacobian_times(step.t1, q1_, work_, change_);
      at_->constraint_jacobian_times(step.tm, qm_, work_, bent_);
      bent_ = 4 * (change_ - bent_);
    }
    for (Index i = 0; i < m_; ++i) {
      dg[i].grad[0] = change_[i];
      delta[i].grad[0] = bent_[i];
    }
  }
  /// dg = G(q0) dq + delta/2, delta_i = dq^T (Hess g_i) dq, with G(q0) at the compensated q0: at the rounded midpoint
  /// far from the origin, G(q_m) dq is wrong by eps |q| |dq|, and the force by h mu times that.
  void quadratic_differences(const StepFrame& step, const Vector& dq, Vector& dg, Vector& delta) {
    const SparsityPattern& g = system_->constraint_pattern();
    system_->constraint_jacobian_derivative(step.tm, step.z0->q.value(), dq, curvature_);
    multiply(g, curvature_, dq, delta);
    multiply(g, start_values_, dq, dg);
    dg += 0.5 * delta;
  }
  /// dg = g(q1) - g0 and, for the midpoint, delta = 8 [(g0 + g1)/2 - g(q_m)], at the compensated points.
  void smooth_differences(const StepFrame& step, const Vector& dq, const Vector& qm, const Vector& q1, Vector& dg,
                          Vector& delta) {
    const Vector &q0 = step.z0->q.value(), &q0_tail = step.z0->q.tail();
    tail_ = (dq + q0_tail) - (q1 - q0);
    system_->constraints_compensated(step.t1, q1, tail_, dg, curvature_);
    dg -= step.g0;
    if (rule_.derivative != Derivative::midpoint) return;
    tail_ = (0.5 * dq + q0_tail) - (qm - q0);
    system_->constraints_compensated(step.tm, qm, tail_, delta, curvature_);
    delta = 8 * (step.g0 + 0.5 * dg - delta);
  }

  const System* system_;
  SystemAt* at_;
  Rule rule_;
  Index n_, m_;
  bool quadratic_;
  double stiffness_ = 0;                ///< mu h^2 w, w the largest (G M^-1 G^T)_ii
  ForAllScalars<VectorOf> dg_, delta_;  ///< g1 - g0, and the second derivatives along dq
  Vector lambda_, g1_, change_, bent_, at_end_, at_y_, work_, qm_, q1_, tail_;
  Vector start_values_, g_values_, g1_values_, curvature_;
  VectorOf<Extended> start_;
  std::vector<Index> normal_;
};

}  // namespace gnomon::kernels
