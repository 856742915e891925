#pragma once
/// \file
/// Any SUNNonlinearSolver as a solver of Gnomon:
///
///     const gnomon::AttachedSolver mine("mine", [](N_Vector like, SUNContext context) {
///       return SUNNonlinSol_Newton(like, context);
///     }, registry.algebra_table());
///     gnomon::Integrator integrator(system, scheme, scheme_options, mine, gnomon::Options("solver", mine.options()));

#include <sundials/sundials_nonlinearsolver.h>

#include <functional>
#include <memory>
#include <string>

#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon {

/// Makes a SUNNonlinearSolver for vectors like the first argument, a serial one of the size of the scaled unknowns. A
/// function, since every system of a scheme needs its own; the caller owns the result. Null where that fails.
using SunNonlinearCreator = std::function<SUNNonlinearSolver(N_Vector, SUNContext)>;

/// What the SUNNonlinearSolver is given follows its type (lib/src/sundials/sun_newton_iteration.hpp and
/// sun_fixed_point_iteration.hpp):
///
///     SUNNONLINEARSOLVER_ROOTFIND      F(x0 + y) = 0, with set-up and solve of J d = -F
///     SUNNONLINEARSOLVER_FIXEDPOINT    y = G(x0 + y) - x0, G(x) = x - P^-1 F(x), with a frozen Jacobian P
///
/// from y = 0, x0 the start value. Its convergence test is set where it takes one; with or without, Gnomon tests the
/// residual that it leaves.
class GNOMON_EXPORT AttachedSolver final : public SolverFactory {
 public:
  /// Throws Error(refused) when create returns null or a solver that is of neither type.
  /// algebras, which outlives this object, is where its option `algebra` is looked up: Registry::algebra_table().
  AttachedSolver(std::string name, SunNonlinearCreator create, const AlgebraTable& algebras);

  std::string name() const override { return name_; }
  std::string description() const override;
  /// matrix, algebra, max-iterations; step-tolerance of the first type.
  OptionSpecs options() const override;
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override;

 private:
  std::string name_;
  SunNonlinearCreator create_;
  const AlgebraTable* algebras_;
  SUNNonlinearSolver_Type type_;
};

}  // namespace gnomon
