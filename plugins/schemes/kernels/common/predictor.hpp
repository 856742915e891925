#pragma once
/// \file
/// Start values from the solutions of earlier steps.

#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

constexpr Index predictor_depth = 4;

/// x(n+1) ~ 2 x(n) - 2 x(n-2) + x(n-3): exact for quadratics and for the alternating (-1)^n that the multipliers of
/// index-3 schemes carry (its characteristic polynomial is (r-1)^3 (r+1)). False when the history is too short or was
/// made with another step size.
inline bool extrapolate(const State& z0, double h, VectorRef x) {
  if (z0.history.count() < predictor_depth || z0.last_h != h) return false;
  x = 2 * z0.history.at(0) - 2 * z0.history.at(2) + z0.history.at(3);
  return true;
}

inline void remember(State& next, double h, const ConstVectorRef& x) {
  if (next.last_h != h) next.history.clear();
  next.history.push(x);
}

}  // namespace gnomon::kernels
