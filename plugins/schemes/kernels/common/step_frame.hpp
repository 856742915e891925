#pragma once
/// \file
/// What the parts of the midpoint residual (midpoint_equations.hpp) share: the step, and one trial solution of it.

#include "gnomon/formula/dual.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// The step: from z0 over h, with g0 = g(q0).
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
  VectorOf<S> mdq, mdp;  ///< M dq, and M dp or M^-1 dp

  void allocate(Index n, Index m) {
    for (auto* v : {&dq, &dp, &qm, &q1, &u, &rate, &force, &mdq, &mdp}) v->resize(n);
    lambda.resize(m);
  }

  /// dq and q_m; dp and lambda are the caller's.
  template <class Q>
  void place_middle(const Q& increment, const StepFrame& step) {
    const Vector &q0 = step.z0->q.value(), &q0_tail = step.z0->q.tail();
    dq = increment;
    qm = (dq * 0.5 + q0_tail.template cast<S>()) + q0.template cast<S>();
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

}  // namespace gnomon::kernels
