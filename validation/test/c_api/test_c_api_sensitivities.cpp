/// The C interface: derivatives of the motion by parameters that callbacks read, by the start, and by names.
#include <cmath>

#include "test/c_api/c_api_pendulum.hpp"

namespace {

/// A pendulum whose callbacks read its gravity and its length.
struct Parameters {
  sunrealtype p[2] = {9.81, 1.0};
};

extern "C" {
int weight(sunrealtype, N_Vector q, sunrealtype* U, void* data) {
  *U = static_cast<Parameters*>(data)->p[0] * NV_Ith_S(q, 1);
  return 0;
}
int weight_gradient(sunrealtype, N_Vector, N_Vector grad, void* data) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = static_cast<Parameters*>(data)->p[0];
  return 0;
}
int rod(sunrealtype, N_Vector q, N_Vector g, void* data) {
  const sunrealtype l = static_cast<Parameters*>(data)->p[1];
  NV_Ith_S(g, 0) = (NV_Ith_S(q, 0) * NV_Ith_S(q, 0) + NV_Ith_S(q, 1) * NV_Ith_S(q, 1) - l * l) / 2;
  return 0;
}
}

/// At the end of 100 steps from the horizontal.
struct Swing : Run {
  explicit Swing(SUNContext context, Parameters& of) : Run(context), parameters(of) {
    GnomonSetMassDiagonal(mem, mass.get());
    GnomonSetPotentialFn(mem, weight);
    GnomonSetGradientFn(mem, weight_gradient);
    GnomonSetConstraintFn(mem, 1, rod);
    GnomonSetConstraintJacFn(mem, pendulum_G, nullptr);
    GnomonSetDegrees(mem, 1, 2);
    GnomonSetUserData(mem, &parameters);
    (*this)[0] = parameters.p[1];
    start();
  }
  Parameters& parameters;
};

}  // namespace

BOOST_AUTO_TEST_CASE(by_parameters_of_callbacks_and_by_the_start) {
  const SunContext context;
  Parameters parameters;
  Swing run(context, parameters);
  int list[2] = {1, 0};
  SunOwner<N_Vector> starts[2] = {SunOwner<N_Vector>(N_VNew_Serial(4, context)),
                                  SunOwner<N_Vector>(N_VNew_Serial(4, context))};
  N_Vector yS[2] = {starts[0].get(), starts[1].get()};
  for (N_Vector y : yS) N_VConst(0.0, y);
  NV_Ith_S(yS[0], 0) = 1;  // the bob is at x = l
  BOOST_TEST(GnomonSensInit(run.mem, 2, yS) == GNOMON_SUCCESS, run.message());
  BOOST_TEST(GnomonSetSensParams(run.mem, parameters.p, nullptr, list) == GNOMON_SUCCESS, run.message());
  BOOST_REQUIRE(run.to(1.0) == GNOMON_SUCCESS);
  sunrealtype t = 0;
  BOOST_REQUIRE(GnomonGetSens(run.mem, &t, yS) == GNOMON_SUCCESS);
  BOOST_TEST(t == 1.0);
  BOOST_TEST(parameters.p[0] == 9.81);
  BOOST_TEST(parameters.p[1] == 1.0);

  for (int i = 0; i < 2; ++i) {
    const auto end = [&](double change) {
      Parameters changed;
      changed.p[list[i]] += change;
      Swing one(context, changed);
      BOOST_REQUIRE(one.to(1.0) == GNOMON_SUCCESS);
      return one.state();
    };
    constexpr double d = 1e-3;
    const auto p1 = end(d), m1 = end(-d), p2 = end(2 * d), m2 = end(-2 * d);
    for (int j = 0; j < 4; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double slope = (8 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12 * d);
      BOOST_TEST(std::abs(NV_Ith_S(yS[i], j) - slope) < 1e-8, i << " " << j << ": " << NV_Ith_S(yS[i], j) - slope);
    }
  }
}

BOOST_AUTO_TEST_CASE(by_names) {
  const SunContext context;
  Run run(context);
  BOOST_TEST(GnomonSetProblem(run.mem, "planar-pendulum", nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetStep(run.mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(run.mem, 0.0, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetSensNames(run.mem, "length,start.der(bob.x)") == GNOMON_SUCCESS);
  BOOST_REQUIRE(run.to(0.5) == GNOMON_SUCCESS);
  SunOwner<N_Vector> a(N_VNew_Serial(4, context)), b(N_VNew_Serial(4, context));
  N_Vector yS[2] = {a.get(), b.get()};
  BOOST_REQUIRE(GnomonGetSens(run.mem, nullptr, yS) == GNOMON_SUCCESS);
  const double on_rod = run[0] * NV_Ith_S(yS[0], 0) + run[1] * NV_Ith_S(yS[0], 1);
  BOOST_TEST(std::abs(on_rod - 1) < 1e-12);  // of x^2 + y^2 = l^2
  BOOST_TEST(std::abs(run[0] * NV_Ith_S(yS[1], 0) + run[1] * NV_Ith_S(yS[1], 1)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(misuse) {
  const SunContext context;
  Parameters parameters;
  Swing run(context, parameters);
  run.misuse(GnomonSensInit(run.mem, -1, nullptr), GNOMON_BAD_VALUE, {"-1"});
  run.misuse(GnomonSetSensParams(run.mem, parameters.p, nullptr, nullptr), GNOMON_BAD_VALUE, {"GnomonSensInit"});
  BOOST_TEST(GnomonSensInit(run.mem, 1, nullptr) == GNOMON_SUCCESS);
  sunrealtype zero = 0;
  run.misuse(GnomonSetSensParams(run.mem, parameters.p, &zero, nullptr), GNOMON_BAD_VALUE, {"pbar[0]", "0"});
  BOOST_TEST(GnomonSetSensNames(run.mem, "k") == GNOMON_SUCCESS);
  run.misuse(run.to(0.1), GNOMON_BAD_VALUE, {"GnomonSetSensParams"});
  BOOST_TEST(GnomonSensInit(run.mem, 0, nullptr) == GNOMON_SUCCESS);
  BOOST_REQUIRE(run.to(0.1) == GNOMON_SUCCESS);
  N_Vector none = nullptr;
  run.misuse(GnomonGetSens(run.mem, nullptr, &none), GNOMON_BAD_VALUE, {"GnomonSensInit"});
  run.misuse(GnomonSensInit(run.mem, 1, nullptr), GNOMON_REFUSED, {"beyond"});
}
