#pragma once
/// \file
/// Projections of the end of a step (q^, v^) onto the constraints and the energy, stacked in one system
/// x = [dq | mu | dv | nu | eta], q = q^ + dq, v = v^ + dv, with M(q) x = [dq | mu | dp | nu | eta], p = p^ + dp:
///
///     W dq - G(q)^T mu - w eta grad U(q) = 0              W dq - G(q)^T mu - w eta (T_q + grad U) = 0
///     g(q) = 0                                            g(q) = 0                                   position
///     W dv - G(q)^T nu - eta M v = 0                      W M(q)^-1 dp - G(q)^T nu - eta p = 0
///     G(q) v + g_t = 0                                    G(q) T_p(q,p) + g_t = 0                    velocity
///     H(q,v) = H*                                         H(q,p) = H*                                energy
///
/// all at the time t1, with W = 1 and w = 1 (the paper's Euclidean metric) or W = M and w = h^2: the directions are
/// those at the end. Without energy eta and its terms are absent, without velocity dv (dp) and nu as well. Of M(q),
/// which has the rows of ConfigurationEnd::directed and of ProjectionFrame, the matrix is dense and small. Source:
/// Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (19), (23), (26)-(30).

#include <optional>

#include "kernels/runge_kutta/projection_inverse.hpp"

