/// \file
/// kinsol-linesearch: KINSOL, Newton directions with a line search on the scaled residual norm.

#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "solvers/kernels/kinsol_newton_iteration.hpp"

using namespace gnomon;

GNOMON_PLUGIN(kinsol_linesearch) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "kinsol-linesearch", "KINSOL, Newton with line search (KIN_LINESEARCH)",
      [&table](const Options& options) {
        return std::make_unique<kernels::KinsolNewtonIteration>(KIN_LINESEARCH, table, options);
      },
      [&table] { return newton_options(table); }));
}
