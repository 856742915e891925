#pragma once
/// \file
/// Serial vectors of SUNDIALS with the operations that KINSOL calls in every iteration on Eigen's vectorised loops:
/// SUNDIALS' own reductions add one entry after the other, and several of them cost what a residual costs.

#include <nvector/nvector_serial.h>

#include <Eigen/Core>
#include <cmath>

#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon::kernels {

/// Replaces operations of a serial vector; its clones inherit them.
inline void vectorise(N_Vector vector) {
  using View = Eigen::Map<Eigen::ArrayXd>;
  struct On {
    // The macros: functions through the table of operations cost more than short vectors.
    static View of(N_Vector v) { return {NV_DATA_S(v), NV_LENGTH_S(v)}; }
  };
  auto* const ops = vector->ops;
  ops->nvdotprod = [](N_Vector x, N_Vector y) -> SunReal { return (On::of(x) * On::of(y)).sum(); };
  ops->nvmaxnorm = [](N_Vector x) -> SunReal { return NV_LENGTH_S(x) > 0 ? On::of(x).abs().maxCoeff() : 0; };
  ops->nvwl2norm = [](N_Vector x, N_Vector w) -> SunReal { return std::sqrt((On::of(x) * On::of(w)).square().sum()); };
  ops->nvmin = [](N_Vector x) -> SunReal { return On::of(x).minCoeff(); };
  ops->nvconst = [](SunReal c, N_Vector z) { On::of(z).setConstant(c); };
  ops->nvdiv = [](N_Vector x, N_Vector y, N_Vector z) { On::of(z) = On::of(x) / On::of(y); };
  ops->nvprod = [](N_Vector x, N_Vector y, N_Vector z) { On::of(z) = On::of(x) * On::of(y); };
  ops->nvabs = [](N_Vector x, N_Vector z) { On::of(z) = On::of(x).abs(); };
  ops->nvinv = [](N_Vector x, N_Vector z) { On::of(z) = On::of(x).inverse(); };
  ops->nvaddconst = [](N_Vector x, SunReal b, N_Vector z) { On::of(z) = On::of(x) + b; };
  ops->nvscale = [](SunReal c, N_Vector x, N_Vector z) { On::of(z) = c * On::of(x); };
  ops->nvlinearsum = [](SunReal a, N_Vector x, SunReal b, N_Vector y, N_Vector z) {
    On::of(z) = a * On::of(x) + b * On::of(y);
  };
}

}  // namespace gnomon::kernels
