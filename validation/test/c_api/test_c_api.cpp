// The C interface: a system by callbacks, with and without derivatives, misuse and flags, methods and linear solvers.
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <cmath>

#include "test/c_api/c_api_pendulum.hpp"

extern "C" int c_header_success(void);

namespace {

extern "C" {
int pendulum_G_sparse(sunrealtype, N_Vector q, SUNMatrix G, void*) {
  SUNSparseMatrix_Data(G)[0] = NV_Ith_S(q, 0);
  SUNSparseMatrix_Data(G)[1] = NV_Ith_S(q, 1);
  return 0;
}
int pendulum_H_sparse(sunrealtype, N_Vector, N_Vector lambda, SUNMatrix H, void*) {
  SUNSparseMatrix_Data(H)[0] = SUNSparseMatrix_Data(H)[1] = NV_Ith_S(lambda, 0);
  return 0;
}
/// The constraint of the pendulum, and twice the same.
int repeated_g(sunrealtype, N_Vector q, N_Vector g, void*) {
  NV_Ith_S(g, 0) = (NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - 1) / 2;
  NV_Ith_S(g, 1) = 2 * NV_Ith_S(g, 0);
  return 0;
}
int pendulum_H(sunrealtype, N_Vector, N_Vector lambda, SUNMatrix H, void*) {
  SM_ELEMENT_D(H, 0, 0) = SM_ELEMENT_D(H, 1, 1) = NV_Ith_S(lambda, 0);
  return 0;
}
/// A quartic potential, U = (x^4 + x^2 y^2)/4 + y, for differences of higher degree.
int quartic_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1);
  *U = (x * x * x * x + x * x * y * y) / 4 + y;
  return 0;
}
/// No polynomial.
int cosine_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  *U = -std::cos(NV_Ith_S(q, 0)) + NV_Ith_S(q, 1);
  return 0;
}
int dense_solver(N_Vector like, sunindextype, SUNMatrix* A, SUNLinearSolver* LS, SUNContext context, void*) {
  *A = SUNDenseMatrix(N_VGetLength(like), N_VGetLength(like), context);
  *LS = SUNLinSol_Dense(like, *A, context);
  return *LS ? 0 : -1;
}
int no_solver(N_Vector, sunindextype, SUNMatrix*, SUNLinearSolver*, SUNContext, void*) {
  return -3;
}
SUNNonlinearSolver newton_solver(N_Vector like, SUNContext context, void*) {
  return SUNNonlinSol_Newton(like, context);
}
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_header_is_c) {
  BOOST_TEST(c_header_success() == 0);
}