namespace gnomon::kernels {

/// The blocks of x, which are those of the rows, too.
struct ManifoldBlocks {
  Block dq, mu, d, nu, eta;
};

/// The matrix of a constant mass.
class SparseManifoldMatrix {
 public:
  explicit SparseManifoldMatrix(const System& system) : system_(&system) {
    for (Vector* v : {&step_, &q1_, &v1_, &gradient_, &momentum_, &normal_}) v->setZero(system.n());
    for (Vector* v : {&mu_, &zero_}) v->setZero(system.m());
    for (Vector* v : {&g_values_, &position_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    for (Vector* v : {&bending_, &stiffness_}) v->setZero(system.hessian_pattern().nonzeros());
  }
  void lay_out(Layout& layout, const ManifoldBlocks& x, const ProjectionFrame<ConstantRkInertia>& frame) {
    const SparsityPattern &g = system_->constraint_pattern(), &hessian = system_->hessian_pattern();
    const SparsityPattern metric = frame.metric.pattern();
    layout.place(metric_q_, x.dq, x.dq, metric);
    layout.place(bending_of_[0], x.dq, x.dq, hessian);
    layout.place(force_q_, x.dq, x.mu, g, Layout::transposed);
    layout.place(position_, x.mu, x.dq, g);
    if (!frame.rule.velocity) return;
    layout.place(bending_of_[1], x.d, x.dq, hessian);
    layout.place(metric_v_, x.d, x.d, metric);
    layout.place(force_v_, x.d, x.nu, g, Layout::transposed);
    layout.place(hidden_q_, x.nu, x.dq, g);
    layout.place(hidden_v_, x.nu, x.d, g);
    if (!frame.rule.energy) return;
    const Index n = system_->n();
    layout.place(mass_v_, x.d, x.d, system_->mass().pattern());
    layout.place(eta_, x.eta, x.eta, SparsityPattern::dense(1, 1));
    for (const int level : {0, 1}) {
      layout.place(by_eta_[level], level == 0 ? x.dq : x.d, x.eta, SparsityPattern::dense(n, 1));
      layout.place(energy_[level], x.eta, level == 0 ? x.dq : x.d, SparsityPattern::dense(1, n));
    }
  }

  void assemble(ProjectionFrame<ConstantRkInertia>& frame, const ManifoldBlocks& at, const ConstVectorRef& x,
                VectorRef values) {
    ConstantEnd& end = frame.end;
    const double t1 = end.t(), eta = frame.rule.energy ? x[at.eta.offset] : 0;
    values.setZero();
    step_ = x.segment(at.dq.offset, at.dq.size) + frame.dq_hat;
    end.place(step_, q1_);
    system_->constraint_jacobian(t1, q1_, g_values_);

    // position rows: [W - mu.Hess g - eta Hess U, -G^T, 0, 0, -grad U], [G, 0, 0, 0, 0]
    system_->lagrangian_hessian(t1, q1_, zero_, stiffness_);
    mu_ = x.segment(at.mu.offset, at.mu.size);
    const double eta_q = frame.metric.energy_weight() * eta;
    if (frame.rule.energy) mu_ -= eta_q * frame.energy_tangent->l_q();
    add_bending(t1, values, 0, eta_q, frame.h * frame.h);
    metric_q_.add(values, frame.metric.values(), 1);
    force_q_.add(values, g_values_, -1);
    position_values_ = g_values_;
    frame.make_admissible(position_values_);
    position_.add(values, position_values_, 1);
    if (!frame.rule.velocity) return;

    // velocity rows: [-nu.Hess g, 0, W - eta M, -G^T, -M v], [d(G v + g_t)/dq, 0, G, 0, 0]
    step_ = x.segment(at.d.offset, at.d.size) + frame.d_hat;
    end.place_second(step_, v1_);
    mu_ = x.segment(at.nu.offset, at.nu.size);
    if (frame.rule.energy) mu_ -= eta * frame.energy_tangent->l_v();
    add_bending(t1, values, 1, 0, frame.h);
    metric_v_.add(values, frame.metric.values(), 1);
    force_v_.add(values, g_values_, -1);
    end.hidden_jacobian(q1_, v1_, dg_values_);
    hidden_q_.add(values, dg_values_, 1);
    hidden_v_.add(values, g_values_, 1);
    if (!frame.rule.energy) return;

    mass_v_.add(values, system_->mass().values(), -eta);
    // of eta: -(grad U - G^T l_q), -(p1 - G^T l_v)
    const Vector &l_q = frame.energy_tangent->l_q(), &l_v = frame.energy_tangent->l_v();
    const SparsityPattern& g = system_->constraint_pattern();
    system_->potential_gradient(t1, q1_, gradient_);
    multiply_transposed(g, g_values_, l_q, normal_);
    gradient_ -= normal_;
    by_eta_[0].add(values, gradient_, -frame.metric.energy_weight());
    momentum_ = end.momentum(v1_);
    multiply_transposed(g, g_values_, l_v, normal_);
    momentum_ -= normal_;
    by_eta_[1].add(values, momentum_, -1);
    // energy row: [grad U - G^T l_q - d(G v + g_t)/dq^T l_v, 0, p1 - G^T l_v, 0, 0]
    if (frame.feasibility == Feasibility::reached) return eta_.add(values, one_, 1);
    momentum_ = end.weigh(q1_, step_);
    momentum_ = ((momentum_ + end.start().p.tail()) + end.start().p.value()) - normal_;
    energy_[1].add(values, momentum_, 1);
    multiply_transposed(g, dg_values_, l_v, normal_);
    gradient_ -= normal_;
    if (system_->parts().velocity_constraints) {
      position_values_ -= g_values_;
      multiply_transposed(g, position_values_, l_q, normal_);
      gradient_ -= normal_;
    }
    energy_[0].add(values, gradient_, 1);
  }

 private:
  /// values -= mu.Hess g + eta Hess U in the q columns of the position (0) or velocity (1) rows; unit: of mu, beside
  /// multipliers of forces and Hess U.
  void add_bending(double t1, VectorRef values, int rows, double eta, double unit) {
    mu_ /= unit;
    system_->lagrangian_hessian(t1, q1_, mu_, bending_);
    bending_ = (bending_ - stiffness_) * unit;
    bending_of_[rows].add(values, bending_, -1);
    if (eta != 0) bending_of_[rows].add(values, stiffness_, -eta);
  }

  const System* system_;
  BlockMap metric_q_, metric_v_, force_q_, force_v_, position_, hidden_q_, hidden_v_, mass_v_, eta_;
  BlockMap bending_of_[2], by_eta_[2], energy_[2];
  Vector one_ = Vector::Ones(1), step_, q1_, v1_, gradient_, momentum_, normal_, mu_, zero_, g_values_,
         position_values_, dg_values_, bending_, stiffness_;
};

/// The matrix of M(q).
class DenseManifoldMatrix {
 public:
  explicit DenseManifoldMatrix(const System& system) : system_(&system), at_(system) {
    const Index n = system.n(), m = system.m();
    for (Vector* v : {&step_, &q1_, &p1_, &d_, &h_q_, &force_, &unit_, &column_}) v->setZero(n);
    for (Matrix* a : {&inertia_, &of_force_}) a->setZero(2 * n, 2 * n);
    for (Matrix* a : {&turned_, &inverse_mass_}) a->setZero(n, n);
    directions_.setZero(n, 2 * n + m + 1);
    g_.setZero(m, n);
    for (Vector* v : {&mu_, &zero_}) v->setZero(m);
    g_values_.setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }
  void lay_out(Layout& layout, const ManifoldBlocks&, const ProjectionFrame<ConfigurationRkInertia>&) {
    const Index size = layout.size();
    layout.place_dense({{}, 0, size});
    jacobian_.setZero(size, size);
  }

  void assemble(ProjectionFrame<ConfigurationRkInertia>& frame, const ManifoldBlocks& at, const ConstVectorRef& x,
                VectorRef values) {
    const Index size = jacobian_.rows();
    const double eta = frame.rule.energy ? x[at.eta.offset] : 0;
    jacobian_.setZero();
    evaluate_forces(frame, at, x, frame.metric.energy_weight() * eta);
    position_rows(frame, at);
    if (frame.rule.velocity) velocity_rows(frame, at, x, eta);
    if (frame.rule.velocity && frame.rule.energy) energy_terms(frame, at, eta);
    for (Index i = 0; i < size; ++i) values.segment(i * size, size) = jacobian_.row(i);
  }

 private:
  using Frame = ProjectionFrame<ConfigurationRkInertia>;

  /// force = G^T (mu - eta l_q) + eta (T_q + grad U), and its derivatives by q, p, mu and eta, of w eta for eta
  void evaluate_forces(Frame& frame, const ManifoldBlocks& at, const ConstVectorRef& x, double eta) {
    const Index n = system_->n(), m = system_->m();
    const double t1 = frame.end.t();
    step_ = x.head(n) + frame.dq_hat;
    frame.end.place(step_, q1_);
    mu_ = x.segment(n, m);
    if (frame.rule.energy) mu_ -= eta * frame.energy_tangent->l_q();
    auto by_q = directions_.leftCols(n);
    directions_.setZero();
    system_->constraint_jacobian(t1, q1_, g_values_);
    g_.setZero();
    add_dense(system_->constraint_pattern(), g_values_, 1, g_);
    directions_.middleCols(2 * n, m) = g_.transpose();
    turn(t1, by_q);
    force_.noalias() = g_.transpose() * mu_;
    if (frame.rule.velocity) {
      d_ = x.segment(at.d.offset, n);
      step_ = d_ + frame.d_hat;
      frame.end.place_second(step_, p1_);
      at_.kinetic_hessian(q1_, p1_, inertia_);
      frame.end.velocity(q1_, p1_);
    }
    if (!frame.rule.energy) return;
    system_->potential_gradient(t1, q1_, h_q_);
    frame.end.add_slope(h_q_);
    system_->lagrangian_hessian(t1, q1_, zero_, hessian_values_);
    directions_.leftCols(2 * n) += eta * inertia_.topRows(n);
    add_dense(system_->hessian_pattern(), hessian_values_, eta, by_q);
    directions_.rightCols(1) = h_q_;
    directions_.rightCols(1).noalias() -= g_.transpose() * frame.energy_tangent->l_q();
    force_ += eta * h_q_;
  }

  /// dq - force, or dq - M^-1 force, and g
  void position_rows(Frame& frame, const ManifoldBlocks& at) {
    const Index n = system_->n(), m = system_->m();
    auto by_q = directions_.leftCols(n);
    if (frame.rule.mass_metric) {
      at_.kinetic_hessian(q1_, force_, of_force_);
      inverse_mass_ = of_force_.bottomRightCorner(n, n);
      for (Index j = 0; j < directions_.cols(); ++j) {
        column_ = directions_.col(j);
        directions_.col(j).noalias() = inverse_mass_ * column_;
      }
      by_q += of_force_.bottomLeftCorner(n, n);
    }
    auto rows = jacobian_.topRows(n);
    rows.leftCols(n) = -by_q;
    rows.leftCols(n).diagonal().array() += 1;
    rows.middleCols(n, m) = -directions_.middleCols(2 * n, m);
    if (frame.rule.velocity) rows.middleCols(at.d.offset, n) = -directions_.middleCols(n, n);
    auto position = jacobian_.block(n, 0, m, n);
    frame.make_admissible(g_values_);
    add_dense(system_->constraint_pattern(), g_values_, 1, position);
  }

  /// dp, or M^-1 dp, - G^T (nu - eta l_v) - eta p, and Psi = G T_p + g_t
  void velocity_rows(Frame& frame, const ManifoldBlocks& at, const ConstVectorRef& x, double eta) {
    const Index n = system_->n(), m = system_->m(), dp = at.d.offset, nu = at.nu.offset;
    auto momentum_rows = jacobian_.middleRows(dp, n);
    mu_ = x.segment(nu, m);
    if (frame.rule.energy) mu_ -= eta * frame.energy_tangent->l_v();
    turn(frame.end.t(), turned_);
    momentum_rows.leftCols(n) = -turned_;
    if (frame.rule.mass_metric) {
      momentum_rows.middleCols(dp, n).diagonal().setOnes();
    } else {
      at_.kinetic_hessian(q1_, d_, of_force_);
      momentum_rows.leftCols(n) += of_force_.bottomLeftCorner(n, n);
      momentum_rows.middleCols(dp, n) = of_force_.bottomRightCorner(n, n);
    }
    momentum_rows.middleCols(nu, m) = -g_.transpose();
    auto hidden_rows = jacobian_.middleRows(nu, m);
    hidden_rows.leftCols(n).noalias() += g_ * inertia_.bottomLeftCorner(n, n);
    hidden_rows.middleCols(dp, n).noalias() += g_ * inertia_.bottomRightCorner(n, n);
    frame.end.hidden_jacobian(q1_, frame.end.velocity(q1_, p1_), g_values_);
    add_dense(system_->constraint_pattern(), g_values_, 1, hidden_rows);
  }

  /// The column of eta, and the row H - l_q.g - l_v.Psi.
  void energy_terms(Frame& frame, const ManifoldBlocks& at, double eta) {
    const Index n = system_->n(), m = system_->m(), last = at.eta.offset, dp = at.d.offset;
    auto momentum_rows = jacobian_.middleRows(dp, n);
    jacobian_.topRows(n).col(last) = -frame.metric.energy_weight() * directions_.rightCols(1);
    momentum_rows.middleCols(dp, n).diagonal().array() -= eta;
    momentum_rows.col(last) = -p1_;
    momentum_rows.col(last).noalias() += g_.transpose() * frame.energy_tangent->l_v();
    if (frame.feasibility == Feasibility::reached) {
      jacobian_(last, last) = 1;
      return;
    }
    auto energy_row = jacobian_.row(last);
    energy_row.head(n) = h_q_.transpose();
    energy_row.segment(dp, n) = frame.end.velocity(q1_, p1_).transpose();
    energy_row.noalias() -= frame.energy_tangent->l_q().transpose() * jacobian_.middleRows(n, m);
    energy_row.noalias() -= frame.energy_tangent->l_v().transpose() * jacobian_.middleRows(at.nu.offset, m);
  }

  /// out = sum_i mu_i Hess g_i
  template <class Out>
  void turn(double t1, Out&& out) {
    for (Index j = 0; j < unit_.size(); ++j) {
      unit_[j] = 1;
      system_->constraint_hessian_times(t1, q1_, mu_, unit_, column_);
      out.col(j) = column_;
      unit_[j] = 0;
    }
  }

  const System* system_;
  SystemAt at_;
  Vector step_, q1_, p1_, d_, h_q_, force_, unit_, column_, mu_, zero_, g_values_, hessian_values_;
  Matrix inertia_, of_force_, turned_, inverse_mass_, directions_, g_, jacobian_;
};

template <class Inertia>
class ManifoldProjection final : public TemplatedEquations<ManifoldProjection<Inertia>, true>, public EndProjection {
  static constexpr bool constant_mass = Inertia::constant_mass;

 public:
  ManifoldProjection(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : frame_(system, rule, scales), matrix_(system), n_(system.n()), m_(system.m()) {
    Layout& layout = this->layout_;
    x_.dq = layout.unknown("dq", n_);
    x_.mu = layout.unknown("mu", m_);
    if (rule.velocity) {
      x_.d = layout.unknown(constant_mass ? "dv" : "dp", n_);
      x_.nu = layout.unknown("nu", m_);
    }
    if (rule.energy) x_.eta = layout.unknown("eta", 1);
    layout.rows(layout.size());
    matrix_.lay_out(layout, x_, frame_);
    this->finish_layout();
    if constexpr (constant_mass) inverse_.emplace(system, frame_);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.step, &b.q, &b.gain, &b.second, &b.d, &b.h_q, &b.force}) v->setZero(n_);
      for (auto* v : {&b.mu, &b.g}) v->setZero(m_);
    });
  }

