#include "gnomon/sundials/sun_linear_system.hpp"

#include <nvector/nvector_serial.h>

namespace gnomon {

namespace {

JacobianSystem& system_of(SUNLinearSolver solver) {
  return *static_cast<JacobianSystem*>(solver->content);
}

SUNMatrix empty_matrix(SUNContext context) {
  SUNMatrix matrix = SUNMatNewEmpty(context);
  if (matrix == nullptr) return nullptr;
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->zero = [](SUNMatrix) { return 0; };
  matrix->ops->destroy = [](SUNMatrix m) { SUNMatFreeEmpty(m); };
  return matrix;
}

SUNLinearSolver solver_around(JacobianSystem& system, SUNContext context) {
  SUNLinearSolver solver = SUNLinSolNewEmpty(context);
  if (solver == nullptr) return nullptr;
  solver->content = &system;
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver->ops->initialize = [](SUNLinearSolver) { return 0; };
  solver->ops->setup = [](SUNLinearSolver s, SUNMatrix) { return system_of(s).factorise() ? 0 : 1; };
  solver->ops->solve = [](SUNLinearSolver s, SUNMatrix, N_Vector x, N_Vector b, SunReal) {
    const Index n = N_VGetLength(b);
    Eigen::Map<Vector> out(N_VGetArrayPointer(x), n);
    if (x != b) out = Eigen::Map<const Vector>(N_VGetArrayPointer(b), n);
    return system_of(s).solve(out) ? 0 : 1;
  };
  solver->ops->free = [](SUNLinearSolver s) {
    s->content = nullptr;
    SUNLinSolFreeEmpty(s);
    return 0;
  };
  return solver;
}

}  // namespace

SunOwner<N_Vector> serial_vector(Index size, SUNContext context) {
  SunOwner<N_Vector> vector(N_VNew_Serial(size, context));
  if (!vector) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
  return vector;
}

void SunLinearSystem::attach(ScaledEquations& equations, const AlgebraChoice& choice, SUNContext context) {
  JacobianSystem::attach(equations, choice);
  matrix_.reset(empty_matrix(context));
  linear_.reset(solver_around(*this, context));
  if (!matrix_ || !linear_) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its linear solver");
}

}  // namespace gnomon
