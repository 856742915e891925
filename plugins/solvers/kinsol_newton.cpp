/// \file
/// kinsol-newton: KINSOL, full Newton steps, a fresh Jacobian in every iteration; the last corrections are made with
/// the current one (gnomon/solve/chord_steps.hpp).

#include "gnomon/registry/plugin.hpp"
#include "solvers/kernels/kinsol_newton_iteration.hpp"
#include "solvers/kernels/solver_on_algebra.hpp"

namespace {

using namespace gnomon;

std::unique_ptr<NonlinearSolver> create(const AlgebraTable& algebras, const Options& options) {
  return std::make_unique<kernels::KinsolNewtonIteration>(KIN_NONE, algebras, options);
}

}  // namespace

GNOMON_PLUGIN(kinsol_newton) {
  registrar.add(std::make_unique<kernels::SolverOnAlgebra>("kinsol-newton", "KINSOL, full Newton steps (KIN_NONE)",
                                                           kernels::kinsol_options, create, registrar.algebras()));
}
