/// \file
/// kinsol-newton: KINSOL, full Newton steps, a fresh Jacobian in every iteration; the last corrections are made with
/// the current one (gnomon/solve/chord_steps.hpp).

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
      [&table] { return kernels::kinsol_options(table); }));
}
