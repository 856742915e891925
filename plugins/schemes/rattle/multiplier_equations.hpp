#pragma once
/// \file
/// The two systems of a rattle step in the multipliers alone, for a constant diagonal mass without a force. Both kicks
/// are explicit in the multiplier, and put into the constraints they leave
///
///     positions  x = lambda:   g(q0 + dq, t1) = 0,   dq = h M^-1 p_h,   p_h = p0 - h/2 (grad U(q0) + G0^T lambda)
///     momenta    x = mu:       G1 M^-1 p1 + g_t(q1,t1) = 0,             p1 = p_h - h/2 (grad U(q1) + G1^T mu)
///
/// m unknowns instead of n + m, with the matrices -h^2/2 G1 M^-1 G0^T and -h/2 G1 M^-1 G1^T. Same solutions as those of
/// rattle_equations.hpp; dq, p_h and p1 follow from x + low at Extended.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/multiplier_matrix.hpp"
#include "rattle/rattle_frame.hpp"

namespace gnomon::kernels {

/// Nothing of p_h is kept beside RattleFrame::p_half.
struct NoMiddle {
  explicit NoMiddle(const System&) {}
  void begin(const Compensated&) const {}
};

/// 1/m. Neighbours often have the same mass: one division for all of them.
template <class S>
class Reciprocal {
 public:
  S operator()(double mass) {
    if (mass != mass_) {
      mass_ = mass;
      value_ = S(1) / mass;
    }
    return value_;
  }

 private:
  double mass_ = 0;
  S value_ = 0;
};

/// out = M^-1 (p - h/2 (kick + G^T lambda)), p with its tail, M diagonal
template <class S, class X>
void kicked_velocity(const System& system, const ConstraintColumns& columns, const Compensated& p, double h,
                     const Vector& kick, const Vector& g_values, const X& lambda, VectorOf<S>& out) {
  const double *const mass = system.mass().diagonal_entries().data(), *const value = p.value().data(),
                      *const tail = p.tail().data();
  const double half = 0.5 * h;
  S* const to = out.data();
  Reciprocal<std::conditional_t<std::is_same_v<S, Extended>, Extended, double>> of_mass;
  columns.forces<S>(
      kick, g_values, [&](int i) { return lambda[i]; },
      [&](Index j, const S& force) { to[j] = ((S(value[j]) - force * half) + tail[j]) * of_mass(mass[j]); });
}

class MultiplierPositions final : public TemplatedEquations<MultiplierPositions, true> {
 public:
  using Frame = RattleFrame<NoMiddle>;

