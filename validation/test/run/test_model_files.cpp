// Built-in problems, written as model files and read again: the same increments. The C interface with model files.
#include <nvector/nvector_serial.h>

#include <boost/test/unit_test.hpp>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/gnomon.h"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "support/builtin_registry.hpp"

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

namespace {

const char* const pendulum_with_outputs = R"toml(format = 1
coordinates = ["x", "y"]
mass = "m"
potential = "m*g*y"
[constraints]
rod = "(x^2 + y^2 - l^2)/2"
[parameters]
m = 1.5
g = 9.81
l = 0.8
[start]
position = { x = "l*sin(0.5)", y = "-l*cos(0.5)" }
velocity = { x = "2*cos(0.5)", y = "2*sin(0.5)" }
[outputs]
tension = { formula = "lambda.rod*l", unit = "N" }
"joint.angle" = { formula = "atan2(x, -y)", unit = "rad" }
nowhere = "log(y)"
)toml";

ProblemInstance built(const std::string& text) {
  const auto problem = read_model_text(text, "model.toml");
  return problem->build(Options("problem model", problem->parameters()));
}

/// m (g cos(angle) + l w^2) of that pendulum
double tension(const Vector& q, const Vector& v) {
  return 1.5 * (9.81 * -q[1] / q.norm() + v.squaredNorm() / q.norm());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_tension_of_a_rod_is_an_output) {
  const ProblemInstance pendulum = built(pendulum_with_outputs);
  for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "rattle"}) {
    BOOST_TEST_CONTEXT(scheme) {
      Integrator run = registry().integrator(pendulum, scheme, "newton");
      const EvaluatedOutputs outputs(pendulum);
      BOOST_TEST(outputs.outputs().at(0).unit == "N");
      for (int step = 0; step < 20; ++step) {
        const State& z = run.state();
        const Vector values = outputs.evaluate(run);
        BOOST_TEST(values[0] == tension(z.q.value(), z.p.value() / 1.5),
                   boost::test_tools::tolerance(std::string(scheme) == "energy-momentum" ? 1e-3 : 1e-12));
        BOOST_TEST(values[1] == std::atan2(z.q.value()[0], -z.q.value()[1]));
        BOOST_TEST(std::isnan(values[2]));
        BOOST_TEST(outputs.evaluate(z).head(2) == values.head(2));
        BOOST_TEST_REQUIRE(run.step(1e-2).success());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_reaction_of_a_contact_is_an_output) {
  const ProblemInstance ball = built(R"toml(format = 1
coordinates = ["x", "y"]
mass = 2
potential = "2*9.81*y"
[obstacles]
floor = "2*y"
[start]
position = { y = 0.5 }
velocity = { x = 1 }
[outputs]
reaction = "2*lambda.floor"
)toml");
  Integrator run = registry().integrator(ball, "energy-momentum", "newton");
  const EvaluatedOutputs outputs(ball);
  BOOST_TEST(outputs.evaluate(run)[0] == 0);
  BOOST_TEST_REQUIRE(run.advance_to(1, 1e-2).success());
  BOOST_TEST(outputs.evaluate(run)[0] == 2 * 9.81, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(outputs.evaluate(run.state())[0] == 2 * 9.81, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(multipliers_that_do_not_exist_are_no_number) {
  // Both rods of this linkage lie on one line: G has rank one.
  const ProblemInstance line = built(R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = "y"
[constraints]
left = "(x^2 + y^2 - 1)/2"
right = "((x - 2)^2 + y^2 - 1)/2"
[start]
position = { x = 1 }
[outputs]
force = "lambda.left"
place = "x"
)toml");
  State z;
  z.q.set(line.q0);
  z.p.set(line.p0);
  const Vector values = EvaluatedOutputs(line).evaluate(z);
  BOOST_TEST(std::isnan(values[0]));
  BOOST_TEST(values[1] == 1);
}

BOOST_AUTO_TEST_CASE(outputs_through_the_c_interface) {
  const gnomon::SunContext context;
  void* mem = GnomonCreate(context);
  long count = -1;
  double value = 0;
  const char* name = nullptr;
  BOOST_TEST(GnomonSetModelText(mem, pendulum_with_outputs) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetScheme(mem, "rattle", nullptr) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetStep(mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(mem, 0, nullptr) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonGetNumOutputs(mem, &count) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(count == 3);
  BOOST_TEST(GnomonGetOutputName(mem, 1, &name) == GNOMON_SUCCESS);
  BOOST_TEST(std::string(name) == "joint.angle");
  BOOST_TEST(GnomonGetOutputName(mem, 3, &name) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetOutputName(mem, -1, &name) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetOutputName(mem, 0, nullptr) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetNumOutputs(mem, nullptr) == GNOMON_BAD_VALUE);
  BOOST_TEST(GnomonGetOutput(mem, "joint.angle", &value) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(value == 0.5, boost::test_tools::tolerance(1e-15));
  N_Vector y = N_VNew_Serial(4, context);
  double t = 0;
  BOOST_TEST(GnomonEvolve(mem, 0.5, y, &t, GNOMON_NORMAL) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonGetOutput(mem, "tension", &value) == GNOMON_SUCCESS);
  BOOST_TEST(value == tension(Vector::Map(N_VGetArrayPointer(y), 2), Vector::Map(N_VGetArrayPointer(y) + 2, 2) / 1.5),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(GnomonGetOutput(mem, "nowhere", &value) == GNOMON_SUCCESS);
  BOOST_TEST(std::isnan(value));
  BOOST_TEST(GnomonGetOutput(mem, "tensoin", &value) == GNOMON_UNKNOWN_NAME);
  const std::string said = GnomonGetLastMessage(mem);
  BOOST_TEST(said.find("unknown output \"tensoin\"; did you mean \"tension\"?") != std::string::npos, said);
  N_VDestroy(y);
  GnomonFree(&mem);
}

BOOST_AUTO_TEST_CASE(model_text_through_the_c_interface) {
  const gnomon::SunContext context;
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
}

/// A rod on a hinge with a bob on two equal rods, of which one repeats the other.
BOOST_AUTO_TEST_CASE(a_mechanism_through_the_c_interface) {
  const gnomon::SunContext context;
  void* mem = GnomonCreate(context);
  BOOST_TEST(GnomonSetModelText(mem, R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.rod]
mass = 2
inertia = 0.2
markers = { top = [-0.5, 0], end = [0.5, 0] }
place = { top = "O" }
[particles.bob]
mass = "m"
position = [1, -0.5]
[joints.hinge]
type = "revolute"
between = ["O", "rod.top"]
[rods]
r1 = { between = ["rod.end", "bob"] }
r2 = { between = ["rod.end", "bob"] }
[parameters]
m = 1.0
)toml") == GNOMON_SUCCESS,
             GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetParameter(mem, "m", 0.5) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetParameter(mem, "rod.mass", 3) == GNOMON_UNKNOWN_NAME);
  BOOST_TEST(GnomonSetScheme(mem, "energy-momentum-ggl", nullptr) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonSetStep(mem, 1e-2) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonInit(mem, 0, nullptr) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  sunindextype index = -1;
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "bob.y", &index) == GNOMON_SUCCESS);
  BOOST_TEST(index == 1);
  BOOST_TEST(GnomonGetCoordinateIndex(mem, "rod.d1.x", &index) == GNOMON_SUCCESS);
  BOOST_TEST(index == 4);
  N_Vector y = N_VNew_Serial(12, context);
  double t = 0, angle = 0;
  BOOST_TEST(GnomonEvolve(mem, 0.3, y, &t, GNOMON_NORMAL) == GNOMON_SUCCESS, GnomonGetLastMessage(mem));
  BOOST_TEST(GnomonGetOutput(mem, "hinge.angle", &angle) == GNOMON_SUCCESS);
  BOOST_TEST(angle == std::atan2(NV_Ith_S(y, 5), NV_Ith_S(y, 4)), boost::test_tools::tolerance(1e-14));
  BOOST_TEST(angle < -0.1);
  N_VDestroy(y);
  GnomonFree(&mem);
}
