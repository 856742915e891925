#pragma once
/// \file
/// Small, Jay, problem (4.1), variant A, for tests.

#include <cmath>

#include "gnomon/autodiff_overdetermined.hpp"

namespace gnomon::test {

/// y = z = (e^{2t}, e^{-t}), psi = e^t
struct Example41 : AutodiffOverdeterminedModel<2, 2, 1> {
  OverdeterminedTraits describe() const {
    OverdeterminedTraits t;
    t.name = "(4.1)";
    return t;
  }
  template <class S>
  void velocity(const S*, const S* z, S* v) const {
    v[0] = 2 * z[0];
    v[1] = -z[1];
  }
  template <class S>
  void force(const S* y, const S* z, S* f) const {
    f[0] = 2 * (y[0] * y[1] * z[0] * z[1]) - y[0] * z[0] * z[1];
    f[1] = z[0] - y[0] * z[1] * z[1] * z[1];
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

}  // namespace gnomon::test
