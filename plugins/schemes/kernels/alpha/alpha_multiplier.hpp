#pragma once
/// \file
/// Constraints in the alpha-schemes, g at most quadratic; where there are obstacles, g = (constraints, -obstacles). The
/// force is G^T F, at a middle where G gives the exact difference of g:
///
///     unknown    G((x^{n+1} + x^{n-1})/2)^T lambda,   lambda unknown,  g(x^{n+1}) = 0 (KKT)
///     end        G(x^{n+1})^T lambda, the rest the same: (97) as printed, which loses energy
///     augmented  as the first with F = lambda + w g(x^{n+1})/eps, lambda fixed
///     penalty    G((m+ + m-)/2)^T F,   F_i = w_i [r(a) - r(b)]/[eps (a - b)],  a = g_i(m+),  b = g_i(m-)
///
/// r(y) = y^2/2 for constraints, F_i = w_i (a + b)/(2 eps); (y^+)^2/2 for obstacles, where the quotient is
///
///     (a + b)/2 where both are positive,  0 where neither is,  else [(a^+)^2 - (b^+)^2]/(2 (a - b))
///
/// without a pole. w are the system's constraint_weights. Energy: F.(g(m+) - g(m-)) is the change of the penalty
/// P = sum_i w_i r(g_i)/eps, and the unknown multipliers do no work since g(x^{n+1}) = g(x^{n-1}).
/// Glowinski, Holmstroem, (62), (63), corrected.
///
/// Where g depends on time, at most quadratic in q at every time, the row is g(x^{n+1}, t_{n+1}) = 0 and the force has
/// the average over the two times that it joins, gbar(q) = [g(q,t_{n-1}) + g(q,t_{n+1})]/2,
///
///     Gbar(m)^T lambda,    Gbar(m) (x^{n+1} - x^{n-1}) = gbar(x^{n+1}) - gbar(x^{n-1}) = -D_t g
///     D_t g = [g(x^{n+1},t_{n+1}) - g(x^{n+1},t_{n-1}) + g(x^{n-1},t_{n+1}) - g(x^{n-1},t_{n-1})]/2
///
/// since g(x^{n+1},t_{n+1}) = g(x^{n-1},t_{n-1}): what the constraints do between n-1/2 and n+1/2 is lambda.D_t g/2,
/// exactly. It is symmetric in t_{n-1} and t_{n+1}, and so of order 2. A penalty P(q,t) is a part of U(q,t), with g at
/// t_n in its force.

#include <memory>
#include <optional>
#include <vector>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/alpha/alpha_frame.hpp"
#include "kernels/alpha/alpha_rule.hpp"
#include "kernels/common/time_average.hpp"

namespace gnomon::kernels {

/// [r(a) - r(b)]/(a - b) for r = (y^+)^2/2, and its derivatives. Real: double or Extended
template <class Real>
struct OneSidedQuotient {
  Real value = 0, by_a = 0, by_b = 0;
  OneSidedQuotient(Real a, Real b) {
    if (a > 0 && b > 0) {
      value = 0.5 * (a + b);
      by_a = by_b = 0.5;
    } else if (a > 0) {
      const Real s = a / (a - b);  // in (0, 1]
      value = 0.5 * a * s;
      by_a = s * (1 - 0.5 * s);
      by_b = 0.5 * s * s;
    } else if (b > 0) {
      const Real s = b / (b - a);
      value = 0.5 * b * s;
      by_a = 0.5 * s * s;
      by_b = s * (1 - 0.5 * s);
    }
  }
};

class AlphaMultiplier {
 public:
  using Kind = AlphaRule::Kind;
  using Rule = AlphaRule::Multiplier;

  AlphaMultiplier(const System& system, SystemAt& at, const Rule& rule);

  const Rule& rule() const { return rule_; }
  Index unknowns() const { return has_unknowns() ? m_ : 0; }
  /// The fixed multipliers of the augmented kind.
  void set_lambda(const Vector& lambda) { lambda_ = lambda; }
  double largest_weight() const { return m_ > 0 ? weights_.maxCoeff() : 0; }
  /// g(x^{n+1}) of the last evaluation at Extended, rounded.
  const Vector& end_constraints();

  void begin(AlphaFrame& frame);
  /// Constraints that move, and no penalty: averaged over two times.
  bool moving() const { return mean_ != nullptr; }
  /// lambda.D_t g/2 at a solution
  double work(const AlphaFrame& frame, const AlphaPoint<Extended>& b);
  /// values += sum_i lambda_i Hess gbar_i on hessian_pattern(), constant in q
  void add_bending(const AlphaFrame& frame, const Vector& lambda, Vector& values);

