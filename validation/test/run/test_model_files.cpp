// Built-in problems, written as model files and read again: the same increments. The C interface with model files.
#include <nvector/nvector_serial.h>

#include <boost/test/unit_test.hpp>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/gnomon.h"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "test/builtin_registry.hpp"

using namespace gnomon;

namespace {

/// The first scheme of these that takes the problem.
std::string taker(const ProblemInstance& instance) {
  for (const char* name : {"energy-momentum", "energy-momentum-general", "energy-momentum-ggl", "alpha-penalty"}) try {
      registry().integrator(instance, name, "newton");
      return name;
    } catch (const Error&) {
    }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_problem_made_of_formulas_comes_back_from_its_text) {
  std::set<std::string> by_hand, compared;
  for (const std::string& name : registry().problems()) {
    BOOST_TEST_CONTEXT(name) {
      const ProblemInstance built_in = registry().build(name);
      std::string text;
      try {
        text = model_text(built_in, name);
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::refused), error.what());
        by_hand.insert(name);
        continue;
      }
      const auto problem = read_model_text(text, name + ".toml");
      const ProblemInstance read = problem->build(Options("problem " + name, problem->parameters()));
      const std::string scheme = taker(built_in);
      if (scheme.empty()) continue;
      compared.insert(name);
      Integrator a = registry().integrator(built_in, scheme, "newton"),
                 b = registry().integrator(read, scheme, "newton");
      BOOST_TEST(to_string(a.promises()) == to_string(b.promises()));
      const double h = name == "andrews-squeezer" ? 1e-5 : 1e-3;
      const double scale = std::max(1.0, built_in.q0.cwiseAbs().maxCoeff());
      for (int step = 0; step < 20; ++step) {
        BOOST_TEST_REQUIRE(a.step(h).success());
        BOOST_TEST_REQUIRE(b.step(h).success());
        const double apart = (a.state().q.value() - b.state().q.value()).cwiseAbs().maxCoeff();
        BOOST_TEST(apart <= 1e-13 * scale, "step " << step << ": " << apart << " apart");
        if (!(apart <= 1e-13 * scale)) break;
      }
    }
  }
  for (const std::string& name : by_hand) BOOST_TEST_MESSAGE("no formulas: " << name);
  BOOST_TEST(compared.count("andrews-squeezer") == 1u);
  BOOST_TEST(compared.count("spring-pendulum") == 1u);
  BOOST_TEST(compared.count("car-axis") == 1u);
  BOOST_TEST(compared.size() >= 12u);
}

BOOST_AUTO_TEST_CASE(model_text_through_the_c_interface) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  void* mem = GnomonCreate(context);
  const char* text = R"toml(format = 1
coordinates = ["x", "w[2]"]
mass = 1
potential = "k*(x^2 + w[0]^2 + w[1]^2)/2"
[parameters]
k = 4.0
[start]
position = { x = 1 }
)toml";
  BOOST_TEST(GnomonSetParameter(mem, "k", 1) == GNOMON_BAD_VALUE);  // of no problem
  BOOST_TEST(GnomonSetModelText(mem, "format = 1\ncoordinates = [\"x\"]\nmass = 1\npotential = \"y\"") ==
             GNOMON_BAD_VALUE);
  const std::string said = GnomonGetLastMessage(mem);
  BOOST_TEST(said.find("model.toml:4:14: unknown name \"y\"") != std::string::npos, said);
  BOOST_TEST(GnomonSetModelFile(mem, "no-such-file.toml") == GNOMON_BAD_FILE);
  BOOST_TEST(GnomonSetModelFile(mem, "model.txt") == GNOMON_BAD_FILE);
  BOOST_TEST(GnomonSetModelText(mem, text) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetParameter(mem, "kk", 1) == GNOMON_UNKNOWN_NAME);
  BOOST_TEST(GnomonSetParameter(mem, "k", 9) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSStolerances(mem, 1e-9, 1e-9) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(mem, 0, nullptr) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  sunindextype index = -1;
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "w[1]", &index) == GNOMON_SUCCESS);
  BOOST_TEST(index == 2);
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "x", &index) == GNOMON_SUCCESS);
  BOOST_TEST(index == 0);
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "w", &index) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "w[2]", &index) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "v", &index) == GNOMON_UNKNOWN_NAME);
  N_Vector y = N_VNew_Serial(6, context);
  double t = 0;
  BOOST_TEST(GnomonEvolve(mem, 1, y, &t, GNOMON_NORMAL) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(NV_Ith_S(y, 0) == std::cos(3.0), boost::test_tools::tolerance(1e-7));
  N_VDestroy(y);
  GnomonFree(&mem);
  SUNContext_Free(&context);
}
