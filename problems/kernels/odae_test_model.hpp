#pragma once
/// \file
/// Small, Jay, problem (4.1): an overdetermined DAE with a force that is quadratic in the multiplier.

#include <cmath>

#include "gnomon/model/autodiff_overdetermined.hpp"

namespace gnomon::problems {

/// v = (2 z1, -z2), g = y1 y2^2 - 1, r1 = y2 z1 psi^2, r2 = -sqrt(y1) z1 z2^2 psi, and f with X = z2 or y2. No energy.
struct OdaeTestModel : AutodiffOverdeterminedModel<2, 2, 1> {
  bool cube_of_z = true;  ///< X = z2, variant a

  OverdeterminedTraits describe() const {
    OverdeterminedTraits traits;
    traits.name = "odae-test";
    traits.constraint_names = {"y1 y2^2 = 1"};
    return traits;
  }
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    v[0] = 2 * z[0];
    v[1] = -z[1];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {
    const S& x = cube_of_z ? z[1] : y[1];
    f[0] = 2 * (y[0] * y[1] * z[0] * z[1]) - y[0] * z[0] * z[1];
    f[1] = z[0] - y[0] * x * x * x;
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    using std::sqrt;
    r[0] = y[1] * z[0] * psi[0] * psi[0];
    r[1] = -sqrt(y[0]) * z[0] * z[1] * z[1] * psi[0];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[0] * y[1] * y[1] - 1;
  }
};

}  // namespace gnomon::problems