  NonlinearEquations& equations() override { return *this; }

  Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& d_hat, double h,
                    double energy_defect) override {
    return frame_.begin(z0, dq_hat, d_hat, h, energy_defect);
  }
  double energy_left() const override { return frame_.energy_left(); }
  void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& d) const override {
    const auto take = [&](const Block& block, VectorOf<Extended>& out) {
      out = x.segment(block.offset, n_).template cast<Extended>() +
            this->low_.segment(block.offset, n_).template cast<Extended>();
    };
    take(x_.dq, dq);
    if (frame_.rule.velocity) take(x_.d, d);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (int level = 0; level < levels(); ++level) {
      frame_.metric.template direction_scales<constant_mass>(level, level * x_.d.offset, columns, rows);
      frame_.metric.multiplier_scales(level, level * x_.d.offset + n_, columns, rows);
    }
    if (frame_.rule.energy) frame_.energy_scales(columns, rows);
  }
  double rounding_floor() const override { return frame_.floor; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.template get<S>();
    auto& end = frame_.end;
    const double t1 = end.t();
    const bool mass = frame_.rule.mass_metric, energy = frame_.rule.energy;
    b.step = x.head(n_) + frame_.dq_hat.template cast<S>();
    end.place(b.step, b.q);
    if (frame_.rule.velocity) {
      b.gain = x.segment(x_.d.offset, n_) + frame_.d_hat.template cast<S>();
      end.place_second(b.gain, b.second);
    }
    const S eta = energy ? S(x[x.size() - 1]) : S(0.0);
    if (energy) {  // grad H by q
      end.velocity(b.q, b.second);
      frame_.at.potential_gradient(t1, b.q, b.h_q);
      end.add_slope(b.h_q);
    }
    for (int level = 0; level < levels(); ++level) {
      const Index first = level * x_.d.offset;
      const S along = level == 0 ? S(eta * frame_.metric.energy_weight()) : eta;
      const VectorOf<S>* gradient = !energy ? nullptr : level == 0 ? &b.h_q : &end.momentum(b.second);
      b.d = x.segment(first, n_);
      b.mu = x.segment(first + n_, m_);
      if (energy)
        for (Index i = 0; i < m_; ++i)
          b.mu[i] -= along * (level == 0 ? frame_.energy_tangent->l_q() : frame_.energy_tangent->l_v())[i];
      frame_.at.constraint_force(t1, b.q, b.mu, b.force);
      if (energy)
        for (Index j = 0; j < n_; ++j) b.force[j] += along * (*gradient)[j];
      const VectorOf<S>&left = end.directed(level, mass, b.q, b.d), &right = end.direction(level, mass, b.q, b.force);
      for (Index j = 0; j < n_; ++j) f[first + j] = left[j] - right[j];
    }
    frame_.template rows<S>(n_, n_ + m_, eta, b, f);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override { matrix_.assemble(frame_, x_, x, values); }
  ApproximateInverse* simplified_newton() override { return inverse_ ? &*inverse_ : nullptr; }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> step, q, gain, second, d, h_q, force, mu, g;
  };

  /// Those of q and of v, or p.
  int levels() const { return frame_.rule.velocity ? 2 : 1; }

  ProjectionFrame<Inertia> frame_;
  std::optional<ProjectionInverse> inverse_;
  std::conditional_t<constant_mass, SparseManifoldMatrix, DenseManifoldMatrix> matrix_;
  ManifoldBlocks x_;
  Index n_, m_;
  ForAllScalars<Buffers> buffers_;
};

extern template class ManifoldProjection<ConstantRkInertia>;
extern template class ManifoldProjection<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
