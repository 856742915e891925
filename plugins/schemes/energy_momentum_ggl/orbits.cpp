#include "energy_momentum_ggl/orbits.hpp"

#include "kernels/common/value_and_change.hpp"

namespace gnomon::kernels {

Orbits::Orbits(const System& system, bool wanted) : system_(&system), at_(system), n_(system.n()) {
  count_ = wanted ? system.parts().n_symmetries() : 0;
  if (!wanted) return;
  for (Vector* v : {&zero_, &point_, &change_, &xi_, &tangent_}) v->setZero(n_);
  offsets_.setZero(n_, count_);
  for (Index a = 0; a < count_; ++a) system.parts().symmetries->symmetry_generator(a, zero_, offsets_.col(a));
  directions_.for_each([&](auto& d) { allocate(d); });
}

void Orbits::generator(Index a, const Vector& x, bool linear, Vector& out) {
  system_->parts().symmetries->symmetry_generator(a, x, out);
  if (linear) out -= offsets_.col(a);
}

void Orbits::generator(Index a, const VectorOf<Dual1>& x, bool linear, VectorOf<Dual1>& out) {
  split(x, point_, change_);
  generator(a, point_, linear, xi_);
  generator(a, change_, true, tangent_);
  join(xi_, tangent_, out);
}

void Orbits::generator(Index a, const VectorOf<Extended>& x, bool linear, VectorOf<Extended>& out) {
  point_ = x.cast<double>();
  generator(a, point_, linear, xi_);
  out = xi_.cast<Extended>();
}

}  // namespace gnomon::kernels
