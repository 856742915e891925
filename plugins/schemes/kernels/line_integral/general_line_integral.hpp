#pragma once
/// \file
/// The line-integral method with a constraint for any Hamiltonian H(q,p,t), separable or not. In the frame of
/// line_integral_frame.hpp, with p(ch) = p0 + sum_j I_j(c) pi_j:
///
///     u_j  =    sum_l b_l P_j(c_l) [ H_p ]_l                          j < s
///     pi_j = -h sum_l b_l P_j(c_l) [ H_q + G^T lambda ]_l             j < s
///     0    = sum_l b_l P_i(c_l) G(q_l) q'_l + delta_i0 g(q0)/h        i < r
///     q1   = q0 + h u_0,    p1 = p0 + pi_0
///
/// Energy: dH/dc = h H_q.q' + H_p.p' along the polynomials. Where the quadrature is exact for it,
///
///     H1 - H0 = sum_j [ h u_j . int P_j H_q + pi_j . int P_j H_p ]
///             = sum_j [ u_j . (-pi_j - h sum_l b_l P_j G^T lambda) + pi_j . u_j ]
///             = -h sum_l b_l lambda_l . G(q_l) q'_l = 0
///
/// by the constraint rows: for H of degree d in (q,p) together k >= s d/2. For H = p^T M^-1 p/2 + U the second equation
/// gives pi_j from the u_j, and what is left is hbvm (hbvm_equations.hpp). q has order min(2s, 4 ceil(r/2)), as there,
/// if G H_p = 0 at the start.
///
/// Unknowns x = [u_j | y_j = M^-1 pi_j | lambda_i], first rows multiplied by M: the mass of the System is the scale,
/// its T + U need not be H. The Newton matrix comes from dual numbers.
///
/// Source: Brugnano, Iavernaro: Line Integral Methods for Conservative Problems, CRC Press 2016, chapter 3; the
/// constraint rows as in ASC Report 3/2018, (51).

#include <utility>

#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "kernels/line_integral/line_integral_frame.hpp"

namespace gnomon::kernels {

/// Hamiltonian: a copyable type with
///     double value(double t, const Vector& q, const Vector& p)
///     template <class S> void gradient(double t, const VectorOf<S>& q, const VectorOf<S>& p, VectorOf<S>& h_q,
///                                      VectorOf<S>& h_p)                     at S = double and Dual1, without heap
template <class Hamiltonian>
class GeneralLineIntegralEquations final : public TemplatedEquations<GeneralLineIntegralEquations<Hamiltonian>> {
 public:
  GeneralLineIntegralEquations(const System& system, Hamiltonian hamiltonian, Index k, Index s, Index r)
      : system_(&system),
        hamiltonian_(std::move(hamiltonian)),
        at_(system),
        scales_(system),
        frame_(system, k, s, r),
        n_(system.n()),
        m_(system.m()),
        s_(s),
        r_(frame_.r()) {
    Layout& layout = this->layout_;
    layout.unknown("u", s_ * n_);
    layout.unknown("y", s_ * n_);
    layout.unknown("lambda", r_ * m_);
    layout.place_dense(layout.rows(layout.size()));
    this->finish_layout();
    increment_.setZero(n_);
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.q, &b.p, &b.u, &b.force, &b.a}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g}) v->setZero(m_);
    });
  }

  Index y_at(Index j) const { return (s_ + j) * n_; }
  Index lambda_at(Index i) const { return 2 * s_ * n_ + i * m_; }
  const Hamiltonian& hamiltonian() const { return hamiltonian_; }

  void begin(const State& z0, double h) {
    scales_.update(z0, h);
    frame_.begin(z0, h);
    floor_ = frame_.rounding_floor(scales_);
  }
  /// The explicit step.
  void predict(VectorRef x) {
    const State& z0 = frame_.z0();
    auto& b = buffers_.at_double;
    b.q = z0.q.value();
    b.p = z0.p.value();
    hamiltonian_.gradient(z0.t, b.q, b.p, b.force, b.u);
    at_.constraint_force(z0.t, b.q, z0.lambda, b.a);
    b.force += b.a;
    system_->mass().solve(b.force, b.a);
    x.setZero();
    x.head(n_) = b.u;
    x.segment(y_at(0), n_) = -frame_.h() * b.a;
    if (r_ > 0) x.segment(lambda_at(0), m_) = z0.lambda;
  }

  /// State::lambda is lambda_0, the mean of the step.
  void finish(const Vector& x, State& next) {
    increment_ = frame_.h() * x.head(n_);
    next.q.add(increment_);
    system_->mass().apply(x.segment(y_at(0), n_), increment_);
    next.p.add(increment_);
    if (m_ > 0) next.lambda = x.segment(lambda_at(0), m_);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index j = 0; j < 2 * s_; ++j) {
      columns.segment(j * n_, n_) = scales_.velocity();
      rows.segment(j * n_, n_) = scales_.dp();
    }
    for (Index i = 0; i < r_; ++i) {
      columns.segment(lambda_at(i), m_) = scales_.lambda();
      rows.segment(lambda_at(i), m_) = scales_.hidden();
    }
  }
  double rounding_floor() const override { return floor_; }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.template get<S>();
    const State& z0 = frame_.z0();
    for (Index j = 0; j < 2 * s_; ++j) {
      b.a = x.segment(j * n_, n_);
      at_.mass_times(b.a, b.force);
      f.segment(j * n_, n_) = b.force;
    }
    frame_.start_constraint_rows(lambda_at(0), f);
    for (Index l = 0; l < frame_.table.k; ++l) {
      LineIntegralFrame::combine(x, y_at(0), frame_.table.I, l, s_, b.a);
      at_.mass_times(b.a, b.p);
      b.p = (b.p + z0.p.tail().template cast<S>()) + z0.p.value().template cast<S>();
      frame_.position(x, l, b.q);
      hamiltonian_.gradient(frame_.time(l), b.q, b.p, b.force, b.a);
      at_.mass_times(b.a, b.u);
      frame_.add_moments(l, -1, b.u, 0, 0, s_, f);
      if (r_ > 0) {
        frame_.multiplier(x, lambda_at(0), l, b.lambda);
        frame_.add_constraint_force(l, b.q, b.lambda, b.a, b.force);
        frame_.velocity(x, l, b.u);
        frame_.add_constraint_rows(l, b.q, b.u, b.g, lambda_at(0), f);
      }
      frame_.add_moments(l, frame_.h(), b.force, y_at(0), 0, s_, f);
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q, p, u, force, a, lambda, g;
  };

  const System* system_;
  Hamiltonian hamiltonian_;
  SystemAt at_;
  StepScales scales_;
  LineIntegralFrame frame_;
  Index n_, m_, s_, r_;
  double floor_ = 1e-15;
  Vector increment_;
  ForBothScalars<Buffers> buffers_;
};

/// One step; the energy of the monitor becomes H.
template <class Hamiltonian>
class GeneralLineIntegralStep final : public OneSolveStep<GeneralLineIntegralEquations<Hamiltonian>> {
 public:
  GeneralLineIntegralStep(const System& system, Hamiltonian hamiltonian, Index k, Index s, Index r)
      : OneSolveStep<GeneralLineIntegralEquations<Hamiltonian>>(system, std::move(hamiltonian), k, s, r),
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
