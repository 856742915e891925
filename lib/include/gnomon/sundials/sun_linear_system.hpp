#pragma once
/// \file
/// A JacobianSystem in the form in which SUNDIALS takes linear algebra: a SUNLinearSolver around it, and a SUNMatrix
/// that stands for its matrix and holds nothing.

#include "gnomon/base/error.hpp"
#include "gnomon/solve/jacobian_system.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon {

/// A serial vector. Throws Error(refused).
GNOMON_EXPORT SunOwner<N_Vector> serial_vector(Index size, SUNContext context);

/// A matrix that holds nothing, and a direct solver that calls setup(self), where the matrix is to be factorised, and
/// solve(self, x), x <- J^-1 x; false where that fails. Both throw Error(refused) where there is no memory.
using SunSetup = bool (*)(void* self);
using SunSolve = bool (*)(void* self, Eigen::Map<Vector> x);
GNOMON_EXPORT SunOwner<SUNMatrix> custom_matrix(SUNContext context);
GNOMON_EXPORT SunOwner<SUNLinearSolver> custom_solver(void* self, SunSetup setup, SunSolve solve, SUNContext context);

class GNOMON_EXPORT SunLinearSystem final : public JacobianSystem {
 public:
  /// JacobianSystem::attach
  void attach(ScaledEquations& equations, const AlgebraChoice& choice, SUNContext context, bool rarely_needed = false);

  SUNMatrix matrix() const { return matrix_.get(); }
  /// Of direct type: its set-up factorises what evaluate left.
  SUNLinearSolver solver() const { return linear_.get(); }

  using JacobianSystem::solve;
  /// b <- J^-1 b; false where that is not finite.
  bool solve(N_Vector b) { return solve(Eigen::Map<Vector>(N_VGetArrayPointer(b), N_VGetLength(b))); }
  /// NonlinearSolver::correct, by factors of this solve.
  bool correct(VectorRef f) { return factorised() && solve(f); }

 private:
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
};

}  // namespace gnomon
