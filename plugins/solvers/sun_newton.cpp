/// \file
/// sun-newton: SUNDIALS' own SUNNonlinSol_Newton, the Newton iteration of its integrators, on the scaled equations
///
///     J(x) dx = -F(x),   x += dx,
///
/// with a Jacobian in every iteration or one that is kept from solve to solve: gnomon::AttachedSolver.

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "gnomon/registry/plugin.hpp"
#include "gnomon/sundials/attached_solver.hpp"
#include "solvers/kernels/solver_on_algebra.hpp"

namespace {

using namespace gnomon;

AttachedSolver attached(const AlgebraTable& algebras) {
  return {"sun-newton", SUNNonlinSol_Newton, algebras};
}
OptionSpecs options(const AlgebraTable& algebras) {
  return attached(algebras).options();
}
std::unique_ptr<NonlinearSolver> create(const AlgebraTable& algebras, const Options& options) {
  return attached(algebras).create(options);
}

}  // namespace

GNOMON_PLUGIN(sun_newton) {
  registrar.add(std::make_unique<kernels::SolverOnAlgebra>("sun-newton",
                                                           "SUNDIALS' SUNNonlinSol_Newton, full or with a kept matrix",
                                                           options, create, registrar.algebras()));
}
