#pragma once
/// \file
/// The two systems of a rattle step in the multipliers alone, for a constant diagonal mass without a force. Both
/// impulses are explicit in the multiplier, and put into the constraints they leave
///
///     positions  x = lambda:   g(q0 + dq, t1) = 0,   dq = h M^-1 p_h,   p_h = p0 - h/2 (grad U(q0) + G0^T lambda)
///     momenta    x = mu:       G1 M^-1 p1 + g_t(q1,t1) = 0,             p1 = p_h - h/2 (grad U(q1) + G1^T mu)
///
/// m unknowns instead of n + m, with the matrices -h^2/2 G1 M^-1 G0^T and -h/2 G1 M^-1 G1^T. Same solutions as those of
/// rattle_equations.hpp; dq, p_h and p1 follow from x + low at Extended.

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/multiplier_matrix.hpp"
#include "rattle/rattle_frame.hpp"

namespace gnomon::kernels {

/// Nothing of p_h is kept beside RattleFrame::p_half.
struct NoMiddle {
  explicit NoMiddle(const System&) {}
  void begin(const Compensated&) const {}
};

/// take(j, [M^-1 (p - h/2 (gradient + G^T lambda))]_j) for every j, at Extended, p with its tail, M diagonal
template <class X, class Take>
void velocity_after(const System& system, const ConstraintColumns& columns, const Compensated& p, double h,
                    const Vector& gradient, const Vector& g_values, const X& lambda, const Take& take) {
  const double *const mass = system.mass().diagonal_entries().data(), *const value = p.value().data(),
                      *const tail = p.tail().data();
  const double half = 0.5 * h;
  OverMass<Extended> over_mass(1);
  columns.sums(
      gradient, g_values, [&](int i) { return lambda[i]; },
      [&](Index j, Extended force) { take(j, ((value[j] - force * half) + tail[j]) * over_mass(mass[j])); });
}

class MultiplierPositions final : public TemplatedEquations<MultiplierPositions, true> {
 public:
  using Frame = RattleFrame<NoMiddle>;

  MultiplierPositions(const System& system, const Frame& step, const StepScales& scales);

  /// dq = free + W^T lambda, W = -h^2/2 G0 M^-1
  void begin();

  void scales(VectorRef columns, VectorRef rows) const override;
  double rounding_floor() const override {
    return thresholds::residual_rounding + (quadratic_ ? 0 : scales_->position_floor());
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    Point<S>& b = points_.get<S>();
    // For quadratic g: g(q1) = g0 + G(q0 + dq/2) dq, without cancellation.
    place(x, quadratic_ ? 0.5 : 1, b.dq, b.q);
    if (quadratic_) {
      at_.constraint_jacobian_times(step_->t1, b.q, b.dq, b.g);
      for (Index i = 0; i < m_; ++i) f[i] = b.g[i] + step_->g0[i];
    } else {
      at_.constraints(step_->t1, b.q, b.g);
      f = b.g;
    }
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override;

 private:
  template <class S>
  struct Point {
    VectorOf<S> dq, q, g;
  };
  /// dq = h M^-1 p_h and q = q0 + fraction dq
  template <class X, class S>
  void place(const X& lambda, double fraction, VectorOf<S>& dq, VectorOf<S>& q) const {
    const Compensated& q0 = step_->z0->q;
    const double *const value = q0.value().data(), *const tail = q0.tail().data();
    S *const increment = dq.data(), *const position = q.data();
    const auto at = [&](Index j) { return (increment[j] * fraction + tail[j]) + value[j]; };
    if constexpr (std::is_same_v<S, Extended>) {
      const double h = step_->h;
      velocity_after(*system_, step_->columns, step_->z0->p, h, step_->gradient0, step_->g_start, lambda,
                     [&](Index j, Extended v) {
                       increment[j] = v * h;
                       position[j] = at(j);
                     });
    } else {
      matrix_.add_weighed<S>(free_, lambda, dq);
      for (Index j = 0; j < n_; ++j) position[j] = at(j);
    }
  }

  const System* system_;
  SystemAt at_;
  MultiplierMatrix matrix_;
  const Frame* step_;
  const StepScales* scales_;
  Index n_, m_;
  bool quadratic_;
  ForAllScalars<Point> points_;
  Vector free_, q1_, g_end_;
};

/// Linear in mu: A mu + b, A and b made at the begin.
class MultiplierMomenta final : public TemplatedEquations<MultiplierMomenta, true> {
 public:
  using Frame = RattleFrame<NoMiddle>;

  MultiplierMomenta(const System& system, const Frame& step, const StepScales& scales);

  void begin(const Frame& step);

  void scales(VectorRef columns, VectorRef rows) const override;

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    if constexpr (std::is_same_v<S, Extended>) {
      Extended* const v = velocity_.data();
      velocity_after(*system_, step_->columns, step_->p_half, step_->h, step_->gradient1, step_->g_end, x,
                     [v](Index j, Extended vj) { v[j] = vj; });
      hidden_rows(v, f.data());
    } else {
      const SparsityPattern& pattern = matrix_.pattern();
      const Index *const offset = pattern.offsets.data(), *const column = pattern.indices.data();
      const double* const a = a_.data();
      for (Index i = 0; i < m_; ++i) {
        S sum(b_[i]);
        for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += x[column[k]] * a[k];
        f[i] = sum;
      }
    }
  }

  void jacobian(const ConstVectorRef&, VectorRef values) override { values = a_; }

 private:
  /// out = G1 v + g_t
  template <class S>
  void hidden_rows(const S* v, S* out) const {
    const SparsityPattern& g = system_->constraint_pattern();
    const Index *const offset = g.offsets.data(), *const column = g.indices.data();
    const double *const rate = step_->rate1.data(), *const value = step_->g_end.data();
    for (Index i = 0; i < m_; ++i) {
      S sum(rate[i]);
      for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += v[column[k]] * value[k];
      out[i] = sum;
    }
  }

  const System* system_;
  MultiplierMatrix matrix_;
  const Frame* step_;
  const StepScales* scales_;
  Index m_;
  VectorOf<Extended> velocity_;
  Vector free_, a_, b_;
};

}  // namespace gnomon::kernels