BOOST_AUTO_TEST_CASE(a_pendulum_keeps_its_energy) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  BOOST_TEST(run.to(10) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.t == 10);
  BOOST_TEST(run.energy_error() < 1e-14 * std::sqrt(1000));
  BOOST_TEST(run.position() < 1e-14);
  long steps = 0, iterations = 0;
  GnomonGetNumSteps(run.mem, &steps);
  GnomonGetNumNonlinSolvIters(run.mem, &iterations);
  BOOST_TEST(steps == 1000);
  BOOST_TEST(iterations > 1000);
  // The state is what the run holds, and on its constraint.
  BOOST_TEST(std::hypot(run[0], run[1]) == 1, boost::test_tools::tolerance(1e-13));
  BOOST_TEST((run[2] * run[2] + run[3] * run[3]) / 2 + run[1] == 0, boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(differences_of_declared_polynomials_are_as_good) {
  const SunContext context;
  Run with(context), without(context), hessian(context);
  with.pendulum();
  without.pendulum(false);
  hessian.pendulum();
  BOOST_TEST(GnomonSetHessianFn(hessian.mem, pendulum_H, nullptr) == GNOMON_SUCCESS);
  for (Run* run : {&with, &without, &hessian}) {
    BOOST_TEST(run->to(10) == GNOMON_SUCCESS, run->message());
    BOOST_TEST(run->energy_error() < 1e-14 * std::sqrt(1000));
    BOOST_TEST(run->position() < 1e-14);
    for (int i = 0; i < 4; ++i) BOOST_TEST((*run)[i] == with[i], boost::test_tools::tolerance(1e-11));
  }
  const char* list = nullptr;
  BOOST_TEST(GnomonGetDifferences(without.mem, &list) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(list).find("gradient of the potential") != std::string::npos, list);
  BOOST_TEST(GnomonGetDifferences(with.mem, &list) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(list).find("gradient of the potential") == std::string::npos, list);
}

BOOST_AUTO_TEST_CASE(differences_of_other_functions) {
  const SunContext context;
  for (const auto& [potential, degree] : {std::pair{&quartic_U, 4}, std::pair{&cosine_U, -1}}) {
    Run run(context);
    run.pendulum(false);
    BOOST_TEST(GnomonSetPotentialFn(run.mem, potential) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetDegrees(run.mem, degree, 2) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum-general", nullptr) == GNOMON_SUCCESS);
    BOOST_TEST(run.to(10) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.energy_error() < 1e-13);
    BOOST_TEST(run.position() < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(matrices_sparse_and_dense) {
  const SunContext context;
  Run dense(context), sparse(context);
  dense.pendulum();
  sparse.pendulum();
  const SunOwner<SUNMatrix> pattern(SUNSparseMatrix(1, 2, 2, CSR_MAT, context));
  SUNSparseMatrix_IndexPointers(pattern.get())[1] = 2;
  SUNSparseMatrix_IndexValues(pattern.get())[1] = 1;
  BOOST_TEST(GnomonSetConstraintJacFn(sparse.mem, pendulum_G_sparse, pattern.get()) == GNOMON_SUCCESS);
  const SunOwner<SUNMatrix> mass(SUNDenseMatrix(2, 2, context));
  SM_ELEMENT_D(mass.get(), 0, 0) = SM_ELEMENT_D(mass.get(), 1, 1) = 1;
  BOOST_TEST(GnomonSetMassMatrix(sparse.mem, mass.get()) == GNOMON_SUCCESS, sparse.message());
  BOOST_TEST(dense.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(sparse.to(1) == GNOMON_SUCCESS, sparse.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(sparse[i] == dense[i], boost::test_tools::tolerance(1e-13));

  const SunOwner<SUNMatrix> band(SUNBandMatrix(2, 0, 0, context));
  sparse.misuse(GnomonSetMassMatrix(sparse.mem, band.get()), GNOMON_BAD_VALUE, {"neither dense nor sparse"});
  const SunOwner<SUNMatrix> small(SUNDenseMatrix(1, 1, context));
  BOOST_TEST(GnomonSetConstraintJacFn(sparse.mem, pendulum_G, small.get()) == GNOMON_SUCCESS);
  sparse.misuse(GnomonReInit(sparse.mem, 0, sparse.y.get()), GNOMON_BAD_SIZE, {"1 x 1", "1 x 2"});
}

/// By columns as by rows; G is full here, so that its values are in the same order.
BOOST_AUTO_TEST_CASE(matrices_by_columns) {
  const SunContext context;
  std::vector<std::vector<double>> ends;
  for (const int type : {CSR_MAT, CSC_MAT}) {
    Run run(context);
    run.pendulum();
    const SunOwner<SUNMatrix> G(SUNSparseMatrix(1, 2, 2, type, context));
    const SunOwner<SUNMatrix> square(SUNSparseMatrix(2, 2, 2, type, context));
    for (int k = 0; k < 2; ++k) {
      SUNSparseMatrix_IndexPointers(square.get())[k + 1] = k + 1;
      SUNSparseMatrix_IndexValues(square.get())[k] = k;
      SUNSparseMatrix_Data(square.get())[k] = 1 + k;
      SUNSparseMatrix_IndexPointers(G.get())[type == CSR_MAT ? 1 : k + 1] = type == CSR_MAT ? 2 : k + 1;
      SUNSparseMatrix_IndexValues(G.get())[k] = type == CSR_MAT ? k : 0;
    }
    BOOST_TEST(GnomonSetConstraintJacFn(run.mem, pendulum_G_sparse, G.get()) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(GnomonSetHessianFn(run.mem, pendulum_H_sparse, square.get()) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(GnomonSetMassMatrix(run.mem, square.get()) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.energy_error() < 1e-13);
    ends.push_back(run.state());

    // Index arrays that lead outside of the matrix.
    SUNSparseMatrix_IndexValues(G.get())[1] = 2;
    run.misuse(GnomonSetConstraintJacFn(run.mem, pendulum_G_sparse, G.get()), GNOMON_BAD_VALUE,
               {"pattern of G", "values[1] = 2", type == CSR_MAT ? "from 0 to 1" : "from 0 to 0"});
    SUNSparseMatrix_IndexPointers(square.get())[2] = 3;
    run.misuse(GnomonSetMassMatrix(run.mem, square.get()), GNOMON_BAD_VALUE, {"the mass", "pointers[2] = 3", "1 to 2"});
    SUNSparseMatrix_IndexPointers(square.get())[1] = -1;
    run.misuse(GnomonSetHessianFn(run.mem, pendulum_H_sparse, square.get()), GNOMON_BAD_VALUE,
               {"pattern of H", "pointers[1] = -1"});
  }
  BOOST_TEST(ends[0] == ends[1], boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(dependent_constraints) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  BOOST_TEST(GnomonSetConstraintFn(run.mem, 2, repeated_g) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetConstraintJacFn(run.mem, nullptr, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetDependentConstraints(run.mem, 1) == GNOMON_SUCCESS);  // does nothing any more
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.energy_error() < 1e-13);
  sunindextype rank = 0;
  const SunOwner<N_Vector> dependent(N_VNew_Serial(2, context));
  BOOST_TEST(GnomonGetDependentConstraints(run.mem, &rank, dependent.get()) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(rank == 1);
  BOOST_TEST(NV_Ith_S(dependent.get(), 0) + NV_Ith_S(dependent.get(), 1) == 1);
  run.misuse(GnomonGetDependentConstraints(run.mem, nullptr, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  run.misuse(GnomonGetDependentConstraints(run.mem, &rank, run.y.get()), GNOMON_BAD_SIZE, {"dependent", "4", "2"});
}

BOOST_AUTO_TEST_CASE(misuse_is_one_sentence) {
  const SunContext context;
  BOOST_TEST(GnomonCreate(nullptr) == nullptr);
  BOOST_TEST(GnomonSetStep(nullptr, 1) == GNOMON_MEM_NULL);
  BOOST_TEST(std::string(GnomonGetReturnFlagName(GNOMON_BAD_FILE)) == "GNOMON_BAD_FILE");
  BOOST_TEST(std::string(GnomonGetReturnFlagName(-77)) == "NONE");
  Run run(context);
  run.misuse(run.to(1), GNOMON_NO_INIT, {"GnomonEvolve", "GnomonInit"});
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_NO_INIT, {"GnomonInit"});
  run.misuse(GnomonSetStep(run.mem, -1), GNOMON_BAD_VALUE, {"h = -1"});
  run.misuse(GnomonSetScheme(run.mem, "energy-momentun", nullptr), GNOMON_UNKNOWN_NAME, {"\"energy-momentum\""});
  run.misuse(GnomonSetScheme(run.mem, "hbvm", "k=4 z=2"), GNOMON_UNKNOWN_NAME, {"hbvm", "z"});
  run.misuse(GnomonSetScheme(run.mem, "hbvm", "k4"), GNOMON_BAD_VALUE, {"k4"});
  run.misuse(GnomonSetSolver(run.mem, nullptr, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  run.misuse(GnomonSetProblem(run.mem, "planar-pendulm", nullptr), GNOMON_UNKNOWN_NAME, {"\"planar-pendulum\""});
  run.misuse(GnomonLoadPlugin(run.mem, "/no/such/plugin.so"), GNOMON_BAD_PLUGIN, {"/no/such/plugin.so"});
  run.misuse(GnomonInit(run.mem, 0, run.y.get()), GNOMON_BAD_VALUE, {"mass", "GnomonSetMassDiagonal"});

  run.pendulum();
  run[0] = 2;
  BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_INCONSISTENT_START, {"1.5"});
  BOOST_TEST(GnomonCalcIC(run.mem) == GNOMON_SUCCESS, run.message());
  const SunOwner<N_Vector> lambda(N_VNew_Serial(1, context));
  BOOST_TEST(GnomonGetConsistentIC(run.mem, run.y.get(), lambda.get()) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run[0] == 1, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
  run.misuse(GnomonCalcIC(run.mem), GNOMON_REFUSED, {"beyond its start"});
  run.misuse(run.to(2, 7), GNOMON_BAD_VALUE, {"itask = 7"});
  run.misuse(GnomonGetDky(run.mem, 0.5, 0, run.y.get()), GNOMON_BAD_VALUE, {"0.5", "outside"});
  run.misuse(GnomonGetDky(run.mem, 0.995, 3, run.y.get()), GNOMON_BAD_VALUE, {"3"});
  const SunOwner<N_Vector> hidden(N_VClone(run.y.get()));
  hidden->ops->nvgetarraypointer = nullptr;
  run.misuse(GnomonEvolve(run.mem, 2, hidden.get(), &run.t, GNOMON_NORMAL), GNOMON_BAD_VALUE, {"yout", "array"});
  run.misuse(GnomonGetMultipliers(run.mem, run.y.get()), GNOMON_BAD_SIZE, {"4", "1"});
}

BOOST_AUTO_TEST_CASE(callbacks_that_fail) {
  const SunContext context;
  for (const int flag : {1, -1}) {
    Run run(context);
    Pendulum pendulum{60, flag, 0};
    run.pendulum();
    BOOST_TEST(GnomonSetUserData(run.mem, &pendulum) == GNOMON_SUCCESS);
    run.misuse(run.to(10), flag > 0 ? GNOMON_EVALUATION_FAILED : GNOMON_CALLBACK_FAILED,
               {"the potential returned " + std::to_string(flag)});
    // The state is the last good one, and the run can go on where the function comes back.
    BOOST_TEST(run.t > 0);
    BOOST_TEST(run.energy_error() < 1e-13);
    const int calls = pendulum.calls;
    const double t = run.t;
    pendulum.flag = 0;
    BOOST_TEST(run.to(1) == (flag > 0 ? GNOMON_SUCCESS : GNOMON_CALLBACK_FAILED));
    BOOST_TEST(run.t == (flag > 0 ? 1 : t));
    BOOST_TEST((pendulum.calls == calls) == true);
  }
}

BOOST_AUTO_TEST_CASE(methods_by_name) {
  const SunContext context;
  for (const char* scheme : {"rattle", "hbvm", "projected-rk", "composition"}) {
    Run run(context);
    run.pendulum();
    BOOST_TEST(GnomonSetScheme(run.mem, scheme, nullptr) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetSolver(run.mem, "newton", nullptr) == GNOMON_SUCCESS);
    BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
    const char* promises = nullptr;
    BOOST_TEST(GnomonGetPromises(run.mem, &promises) == GNOMON_SUCCESS);
    BOOST_TEST(std::string(promises).find("order") != std::string::npos);
  }
  Run named(context), attached(context), attached_named(context);
  named.pendulum();
  attached.pendulum();
  BOOST_TEST(GnomonSetNonlinearSolverFn(attached.mem, newton_solver, nullptr) == GNOMON_SUCCESS, attached.message());
  BOOST_TEST(attached.to(0.5) == GNOMON_SUCCESS, attached.message());
  // Another solver is for the next start: the run goes on with the one it has.
  BOOST_TEST(GnomonSetSolver(attached.mem, "newton", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(attached.to(1) == GNOMON_SUCCESS, attached.message());
  BOOST_TEST(named.to(1) == GNOMON_SUCCESS);
  for (int i = 0; i < 4; ++i) BOOST_TEST(attached[i] == named[i], boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_system_without_constraints) {
  const SunContext context;
  Run run(context);
  BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetPotentialFn(run.mem, quartic_U) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetDegrees(run.mem, 4, 0) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum", nullptr) == GNOMON_SUCCESS);
  run.misuse(GnomonInit(run.mem, 0, run.y.get()), GNOMON_REFUSED, {"energy-momentum", "energy-momentum-general"});
  BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum-general", nullptr) == GNOMON_SUCCESS);
  run.start();
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.energy_error() < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_linear_solver_of_the_users_own) {
  const SunContext context;
  Run named(context), made(context);
  named.pendulum();
  made.pendulum();
  BOOST_TEST(GnomonSetLinearSolverFn(made.mem, dense_solver) == GNOMON_SUCCESS);
  BOOST_TEST(named.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(made.to(1) == GNOMON_SUCCESS, made.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(made[i] == named[i], boost::test_tools::tolerance(1e-12));
  BOOST_TEST(GnomonSetLinearSolverFn(made.mem, no_solver) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonReInit(made.mem, 0, made.y.get()) == GNOMON_SUCCESS);
  made.misuse(made.to(1), GNOMON_REFUSED, {"returned -3"});

  // A pair that stays the caller's, of the wrong size, and alone.
  Run mine(context);
  mine.pendulum();
  const SunOwner<N_Vector> like(N_VNew_Serial(1, context));
  const SunOwner<SUNMatrix> A(SUNDenseMatrix(1, 1, context));
  const SunOwner<SUNLinearSolver> LS(SUNLinSol_Dense(like.get(), A.get(), context));
  BOOST_TEST(GnomonSetLinearSolver(mine.mem, LS.get(), A.get()) == GNOMON_SUCCESS);
  mine.misuse(mine.to(1), GNOMON_REFUSED, {"1"});
  mine.misuse(GnomonSetLinearSolver(mine.mem, LS.get(), nullptr), GNOMON_BAD_VALUE, {"the matrix is NULL"});
  BOOST_TEST(GnomonSetLinearSolver(mine.mem, nullptr, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(mine.to(1) == GNOMON_SUCCESS, mine.message());
}

BOOST_AUTO_TEST_CASE(a_problem_by_name) {
  const SunContext context;
  Run run(context);
  BOOST_TEST(GnomonSetProblem(run.mem, "chain", "links=3 start=rest") == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonSetStep(run.mem, 1e-3) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(run.mem, 0, nullptr) == GNOMON_SUCCESS);
  sunindextype n = 0, m = 0;
  BOOST_TEST(GnomonGetSizes(run.mem, &n, &m) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(n == 9);
  BOOST_TEST(m == 3);
  run.misuse(run.to(1), GNOMON_BAD_SIZE, {"yout", "4", "18"});
  run.y.reset(N_VNew_Serial(2 * n, context));
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.energy_error() < 1e-12);
}
