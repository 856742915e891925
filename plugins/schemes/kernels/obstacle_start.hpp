#pragma once
/// \file
/// Where a run with a penalty for obstacles may start.

#include <algorithm>

#include "gnomon/error.hpp"
#include "gnomon/state.hpp"
#include "gnomon/system.hpp"

namespace gnomon::kernels {

/// Throws Error(inconsistent_start) where a fresh state (one that no step led to) is inside an obstacle by more than
/// rounding: the penalty would throw it out with an energy that nobody put in. Later states may be inside.
inline void require_start_outside(const System& system, const State& z) {
  const SystemTraits& traits = system.traits();
  if (traits.n_obstacles == 0 || z.history.depth() > 0) return;
  Vector c(traits.n_obstacles);
  system.obstacles(z.q.value(), c);
  const double rounding = 1e-12 * std::max(1.0, z.q.value().lpNorm<Eigen::Infinity>());
  for (Index i = 0; i < c.size(); ++i) {
    if (c[i] >= -rounding) continue;
    const auto k = static_cast<std::size_t>(i);
    throw Error(ErrorCode::inconsistent_start,
                "system " + traits.name + ": the start is inside obstacle \"" +
                    (k < traits.obstacle_names.size() ? traits.obstacle_names[k] : std::to_string(i)) +
                    "\": c = " + number_text(c[i]) + ", expected c >= 0");
  }
}

}  // namespace gnomon::kernels