  /// b.force = G^T F, after b.place(); f.tail(m) = g(x^{n+1}) where lambda is unknown.
  template <class S, class X, class F>
  void evaluate(const AlphaFrame& frame, const X& unknowns, AlphaPoint<S>& b, F& f) {
    if (m_ == 0) {
      for (Index j = 0; j < n_; ++j) b.force[j] = S(0.0);
      return;
    }
    auto& a = a_.get<S>();
    if (rule_.kind == Kind::penalty) {
      difference(frame, frame.t, b.plus, 0.5, a);
      difference(frame, frame.t, b.minus, -0.5, b_.get<S>());
      for (Index i = 0; i < m_; ++i) b.multiplier[i] = quotient(i, a[i], b_.get<S>()[i]) * stiffness<S>(i);
      at_->constraint_force(frame.t, b.middle, b.multiplier, b.force);
      return;
    }
    difference(frame, end_time(frame), b.plus, 1, a);
    if (has_unknowns()) {
      b.multiplier = unknowns.tail(m_);
      f.tail(m_) = a;
    } else {
      for (Index i = 0; i < m_; ++i) b.multiplier[i] = a[i] * stiffness<S>(i) + lambda_[i];
    }
    auto& middle = at_point_.get<S>();
    const bool at_end = rule_.kind == Kind::end;
    for (Index j = 0; j < n_; ++j)
      middle[j] = ((at_end ? b.plus[j] : S(b.delta[j] * 0.5)) + frame.tail[j]) + frame.x[j];
    (mean_ ? *at_mean_ : *at_).constraint_force(frame.t, middle, b.multiplier, b.force);
  }

  /// P at a point, compensated.
  long double energy(double t, const Vector& q, const Vector& tail);

  /// G where the force is and at x + d+.
  void jacobians(const AlphaFrame& frame, const AlphaPoint<double>& b, Vector& centre_values, Vector& end_values);

  /// Unknown multipliers and their rows, and the part of the balance on delta; returns the block of the multipliers.
  Block lay_out(Layout& layout, const Block& delta, const Block& balance);
  /// After layout.finish()
  void find_entries(const Layout& layout, const Block& delta, const Block& balance);
  /// Factor of F in the multipliers of AlphaPotential::hessian: G^T F depends on delta through x + delta/2,
  /// x^{n+1} or x + delta/4.
  double curvature(double sigma) const;
  /// h d(G^T F) by delta at fixed G, and by lambda; the rows g(x^{n+1}). After evaluate() at the same point.
  void add_jacobian(const AlphaFrame& frame, const AlphaPoint<double>& b, VectorRef values);

 private:
  /// Where the rows g(x^{n+1}) are.
  double end_time(const AlphaFrame& frame) const { return mean_ ? frame.end : frame.t; }
  bool has_unknowns() const { return rule_.kind == Kind::unknown || rule_.kind == Kind::end; }
  template <class Visit>
  void each_pair(const Visit& visit) const {
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index j = g.offsets[i]; j < g.offsets[i + 1]; ++j)
        for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) visit(g.indices[j], g.indices[k]);
  }

  /// out = g at q + tail.
  void constraints(double t, const Vector& q, const Vector& tail, VectorOf<Extended>& out);
  /// The same as g(0) + G(x/2) x, exact for quadratic g: far from g = 0, w g^2/eps shows a rounding of g to double.
  /// That of g(0) is the same at every x. False: the model does not offer G at Extended.
  bool extended_constraints(double t, const Vector& q, const Vector& tail, VectorOf<Extended>& out);
  /// out = g(x + factor d) = g(x) + factor G(x + factor d/2) d: for quadratic g exact, and without cancellation.
  template <class S>
  void difference(const AlphaFrame& frame, double t, const VectorOf<S>& d, double factor, VectorOf<S>& out) {
    auto& point = at_point_.get<S>();
    const double half = 0.5 * factor;
    if (!linear_)  // else G is the same everywhere
      for (Index j = 0; j < n_; ++j) point[j] = (d[j] * half + frame.tail[j]) + frame.x[j];
    at_->constraint_jacobian_times(t, point, d, out);
    for (Index i = 0; i < m_; ++i) out[i] = out[i] * factor + static_cast<typename DualBase<S>::type>(frame.g[i]);
  }
  /// w_i/eps
  template <class S>
  auto stiffness(Index i) const {
    return static_cast<typename DualBase<S>::type>(weights_[i]) / rule_.eps;
  }
  template <class Real>
  Real quotient(Index i, const Real& a, const Real& b) const {
    return i < two_sided_ ? 0.5 * (a + b) : OneSidedQuotient<Real>(a, b).value;
  }
  Dual1 quotient(Index i, const Dual1& a, const Dual1& b) const;
  /// dF = slope_plus (row of G(m+) or G(x^{n+1})) + slope_minus (row of G(m-)), by delta.
  void slopes(double sigma);
  const Vector& end(const AlphaFrame& frame, const AlphaPoint<double>& b);
  const Vector& centre(const AlphaFrame& frame, const AlphaPoint<double>& b);

  const System* system_;
  SystemAt* at_;
  Rule rule_;
  Index n_, m_, two_sided_;
  bool linear_;
  Vector weights_, end_, lambda_, slope_plus_, slope_minus_, g_, values_, plus_values_, minus_values_;
  Vector tail_, g_origin_;
  bool origin_known_ = false;  ///< g_origin_ is g(0)
  VectorOf<Extended> g_extended_, position_, extended_values_;
  ForAllScalars<VectorOf> a_, b_, at_point_;
  BlockMap force_map_, position_map_;
  std::vector<Index> normal_;

  std::unique_ptr<TimeAverage> mean_;
  std::optional<SystemAt> at_mean_;
  Vector g_plus_, g_minus_, none_, bending_;
};

}  // namespace gnomon::kernels
