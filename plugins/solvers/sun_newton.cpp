/// \file
/// sun-newton: SUNDIALS' own SUNNonlinSol_Newton, the Newton iteration of its integrators, on the scaled equations
///
///     J(x) dx = -F(x),   x += dx,
///
/// with a Jacobian in every iteration or one that is kept from solve to solve: gnomon::AttachedSolver.

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/sundials/attached_solver.hpp"

using namespace gnomon;

GNOMON_PLUGIN(sun_newton) {
  const auto attached = [&table = registrar.algebras()] {
    return AttachedSolver("sun-newton", SUNNonlinSol_Newton, table);
  };
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "sun-newton", "SUNDIALS' SUNNonlinSol_Newton, full or with a kept matrix",
      [attached](const Options& options) { return attached().create(options); },
      [attached] { return attached().options(); }));
}
