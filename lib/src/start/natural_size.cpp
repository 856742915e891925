#include "start/natural_size.hpp"

#include "gnomon/base/finite.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

double natural_size(const System& system, double t, const Vector& q, const Vector& p) {
  if (max_norm(q) > 0) return max_norm(q);
  Vector v(system.n()), a(system.n()), lambda(system.m()), scratch(system.n());
  try {
    system.velocity(q, p, scratch, v);
    acceleration(system, t, q, v, a, lambda);
  } catch (...) {  // of a model, of any type
    return 1;
  }
  const double speed = max_norm(v), pull = max_norm(a);
  return a.allFinite() && speed > 0 && pull > 0 ? speed * speed / pull : 1;
}

}  // namespace gnomon
