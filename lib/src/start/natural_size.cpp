#include "start/natural_size.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/finite.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

double natural_size(const System& system, double t, const Vector& q, const Vector& p) {
  if (max_norm(q) > 0) return max_norm(q);
  Vector v(system.n()), a(system.n()), bend(system.n()), lambda(system.m()), scratch(system.n());
  try {
    system.velocity(q, p, scratch, v);
    acceleration(system, t, q, v, a, lambda);
    system.potential_hessian_times(t, q, v, scratch);
  } catch (...) {  // of a model, of any type
    return 1;
  }
  system.mass().solve(scratch, bend);
  const double speed = max_norm(v), by_force = speed * speed / max_norm(a),
               by_spring = speed * std::sqrt(speed / max_norm(bend));
  const double size = std::min(by_force, by_spring);  // infinite where a or bend vanish
  return size > 0 && std::isfinite(size) ? size : 1;
}

}  // namespace gnomon
