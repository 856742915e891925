#pragma once
/// \file
/// Projections of the end of a step (q^, v^) onto the constraints and the energy along directions frozen at (q^, v^),
/// in 2 m + 1 unknowns x = [mu | nu | eta] instead of the 2 (n + m) + 1 of manifold_projection.hpp:
///
///     q = q^ + W^-1 G^^T mu + eta t_q                                 g(q) = 0
///     v = v^ + W^-1 G^^T nu + eta t_v                                 G(q) v + g_t = 0       H = H*
///     p = p^ + M W^-1 G^^T nu + eta t_p        M(q), M at q^
///
/// at the time t1, with G^ = G(q^) and the tangential parts t_q, t_v of w W^-1 (T_q + grad U) and W^-1 M v^
/// (energy_feasibility.hpp): the same directions as with the gradients themselves, but a matrix whose condition does
/// not suffer where grad H is nearly normal, as it is near equilibria. Where H* is reached to rounding eta = 0 replaces
/// the energy row. W = 1 or W = M; without energy eta is absent, without velocity nu as well.
///
/// Source: (19), (23), (26)-(30) of Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), with the directions of Hairer,
/// Lubich, Wanner, Geometric Numerical Integration, IV.4. The matrix is dense: for systems of few constraints; with
/// M(q) it comes from dual numbers.

#include "kernels/runge_kutta/end_projection.hpp"

