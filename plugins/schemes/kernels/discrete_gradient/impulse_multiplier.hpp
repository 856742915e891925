#pragma once
/// \file
/// Constraints as impulses at both ends of the midpoint rule where the mass depends on q, which keep both levels:
///
///     p_a = p0 - (h/2) G(q0)^T lambda,  p_b = p1 + (h/2) G(q1)^T mu,  p_m = (p_a + p_b)/2,  F2 = p_b - p_a + h (...)
///     0 = g(q1),    0 = Psi(z1) = G(q1) T_p(z1) + g_t
///
/// Two neighbouring steps share the impulse h G(q^n)^T (mu^n + lambda^n)/2, which is the force h G(q^n)^T lambda^n of
/// (40) of Glowinski and Holmstroem with g at n + 1 and lambda^n = (mu^n + lambda^n)/2; half-step multipliers with g at
/// the midpoint, as the paper can be read, carry an undamped (-1)^n. Symplectic, since impulses and midpoint rule are.
///
/// Where g depends on time the impulses are at the times of their ends, G(q0,t0) and G(q1,t1), and so are the rows; the
/// work of the constraints is the trapezoidal rule of their power, (h/2) (lambda.g_t(q0,t0) + mu.g_t(q1,t1)), with that
/// of two neighbouring steps h lambda^n.g_t at the node between them.
///
/// Iterated (augmented_impulses.hpp): lambda = shift + 2 w_i g(q1)/eps with a fixed shift, and no row g.

#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/gap_penalty.hpp"

namespace gnomon::kernels {

class ImpulseMultiplier : public MultiplierDefaults {
 public:
  struct Rule {
    bool iterated = false;
    double eps = 1;
  };

  /// Impulses and rows are the true system's, not those of an average over the times of the step.
  ImpulseMultiplier(const System& system, SystemAt&, const Rule& rule);

  void set_shift(const Vector& shift) { shift_ = shift; }
  /// d lambda_i/d g_i(q1) is twice this, where iterated.
  double gain(Index i) const { return penalty_.stiffness(i); }
  /// g(q1) of the last evaluation at double.
  const Vector& end_constraints() const { return g_.at_double; }
  /// out = G(q0)^T lambda
  template <class S>
  void start_force(const VectorOf<S>& lambda, VectorOf<S>& out) const {
    const SparsityPattern& g = system_->constraint_pattern();
    out.setConstant(S(0.0));
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        out[g.indices[k]] += lambda[i] * hidden_.start_jacobian()[k];
  }

  Index unknowns() const { return rule_.iterated ? m_ : 2 * m_; }
  void begin(const StepFrame& step, const StepScales&) { hidden_.begin(*step.z0); }
  void predict(const State& z0, VectorRef x) const;
  void scales(const StepScales& scales, VectorRef columns, VectorRef rows) const;
  double floor(const StepScales& scales) const { return scales.position_floor(); }
  void lay_out(Layout& layout, const Block&, const Block&) const;

  /// b.lambda = mu, which belongs to the end.
  template <class S, class X>
  void evaluate(const StepFrame& step, const X& x, StepPoint<S>& b) {
    auto &lambda = lambda_.get<S>(), &g = g_.get<S>();
    b.lambda = x.tail(m_);
    end_constraints(step, b, g);
    if (!rule_.iterated)
      lambda = x.segment(2 * n_, m_);
    else
      for (Index i = 0; i < m_; ++i) lambda[i] = g[i] * (2 * gain(i)) + S(shift_[i]);
  }
  /// The mean force of the impulses, and p_m between them.
  template <class S>
  void force(const StepFrame& step, StepPoint<S>& b) {
    auto &start = start_.get<S>(), &end = end_.get<S>();
    start_force(lambda_.get<S>(), start);
    at_.constraint_force(step.t1, b.q1, b.lambda, end);
    b.force = (start + end) * S(0.5);
    b.pm += (end - start) * S(0.25 * step.h);
  }
  template <class S, class F>
  void rows(const StepFrame& step, StepPoint<S>& b, F& f) {
    if (!rule_.iterated) f.segment(2 * n_, m_) = g_.get<S>();
    f.tail(m_) = hidden_.end(step, b);
  }
  /// After evaluate() at double.
  template <class Times>
  void book(const StepFrame& step, Times&, const StepPoint<double>& b, Work& work) {
    system_->constraint_velocity(step.z0->t, step.z0->q.value(), rest_, rate_);  // of v = 0: g_t
    work.position += 0.5 * step.h * lambda_.at_double.dot(rate_);
    system_->constraint_velocity(step.t1, b.q1, rest_, rate_);
    work.position += 0.5 * step.h * b.lambda.dot(rate_);
  }

 private:
  /// At double from the compensated q1.
  void end_constraints(const StepFrame& step, const StepPoint<double>& b, Vector& out);
  void end_constraints(const StepFrame& step, const StepPoint<Dual1>& b, VectorOf<Dual1>& out);

  const System* system_;
  SystemAt at_;
  Rule rule_;
  GapPenalty penalty_;
  HiddenConstraint hidden_;
  Index n_, m_;
  ForBothScalars<VectorOf> lambda_, g_, start_, end_;
  Vector shift_, rate_, tail_, rest_, g_values_;
};

}  // namespace gnomon::kernels
