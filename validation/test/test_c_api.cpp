// The C interface: callbacks with and without derivatives, misuse, flags, tasks, roots, dense output, checkpoints.
#include <gnomon/gnomon.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gnomon/sundials_compat.hpp"

extern "C" int c_header_success(void);

namespace {

using gnomon::SunContext;
using gnomon::SunOwner;

/// The planar pendulum in Cartesian coordinates, m = l = g = 1, from the horizontal: U = y, g = (x^2 + y^2 - 1)/2.
struct Pendulum {
  int fail_at = 0, flag = 0, calls = 0;  ///< the potential returns `flag` from call fail_at on
};

extern "C" {
int pendulum_U(sunrealtype, N_Vector q, sunrealtype* U, void* data) {
  auto* pendulum = static_cast<Pendulum*>(data);
  *U = NV_Ith_S(q, 1);
  return pendulum && pendulum->flag != 0 && ++pendulum->calls >= pendulum->fail_at ? pendulum->flag : 0;
}
int pendulum_gradient(sunrealtype, N_Vector, N_Vector grad, void*) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = 1;
  return 0;
}
int pendulum_g(sunrealtype, N_Vector q, N_Vector g, void*) {
  NV_Ith_S(g, 0) = (NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - 1) / 2;
  return 0;
}
int pendulum_G(sunrealtype, N_Vector q, SUNMatrix G, void*) {
  SM_ELEMENT_D(G, 0, 0) = NV_Ith_S(q, 0);
  SM_ELEMENT_D(G, 0, 1) = NV_Ith_S(q, 1);
  return 0;
}
int pendulum_G_sparse(sunrealtype, N_Vector q, SUNMatrix G, void*) {
  SUNSparseMatrix_Data(G)[0] = NV_Ith_S(q, 0);
  SUNSparseMatrix_Data(G)[1] = NV_Ith_S(q, 1);
  return 0;
}
int pendulum_H(sunrealtype, N_Vector, N_Vector lambda, SUNMatrix H, void*) {
  SM_ELEMENT_D(H, 0, 0) = SM_ELEMENT_D(H, 1, 1) = NV_Ith_S(lambda, 0);
  return 0;
}
int lowest_point(sunrealtype, N_Vector y, sunrealtype* out, void*) {
  out[0] = NV_Ith_S(y, 0);
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

struct Run {
  explicit Run(SUNContext context) : mem(GnomonCreate(context)), y(N_VNew_Serial(4, context)) {
    mass.reset(N_VNew_Serial(2, context));
    N_VConst(1.0, mass.get());
    N_VConst(0.0, y.get());
    (*this)[0] = 1;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { GnomonFree(&mem); }

  double& operator[](int i) { return NV_Ith_S(y.get(), i); }
  std::string message() const { return GnomonGetLastMessage(mem); }

  Run& pendulum(bool derivatives = true) {
    BOOST_TEST(GnomonSetMassDiagonal(mem, mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetPotentialFn(mem, pendulum_U) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintFn(mem, 1, pendulum_g) == GNOMON_SUCCESS);
    if (derivatives) {
      BOOST_TEST(GnomonSetGradientFn(mem, pendulum_gradient) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetConstraintJacFn(mem, pendulum_G, nullptr) == GNOMON_SUCCESS);
    }
    BOOST_TEST(GnomonSetDegrees(mem, 1, 2) == GNOMON_SUCCESS);
    return start();
  }
  Run& start() {
    BOOST_TEST(GnomonSetStep(mem, 1e-2) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonInit(mem, 0.0, y.get()) == GNOMON_SUCCESS);
    return *this;
  }
  int to(double tout, int itask = GNOMON_NORMAL) { return GnomonEvolve(mem, tout, y.get(), &t, itask); }
  double energy_error() {
    double last = 0, largest = 0;
    BOOST_TEST(GnomonGetEnergyError(mem, &last, &largest) == GNOMON_SUCCESS, message());
    return largest;
  }
  double position() {
    double position = 0, velocity = 0;
    BOOST_TEST(GnomonGetConstraintNorms(mem, &position, &velocity) == GNOMON_SUCCESS, message());
    return position;
  }
  std::vector<double> state() { return {&(*this)[0], &(*this)[0] + 4}; }
  /// The call failed with this flag, and its sentence has every one of the parts.
  void misuse(int found, int expected, const std::vector<std::string>& parts) {
    BOOST_TEST_CONTEXT(message()) {
      BOOST_TEST(found == expected);
      for (const auto& part : parts) BOOST_TEST(message().find(part) != std::string::npos, "does not name " << part);
    }
  }

  void* mem;
  SunOwner<N_Vector> mass, y;
  double t = 0;
};

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
  for (const auto& [potential, degree] : {std::pair{quartic_U, 4}, std::pair{cosine_U, -1}}) {
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
  BOOST_TEST(GnomonReInit(sparse.mem, 0, sparse.y.get()) == GNOMON_SUCCESS);
  sparse.misuse(sparse.to(1), GNOMON_BAD_SIZE, {"1 x 1", "1 x 2"});
}

BOOST_AUTO_TEST_CASE(misuse_is_one_sentence) {
  const SunContext context;
  BOOST_TEST(GnomonCreate(nullptr) == nullptr);
  BOOST_TEST(GnomonSetStep(nullptr, 1) == GNOMON_MEM_NULL);
  BOOST_TEST(std::string(GnomonGetReturnFlagName(GNOMON_BAD_FILE)) == "GNOMON_BAD_FILE");
  BOOST_TEST(std::string(GnomonGetReturnFlagName(-77)) == "NONE");
  Run run(context);
  run.misuse(run.to(1), GNOMON_BAD_VALUE, {"GnomonEvolve", "GnomonSetStep"});
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_NO_INIT, {"GnomonInit"});
  run.misuse(GnomonSetStep(run.mem, -1), GNOMON_BAD_VALUE, {"h = -1"});
  run.misuse(GnomonSetScheme(run.mem, "energy-momentun", nullptr), GNOMON_UNKNOWN_NAME, {"\"energy-momentum\""});
  run.misuse(GnomonSetScheme(run.mem, "hbvm", "k=4 z=2"), GNOMON_UNKNOWN_NAME, {"hbvm", "z"});
  run.misuse(GnomonSetScheme(run.mem, "hbvm", "k4"), GNOMON_BAD_VALUE, {"k4"});
  run.misuse(GnomonSetSolver(run.mem, nullptr, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  run.misuse(GnomonSetProblem(run.mem, "planar-pendulm", nullptr), GNOMON_UNKNOWN_NAME, {"\"planar-pendulum\""});
  run.misuse(GnomonLoadPlugin(run.mem, "/no/such/plugin.so"), GNOMON_BAD_PLUGIN, {"/no/such/plugin.so"});
  BOOST_TEST(GnomonInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_BAD_VALUE, {"mass", "GnomonSetMassDiagonal"});

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

BOOST_AUTO_TEST_CASE(tasks_and_stop_time) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  BOOST_TEST(run.to(1, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
  BOOST_TEST(run.t == 1e-2);
  BOOST_TEST(GnomonSetStopTime(run.mem, 0.5) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_TSTOP_RETURN);
  BOOST_TEST(run.t == 0.5, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(run.to(0.555) == GNOMON_SUCCESS);
  BOOST_TEST(run.t == 0.555, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(run.to(0.555) == GNOMON_SUCCESS);
  long steps = 0;
  GnomonGetNumSteps(run.mem, &steps);
  BOOST_TEST(steps == 56);
  // Back to the start: the scheme is symmetric.
  BOOST_TEST(run.to(0) == GNOMON_SUCCESS);
  BOOST_TEST(std::abs(run[0] - 1) < 1e-6);
  BOOST_TEST(run.energy_error() < 1e-13);
}

BOOST_AUTO_TEST_CASE(roots_and_dense_output) {
  const SunContext context;
  Run run(context), fine(context);
  run.pendulum();
  BOOST_TEST(GnomonRootInit(run.mem, 1, lowest_point) == GNOMON_SUCCESS);
  // Quarter period of the pendulum from the horizontal: K(1/sqrt 2).
  const double quarter = 1.8540746773013719;
  std::vector<double> roots;
  int rising = 0;
  for (int flag = 0; run.t < 10;) {
    flag = run.to(10);
    BOOST_REQUIRE(flag >= 0);
    if (flag != GNOMON_ROOT_RETURN) break;
    roots.push_back(run.t);
    BOOST_TEST(std::abs(run[0]) < 1e-12);
    GnomonGetRootInfo(run.mem, &rising);
    BOOST_TEST(rising == (roots.size() % 2 == 1 ? -1 : 1));
  }
  BOOST_TEST(run.t == 10);
  BOOST_REQUIRE(roots.size() == 3u);
  for (std::size_t k = 0; k < 3; ++k)
    BOOST_TEST(std::abs(roots[k] - (2 * static_cast<double>(k) + 1) * quarter) < 1e-3);
  // The roots did not disturb the run.
  fine.pendulum();
  BOOST_TEST(fine.to(10) == GNOMON_SUCCESS);
  BOOST_TEST(run.state() == fine.state());

  // The interpolant takes the ends of a step, and its derivatives are consistent with it.
  const SunOwner<N_Vector> a(N_VNew_Serial(4, context)), b(N_VNew_Serial(4, context)), d(N_VNew_Serial(4, context));
  BOOST_TEST(GnomonGetDky(run.mem, 10, 0, a.get()) == GNOMON_SUCCESS, run.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(NV_Ith_S(a.get(), i) == run[i], boost::test_tools::tolerance(1e-13));
  const double middle = 9.995, e = 1e-4;
  GnomonGetDky(run.mem, middle + e, 0, a.get());
  GnomonGetDky(run.mem, middle - e, 0, b.get());
  GnomonGetDky(run.mem, middle, 1, d.get());
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(std::abs((NV_Ith_S(a.get(), i) - NV_Ith_S(b.get(), i)) / (2 * e) - NV_Ith_S(d.get(), i)) < 1e-7);
  // Order: against half the step, with a scheme whose own error is far below that of the interpolant.
  const auto error = [&](double h) {
    Run exact(context), coarse(context);
    for (Run* r : {&exact, &coarse}) {
      r->pendulum();
      GnomonSetScheme(r->mem, "line-integral-ggl", "s=4 k=8");
      GnomonSetStep(r->mem, h);
    }
    coarse.to(h, GNOMON_ONE_STEP);
    exact.to(0.3 * h);
    BOOST_TEST(GnomonGetDky(coarse.mem, 0.3 * h, 0, a.get()) == GNOMON_SUCCESS, coarse.message());
    return std::max(std::abs(NV_Ith_S(a.get(), 0) - exact[0]), std::abs(NV_Ith_S(a.get(), 1) - exact[1]));
  };
  const double order = std::log2(error(0.4) / error(0.2));
  BOOST_TEST(order > 5.5);
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
  run.start();
  run.misuse(run.to(1), GNOMON_REFUSED, {"energy-momentum", "energy-momentum-general"});
  BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum-general", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.energy_error() < 1e-13);
}

BOOST_AUTO_TEST_CASE(a_fallback_is_counted) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  BOOST_TEST(GnomonSetSolver(run.mem, "newton", "max-iterations=1") == GNOMON_SUCCESS);
  BOOST_TEST(run.to(0.1) == GNOMON_NOT_CONVERGED);
  run.misuse(GnomonSetFallback(run.mem, "kinsol-linsearch"), GNOMON_UNKNOWN_NAME, {"\"kinsol-linesearch\""});
  BOOST_TEST(GnomonSetFallback(run.mem, "kinsol-linesearch") == GNOMON_SUCCESS);
  run[0] = 1;
  run[1] = run[2] = run[3] = 0;
  BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(0.1) == GNOMON_SUCCESS, run.message());
  long count = 0;
  BOOST_TEST(GnomonGetNumFallbackSolves(run.mem, &count) == GNOMON_SUCCESS);
  BOOST_TEST(count > 0);
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

BOOST_AUTO_TEST_CASE(checkpoints) {
  const SunContext context;
  const std::string file = (std::filesystem::temp_directory_path() / "gnomon_test_c_api.gcp").string();
  Run whole(context), second(context), other(context);
  for (Run* run : {&whole, &second, &other}) run->pendulum();
  BOOST_TEST(whole.to(5) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSaveCheckpoint(whole.mem, file.c_str()) == GNOMON_SUCCESS, whole.message());
  BOOST_TEST(whole.to(10) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonLoadCheckpoint(second.mem, file.c_str()) == GNOMON_SUCCESS, second.message());
  BOOST_TEST(second.to(10) == GNOMON_SUCCESS);
  BOOST_TEST(second.state() == whole.state());
  BOOST_TEST(second.energy_error() == whole.energy_error());

  // Another method, another system, no checkpoint: refused, and the run goes on as if nothing had been asked.
  BOOST_TEST(other.to(1) == GNOMON_SUCCESS);
  GnomonSetScheme(other.mem, "rattle", nullptr);
  other.misuse(GnomonLoadCheckpoint(other.mem, file.c_str()), GNOMON_BAD_FILE, {"energy-momentum", "rattle"});
  GnomonSetScheme(other.mem, "energy-momentum", nullptr);
  GnomonSetPotentialFn(other.mem, cosine_U);
  other.misuse(GnomonLoadCheckpoint(other.mem, file.c_str()), GNOMON_BAD_FILE, {"other parameters", "energy"});
  std::ofstream(file) << "not a checkpoint at all";
  other.misuse(GnomonLoadCheckpoint(other.mem, file.c_str()), GNOMON_BAD_FILE, {file, "no checkpoint"});
  BOOST_TEST(other.to(10) == GNOMON_SUCCESS, other.message());
  BOOST_TEST(other.state() == whole.state());
  std::filesystem::remove(file);
  other.misuse(GnomonSaveCheckpoint(other.mem, "/no/such/folder/x"), GNOMON_BAD_FILE, {"/no/such/folder/x"});
}

BOOST_AUTO_TEST_CASE(statistics_in_the_formats_of_sundials) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS);
  const auto printed = [&](SUNOutputFormat format) {
    char* text = nullptr;
    std::size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    BOOST_TEST(GnomonPrintAllStats(run.mem, out, format) == GNOMON_SUCCESS, run.message());
    std::fclose(out);
    std::string result(text, size);
    std::free(text);
    return result;
  };
  const std::string table = printed(SUN_OUTPUTFORMAT_TABLE), csv = printed(SUN_OUTPUTFORMAT_CSV);
  BOOST_TEST(table.find("Steps                        = 100\n") != std::string::npos, table);
  BOOST_TEST(csv.find("Steps,100,") != std::string::npos, csv);
  BOOST_TEST(std::count(csv.begin(), csv.end(), '\n') == 1);
}

#if GNOMON_HAS_SUNSTEPPER
BOOST_AUTO_TEST_CASE(a_run_as_a_stepper) {
  const SunContext context;
  Run run(context), other(context);
  run.pendulum();
  other.pendulum();
  SUNStepper stepper = nullptr;
  BOOST_TEST(GnomonCreateSUNStepper(run.mem, &stepper) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(SUNStepper_Evolve(stepper, 1, run.y.get(), &run.t) == SUN_SUCCESS);
  BOOST_TEST(other.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(run.state() == other.state());
  run[0] = 2;
  BOOST_TEST(SUNStepper_Reset(stepper, 0, run.y.get()) == SUN_SUCCESS);
  BOOST_TEST(SUNStepper_OneStep(stepper, 1, run.y.get(), &run.t) != SUN_SUCCESS);
  int flag = 0;
  SUNStepper_GetLastFlag(stepper, &flag);
  BOOST_TEST(flag == GNOMON_INCONSISTENT_START);
  SUNStepper_Destroy(&stepper);
}
#endif

BOOST_AUTO_TEST_CASE(two_threads) {
  std::vector<double> results[2];
  const auto work = [&](std::vector<double>& result) {
    const SunContext context;
    void* mem = GnomonCreate(context);
    const SunOwner<N_Vector> y(N_VNew_Serial(12, context));
    double t = 0;
    GnomonSetProblem(mem, "double-spherical-pendulum", "start=spatial");
    GnomonSetStep(mem, 1e-3);
    GnomonInit(mem, 0, nullptr);
    if (GnomonEvolve(mem, 1, y.get(), &t, GNOMON_NORMAL) == GNOMON_SUCCESS)
      result.assign(NV_DATA_S(y.get()), NV_DATA_S(y.get()) + 12);
    GnomonFree(&mem);
  };
  std::thread a(work, std::ref(results[0])), b(work, std::ref(results[1]));
  a.join();
  b.join();
  BOOST_TEST(results[0].size() == 12u);
  BOOST_TEST(results[0] == results[1]);
}
