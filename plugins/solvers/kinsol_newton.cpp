/// \file
/// kinsol-newton: KINSOL, Newton steps with the simplified matrix of the scheme, where it exposes one and that
/// contracts (kernels/kinsol_simplified_newton.hpp), else with a fresh Jacobian in every iteration; then the last
/// corrections are made with the current one (gnomon/solve/chord_steps.hpp).

#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "solvers/kernels/kinsol_newton_iteration.hpp"

using namespace gnomon;

GNOMON_PLUGIN(kinsol_newton) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "kinsol-newton", "KINSOL, full Newton steps (KIN_NONE)",
      [&table](const Options& options) {
        return std::make_unique<kernels::KinsolNewtonIteration>(KIN_NONE, table, options);
      },
      [&table] { return SimplifiedNewton::options(table); }));
}
