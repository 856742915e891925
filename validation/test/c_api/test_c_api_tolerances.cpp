// The C interface: steps of a tolerance, in the manner of IDA.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "test/c_api/c_api_pendulum.hpp"

namespace {

/// The pendulum without a step.
struct Controlled : Run {
  explicit Controlled(SUNContext context, const char* scheme = "energy-momentum-ggl") : Run(context) {
    BOOST_TEST(GnomonSetMassDiagonal(mem, mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetPotentialFn(mem, pendulum_U) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetGradientFn(mem, pendulum_gradient) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintFn(mem, 1, pendulum_g) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintJacFn(mem, pendulum_G, nullptr) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetDegrees(mem, 1, 2) == GNOMON_SUCCESS);
    if (scheme) BOOST_TEST(GnomonSetScheme(mem, scheme, nullptr) == GNOMON_SUCCESS);
  }
  std::string scheme() {
    const char* text = nullptr;
    BOOST_TEST(GnomonGetScheme(mem, &text) == GNOMON_SUCCESS, message());
    return text ? text : "";
  }
  Controlled& begin() {
    BOOST_TEST(GnomonInit(mem, 0.0, y.get()) == GNOMON_SUCCESS, message());
    return *this;
  }
  long steps() {
    long count = 0;
    BOOST_TEST(GnomonGetNumSteps(mem, &count) == GNOMON_SUCCESS);
    return count;
  }
  double last_step() {
    double h = 0;
    BOOST_TEST(GnomonGetLastStep(mem, &h) == GNOMON_SUCCESS);
    return h;
  }
  double current_step() {
    double h = 0;
    BOOST_TEST(GnomonGetCurrentStep(mem, &h) == GNOMON_SUCCESS);
    return h;
  }
};

extern "C" int lowest_point(sunrealtype, N_Vector y, sunrealtype* out, void*) {
  out[0] = NV_Ith_S(y, 0);
  return 0;
}

/// Time from the horizontal to the lowest point, K(1/2) for unit length and gravity.
const double quarter = 1.8540746773013719;

}  // namespace

BOOST_AUTO_TEST_CASE(calls_in_the_order_of_ida) {
  // Nothing but the system before Init: no degrees, no scheme, no step.
  const SunContext context;
  const auto plain = [&](Run& run) {
    BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetPotentialFn(run.mem, pendulum_U) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonSetConstraintFn(run.mem, 1, pendulum_g) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS, run.message());
  };
  Run by_tolerance(context);
  plain(by_tolerance);
  by_tolerance.misuse(by_tolerance.to(1), GNOMON_BAD_VALUE, {"GnomonSetStep", "GnomonSStolerances"});
  BOOST_TEST(GnomonSStolerances(by_tolerance.mem, 1e-8, 1e-8) == GNOMON_SUCCESS, by_tolerance.message());
  BOOST_TEST(by_tolerance.to(quarter) == GNOMON_SUCCESS, by_tolerance.message());
  BOOST_TEST(std::abs(by_tolerance[0]) < 1e-6);
  BOOST_TEST(by_tolerance.energy_error() < 1e-12);

