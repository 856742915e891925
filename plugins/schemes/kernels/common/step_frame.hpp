#pragma once
/// \file
/// What the parts of the midpoint residual (midpoint_equations.hpp) share: the step, one trial solution of it, and what
/// the ways in which constraints act have in common.

#include "gnomon/formula/dual.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/common/step_scales.hpp"

namespace gnomon::kernels {

/// The step: from z0 over h, with g0 = g(q0), of constraints that move averaged over the two times.
struct StepFrame {
  const State* z0 = nullptr;
  double h = 0, tm = 0, t1 = 0;
  Vector g0;
};

/// A trial solution and what follows from it, at double or at duals.
template <class S>
struct StepPoint {
  VectorOf<S> dq, dp, qm, q1;
  VectorOf<S> u;         ///< discrete gradient of U
  VectorOf<S> rate;      ///< dq/h, where a force outside U needs it
  VectorOf<S> lambda;    ///< effective multiplier F
  VectorOf<S> force;     ///< G(q_m)^T F
  VectorOf<S> mdq, mdp;  ///< M dq, and M dp or M^-1 dp, of a constant mass

  /// Where the mass depends on q: p at the middle and the end, T_q and T_p in the middle. Sized by whoever uses them.
  VectorOf<S> pm, p1, t_q, t_p;

  void allocate(Index n, Index m) {
    for (auto* v : {&dq, &dp, &qm, &q1, &u, &rate, &force, &mdq, &mdp}) v->resize(n);
    lambda.resize(m);
  }

  /// dq and q_m; dp and lambda are the caller's.
  template <class Q>
  void place_middle(const Q& increment, const StepFrame& step) {
    const Vector &q0 = step.z0->q.value(), &q0_tail = step.z0->q.tail();
    dq = increment;
    qm = (dq * S(0.5) + q0_tail.template cast<S>()) + q0.template cast<S>();
  }
  /// q1 of that dq
  void place_end(const StepFrame& step) {
    const Vector &q0 = step.z0->q.value(), &q0_tail = step.z0->q.tail();
    q1 = (dq + q0_tail.template cast<S>()) + q0.template cast<S>();
  }
  /// out = q1 minus its rounded value
  void end_tail(const StepFrame& step, Vector& out) const {
    out = (dq + step.z0->q.tail()) - (q1 - step.z0->q.value());
  }
};

/// A Multiplier derives from it, is made from (System, SystemAt, Rule), and has
///
///     evaluate(step, x, b)      b.lambda, from the unknowns x and the points of b
///     force(step, b)            b.force = G^T F; impulses move b.pm
///     begin(step, scales), lay_out(layout, dq, balance)
///     floor(scales)             rounding of its force and rows
///
/// and what differs from the following. add_jacobian(), find_entries(), linearise() and at_rest() are called where the
/// Newton matrix is assembled: with a constant mass, and with M(q) where `assembled` says that they are there.
struct MultiplierDefaults {
  static constexpr bool refines = false;         ///< evaluated at Extended, too
  static constexpr bool assembled = false;       ///< its part of the Newton matrix is, with M(q), too
  static constexpr bool takes_friction = false;  ///< F belongs to the midpoint, and does not alternate

  /// \name Unknowns and rows beside [dq | dp]
  ///@{
  bool assembles() const { return true; }  ///< whether this system's is, where `assembled`
  Index unknowns() const { return 0; }
  void find_entries(const Layout&, const Block& /*dq*/, const Block& /*balance*/) const {}
  void predict(const State& /*z0*/, VectorRef) const {}
  void scales(const StepScales&, VectorRef /*columns*/, VectorRef /*rows*/) const {}
  template <class S, class F>
  void rows(const StepFrame&, StepPoint<S>&, F&) const {}
  ///@}

  /// \name The correction s of the general discrete derivative
  ///@{
  bool corrects() const { return false; }  ///< has a part of c
  template <class S>
  S correction(const StepFrame&, const StepPoint<S>&) const {
    return S(0.0);
  }
  /// Adds to T_q and T_p what the hidden constraints do, and to Hess T at the midpoint.
  template <class S>
  void add_hidden(const StepFrame&, StepPoint<S>&) const {}
  void add_hidden_hessian(const StepFrame&, const StepPoint<double>&, Matrix&) const {}
  /// Whether c/N has no limit at dz = 0; c along w, divided by the square of its length.
  bool singular_at_rest() const { return false; }
  double at_rest(const StepFrame&, const Vector&) const { return 0; }
  double unit() const { return 1; }           ///< factor of the row scales where s is active
  bool energy_noise() const { return true; }  ///< rounding of the energies is in c
  ///@}

  /// What moving constraints, or penalties, do in a step at whose solution b is, at double.
  template <class Times>
  void book(const StepFrame&, Times&, const StepPoint<double>&, Work&) const {}
  long double energy(const State&) const { return 0; }  ///< P of a penalty
};

}  // namespace gnomon::kernels
