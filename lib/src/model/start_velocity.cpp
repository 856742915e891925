#include "gnomon/model/start_velocity.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

Vector momenta(const System& system, const Vector& q0, const Vector& v0) {
  const Index n = system.n();
  if (q0.size() != n || v0.size() != n)
    throw Error(ErrorCode::bad_size, "system " + system.traits().name + ": a start of " + std::to_string(q0.size()) +
                                         " coordinates and " + std::to_string(v0.size()) + " velocities, expected " +
                                         std::to_string(n));
  if (system.parts().mass) {
    Matrix mass(n, n);
    system.parts().mass->mass_matrix(q0, mass);
    return mass * v0;
  }
  Vector p(n);
  system.mass().apply(v0, p);
  return p;
}

}  // namespace gnomon
