// The C interface used as it must not be: from inside a callback, with what does not fit together, by a program with a
// locale of its own; and systems that depend on time, said or found.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/comma_locale.hpp"
#include "test/c_api/c_api_pendulum.hpp"

namespace {

/// What the potential does beside its work.
struct Caller {
  std::function<void()> call;
  int calls = 0;
};

extern "C" {
int calling_U(sunrealtype t, N_Vector q, sunrealtype* U, void* data) {
  auto* caller = static_cast<Caller*>(data);
  if (caller && caller->call) {
    ++caller->calls;
    caller->call();
  }
  return pendulum_U(t, q, U, nullptr);
}
/// A pivot that is shaken along y, g = (x^2 + (y - a sin w t)^2 - 1)/2.
constexpr double amplitude = .1, frequency = 3;
int shaken_g(sunrealtype t, N_Vector q, N_Vector g, void*) {
  const double x = NV_Ith_S(q, 0), y = NV_Ith_S(q, 1) - amplitude * std::sin(frequency * t);
  NV_Ith_S(g, 0) = (x * x + y * y - 1) / 2;
  return 0;
}
int shaken_G(sunrealtype t, N_Vector q, SUNMatrix G, void*) {
  SM_ELEMENT_D(G, 0, 0) = NV_Ith_S(q, 0);
  SM_ELEMENT_D(G, 0, 1) = NV_Ith_S(q, 1) - amplitude * std::sin(frequency * t);
  return 0;
}
/// Gravity that grows: U = (1 + t/5) y
int growing_U(sunrealtype t, N_Vector q, sunrealtype* U, void*) {
  *U = (1 + t / 5) * NV_Ith_S(q, 1);
  return 0;
}
int growing_gradient(sunrealtype t, N_Vector, N_Vector grad, void*) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = 1 + t / 5;
  return 0;
}
int pendulum_switch(sunrealtype, N_Vector, N_Vector, N_Vector s, void*) {
  N_VConst(1.0, s);
  return 0;
}
}