  Run by_step(context);
  plain(by_step);
  BOOST_TEST(GnomonSetStep(by_step.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(by_step.to(1) == GNOMON_SUCCESS, by_step.message());
  const char* scheme = nullptr;
  BOOST_TEST(GnomonGetScheme(by_step.mem, &scheme) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(scheme) == "energy-momentum-ggl");
  BOOST_TEST(by_step.energy_error() < 1e-12);

  // A problem that no scheme by default takes says who sets another one.
  Run overdetermined(context);
  BOOST_TEST(GnomonSetProblem(overdetermined.mem, "odae-test", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(overdetermined.mem, 0, nullptr) == GNOMON_SUCCESS, overdetermined.message());
  BOOST_TEST(GnomonSetStep(overdetermined.mem, 1e-2) == GNOMON_SUCCESS);
  overdetermined.misuse(overdetermined.to(1), GNOMON_REFUSED, {"GnomonSetScheme"});
}

BOOST_AUTO_TEST_CASE(a_tolerance) {
  const SunContext context;
  for (const double rtol : {1e-4, 1e-6}) {
    Controlled run(context);
    BOOST_TEST(GnomonSStolerances(run.mem, rtol, rtol) == GNOMON_SUCCESS);
    run.begin();
    BOOST_TEST(run.to(quarter) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.t == quarter);
    BOOST_TEST(std::abs(run[0]) <= 30 * rtol);
    BOOST_TEST(std::abs(run[1] + 1) <= 30 * rtol);
    BOOST_TEST(run.energy_error() <= 1e-13);
    BOOST_TEST(run.position() <= 1e-13);
    BOOST_TEST(run.last_step() > 0);
    BOOST_TEST(run.current_step() >= run.last_step() * 0.3);
    long failures = -1;
    BOOST_TEST(GnomonGetNumErrTestFails(run.mem, &failures) == GNOMON_SUCCESS);
    BOOST_TEST(failures >= 0);
    const SunOwner<N_Vector> errors(N_VNew_Serial(4, context));
    BOOST_TEST(GnomonGetEstLocalErrors(run.mem, errors.get()) == GNOMON_SUCCESS);
    const double largest = N_VMaxNorm(errors.get());
    BOOST_TEST(largest > 0);
    BOOST_TEST(largest <= rtol);
    // One step at a time, beyond tout; with a stop time not beyond that.
    const long steps = run.steps();
    BOOST_TEST(run.to(5, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
    BOOST_TEST(run.steps() == steps + 1);
    BOOST_TEST(GnomonSetStopTime(run.mem, run.t + 1e-9) == GNOMON_SUCCESS);
    BOOST_TEST(run.to(5, GNOMON_ONE_STEP) == GNOMON_TSTOP_RETURN);
    BOOST_TEST(run.last_step() == 1e-9, boost::test_tools::tolerance(1e-5));
    // Back.
    BOOST_TEST(run.to(0) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(run.last_step() < 0);
    BOOST_TEST(std::abs(run[0] - 1) <= 60 * rtol);
    BOOST_TEST(run.energy_error() <= 1e-13);
    // Tighter, from here on.
    BOOST_TEST(GnomonSStolerances(run.mem, 1e-2 * rtol, 1e-2 * rtol) == GNOMON_SUCCESS);
    BOOST_TEST(std::abs(run.current_step()) < 0.5 * std::abs(run.last_step()));
    BOOST_TEST(run.to(0.1) == GNOMON_SUCCESS);
  }
}

BOOST_AUTO_TEST_CASE(one_for_each_component) {
  const SunContext context;
  const SunOwner<N_Vector> each(N_VNew_Serial(4, context)), three(N_VNew_Serial(3, context));
  N_VConst(1e-5, each.get());
  N_VConst(1e-5, three.get());
  Controlled one(context), all(context);
  BOOST_TEST(GnomonSStolerances(one.mem, 1e-5, 1e-5) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSVtolerances(all.mem, 1e-5, each.get()) == GNOMON_SUCCESS);
  BOOST_TEST(one.begin().to(1) == GNOMON_SUCCESS);
  BOOST_TEST(all.begin().to(1) == GNOMON_SUCCESS);
  BOOST_TEST(one.state() == all.state());
  all.misuse(GnomonSVtolerances(all.mem, 1e-5, three.get()), GNOMON_BAD_SIZE, {"3 entries", "4"});
  NV_Ith_S(each.get(), 3) = 0;
  all.misuse(GnomonSVtolerances(all.mem, 1e-5, each.get()), GNOMON_BAD_VALUE, {"[3]", "0"});
  all.misuse(GnomonSVtolerances(all.mem, 1e-5, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  BOOST_TEST(all.to(1.1) == GNOMON_SUCCESS);
}

BOOST_AUTO_TEST_CASE(limits) {
  const SunContext context;
  Controlled run(context);
  BOOST_TEST(GnomonSStolerances(run.mem, 1e-6, 1e-6) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetInitStep(run.mem, 1e-5) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMaxStep(run.mem, 1e-3) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMaxNumSteps(run.mem, 50) == GNOMON_SUCCESS);
  run.begin();
  BOOST_TEST(run.to(1, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
  BOOST_TEST(run.last_step() == 1e-5);
  run.misuse(run.to(1), GNOMON_TOO_MUCH_WORK, {"tout = 1", "50 steps"});
  BOOST_TEST(run.steps() == 51);
  BOOST_TEST(run.last_step() <= 1e-3);
  BOOST_TEST(GnomonSetMaxNumSteps(run.mem, 0) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS);
  run.misuse(GnomonSetMinStep(run.mem, 1), GNOMON_BAD_VALUE, {"smallest", "largest"});
  BOOST_TEST(GnomonSetInitStep(run.mem, 0) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMaxStep(run.mem, 0) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMinStep(run.mem, 0.5) == GNOMON_SUCCESS);
  const double t = run.t;
  run.misuse(run.to(10), GNOMON_STEP_TOO_SMALL, {"0.5", "error"});
  BOOST_TEST(run.t == t);
  BOOST_TEST(GnomonSetMinStep(run.mem, 0) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1.5) == GNOMON_SUCCESS);
  BOOST_TEST(run.energy_error() <= 1e-13);
}

BOOST_AUTO_TEST_CASE(roots_dense_output_checkpoints) {
  const SunContext context;
  Controlled run(context), other(context);
  for (Controlled* each : {&run, &other}) {
    BOOST_TEST(GnomonSStolerances(each->mem, 1e-6, 1e-6) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonRootInit(each->mem, 1, lowest_point) == GNOMON_SUCCESS);
    each->begin();
  }
  BOOST_TEST(run.to(10) == GNOMON_ROOT_RETURN);
  BOOST_TEST(run.t == quarter, boost::test_tools::tolerance(1e-5));
  const SunOwner<N_Vector> y(N_VNew_Serial(4, context));
  BOOST_TEST(GnomonGetDky(run.mem, run.t, 0, y.get()) == GNOMON_SUCCESS);
  BOOST_TEST(NV_Ith_S(y.get(), 1) == -1, boost::test_tools::tolerance(1e-9));
  const std::string file =
      (std::filesystem::temp_directory_path() / ("gnomon_c_tolerance_" + std::to_string(getpid()))).string();
  BOOST_TEST(GnomonSaveCheckpoint(run.mem, file.c_str()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonLoadCheckpoint(other.mem, file.c_str()) == GNOMON_SUCCESS, other.message());
  BOOST_TEST(GnomonRootInit(run.mem, 0, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonRootInit(other.mem, 0, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(4) == GNOMON_SUCCESS);
  BOOST_TEST(other.to(4) == GNOMON_SUCCESS, other.message());
  BOOST_TEST(run.state() == other.state());
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_CASE(bad_input) {
  const SunContext context;
  Controlled run(context);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  run.misuse(GnomonSStolerances(run.mem, 0, 1e-3), GNOMON_BAD_VALUE, {"relative", "0"});
  run.misuse(GnomonSStolerances(run.mem, 1e-3, -1), GNOMON_BAD_VALUE, {"absolute", "-1"});
  run.misuse(GnomonSStolerances(run.mem, nan, 1e-3), GNOMON_BAD_VALUE, {"nan"});
  run.misuse(GnomonSetInitStep(run.mem, -1), GNOMON_BAD_VALUE, {"first", "-1"});
  run.misuse(GnomonSetMaxStep(run.mem, nan), GNOMON_BAD_VALUE, {"largest", "nan"});
  run.misuse(GnomonSetMaxNumSteps(run.mem, -2), GNOMON_BAD_VALUE, {"-2"});
  run.begin();
  run.misuse(run.to(1), GNOMON_BAD_VALUE, {"GnomonSetStep", "GnomonSStolerances"});
  run.misuse(GnomonGetEstLocalErrors(run.mem, run.y.get()), GNOMON_REFUSED, {"GnomonSStolerances"});
  BOOST_TEST(GnomonSStolerances(run.mem, 1e-3, 1e-3) == GNOMON_SUCCESS);
  // The last one holds, until there is a run.
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSStolerances(run.mem, 1e-3, 1e-3) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS);
  run.misuse(GnomonSetStep(run.mem, 1e-2), GNOMON_REFUSED, {"one size", "0.01", "GnomonReInit"});
  for (const auto place : {GnomonGetLastStep, GnomonGetCurrentStep})
    run.misuse(place(run.mem, nullptr), GNOMON_BAD_VALUE, {"NULL"});
  run.misuse(GnomonGetNumErrTestFails(run.mem, nullptr), GNOMON_BAD_VALUE, {"NULL"});

  Run fixed(context);
  fixed.pendulum();
  BOOST_TEST(fixed.to(1) == GNOMON_SUCCESS);
  fixed.misuse(GnomonSStolerances(fixed.mem, 1e-3, 1e-3), GNOMON_REFUSED, {"one size", "0.01"});
  Controlled plain(context, "energy-momentum");
  BOOST_TEST(GnomonSStolerances(plain.mem, 1e-3, 1e-3) == GNOMON_SUCCESS);
  plain.misuse(GnomonInit(plain.mem, 0.0, plain.y.get()), GNOMON_REFUSED, {"energy-momentum", "order 0"});
}

BOOST_AUTO_TEST_CASE(a_scheme_by_the_tolerance) {
  const SunContext context;
  std::string first;
  for (const double rtol : {1e-3, 1e-10}) {
    Controlled run(context, nullptr);
    BOOST_TEST(GnomonSStolerances(run.mem, rtol, rtol) == GNOMON_SUCCESS);
    run.begin();
    const std::string chosen = run.scheme();
    BOOST_TEST(chosen != first);
    first = chosen;
    const char* promises = nullptr;
    BOOST_TEST(GnomonGetPromises(run.mem, &promises) == GNOMON_SUCCESS);
    for (const char* promise : {"energy", "position", "hidden"})
      BOOST_TEST(std::string(promises).find(promise) != std::string::npos);
    double t = 0;
    BOOST_TEST(GnomonEvolve(run.mem, quarter, run.y.get(), &t, GNOMON_NORMAL) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(std::abs(NV_Ith_S(run.y.get(), 0)) <= 30 * rtol);
  }
  // A scheme that is named without options gets its order, one that has options keeps them.
  Controlled named(context, "line-integral-ggl");
  BOOST_TEST(GnomonSStolerances(named.mem, 1e-10, 1e-10) == GNOMON_SUCCESS);
  BOOST_TEST(named.begin().scheme().find("line-integral-ggl s=") == 0u);
  Controlled given(context, nullptr);
  BOOST_TEST(GnomonSetScheme(given.mem, "line-integral-ggl", "s=2") == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSStolerances(given.mem, 1e-10, 1e-10) == GNOMON_SUCCESS);
  BOOST_TEST(given.begin().scheme() == "line-integral-ggl s=2");
  // Steps of one size take what they took.
  Controlled fixed(context, nullptr);
  BOOST_TEST(GnomonSetStep(fixed.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(fixed.begin().scheme() == "energy-momentum");
}
