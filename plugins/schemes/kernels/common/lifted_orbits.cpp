#include "kernels/common/lifted_orbits.hpp"

#include "kernels/common/momentum_maps.hpp"

namespace gnomon::kernels {

LiftedOrbits::LiftedOrbits(const System& system) : n_(system.n()) {
  const Symmetries* symmetries = system.parts().symmetries;
  if (symmetries && affine_symmetries(system))
    for (Index a = 0; a < symmetries->n_symmetries(); ++a) add(*symmetries, a);
  directions_.for_each([&](auto& d) { d.allocate(n_, offset_.size()); });
}

void LiftedOrbits::add(const Symmetries& symmetries, Index a) {
  Vector offset = Vector::Zero(n_), point = Vector::Zero(n_), xi = Vector::Zero(n_);
  symmetries.symmetry_generator(a, point, offset);
  Matrix linear(n_, n_);
  for (Index j = 0; j < n_; ++j) {
    point.setZero();
    point[j] = 1;
    symmetries.symmetry_generator(a, point, xi);
    linear.col(j) = xi - offset;
  }
  offset_.push_back(offset);
  linear_.push_back(linear);
}

}  // namespace gnomon::kernels