  MultiplierPositions(const System& system, const Frame& step, const StepScales& scales)
      : system_(&system),
        at_(system),
        matrix_(system),
        step_(&step),
        scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)) {
    const Block lambda = layout_.unknown("lambda", m_), position = layout_.rows(m_);
    layout_.place(position, lambda, matrix_.pattern());
    finish_layout();
    q1_.setZero(n_);
    g0_.setZero(m_);
    for (Vector* v : {&g_start_, &g_end_}) v->setZero(system.constraint_pattern().nonzeros());
    points_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.q}) v->resize(n_);
      b.g.resize(m_);
    });
  }

  void begin() {
    const State& z0 = *step_->z0;
    system_->constraint_jacobian(z0.t, z0.q.value(), g_start_);
    // g(q0,t1) is where the rows of moving constraints start from
    const double t = system_->parts().time_dependence ? step_->t1 : z0.t;
    system_->constraints_compensated(t, z0.q.value(), z0.q.tail(), g0_, g_end_);
  }
  const Vector& constraint_jacobian() const { return g_start_; }

  void predict(VectorRef x) const { x = step_->z0->lambda; }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns = scales_->lambda();
    rows = scales_->position();
  }
  double rounding_floor() const override { return 1e-15 + (quadratic_ ? 0 : scales_->position_floor()); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    Point<S>& b = points_.get<S>();
    increment(x, b.dq);
    // For quadratic g: g(q1) = g0 + G(q0 + dq/2) dq, without cancellation.
    place(b.dq, quadratic_ ? 0.5 : 1, b.q);
    if (quadratic_) {
      at_.constraint_jacobian_times(step_->t1, b.q, b.dq, b.g);
      for (Index i = 0; i < m_; ++i) f[i] = b.g[i] + g0_[i];
    } else {
      at_.constraints(step_->t1, b.q, b.g);
      f = b.g;
    }
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    Vector& dq = points_.at_double.dq;
    increment(x, dq);
    place(dq, 1, q1_);
    system_->constraint_jacobian(step_->t1, q1_, g_end_);
    matrix_.assemble(-0.5 * step_->h * step_->h, g_end_, g_start_, values);
  }

 private:
  template <class S>
  struct Point {
    VectorOf<S> dq, q, g;
  };
  /// dq = h M^-1 p_h
  template <class X, class S>
  void increment(const X& lambda, VectorOf<S>& dq) const {
    kicked_velocity(*system_, step_->columns, step_->z0->p, step_->h, step_->kick0, g_start_, lambda, dq);
    dq *= S(step_->h);
  }
  /// q = q0 + fraction dq
  template <class S>
  void place(const VectorOf<S>& dq, double fraction, VectorOf<S>& q) const {
    const Vector &value = step_->z0->q.value(), &tail = step_->z0->q.tail();
    for (Index j = 0; j < n_; ++j) q[j] = (dq[j] * fraction + tail[j]) + value[j];
  }

  const System* system_;
  SystemAt at_;
  MultiplierMatrix matrix_;
  const Frame* step_;
  const StepScales* scales_;
  Index n_, m_;
  bool quadratic_;
  ForAllScalars<Point> points_;
  Vector q1_, g0_, g_start_, g_end_;
};

/// Linear in mu.
class MultiplierMomenta final : public TemplatedEquations<MultiplierMomenta, true> {
 public:
  using Frame = RattleFrame<NoMiddle>;

  MultiplierMomenta(const System& system, const Frame& step, const StepScales& scales)
      : system_(&system), matrix_(system), step_(&step), scales_(&scales), m_(system.m()) {
    const Block mu = layout_.unknown("mu", m_), hidden = layout_.rows(m_);
    layout_.place(hidden, mu, matrix_.pattern());
    finish_layout();
    for (Vector* v : {&kick1_, &rest_}) v->setZero(system.n());
    rate1_.setZero(m_);
    g_end_.setZero(system.constraint_pattern().nonzeros());
    velocity_.for_each([&](auto& v) { v.resize(system.n()); });
  }

  void begin() {
    system_->potential_gradient(step_->t1, step_->q1, kick1_);
    system_->constraint_jacobian(step_->t1, step_->q1, g_end_);
    if (system_->parts().time_dependence) system_->constraint_velocity(step_->t1, step_->q1, rest_, rate1_);
  }
  const Vector& kick() const { return kick1_; }
  const Vector& constraint_rate() const { return rate1_; }
  const Vector& constraint_jacobian() const { return g_end_; }

  void predict(VectorRef x) const { x = step_->z0->lambda; }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns = scales_->lambda();
    rows = scales_->hidden();
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    VectorOf<S>& v = velocity_.get<S>();
    kicked_velocity(*system_, step_->columns, step_->p_half, step_->h, kick1_, g_end_, x, v);
    const SparsityPattern& g = system_->constraint_pattern();
    const Index *const offset = g.offsets.data(), *const column = g.indices.data();
    for (Index i = 0; i < m_; ++i) {
      S sum(rate1_[i]);
      for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += v[column[k]] * g_end_[k];
      f[i] = sum;
    }
  }

  void jacobian(const ConstVectorRef&, VectorRef values) override {
    matrix_.assemble(-0.5 * step_->h, g_end_, g_end_, values);
  }

 private:
  const System* system_;
  MultiplierMatrix matrix_;
  const Frame* step_;
  const StepScales* scales_;
  Index m_;
  ForAllScalars<VectorOf> velocity_;
  Vector kick1_, rest_, rate1_, g_end_;
};

}  // namespace gnomon::kernels
