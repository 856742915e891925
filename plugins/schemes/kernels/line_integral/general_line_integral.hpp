#pragma once
/// \file
/// The line-integral method for any Hamiltonian H(q,p,t), separable or not, with constraints at one level or at both
/// (constraint_levels.hpp). In the frame of line_integral_frame.hpp, with p(ch) = p0 + sum_j I_j(c) pi_j:
///
///     u_j  =    sum_l b_l P_j(c_l) [ H_p + ... ]_l                    j < s
///     pi_j = -h sum_l b_l P_j(c_l) [ H_q + G^T lambda + ... ]_l       j < s
///     q1   = q0 + h u_0,    p1 = p0 + pi_0
///
/// Energy: dH/dc = h H_q.q' + H_p.p' along the polynomials. Where the quadrature is exact for it,
///
///     H1 - H0 = sum_j [ h u_j . int P_j H_q + pi_j . int P_j H_p ]
///             = sum_j [ u_j . (-pi_j - h sum_l b_l P_j G^T lambda) + pi_j . u_j ]
///             = -h sum_l b_l lambda_l . G(q_l) q'_l = 0
///
/// by the rows of PositionLevel: for H of degree d in (q,p) together k >= s d/2. With them q has order min(2s,
/// 4 ceil(r/2)), as in hbvm, if G H_p = 0 at the start; for H = p^T M^-1 p/2 + U the second equation gives pi_j from
/// the u_j, and what is left is hbvm (hbvm_equations.hpp). With those of BothLevels the order is min(2s, 2r+2), see
/// line_integral_ggl.cpp.
///
/// Unknowns x = [u_j | pi_j | lambda_i | gamma_i]; the mass of the System is the scale, its T + U need not be H. The
/// Newton matrix is put together from the derivatives at the nodes (node_derivatives.hpp) or, where they are not all
/// there, comes from dual numbers.
///
/// Source: Brugnano, Iavernaro: Line Integral Methods for Conservative Problems, CRC Press 2016, chapter 3; the
/// constraint rows as in ASC Report 3/2018, (51).

#include <utility>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/applied_friction.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/line_integral/constraint_levels.hpp"