/// The same in C++, whose derivatives by t are exact.
struct Shaken : gnomon::AutodiffModel<2, 1> {
  gnomon::Vector mass() const { return gnomon::Vector::Ones(2); }
  template <class S>
  S potential(const S& t, const S* q) const {
    return (1 + t / 5) * q[1];
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    const S y = q[1] - amplitude * sin(frequency * t);
    g[0] = 0.5 * (q[0] * q[0] + y * y - 1.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_callback_that_calls_back) {
  const SunContext context;
  Run run(context);
  Caller caller;
  run.pendulum();
  BOOST_TEST(GnomonSetPotentialFn(run.mem, calling_U) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetUserData(run.mem, &caller) == GNOMON_SUCCESS);
  long steps = 0;
  double t = 0;
  const std::vector<std::function<int()>> calls{
      [&] { return GnomonEvolve(run.mem, 2, run.y.get(), &t, GNOMON_NORMAL); },
      [&] { return GnomonGetNumSteps(run.mem, &steps); },
      [&] { return GnomonReInit(run.mem, 0, run.y.get()); },
      [&] { return GnomonSetStep(run.mem, 1); },
      [&] { return GnomonSaveCheckpoint(run.mem, "never"); },
      [&] {
        void* mem = run.mem;
        GnomonFree(&mem);
        BOOST_TEST(mem == run.mem);
        return int(GNOMON_REFUSED);
      },
  };
  double tout = 0.1;
  for (const auto& call : calls) {
    const int before = caller.calls;
    caller.call = [&] {
      BOOST_TEST(call() == GNOMON_REFUSED);
      BOOST_TEST(run.message().find("GnomonEvolve is under way") != std::string::npos, run.message());
    };
    BOOST_TEST(run.to(tout) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(caller.calls > before);
    BOOST_TEST(std::abs(run.t - tout) < 1e-12);
    tout += 0.1;
  }
  BOOST_TEST(run.energy_error() < 1e-13);
  // Another memory is another matter.
  caller.call = [&] {
    Run other(context);
    other.pendulum();
    BOOST_TEST(other.to(0.02) == GNOMON_SUCCESS);
  };
  BOOST_TEST(run.to(tout) == GNOMON_SUCCESS, run.message());
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_at_the_start) {
  const SunContext context;
  const SunOwner<N_Vector> three(N_VNew_Serial(3, context));
  const SunOwner<SUNMatrix> small(SUNDenseMatrix(1, 1, context));
  N_VConst(1.0, three.get());
  {
    Run run(context);
    run.misuse(GnomonInit(run.mem, 0, run.y.get()), GNOMON_BAD_VALUE, {"GnomonInit", "mass", "GnomonSetMassDiagonal"});
    run.misuse(run.to(1), GNOMON_NO_INIT, {"GnomonInit was not called, or it failed"});
    run.pendulum();
    run.misuse(GnomonReInit(run.mem, 0, three.get()), GNOMON_BAD_SIZE, {"3 entries", "even"});
    BOOST_TEST(GnomonSetMassDiagonal(run.mem, three.get()) == GNOMON_SUCCESS);
    run.misuse(GnomonReInit(run.mem, 0, run.y.get()), GNOMON_BAD_SIZE, {"expected 6", "3 rows"});
    BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintJacFn(run.mem, pendulum_G, small.get()) == GNOMON_SUCCESS);
    run.misuse(GnomonReInit(run.mem, 0, run.y.get()), GNOMON_BAD_SIZE, {"1 x 1", "1 x 2"});
    BOOST_TEST(GnomonSetConstraintJacFn(run.mem, pendulum_G, nullptr) == GNOMON_SUCCESS);
    // A scheme within a scheme is an option whose own options nobody could check before.
    BOOST_TEST(GnomonSetScheme(run.mem, "composition", "inner=rattle inner.no-such-option=1") == GNOMON_SUCCESS);
    run.misuse(GnomonReInit(run.mem, 0, run.y.get()), GNOMON_UNKNOWN_NAME, {"no-such-option"});
    BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum", nullptr) == GNOMON_SUCCESS);
    // What was refused has changed nothing.
    BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
    run.misuse(GnomonReInit(run.mem, 0, three.get()), GNOMON_BAD_SIZE, {"3 entries"});
    BOOST_TEST(run.to(2) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.t == 2);
  }
  Run named(context);
  BOOST_TEST(GnomonSetProblem(named.mem, "planar-pendulum", nullptr) == GNOMON_SUCCESS);
  named.misuse(GnomonInit(named.mem, 0, three.get()), GNOMON_BAD_SIZE, {"3 entries", "planar-pendulum", "4"});
}

BOOST_AUTO_TEST_CASE(callbacks_that_do_nothing_are_named) {
  const SunContext context;
  const auto half = [](sunrealtype, N_Vector q, N_Vector g, void*) {
    NV_Ith_S(g, 0) = NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - 1;
    return 0;
  };
  const auto zero = [](sunrealtype, N_Vector, N_Vector g, void*) {
    N_VConst(0.0, g);
    return 0;
  };
  const auto nothing = [](sunrealtype, N_Vector, N_Vector, void*) { return 0; };
  const auto start = [&](GnomonConstraintFn g, sunindextype rows, GnomonGradientFn gradient, Run& run) {
    BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetPotentialFn(run.mem, pendulum_U) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetGradientFn(run.mem, gradient) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintFn(run.mem, rows, g) == GNOMON_SUCCESS);
    return GnomonInit(run.mem, 0, run.y.get());
  };
  Run unwritten(context), empty(context), gradient(context), alone(context);
  unwritten.misuse(start(half, 2, nullptr, unwritten), GNOMON_BAD_VALUE, {"wrote no entry 1"});
  empty.misuse(start(zero, 1, nullptr, empty), GNOMON_BAD_VALUE, {"g[0] depends on no coordinate"});
  gradient.misuse(start(half, 1, nothing, gradient), GNOMON_BAD_VALUE, {"gradient", "wrote no entry 0"});
  BOOST_TEST(GnomonSetConstraintJacFn(alone.mem, pendulum_G, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMassDiagonal(alone.mem, alone.mass.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetPotentialFn(alone.mem, pendulum_U) == GNOMON_SUCCESS);
  alone.misuse(GnomonInit(alone.mem, 0, alone.y.get()), GNOMON_BAD_VALUE, {"GnomonSetConstraintFn"});
}

BOOST_AUTO_TEST_CASE(sentences_reach_a_file) {
  const SunContext context;
  Run run(context);
  std::FILE* file = std::tmpfile();
  BOOST_REQUIRE(file);
  BOOST_TEST(GnomonSetErrFile(run.mem, file) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_NO_INIT);
  std::rewind(file);
  char line[200] = "";
  BOOST_TEST(std::fgets(line, sizeof line, file) != nullptr);
  BOOST_TEST(std::string(line) == "[GNOMON ERROR]  " + run.message() + "\n");
  std::fclose(file);
}

BOOST_AUTO_TEST_CASE(advice_names_functions_of_c) {
  const SunContext context;
  Run run(context);
  run.pendulum();
  run[0] = 2;
  BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
  run.misuse(run.to(1), GNOMON_INCONSISTENT_START, {"GnomonCalcIC"});
  for (const char* foreign : {"::", "--", "project_start"})
    BOOST_TEST(run.message().find(foreign) == std::string::npos, run.message());
  BOOST_TEST(GnomonSetDegrees(run.mem, -1, -1) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(run.mem, "energy-momentum", nullptr) == GNOMON_SUCCESS);
  run.misuse(GnomonReInit(run.mem, 0, run.y.get()), GNOMON_REFUSED, {"energy-momentum", "GnomonSetDegrees"});
}

#if SUNDIALS_VERSION_MAJOR >= 7
namespace {
void remember(int, const char* function, const char*, const char* message, SUNErrCode, void* data, SUNContext) {
  *static_cast<std::string*>(data) = std::string(function) + " | " + message;
}
}  // namespace

BOOST_AUTO_TEST_CASE(errors_reach_the_context) {
  const SunContext context;
  std::string last;
  SUNContext_PushErrHandler(context, remember, &last);
  Run run(context);
  BOOST_TEST(GnomonSetStep(run.mem, -1) == GNOMON_BAD_VALUE);
  BOOST_TEST(last.find("GnomonSetStep | ") == 0u, last);
  BOOST_TEST(SUNContext_GetLastError(context) == SUN_SUCCESS);
}
#endif

BOOST_AUTO_TEST_CASE(a_system_that_depends_on_time) {
  gnomon::ProblemInstance problem;
  problem.model = std::make_shared<gnomon::AutodiffSystem<Shaken>>(Shaken());
  problem.q0 = gnomon::Vector::Unit(2, 0);
  problem.p0 = gnomon::Vector::Zero(2);
  problem.p0[1] = amplitude * frequency;  // moves along: G v + g_t = 0 for any velocity along y
  for (const char* scheme : {"energy-momentum", "energy-momentum-ggl"})
    for (const bool declared : {true, false}) {
      const SunContext context;
      Run run(context);
      run.pendulum();
      BOOST_TEST(GnomonSetPotentialFn(run.mem, growing_U) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetGradientFn(run.mem, growing_gradient) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetConstraintFn(run.mem, 1, shaken_g) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetConstraintJacFn(run.mem, shaken_G, nullptr) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetScheme(run.mem, scheme, nullptr) == GNOMON_SUCCESS);
      BOOST_TEST(GnomonSetTimeDependent(run.mem, declared) == GNOMON_SUCCESS);
      run[3] = amplitude * frequency;
      BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS, run.message());
      BOOST_TEST(run.to(2) == GNOMON_SUCCESS, run.message());
      // The energy is that of the start and of the work, and no other.
      BOOST_TEST(run.energy_error() < 1e-12);
      BOOST_TEST(run.position() < 1e-12);
      double force = 0, potential = 0, position = 0, velocity = 0;
      BOOST_TEST(GnomonGetWorkTerms(run.mem, &force, &potential, &position, &velocity) == GNOMON_SUCCESS);
      BOOST_TEST(std::abs(potential) > 1e-2);
      BOOST_TEST(std::abs(position + velocity) > 1e-2);

      gnomon::Integrator cpp = gnomon::registry().integrator(problem, scheme, "kinsol-newton");
      BOOST_TEST(cpp.advance_to(2, 1e-2).success());
      for (int i = 0; i < 2; ++i) {
        BOOST_TEST(std::abs(run[i] - cpp.state().q.value()[i]) <= 1e-9);
        BOOST_TEST(std::abs(run[2 + i] - cpp.state().p.value()[i]) <= 1e-9);
      }
      const char* list = nullptr;
      BOOST_TEST(GnomonGetDifferences(run.mem, &list) == GNOMON_SUCCESS);
      BOOST_TEST(std::string(list).find("by time") != std::string::npos, list);
      // One that does not take it says so.
      BOOST_TEST(GnomonSetScheme(run.mem, "constrained-midpoint", nullptr) == GNOMON_SUCCESS);
      run.misuse(GnomonReInit(run.mem, 0, run.y.get()), GNOMON_REFUSED, {"constrained-midpoint", "depend on time"});
    }
}

BOOST_AUTO_TEST_CASE(numbers_in_a_program_with_a_locale) {
  const SunContext context;
  Run run(context);
  const gnomon::test::CommaLocale locale;
  if (!locale.made()) BOOST_TEST_MESSAGE("no locale with a comma could be made");
  BOOST_TEST(GnomonSetScheme(run.mem, "alpha", "alpha=0.125") == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonSetContact(run.mem, "restitution=0.5") == GNOMON_SUCCESS, run.message());
  run.misuse(GnomonSetStep(run.mem, -0.5), GNOMON_BAD_VALUE, {"-0.5"});
  run.pendulum();
  BOOST_TEST(run.to(0.5) == GNOMON_SUCCESS, run.message());
  std::FILE* file = std::tmpfile();
  BOOST_TEST(GnomonPrintAllStats(run.mem, file, SUN_OUTPUTFORMAT_TABLE) == GNOMON_SUCCESS);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  BOOST_TEST(text.find("Current time                 = 0.5\n") != std::string::npos, text);
}

// Numbers that are none, and counts that no machine has room for: a flag and a sentence with the number.
BOOST_AUTO_TEST_CASE(numbers_and_counts_out_of_range) {
  const SunContext context;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  constexpr sunindextype many = 1000000000;
  Run run(context);
  for (const double bad : {nan, inf, -inf}) {
    const std::string text = std::isnan(bad) ? "nan" : "inf";
    run.misuse(GnomonSetStep(run.mem, bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSStolerances(run.mem, bad, 1e-6), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSStolerances(run.mem, 1e-6, bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSetInitStep(run.mem, bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSetMinStep(run.mem, bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSetMaxStep(run.mem, bad), GNOMON_BAD_VALUE, {text});
    run.pendulum();
    run.misuse(run.to(bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonSetStopTime(run.mem, bad), GNOMON_BAD_VALUE, {text});
    run.misuse(GnomonReInit(run.mem, bad, run.y.get()), GNOMON_BAD_VALUE, {text});
    run[1] = bad;
    BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) != GNOMON_CALLBACK_FAILED);
    run.misuse(run.to(1), GNOMON_NOT_FINITE, {"q0[1]"});
    run[1] = 0;
  }
  run.misuse(GnomonSetConstraintFn(run.mem, -1, pendulum_g), GNOMON_BAD_VALUE, {"-1"});
  run.misuse(GnomonSetSwitchFn(run.mem, -1, nullptr), GNOMON_BAD_VALUE, {"-1"});
  run.misuse(GnomonRootInit(run.mem, -1, nullptr), GNOMON_BAD_VALUE, {"-1"});
  run.misuse(GnomonSetConstraintFn(run.mem, many, pendulum_g), GNOMON_BAD_VALUE, {"1000000000", "50000000"});
  run.misuse(GnomonSetObstacleFn(run.mem, many, pendulum_g), GNOMON_BAD_VALUE, {"1000000000", "50000000"});
  run.misuse(GnomonSetSwitchFn(run.mem, many, pendulum_switch), GNOMON_BAD_VALUE, {"1000000000", "50000000"});
  BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS, run.message());
}
