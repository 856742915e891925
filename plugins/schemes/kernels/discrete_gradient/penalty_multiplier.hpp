#pragma once
/// \file
/// A penalty P = mu R(g), R(g) = sum_i r(g_i), beside fixed multipliers lambda (zero in the penalty schemes), in the
/// midpoint residual. With d = g1 - g0 and e = d - G(q_m) dq, which is zero for quadratic g, the schemes differ in the
/// effective multiplier F and in the penalty's part of c:
///
///     equivariant   F_i = lambda_i + mu [r(g1_i) - r(g0_i)]/d_i       c = F.e
///     midpoint      F_i = lambda_i + mu r'(y_i),  y = g(q_m)    c = F.e + mu sum_i {r(g1_i) - r(g0_i) - r'(y_i) d_i}
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

#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/step_frame.hpp"
#include "kernels/common/step_scales.hpp"
#include "kernels/discrete_gradient/derivative_rules.hpp"
#include "kernels/discrete_gradient/penalty_function.hpp"

namespace gnomon::kernels {

class PenaltyMultiplier : public MultiplierDefaults {
 public:
  static constexpr bool refines = true;
  using Derivative = PenaltyDerivative;
  struct Rule {
    Derivative derivative = Derivative::equivariant;
    double mu = 1e7;
    PenaltyFunction r = PenaltyFunction::polynomial();

    /// For R = |g|^2, F = lambda + mu (2 g0 + slope (g1 - g0) + ...): mu times this is how fast F follows g1.
    double slope() const { return derivative == Derivative::d_hat ? 2 : 1; }
  };

  PenaltyMultiplier(const System& system, SystemAt& at, const Rule& rule);

  /// The multipliers beside the penalty; they stay until they are set again.
  void set_lambda(const Vector& lambda) { lambda_ = lambda; }
  /// g(q1) of the last evaluation at Extended.
  const Vector& end_constraints(const StepFrame& step);

  bool corrects() const { return m_ > 0 && !(quadratic_ && rule_.derivative == Derivative::equivariant); }
  void begin(const StepFrame& step, const StepScales& scales);
  /// Factor of the row scales where s is active. A residual of 1e-12, which is far above rounding, drifts there: count
  /// it a thousand times, so that Newton goes on until the residual stops shrinking.
  double unit() const { return thresholds::penalty_row; }
  bool energy_noise() const { return false; }
  long double energy(const State& z);
  /// h mu G^T (G dq) carries mu h^2 w roundings of dq, and where g1 is evaluated at double those of g.
  double floor(const StepScales& scales) const;

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
  double linearise(const StepFrame& step, StepPoint<double>& b, VectorRef dc);
  /// Whether c depends on the multipliers.
  bool remains() const { return corrects() && !quadratic_; }
  /// e = dc/dlambda at the points of b.
  const Vector& remainder(const StepFrame& step, const StepPoint<double>& b);
  /// At dz = 0, D-hat's c/N = -mu sum_i r''(g0_i) (G dq)_i^2/2N has no limit, but s (dq, dp) is homogeneous of degree
  /// one: its derivative along w is s(w) w. The midpoint's c is of higher order.
  bool singular_at_rest() const { return rule_.derivative == Derivative::d_hat; }
  /// c along w, divided by the square of its length.
  double at_rest(const StepFrame& step, const Vector& w);

  void lay_out(Layout& layout, const Block& dq, const Block& balance);
  void find_entries(const Layout& layout, const Block& dq, const Block& balance);
  /// dF2 += h G_m^T dF/dq, dF/dq = mu dQ/dd G(q1), or mu r''(y) dy/dq
  void add_jacobian(const StepFrame& step, const StepPoint<double>& b, VectorRef values);

 private:
  template <class Visit>
  void each_pair(const Visit& visit) const {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) visit(g.indices[j], g.indices[k]);
  }

  /// dc += G(q1)^T F - G(q_m)^T F - (F.Hess g)(q_m) dq/2; leaves G(q_m)^T F in b.force.
  void add_remainder(const StepFrame& step, StepPoint<double>& b, VectorRef dc);

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
  Dual1 quotient(double g0, const Dual1& d) const;
  template <class Real>
  Real excess(double g0, const Real& d, const Real& e) const {
    return rule_.r.excess(g0, d, e);
  }
  Dual1 excess(double g0, const Dual1& d, const Dual1& e) const;

  /// dg = g1 - g0 and delta.
  void differences(const StepFrame& step, const StepPoint<double>& b, Vector& dg, Vector& delta);
  /// For quadratic g dg = G(q_m) dq has digits enough at Extended, and delta = 2 (G(q_m) - G(q0)) dq.
  void differences(const StepFrame& step, const StepPoint<Extended>& b, VectorOf<Extended>& dg,
                   VectorOf<Extended>& delta);
  void differences(const StepFrame& step, const StepPoint<Dual1>& b, VectorOf<Dual1>& dg, VectorOf<Dual1>& delta);
  /// dg = G(q0) dq + delta/2, delta_i = dq^T (Hess g_i) dq, with G(q0) at the compensated q0: at the rounded midpoint
  /// far from the origin, G(q_m) dq is wrong by eps |q| |dq|, and the force by h mu times that.
  void quadratic_differences(const StepFrame& step, const Vector& dq, Vector& dg, Vector& delta);
  /// dg = g(q1) - g0 and, for the midpoint, delta = 8 [(g0 + g1)/2 - g(q_m)], at the compensated points.
  void smooth_differences(const StepFrame& step, const Vector& dq, const Vector& qm, const Vector& q1, Vector& dg,
                          Vector& delta);

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
