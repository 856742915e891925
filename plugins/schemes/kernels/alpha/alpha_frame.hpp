#pragma once
/// \file
/// One equation of the alpha-schemes, at the node x = x^n, and a trial solution of it.
///
/// The unknown is the second difference delta = x^{n+1} - 2 x^n + x^{n-1}. With d+ = x^{n+1} - x^n, d- = x^n - x^{n-1}
///
///     d+ = base + sigma delta,   d- = base - (1 - sigma) delta
///
/// where base = d- is known and sigma = 1, or, at a start, x^{-1} = x^1 - 2 h v0: base = h v0 and sigma = 1/2.

#include "gnomon/formula/dual.hpp"

namespace gnomon::kernels {

struct AlphaFrame {
  double t = 0, h = 1, sigma = 1;
  double before = 0, end = 0;  ///< the times of x^{n-1} and x^{n+1}, to the last bit those of their nodes
  Vector x, tail;              ///< the node, compensated
  Vector base, base_tail;      ///< base, compensated
  VectorOf<Extended> g;        ///< constraints at the node; those that end at x^{n+1} at its time
};

/// At double, at duals or at Extended.
template <class S>
struct AlphaPoint {
  VectorOf<S> delta, plus, minus;       ///< delta, d+, d-
  VectorOf<S> middle;                   ///< (m+ + m-)/2 = x + delta/4
  VectorOf<S> m_plus, m_minus;          ///< m+ = x + d+/2, m- = x - d-/2
  VectorOf<S> u, force, m_delta, work;  ///< discrete gradient of U, G^T F, M delta
  VectorOf<S> multiplier;               ///< F

  void allocate(Index n, Index m) {
    for (auto* v : {&delta, &plus, &minus, &middle, &m_plus, &m_minus, &u, &force, &m_delta, &work})
      *v = VectorOf<S>::Constant(n, S(0.0));
    multiplier = VectorOf<S>::Constant(m, S(0.0));
  }

  template <class X>
  void place(const AlphaFrame& frame, const X& unknowns) {
    const double sigma = frame.sigma;
    for (Index j = 0; j < delta.size(); ++j) {
      const S d = unknowns[j];
      delta[j] = d;
      plus[j] = (d * sigma + frame.base_tail[j]) + frame.base[j];
      minus[j] = (d * (sigma - 1) + frame.base_tail[j]) + frame.base[j];
      middle[j] = (d * 0.25 + frame.tail[j]) + frame.x[j];
    }
  }
  /// m+ and m-, after place(), for those who need them.
  void place_middles(const AlphaFrame& frame) {
    for (Index j = 0; j < delta.size(); ++j) {
      m_plus[j] = (plus[j] * 0.5 + frame.tail[j]) + frame.x[j];
      m_minus[j] = (minus[j] * -0.5 + frame.tail[j]) + frame.x[j];
    }
  }
};

}  // namespace gnomon::kernels
