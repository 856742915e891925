#pragma once
/// \file
/// Impulses of contacts with friction in space by Siconos' nonsmooth Gauss-Seidel solver, where it was found:
/// GNOMON_SICONOS.

#ifdef GNOMON_SICONOS
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include <cstdlib>

#include "gnomon/base/types.hpp"

namespace gnomon::test {

/// r with rates W r + w: (P, T1, T2) of one contact after the other, mu one a contact.
inline Vector siconos_impulses(Matrix W, Vector w, Vector mu) {
  Vector r = Vector::Zero(w.size()), rates = Vector::Zero(w.size());
  const int size = static_cast<int>(w.size());
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, size, size, W.data());
  FrictionContactProblem problem;
  problem.dimension = 3;
  problem.numberOfContacts = size / 3;
  problem.M = matrix;
  problem.q = w.data();
  problem.mu = mu.data();
  SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
  fc3d_driver(&problem, r.data(), rates.data(), options);
  solver_options_delete(options);
  matrix->matrix0 = nullptr;  // W owns it
  NM_clear(matrix);
  std::free(matrix);
  return r;
}

}  // namespace gnomon::test
#endif