namespace gnomon::kernels {

/// Hamiltonian: a copyable type with
///     double value(double t, const Vector& q, const Vector& p)
///     template <class S> void gradient(double t, const VectorOf<S>& q, const VectorOf<S>& p, VectorOf<S>& h_q,
///                                      VectorOf<S>& h_p)              at S = double, Dual1 and Extended, without heap
/// and, not necessarily, the hessian() of node_derivatives.hpp
/// Levels: PositionLevel or BothLevels
template <class Hamiltonian, class Levels>
class GeneralLineIntegralEquations final
    : public TemplatedEquations<GeneralLineIntegralEquations<Hamiltonian, Levels>, true> {
 public:
  /// Of h in the unknowns lambda_i, see line_start.hpp.
  static constexpr int multiplier_power = 0;

  GeneralLineIntegralEquations(const System& system, Hamiltonian hamiltonian, Index k, Index s, Index r)
      : hamiltonian_(std::move(hamiltonian)),
        at_(system),
        scales_(system),
        frame_(system, k, s, r),
        levels_(system, frame_),
        applied_(system),
        friction_(system),
        n_(system.n()),
        s_(s) {
    Layout& layout = this->layout_;
    blocks_.u = layout.unknown("u", s_ * n_).offset;
    blocks_.pi = layout.unknown("pi", s_ * n_).offset;
    levels_.lay_out(layout, blocks_);
    layout.place_dense(layout.rows(layout.size()));
    this->finish_layout();
    for (Vector* v : {&increment_, &extra_}) v->setZero(n_);
    points_.for_each([&](auto& b) { b.allocate(n_, system.m()); });
    if (!assembled()) return;
    node_.allocate(n_, system.m());
    jacobian_.setZero(layout.size(), layout.size());
  }

  const Hamiltonian& hamiltonian() const { return hamiltonian_; }

  void begin(const State& z0, double h) {
    scales_.update(z0, h);
    frame_.begin(z0, h);
    levels_.begin(scales_);
  }
  /// The explicit step with the multipliers of the start.
  void predict(VectorRef x) {
    const State& z0 = frame_.z0();
    auto& b = points_.at_double;
    b.q = z0.q.value();
    b.p = z0.p.value();
    hamiltonian_.gradient(z0.t, b.q, b.p, b.h_q, b.h_p);
    at_.constraint_force(z0.t, b.q, z0.lambda, b.a);
    b.h_q += b.a;
    if (applied_.active()) b.h_q -= applied_(z0.t, b.q, b.h_p);
    if (friction_.active()) b.h_q -= friction_(b.q, b.h_p, z0.lambda);
    x.setZero();
    x.head(n_) = b.h_p;
    x.segment(blocks_.pi, n_) = -frame_.h() * b.h_q;
    if (levels_.rows() > 0) x.segment(blocks_.lambda, z0.lambda.size()) = z0.lambda;
  }

  void finish(const Vector& x, State& next) {
    const Vector& low = this->low_;
    auto& b = points_.at_extended;
    b.dq = (x.head(n_).template cast<Extended>() + low.head(n_).template cast<Extended>()) * Extended(frame_.h());
    add(next.q, b.dq, increment_);
    next.p.add(x.segment(blocks_.pi, n_));
    next.p.add(low.segment(blocks_.pi, n_));
    if (applied_.active() || friction_.active() || frame_.moving()) book(x, next.work);
    levels_.finish(x, blocks_, next);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index j = 0; j < s_; ++j) {
      columns.segment(j * n_, n_) = rows.segment(j * n_, n_) = scales_.velocity();
      columns.segment(blocks_.pi + j * n_, n_) = rows.segment(blocks_.pi + j * n_, n_) = scales_.dp();
    }
    levels_.scales(scales_, blocks_, columns, rows);
  }
  double rounding_floor() const override { return levels_.floor(); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = points_.template get<S>();
    const State& z0 = frame_.z0();
    const bool constrained = levels_.rows() > 0;
    f = x;
    if (constrained) levels_.template start<S>(blocks_, f);
    for (Index l = 0; l < frame_.table.k; ++l) {
      LineIntegralFrame::combine(x, blocks_.pi, frame_.table.template at<S>().I, l, s_, b.p);
      b.p = (b.p + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
      frame_.position(x, l, b.q);
      hamiltonian_.gradient(frame_.time(l), b.q, b.p, b.h_q, b.h_p);
      if (constrained) levels_.template node<S>(x, l, blocks_, b, f);
      if (applied_.active() || friction_.active()) frame_.velocity(x, l, b.dq);
      if (applied_.active()) b.h_q -= applied_(frame_.time(l), b.q, b.dq);
      if (friction_.active()) b.h_q -= friction_(b.q, b.dq, b.lambda);
      frame_.add_moments(l, -1, b.h_p, 0, 0, s_, f);
      frame_.add_moments(l, frame_.h(), b.h_q, blocks_.pi, 0, s_, f);
    }
    if (!constrained) return;
    b.dq = x.head(n_) * S(frame_.h()) + z0.q.tail().template cast<S>();
    b.q = b.dq + z0.q.value().template cast<S>();
    b.p = (x.segment(blocks_.pi, n_) + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
    levels_.template end<S>(blocks_, b, f);
  }
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if constexpr (HasHessian<Hamiltonian>::value)
      if (assembled()) return assemble(x, values);
    NonlinearEquations::jacobian(x, values);
  }

 private:
  bool assembled() const {
    return HasHessian<Hamiltonian>::value && levels_.assembled() && !applied_.active() && !friction_.active();
  }
  /// Node l has dq_l = h sum_i I_i du_i, dp_l = sum_i I_i dpi_i and the multipliers sum_i P_i(c_l) dlambda_i.
  void assemble(const ConstVectorRef& x, VectorRef values) {
    auto& b = points_.at_double;
    const State& z0 = frame_.z0();
    const auto& table = frame_.table;
    const double h = frame_.h();
    const Index m = b.lambda.size();
    jacobian_.setZero();
    jacobian_.diagonal().head(2 * s_ * n_).setOnes();
    for (Index l = 0; l < table.k; ++l) {
      LineIntegralFrame::combine(x, blocks_.pi, table.I, l, s_, b.p);
      b.p = (b.p + z0.p.tail()) + z0.p.value();
      frame_.position(x, l, b.q);
      frame_.multiplier(x, blocks_.lambda, l, b.lambda);
      hamiltonian_.hessian(frame_.time(l), b.q, b.p, b.lambda, node_.by_state);
      if (levels_.rows() > 0) levels_.linearise(x, l, blocks_, b, node_, jacobian_);
      for (Index j = 0; j < s_; ++j) {
        const double weight = table.b[l] * table.P(l, j);
        auto velocity = jacobian_.middleRows(blocks_.u + j * n_, n_),
             momentum = jacobian_.middleRows(blocks_.pi + j * n_, n_);
        const auto add = [&](Index column, const auto& derivatives, double factor) {
          const Index width = derivatives.cols();
          velocity.middleCols(column, width) -= (weight * factor) * derivatives.bottomRows(n_);
          momentum.middleCols(column, width) += (weight * factor * h) * derivatives.topRows(n_);
        };
        for (Index i = 0; i < s_; ++i) {
          add(blocks_.u + i * n_, node_.by_state.leftCols(n_), h * table.I(l, i));
          add(blocks_.pi + i * n_, node_.by_state.rightCols(n_), table.I(l, i));
        }
        for (Index i = 0; i < frame_.r(); ++i) {
          add(blocks_.lambda + i * m, node_.by_lambda, table.P(l, i));
          if (levels_.two) add(blocks_.gamma + i * m, node_.by_gamma, table.P(l, i));
        }
      }
    }
    if (levels_.rows() > 0) {
      b.q = (h * x.head(n_) + z0.q.tail()) + z0.q.value();
      b.p = (x.segment(blocks_.pi, n_) + z0.p.tail()) + z0.p.value();
      levels_.linearise_end(blocks_, b, node_, jacobian_);
    }
    const Index size = jacobian_.rows();
    for (Index i = 0; i < size; ++i) values.segment(i * size, size) = jacobian_.row(i);
  }

  /// The work of forces and friction, and of what depends on time. What the levels add to h q' and p' is gone through
  /// once more; its rows are not used.
  void book(const Vector& x, Work& work) {
    auto& b = points_.at_double;
    const State& z0 = frame_.z0();
    for (Index l = 0; l < frame_.table.k; ++l) {
      const double t = frame_.time(l);
      const long double weight = frame_.table.b[l], h = frame_.h();
      frame_.position(x, l, b.q);
      frame_.velocity(x, l, b.dq);
      if (levels_.rows() > 0) frame_.multiplier(x, blocks_.lambda, l, b.lambda);
      if (applied_.active()) work.force += weight * h * applied_.work(t, b.q, b.dq, b.dq);
      if (friction_.active()) work.force += weight * h * friction_.work(b.q, b.dq, b.lambda, b.dq);
      if (!frame_.moving()) continue;
      work.potential += weight * h * at_.system().parts().time_dependence->potential_rate(t, b.q);
      if (levels_.rows() == 0) continue;
      at_.constraint_force(t, b.q, b.lambda, b.a);
      work.position -= weight * h * b.a.dot(b.dq);
      LineIntegralFrame::combine(x, blocks_.pi, frame_.table.I, l, s_, b.p);
      b.p = (b.p + z0.p.tail()) + z0.p.value();
      LineIntegralFrame::combine(x, blocks_.pi, frame_.table.P, l, s_, extra_);
      work.velocity -= weight * levels_.hidden_power(x, l, blocks_, b, extra_);
    }
  }

  Hamiltonian hamiltonian_;
  SystemAt at_;
  StepScales scales_;
  LineIntegralFrame frame_;
  Levels levels_;
  AppliedForce applied_;
  AppliedFriction friction_;
  Index n_, s_;
  LineIntegralBlocks blocks_{};
  Vector increment_, extra_;
  ForAllScalars<LineIntegralPoint> points_;
  NodeDerivatives node_;
  Matrix jacobian_;
};

/// One step; the energy of the monitor becomes H.
template <class Hamiltonian, class Levels = PositionLevel>
class GeneralLineIntegralStep : public OneSolveStep<GeneralLineIntegralEquations<Hamiltonian, Levels>> {
 public:
  GeneralLineIntegralStep(const System& system, Hamiltonian hamiltonian, Index k, Index s, Index r)
      : OneSolveStep<GeneralLineIntegralEquations<Hamiltonian, Levels>>(system, std::move(hamiltonian), k, s, r),
        system_(&system),
        velocity_(system.n()) {}

  /// H - (T + U); a system with a mass that depends on q is run with its own H.
  long double added_energy(const State& z) override {
    if (system_->parts().mass) return 0;
    const Vector &q = z.q.value(), &p = z.p.value();
    system_->mass().solve(p, velocity_);
    return static_cast<long double>(this->equations_.hamiltonian().value(z.t, q, p)) -
           (0.5L * p.dot(velocity_) + system_->potential(z.t, q));
  }

 private:
  const System* system_;
  Vector velocity_;
};

}  // namespace gnomon::kernels