namespace gnomon::kernels {

template <class Inertia>
class FrozenProjection final : public TemplatedEquations<FrozenProjection<Inertia>, !Inertia::constant_mass>,
                               public EndProjection {
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  FrozenProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system_(&system), frame_(system, rule, scales), rule_(rule), n_(system.n()), m_(system.m()) {
    Layout& layout = this->layout_;
    layout.unknown("mu", m_);
    if (rule.velocity) layout.unknown("nu", m_);
    if (rule.energy) layout.unknown("eta", 1);
    layout.place_dense(layout.rows(layout.size()));
    this->finish_layout();
    for (Vector* v : {&t_q_, &t_second_, &work_, &row_, &gradient_, &momentum_}) v->setZero(n_);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.step, &b.q, &b.gain, &b.second}) v->setZero(n_);
      b.g.setZero(m_);
    });
    product_.setZero(m_);
    x_.setZero(this->size());
    for (Vector* v : {&g_values_, &position_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    directions_.setZero(n_, m_);
    if (!constant_mass) impulses_.setZero(n_, m_);
    jacobian_.setZero(this->size(), this->size());
  }

  NonlinearEquations& equations() override { return *this; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& d_hat, double h,
                    double energy_defect) override {
    const Feasibility feasibility = frame_.begin(z0, dq_hat, d_hat, h, energy_defect);
    find_directions();
    t_q_.setZero();
    t_second_.setZero();
    if (!rule_.energy || feasibility == Feasibility::reached) return feasibility;
    t_q_ = frame_.energy_tangent->t_q();
    t_second_ = frame_.energy_tangent->t_second();
    return feasibility;
  }
  double energy_left() const override { return frame_.energy_left(); }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& d) const override {
    const auto along = [&](Index k, const auto& direction, VectorOf<Extended>& out) {
      if constexpr (constant_mass)
        out += (x[k] * direction).template cast<Extended>();
      else
        out += (static_cast<Extended>(x[k]) + this->low_[k]) * direction.template cast<Extended>();
    };
    dq.setZero();
    for (Index i = 0; i < m_; ++i) along(i, directions_.col(i), dq);
    if (!rule_.velocity) return;
    d.setZero();
    for (Index i = 0; i < m_; ++i) along(m_ + i, impulses().col(i), d);
    if (!rule_.energy) return;
    along(2 * m_, t_q_, dq);
    along(2 * m_, t_second_, d);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (int level = 0; level < (rule_.velocity ? 2 : 1); ++level)
      frame_.metric.multiplier_scales(level, level * m_, columns, rows);
    if (rule_.energy) frame_.energy_scales(columns, rows);
  }
  double rounding_floor() const override { return frame_.floor; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.template get<S>();
    place(x, b);
    frame_.template rows<S>(0, m_, rule_.energy ? S(x[2 * m_]) : S(0.0), b, f);
  }

  /// [G D, 0, G t_q], [K D, G D, K t_q + G t_v], [grad U.D, p.D, grad U.t_q + p.t_v] less l_q of the first rows and
  /// l_v of the second, with D = W^-1 G^^T and K = d(G v + g_t)/dq
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if (!constant_mass) return NonlinearEquations::jacobian(x, values);
    auto& b = buffers_.at_double;
    auto& end = frame_.end;
    x_ = x;
    place(x_, b);
    jacobian_.setZero();
    system_->constraint_jacobian(end.t(), b.q, g_values_);
    position_values_ = g_values_;
    frame_.make_admissible(position_values_);
    if (rule_.velocity) end.hidden_jacobian(b.q, b.second, dg_values_);
    if (rule_.energy) {
      system_->potential_gradient(end.t(), b.q, gradient_);
      momentum_ = end.weigh(b.q, b.gain);
      momentum_ += end.start().p.tail() + end.start().p.value();
    }
    for (Index i = 0; i < m_; ++i) {
      work_ = directions_.col(i);
      add_column(i, work_, 0);
      if (rule_.velocity) add_column(m_ + i, work_, 1);
    }
    if (rule_.energy) {
      add_column(2 * m_, t_q_, 0);
      add_column(2 * m_, t_second_, 1);
      const bool reached = frame_.feasibility == Feasibility::reached;
      const Vector &l_q = frame_.energy_tangent->l_q(), &l_v = frame_.energy_tangent->l_v();
      for (Index j = 0; j <= 2 * m_; ++j) {
        double& last = jacobian_(2 * m_, j);
        for (Index i = 0; i < m_; ++i) last -= l_q[i] * jacobian_(i, j) + l_v[i] * jacobian_(m_ + i, j);
        if (reached) last = j == 2 * m_ ? 1 : 0;
      }
    }
    for (Index i = 0; i < jacobian_.rows(); ++i)
      for (Index j = 0; j < jacobian_.cols(); ++j) values[i * jacobian_.cols() + j] = jacobian_(i, j);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> step, q, gain, second, g;
  };
  /// The directions of v or p, one column a constraint.
  const Matrix& impulses() const { return constant_mass ? directions_ : impulses_; }

  /// D = W^-1 G(q^)^T, and with M(q) M D
  void find_directions() {
    const SparsityPattern& g = system_->constraint_pattern();
    Vector& q = buffers_.at_double.q;
    frame_.end.place(frame_.dq_hat, q);
    system_->constraint_jacobian(frame_.end.t(), q, g_values_);
    for (Index i = 0; i < m_; ++i) {
      row_.setZero();
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) row_[g.indices[k]] = g_values_[k];
      frame_.metric.solve(q, row_, work_);
      directions_.col(i) = work_;
      if (!constant_mass) impulses_.col(i) = rule_.mass_metric ? row_ : frame_.end.weigh(q, row_);
    }
  }

  /// Increments from the start of the step, and the point they lead to.
  template <class X, class S>
  void place(const X& x, Buffers<S>& b) {
    const Matrix& impulses = this->impulses();
    for (Index j = 0; j < n_; ++j) {
      b.step[j] = S(frame_.dq_hat[j]);
      b.gain[j] = S(frame_.d_hat[j]);
      for (Index i = 0; i < m_; ++i) {
        b.step[j] += x[i] * directions_(j, i);
        if (rule_.velocity) b.gain[j] += x[m_ + i] * impulses(j, i);
      }
      if (rule_.energy) {
        b.step[j] += x[2 * m_] * t_q_[j];
        b.gain[j] += x[2 * m_] * t_second_[j];
      }
    }
    frame_.end.place(b.step, b.q);
    frame_.end.place_second(b.gain, b.second);
  }

  /// Adds the derivative by an unknown that moves q (level 0) or v (level 1) along a direction.
  void add_column(Index column, const Vector& direction, int level) {
    const SparsityPattern& g = system_->constraint_pattern();
    multiply(g, level == 0 ? position_values_ : g_values_, direction, product_);
    jacobian_.col(column).segment(level * m_, m_) += product_;
    if (rule_.velocity && level == 0) {
      multiply(g, dg_values_, direction, product_);
      jacobian_.col(column).segment(m_, m_) += product_;
    }
    if (rule_.energy) jacobian_(2 * m_, column) += direction.dot(level == 0 ? gradient_ : momentum_);
  }

  const System* system_;
  ProjectionFrame<Inertia> frame_;
  ProjectionRule rule_;
  Index n_, m_;
  Matrix directions_, impulses_, jacobian_;
  Vector t_q_, t_second_, work_, row_, gradient_, momentum_, product_, x_, g_values_, position_values_, dg_values_;
  ForAllScalars<Buffers> buffers_;
};

extern template class FrozenProjection<ConstantRkInertia>;
extern template class FrozenProjection<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
