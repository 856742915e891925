/// \file
/// kinsol-linesearch: KINSOL, Newton directions with a line search on the scaled residual norm.

#include "gnomon/registry/plugin.hpp"
#include "solvers/kernels/kinsol_newton_iteration.hpp"
#include "solvers/kernels/solver_on_algebra.hpp"

namespace {

using namespace gnomon;

std::unique_ptr<NonlinearSolver> create(const AlgebraTable& algebras, const Options& options) {
  return std::make_unique<kernels::KinsolNewtonIteration>(KIN_LINESEARCH, algebras, options);
}

}  // namespace

GNOMON_PLUGIN(kinsol_linesearch) {
  registrar.add(std::make_unique<kernels::SolverOnAlgebra>("kinsol-linesearch",
                                                           "KINSOL, Newton with line search (KIN_LINESEARCH)",
                                                           kernels::kinsol_options, create, registrar.algebras()));
}
