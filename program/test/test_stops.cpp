// What a run says that cannot go on: the place in the model, and not the arithmetic that found it.
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "support/scratch.hpp"

using namespace gnomon::test;

namespace {

const std::string past_dead_centre = R"toml(format = 1
planar = true
points = { O = [0, 0], P = [2, 0] }
start = { assemble = true }
[bodies.crank]
shape = { box = [1, 0.05], density = 10 }
markers = { left = [-0.5, 0], right = [0.5, 0] }
orientation = "60*deg"
place = { left = "O" }
[bodies.coupler]
shape = { box = [1.2, 0.05], density = 10 }
markers = { left = [-0.6, 0], right = [0.6, 0] }
place = { left = "crank.right", right = [2, 1.4] }
[bodies.rocker]
mass = 2
inertia = 1.5
markers = { top = [0, 0.6], bottom = [0, -0.6] }
place = { bottom = "P", top = "coupler.right" }
[joints]
A = { type = "revolute", between = ["O", "crank.left"] }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.top"] }
D = { type = "revolute", between = ["P", "rocker.bottom"] }
[motors]
M = { joint = "A", angle = "t" }
)toml";

const std::string root_of_negative = R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = "x + y"
[force]
x = "-0.1*sqrt(x)"
[start]
position = { x = 1 }
)toml";

const std::string derivative_of_root = R"toml(format = 1
coordinates = ["x"]
mass = 1
potential = "(x^2)^0.75 + log(x)*0.1"
[start]
position = { x = 1 }
velocity = { x = -3 }
)toml";

/// The text after STOPPED.
void stops(const std::string& toml, const std::string& arguments, const std::vector<std::string>& parts) {
  const Scratch scratch;
  std::ofstream(scratch.work / "m.toml") << toml;
  const Outcome outcome = scratch.gnomon("run m.toml " + arguments);
  const std::string said = outcome.out + outcome.err;
  const std::size_t at = said.find("STOPPED");
  BOOST_TEST_CONTEXT("gnomon run m.toml " << arguments << "\n" << said) {
    BOOST_TEST(outcome.status == 3);
    BOOST_REQUIRE(at != std::string::npos);
    for (const std::string& part : parts) BOOST_TEST(said.find(part, at) != std::string::npos, "does not say " << part);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_motor_that_drives_past_a_dead_centre) {
  for (const char* how : {"--until 3", "--until 3 --step 0.01", "--until 3 --step 0.01 --scheme rattle",
                          "--until 3 --step 0.05 --scheme hbvm", "--until 3 --step 0.01 --scheme energy-momentum-ggl"})
    stops(past_dead_centre, how,
          {"near t = 0.7", "constraints lose rank", "coupler", "a dead centre or a locked position",
           "beyond which M, which moves with time, cannot be followed"});
}

BOOST_AUTO_TEST_CASE(a_formula_that_becomes_no_number) {
  for (const char* how : {"--until 3", "--until 3 --step 0.01", "--until 3 --step 0.01 --scheme rattle",
                          "--until 3 --step 0.05 --scheme hbvm", "--until 3 --step 0.01 --scheme energy-momentum-ggl"})
    stops(root_of_negative, how, {"m.toml:6:6: the force of x, \"-0.1*sqrt(x)\", is not a number at t = 1.35"});
  for (const char* how : {"--until 3 --step 0.01 --scheme rattle", "--until 3 --rtol 1e-6"})
    stops(derivative_of_root, how,
          {"m.toml:4:14: the potential, \"(x^2)^0.75 + log(x)*0.1\", is not a number at t = 0."});
}

// A step that is too large for the motion has no cause in the model.
BOOST_AUTO_TEST_CASE(a_step_that_is_too_large) {
  const Scratch scratch;
  const Outcome outcome = scratch.gnomon("run planar-pendulum --step 1 --until 100 --scheme energy-momentum");
  BOOST_TEST(outcome.status == 3);
  BOOST_TEST(contains(outcome.out + outcome.err, "remedies: a smaller step"));
}

// Newton's restitution beside friction: a rod that lands slanted and slides back.
BOOST_AUTO_TEST_CASE(impacts_that_gain_energy_are_said_once) {
  const Scratch scratch;
  const auto run = [&](const std::string& friction, const std::string& on) {
    std::ofstream(scratch.work / "m.toml") << "format = 1\nplanar = true\ngravity = [0, -9.81]\n[bodies.rod]\n"
                                              "shape = { box = [2, 0.05], density = 10 }\n"
                                              "markers = { a = [-1, 0], b = [1, 0] }\norientation = \"50*deg\"\n"
                                              "position = [0, 1.2]\nvelocity = [4, -1]\n[contacts.floor]\n"
                                              "plane = { point = [0, 0], normal = [0, 1] }\non = [" +
                                                  on + "]\nrestitution = 0.9\nfriction = " + friction + "\n";
    return scratch.gnomon("run m.toml --step 0.001 --until 1");
  };
  const Outcome gains = run("0.8", "\"rod.a\", \"rod.b\"");
  BOOST_TEST(gains.status == 0, gains.err);
  BOOST_TEST(contains(gains.out, "1 impact gained energy, at most 0.21"), gains.out);
  BOOST_TEST(!contains(run("0", "\"rod.a\", \"rod.b\"").out, "gained energy"));
  const Outcome negative = run("-0.3", "\"rod.a\"");
  BOOST_TEST(negative.status == 2);
  BOOST_TEST(contains(negative.err, "m.toml:10:11: the friction of obstacle floor.rod.a is -0.3, expected at least 0"),
             negative.err);
  const Outcome twice = run("0.8", "\"rod.a\", \"rod.a\"");
  BOOST_TEST(twice.status == 2);
  BOOST_TEST(contains(twice.err, "m.toml:12:17: contact floor is on \"rod.a\" twice, expected once"), twice.err);
}

BOOST_AUTO_TEST_CASE(what_an_assembly_moved_is_said) {
  const Scratch scratch;
  std::ofstream(scratch.work / "m.toml") << past_dead_centre;
  const Outcome outcome = scratch.gnomon("run m.toml --step 0.01 --until 0.1");
  BOOST_TEST(outcome.status == 0, outcome.err);
  BOOST_TEST(contains(outcome.out, "  start        moved to where it fits: "), outcome.out);
  for (const char* part : {": coupler by ", " and rocker by "}) BOOST_TEST(contains(outcome.out, part));
  BOOST_TEST(contains(scratch.gnomon("run m.toml --step 0.01 --until 0.1 --json").out, "\"moved_start\""));
  std::ofstream(scratch.work / "v.toml") << "format = 1\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"y\"\n"
                                            "constraints.rod = \"x^2 + y^2 - 1\"\nstart = { position = { x = 1 }, "
                                            "velocity = { x = 3, y = 1 }, project = true }\n";
  const std::string velocities = scratch.gnomon("run v.toml --step 0.01 --until 0.1").out;
  BOOST_TEST(contains(velocities, "moved to where it fits: velocities: x by 3\n"), velocities);
}
