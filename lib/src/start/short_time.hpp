#pragma once
/// \file
/// The length of a step that is thrown away. Private to the core.

#include <cmath>

#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

/// The time in which a motion from q with the velocities v and accelerations a goes as far as q is from the origin, or
/// turns; a unit of time where nothing moves.
inline double natural_time(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& a) {
  const double speed = max_norm(v), pull = max_norm(a);
  const double length = max_norm(q) > 0 ? max_norm(q) : pull > 0 ? speed * speed / pull : 0;
  const double time = length / (speed + std::sqrt(pull * length));
  return time > 0 && std::isfinite(time) ? time : 1;
}

/// A thousandth of it.
inline double short_time(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& a) {
  return thresholds::short_time * natural_time(q, v, a);
}

}  // namespace gnomon
