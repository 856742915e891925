#pragma once
/// \file
/// What the residuals in (q,p) for a mass that depends on q share: the points of a step, and the changes of H and of
/// the constraints over it from the compensated state, whose rounding errors would be the energy's.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// A trial solution and what follows from it, at double or at duals.
template <class S>
struct VariableMassPoint {
  VectorOf<S> dq, dp, qm, pm, q1, p1;
  VectorOf<S> t_q, t_p, u;           ///< T_q, T_p, grad U
  VectorOf<S> reaction, start, end;  ///< G(q_m)^T F, and the kicks G(q0)^T lambda_a, G(q1)^T mu
  VectorOf<S> force, v, a;           ///< Q, a velocity, scratch
  VectorOf<S> lambda, mu, y, row;    ///< one a constraint

  void allocate(Index n, Index m) {
    for (auto* x : {&dq, &dp, &qm, &pm, &q1, &p1, &t_q, &t_p, &u, &reaction, &start, &end, &force, &v, &a})
      x->setConstant(n, S(0.0));
    for (auto* x : {&lambda, &mu, &y, &row}) x->setConstant(m, S(0.0));
  }
};

class VariableMassFrame {
 public:
  /// shape: the system whose constraints are meant, the given one or that with its obstacles held closed.
  VariableMassFrame(const System& system, const System& shape)
      : system_(&system), shape_(&shape), at_(system), shape_at_(shape), n_(system.n()), m_(shape.m()) {
    points_.for_each([&](auto& b) { b.allocate(n_, m_); });
    for (Vector* v : {&q_tail_, &p_tail_, &gradient_, &scratch_}) v->setZero(n_);
    for (Vector* v : {&y0_, &y_, &hidden0_}) v->setZero(m_);
    for (Vector* v : {&g_start_, &g_values_}) v->setZero(shape.constraint_pattern().nonzeros());
  }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    constraints_at(z0, y0_);
    shape_->constraint_jacobian(z0.t, z0.q.value(), g_start_);
    system_->velocity(z0.q.value(), z0.p.value(), gradient_, q_tail_);
    multiply(shape_->constraint_pattern(), g_start_, q_tail_, hidden0_);
    h0_ = energy(z0.t, z0.q.value(), z0.q.tail(), z0.p.value(), z0.p.tail());
  }

  const State& z0() const { return *z0_; }
  double h() const { return h_; }
  double tm() const { return z0_->t + 0.5 * h_; }
  double t1() const { return z0_->t + h_; }
  const Vector& y0() const { return y0_; }            ///< g(q0), or (g, -c)
  const Vector& g_start() const { return g_start_; }  ///< its Jacobian at q0
  const Vector& hidden0() const { return hidden0_; }  ///< G(q0) T_p(z0)
  long double start_energy() const { return h0_; }    ///< H(z0)
  SystemAt& at() { return at_; }
  SystemAt& shape_at() { return shape_at_; }

  template <class S>
  VariableMassPoint<S>& point() {
    return points_.get<S>();
  }
  template <class S, class X>
  VariableMassPoint<S>& place(const X& x) {
    auto& b = point<S>();
    const Vector &q0 = z0_->q.value(), &q_tail = z0_->q.tail(), &p0 = z0_->p.value(), &p_tail = z0_->p.tail();
    b.dq = x.head(n_);
    b.dp = x.segment(n_, n_);
    b.qm = (b.dq * S(0.5) + q_tail.template cast<S>()) + q0.template cast<S>();
    b.q1 = (b.dq + q_tail.template cast<S>()) + q0.template cast<S>();
    b.pm = (b.dp * S(0.5) + p_tail.template cast<S>()) + p0.template cast<S>();
    b.p1 = (b.dp + p_tail.template cast<S>()) + p0.template cast<S>();
    return b;
  }

  /// H(z1) - H(z0)
  double energy_change(const VariableMassPoint<double>& b) { return energy_change(b.dq, b.dp, b.q1, b.p1); }
  Dual1 energy_change(VariableMassPoint<Dual1>& b) {
    Dual1 change = at_.kinetic_energy(b.q1, b.p1) + at_.potential(t1(), b.q1);
    copy(b.dq, points_.at_double.dq);
    copy(b.dp, points_.at_double.dp);
    copy(b.q1, points_.at_double.q1);
    copy(b.p1, points_.at_double.p1);
    change.value = energy_change(points_.at_double);
    return change;
  }

  /// y at a state
  void constraints_at(const State& z, Vector& out) {
    shape_->constraints_compensated(z.t, z.q.value(), z.q.tail(), out, g_values_);
  }
  /// y at the end (fraction 1) or at the middle (1/2).
  void constraints(VariableMassPoint<double>& b, double fraction, Vector& out) {
    const Vector& q = fraction == 1 ? b.q1 : b.qm;
    q_tail_ = (fraction * b.dq + z0_->q.tail()) - (q - z0_->q.value());
    shape_->constraints_compensated(z0_->t + fraction * h_, q, q_tail_, out, g_values_);
  }
  void constraints(VariableMassPoint<Dual1>& b, double fraction, VectorOf<Dual1>& out) {
    shape_at_.constraints(z0_->t + fraction * h_, fraction == 1 ? b.q1 : b.qm, out);
    copy(b.dq, points_.at_double.dq);
    copy(fraction == 1 ? b.q1 : b.qm, fraction == 1 ? points_.at_double.q1 : points_.at_double.qm);
    constraints(points_.at_double, fraction, y_);
    for (Index i = 0; i < m_; ++i) out[i].value = y_[i];
  }

  /// out = G(q0)^T lambda
  template <class S>
  void start_force(const VectorOf<S>& lambda, VectorOf<S>& out) const {
    const SparsityPattern& g = shape_->constraint_pattern();
    out.setConstant(S(0.0));
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) out[g.indices[k]] += lambda[i] * g_start_[k];
  }

 private:
  static void copy(const VectorOf<Dual1>& from, Vector& to) {
    for (Index j = 0; j < to.size(); ++j) to[j] = from[j].value;
  }
  long double energy(double t, const Vector& q, const Vector& q_tail, const Vector& p, const Vector& p_tail) {
    return system_->parts().mass->kinetic_compensated(q, q_tail, p, p_tail, scratch_, gradient_) +
           system_->potential_compensated(t, q, q_tail, gradient_);
  }
  double energy_change(const Vector& dq, const Vector& dp, const Vector& q1, const Vector& p1) {
    q_tail_ = (dq + z0_->q.tail()) - (q1 - z0_->q.value());
    p_tail_ = (dp + z0_->p.tail()) - (p1 - z0_->p.value());
    return static_cast<double>(energy(t1(), q1, q_tail_, p1, p_tail_) - h0_);
  }

  const System *system_, *shape_;
  SystemAt at_, shape_at_;
  Index n_, m_;
  const State* z0_ = nullptr;
  double h_ = 0;
  long double h0_ = 0;
  ForBothScalars<VariableMassPoint> points_;
  Vector q_tail_, p_tail_, gradient_, scratch_, y0_, y_, hidden0_, g_start_, g_values_;
};

}  // namespace gnomon::kernels
