// The C interface: runs, with tasks, roots, dense output, checkpoints and statistics.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "test/c_api/c_api_pendulum.hpp"

namespace {

extern "C" {
int lowest_point(sunrealtype, N_Vector y, sunrealtype* out, void*) {
  out[0] = NV_Ith_S(y, 0);
  return 0;
}
/// That of -U.
int upward_gradient(sunrealtype, N_Vector, N_Vector grad, void*) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = -1;
  return 0;
}
/// No polynomial.
int cosine_U(sunrealtype, N_Vector q, sunrealtype* U, void*) {
  *U = -std::cos(NV_Ith_S(q, 0)) + NV_Ith_S(q, 1);
  return 0;
}
}

}  // namespace

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

// A scheme that promises the energy and does not keep it: said once, after stop times and roots.
BOOST_AUTO_TEST_CASE(broken_promises) {
  const SunContext context;
  Run run(context), kept(context);
  const auto broken = [](Run& of) {
    const char* text = nullptr;
    BOOST_TEST(GnomonGetBrokenPromises(of.mem, &text) == GNOMON_SUCCESS);
    return std::string(text);
  };
  BOOST_TEST(GnomonLoadPlugin(run.mem, GNOMON_TEST_MODULES "/overpromising.so") == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(run.mem, "overpromising", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetProblem(run.mem, "double-spherical-pendulum", "start=spatial") == GNOMON_SUCCESS);
  run.y.reset(N_VNew_Serial(12, context));
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(run.mem, 0.0, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(broken(run) == "");
  BOOST_TEST(GnomonSetStopTime(run.mem, 0.5) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_TSTOP_RETURN);
  BOOST_TEST(broken(run).find("energy at step ") == 0u);
  BOOST_TEST(run.to(1) == GNOMON_PROMISE_WARN);
  BOOST_TEST(run.t == 1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(run.to(2) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(3, GNOMON_ONE_STEP) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(GnomonGetReturnFlagName(GNOMON_PROMISE_WARN)) == "GNOMON_PROMISE_WARN");
  BOOST_TEST(GnomonReInit(run.mem, 0.0, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(run.to(1) == GNOMON_PROMISE_WARN);

  kept.pendulum();
  BOOST_TEST(kept.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(broken(kept) == "");
}

// The table of `gnomon check`; and what the start finds of it by itself.
BOOST_AUTO_TEST_CASE(check_of_the_model) {
  const SunContext context;
  Run sound(context), wrong(context), early(context);
  int failed = -1;
  early.misuse(GnomonCheckModel(early.mem, nullptr, &failed), GNOMON_NO_INIT, {"GnomonInit"});
  sound.pendulum();
  FILE* table = std::tmpfile();
  BOOST_TEST(GnomonCheckModel(sound.mem, table, &failed) == GNOMON_SUCCESS, sound.message());
  BOOST_TEST(failed == 0);
  std::rewind(table);
  char line[200] = "";
  BOOST_TEST((std::fgets(line, sizeof line, table) && std::string(line).rfind("check ", 0) == 0), line);
  int lines = 1;
  while (std::fgets(line, sizeof line, table)) ++lines;
  BOOST_TEST(lines > 15);
  BOOST_TEST(std::string(line) == "all checks passed\n");
  std::fclose(table);
  BOOST_TEST(sound.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonCheckModel(sound.mem, nullptr, nullptr) == GNOMON_SUCCESS);

  wrong.pendulum();
  BOOST_TEST(GnomonSetGradientFn(wrong.mem, upward_gradient) == GNOMON_SUCCESS);
  wrong.start();
  BOOST_TEST(GnomonCheckModel(wrong.mem, nullptr, &failed) == GNOMON_SUCCESS);
  BOOST_TEST(failed > 0);
  wrong.misuse(wrong.to(1), GNOMON_BAD_VALUE, {"grad U . w", "difference quotients"});
}

// The pendulum hangs, whatever its start; the run goes on from there as if nothing had been asked.
BOOST_AUTO_TEST_CASE(equilibrium) {
  const SunContext context;
  Run run(context), kept(context);
  run.pendulum();
  kept.pendulum();
  const SunOwner<N_Vector> q(N_VNew_Serial(2, context)), lambda(N_VNew_Serial(1, context));
  BOOST_TEST(GnomonFindEquilibrium(run.mem, q.get(), lambda.get()) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(std::abs(NV_Ith_S(q.get(), 0)) < 1e-9);
  BOOST_TEST(std::abs(NV_Ith_S(q.get(), 1) + 1) < 1e-12);
  BOOST_TEST(NV_Ith_S(lambda.get(), 0) > 0);
  BOOST_TEST(GnomonFindEquilibrium(run.mem, q.get(), nullptr) == GNOMON_SUCCESS);
  run.misuse(GnomonFindEquilibrium(run.mem, lambda.get(), nullptr), GNOMON_BAD_SIZE, {"q"});
  BOOST_TEST(run.to(1) == GNOMON_SUCCESS);
  BOOST_TEST(kept.to(1) == GNOMON_SUCCESS);
  BOOST_TEST((run.state() == kept.state()));
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

  // Inside the last step is a step of the scheme; its derivatives are those of the motion.
  const SunOwner<N_Vector> a(N_VNew_Serial(4, context)), b(N_VNew_Serial(4, context)), d(N_VNew_Serial(4, context));
  BOOST_TEST(GnomonGetDky(run.mem, 10, 0, a.get()) == GNOMON_SUCCESS, run.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(NV_Ith_S(a.get(), i) == run[i], boost::test_tools::tolerance(1e-13));
  Run smooth(context);
  smooth.pendulum();
  BOOST_TEST(GnomonSetScheme(smooth.mem, "line-integral-ggl", "s=2") == GNOMON_SUCCESS);
  BOOST_TEST(smooth.to(1, GNOMON_ONE_STEP) == GNOMON_SUCCESS, smooth.message());
  const double middle = 5e-3, e = 1e-4;
  GnomonGetDky(smooth.mem, middle + e, 0, a.get());
  GnomonGetDky(smooth.mem, middle - e, 0, b.get());
  GnomonGetDky(smooth.mem, middle, 1, d.get());
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(std::abs((NV_Ith_S(a.get(), i) - NV_Ith_S(b.get(), i)) / (2 * e) - NV_Ith_S(d.get(), i)) < 1e-7);
  Run whole(context), part(context);
  whole.pendulum();
  part.pendulum();
  whole.to(1, GNOMON_ONE_STEP);
  part.to(3e-3);
  BOOST_TEST(GnomonGetDky(whole.mem, 3e-3, 0, a.get()) == GNOMON_SUCCESS, whole.message());
  for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(NV_Ith_S(a.get(), i) - part[i]) < 1e-15);
}

BOOST_AUTO_TEST_CASE(roots_are_as_accurate_as_the_run) {
  // From the horizontal to the lowest point, where the tension is 3, by long steps of high order.
  const SunContext context;
  for (const double rtol : {1e-8, 1e-11}) {
    Run run(context);
    run.pendulum();
    BOOST_TEST(GnomonSStolerances(run.mem, rtol, 0) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(GnomonReInit(run.mem, 0, run.y.get()) == GNOMON_SUCCESS);
    BOOST_TEST(GnomonRootInit(run.mem, 1, lowest_point) == GNOMON_SUCCESS);
    BOOST_REQUIRE(run.to(10) == GNOMON_ROOT_RETURN);
    BOOST_TEST(std::abs(run.t - 1.8540746773013719) < 10 * rtol);
    const double energy = (run[2] * run[2] + run[3] * run[3]) / 2 + run[1], length = run[0] * run[0] + run[1] * run[1];
    BOOST_TEST(std::abs(energy) < 1e-14);
    BOOST_TEST(std::abs(length - 1) < 1e-14);
    const SunOwner<N_Vector> lambda(N_VNew_Serial(1, context));
    BOOST_TEST(GnomonGetIndex1Multipliers(run.mem, lambda.get()) == GNOMON_SUCCESS, run.message());
    BOOST_TEST(std::abs(NV_Ith_S(lambda.get(), 0) - 3) < 100 * rtol);
  }
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

// Cranks that pass the horizontal at t = .7.
BOOST_AUTO_TEST_CASE(a_singular_position) {
  const SunContext context;
  void* mem = GnomonCreate(context);
  const SunOwner<N_Vector> y(N_VNew_Serial(12, context));
  BOOST_TEST(GnomonSetProblem(mem, "n-four-bar", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetScheme(mem, "line-integral-ggl", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetStep(mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(mem, 0, nullptr) == GNOMON_SUCCESS);
  long step = -1;
  double t = 0, at = 0;
  BOOST_TEST(GnomonEvolve(mem, 0.5, y.get(), &t, GNOMON_NORMAL) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonGetSingularPosition(mem, &step, &at) == GNOMON_SUCCESS);
  BOOST_TEST(step == 0);
  BOOST_TEST(GnomonEvolve(mem, 1, y.get(), &t, GNOMON_NORMAL) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonGetSingularPosition(mem, &step, &at) == GNOMON_SUCCESS);
  BOOST_TEST(step > 65);
  BOOST_TEST(step < 75);
  BOOST_TEST(std::abs(at - 1e-2 * static_cast<double>(step)) < 1e-12);
  BOOST_TEST(GnomonGetSingularPosition(mem, nullptr, &at) == GNOMON_BAD_VALUE);
  GnomonFree(&mem);
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
