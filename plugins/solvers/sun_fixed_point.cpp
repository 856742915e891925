/// \file
/// sun-fixed-point: SUNDIALS' own SUNNonlinSol_FixedPoint, the Anderson-accelerated iteration of its integrators, on
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen;
///
/// see gnomon/fixed_point_iteration.hpp.

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/sundials/attached_solver.hpp"
#include "gnomon/sundials/fixed_point_iteration.hpp"

namespace {

using namespace gnomon;

std::unique_ptr<NonlinearSolver> create(const AlgebraTable& algebras, const Options& options) {
  const long depth = options.integer("depth");
  const auto make = [depth](N_Vector like, SUNContext context) {
    const long most = static_cast<long>(N_VGetLength(like));
    return SUNNonlinSol_FixedPoint(like, static_cast<int>(std::min(depth, most)), context);
  };
  return AttachedSolver("sun-fixed-point", make, algebras).create(options);
}

}  // namespace

GNOMON_PLUGIN(sun_fixed_point) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "sun-fixed-point", "SUNDIALS' SUNNonlinSol_FixedPoint with a frozen Jacobian and Anderson acceleration",
      [&table](const Options& options) { return create(table, options); },
      [&table] { return accelerated_options(table); }));
}
