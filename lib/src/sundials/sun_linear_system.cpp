#include "gnomon/sundials/sun_linear_system.hpp"

#include <nvector/nvector_serial.h>

namespace gnomon {

namespace {

/// The functions that a custom linear solver calls.
struct Calls {
  void* self;
  SunSetup setup;
  SunSolve solve;
};
Calls& calls_of(SUNLinearSolver solver) {
  return *static_cast<Calls*>(solver->content);
}
Error no_linear_solver() {
  return {ErrorCode::refused, "SUNDIALS could not allocate its linear solver"};
}

}  // namespace

SunOwner<SUNMatrix> custom_matrix(SUNContext context) {
  SunOwner<SUNMatrix> matrix(SUNMatNewEmpty(context));
  if (!matrix) throw no_linear_solver();
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->zero = [](SUNMatrix) { return 0; };
  matrix->ops->destroy = [](SUNMatrix m) { SUNMatFreeEmpty(m); };
  return matrix;
}

SunOwner<SUNLinearSolver> custom_solver(void* self, SunSetup setup, SunSolve solve, SUNContext context) {
  SunOwner<SUNLinearSolver> solver(SUNLinSolNewEmpty(context));
  if (!solver) throw no_linear_solver();
  solver->content = new Calls{self, setup, solve};
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver->ops->initialize = [](SUNLinearSolver) { return 0; };
  solver->ops->setup = [](SUNLinearSolver s, SUNMatrix) { return calls_of(s).setup(calls_of(s).self) ? 0 : 1; };
  solver->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, SunReal) {
    const Index n = N_VGetLength(b);
    Eigen::Map<Vector> out(N_VGetArrayPointer(x), n);
    if (x != b) out = Eigen::Map<const Vector>(N_VGetArrayPointer(b), n);
    return calls_of(s).solve(calls_of(s).self, out) ? 0 : 1;
  };
  solver->ops->free = [](SUNLinearSolver s) {
    delete static_cast<Calls*>(s->content);
    s->content = nullptr;
    SUNLinSolFreeEmpty(s);
    return 0;
  };
  return solver;
}

SunOwner<N_Vector> serial_vector(Index size, SUNContext context) {
  SunOwner<N_Vector> vector(N_VNew_Serial(size, context));
  if (!vector) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
  return vector;
}

void SunLinearSystem::attach(ScaledEquations& equations, const AlgebraChoice& choice, SUNContext context,
                             bool rarely_needed) {
  JacobianSystem::attach(equations, choice, rarely_needed);
  matrix_ = custom_matrix(context);
  linear_ = custom_solver(
      static_cast<JacobianSystem*>(this), [](void* self) { return static_cast<JacobianSystem*>(self)->factorise(); },
      [](void* self, Eigen::Map<Vector> x) { return static_cast<JacobianSystem*>(self)->solve(x); }, context);
}

}  // namespace gnomon
