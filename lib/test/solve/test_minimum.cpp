// Static equilibrium: what is proved, what is not, and obstacles.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <sstream>

#include "gnomon/solve/minimum.hpp"
#include "mechanism/built_models.hpp"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Minimum minimum_of(const std::string& text) {
  const ProblemInstance instance = build("format = 1\n" + text);
  return find_minimum(shared_system(instance.model), instance.t0, instance.q0);
}
Minimum minimum_of(const std::string& potential, double x, double y) {
  return minimum_of("coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"" + potential +
                    "\"\n[start]\nposition = { x = " + std::to_string(x) + ", y = " + std::to_string(y) + " }\n");
}
bool ended(const Minimum& found) {
  return found.report.status == SolveStatus::converged;
}
bool says(const Minimum& found, const std::string& words) {
  return found.report.message.find(words) != std::string::npos;
}

/// A plank of four legs on a floor that is pushed down: three legs hold it.
const std::string plank =
    "coordinates = [\"z\", \"a\", \"b\"]\nmass = 1\npotential = \"9.81*z + 0.1*a^2 + 0.1*b^2\"\n"
    "[obstacles]\nn = \"z + a + b\"\ne = \"z + a - b\"\ns = \"z - a - b\"\nw = \"z - a + b\"\n";

}  // namespace

BOOST_AUTO_TEST_CASE(a_minimum_is_proved_in_every_unit) {
  for (const std::string scale : {"1e-12", "1", "1e12"}) {
    const Minimum found = minimum_of(scale + "*((x - 1)^2 + cos(y))", .3, 2);
    BOOST_TEST_CONTEXT(scale) {
      BOOST_TEST(ended(found), found.report.message);
      BOOST_TEST(std::abs(found.q[0] - 1) < 1e-9);
      BOOST_TEST(std::abs(found.q[1] - std::acos(-1)) < 1e-9);
    }
  }
}

// Two rods that hang, from nearly upright: lengths and masses in other units, and rows that are anything.
BOOST_AUTO_TEST_CASE(lengths_have_any_unit) {
  for (const std::string l : {"1e-12", "1e-3", "1", "1e9"})
    for (const std::string row : {"1e-9", "1", "1e6"}) {
      const Minimum found = minimum_of(
          "coordinates = [\"x\", \"y\", \"u\", \"w\"]\nmass = \"1/l\"\npotential = \"y + w\"\n[parameters]\nl = " + l +
          "\n[constraints]\na = \"" + row + "*(x^2 + y^2 - l^2)\"\nb = \"(x - u)^2 + (y - w)^2 - l^2\"\n" +
          "[start]\nposition = { x = \"-l*sin(1e-3)\", y = \"l*cos(1e-3)\", w = \"l*cos(1e-3) + l*cos(1e-3)\" }\n");
      BOOST_TEST_CONTEXT(l << ", rows times " << row) {
        BOOST_TEST(ended(found), found.report.message);
        BOOST_TEST(found.second.proved);
        BOOST_TEST(std::abs(found.q[3] / std::stod(l) + 2) < 1e-9);
      }
    }
}

// A start that is far smaller than the way to the minimum.
BOOST_AUTO_TEST_CASE(small_starts_are_no_unit) {
  for (const double x : {1e-3, 1e-6, 1e-9, 1e-12}) {
    std::ostringstream number;
    number << x;
    const Minimum found = minimum_of(
        "coordinates = [\"x\"]\nmass = 1\npotential = \"cos(x)\"\n[start]\nposition = { x = " + number.str() + " }\n");
    BOOST_TEST(ended(found), x << ": " << found.report.message);
    BOOST_TEST(std::abs(std::cos(found.q[0]) + 1) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_curvature_that_is_zero_proves_nothing) {
  BOOST_TEST(says(minimum_of("x^3 + y^2", .7, .2), "falls without bound"));
  BOOST_TEST(says(minimum_of("-x^3 + y^2", -.7, .2), "falls without bound"));
  BOOST_TEST(says(minimum_of("x^4 + y^2", .7, .2), "stationary, not decided"));
  BOOST_TEST(says(minimum_of("x^4 + y^2", 0, .2), "stationary, not decided"));
  BOOST_TEST(!ended(minimum_of("y^2", .7, .2)));
  BOOST_TEST(says(minimum_of("-x^4 + y^2", 0, .2), "falls without bound"));
}

BOOST_AUTO_TEST_CASE(flat_tops_are_left) {
  const Minimum found = minimum_of("-x^4 + x^6 + y^2", 0, .2);
  BOOST_TEST(ended(found), found.report.message);
  BOOST_TEST(std::abs(std::abs(found.q[0]) - std::sqrt(2. / 3)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(obstacles_close_and_open) {
  const std::string ball =
      "coordinates = [\"x\", \"y\"]\nmass = 2\npotential = \"19.62*y + (x - 3)^2\"\n"
      "[obstacles]\nfloor = \"y - .1*x^2\"\nwall = \"2 - x\"\n[start]\nposition = { x = -1, y = 4 }\n";
  const Minimum found = minimum_of(ball);
  BOOST_TEST(ended(found), found.report.message);
  BOOST_TEST(found.closed == (std::vector<Index>{0}), boost::test_tools::per_element());
  // On the floor 1.962 x^2 + (x - 3)^2 is least.
  BOOST_TEST(std::abs(found.q[0] - 3 / 2.962) < 1e-9);
  BOOST_TEST(std::abs(found.lambda[0] - 19.62) < 1e-9);
  BOOST_TEST(found.lambda[1] == 0);

  const Minimum against_wall = minimum_of(with(ball, "(x - 3)^2", "(x - 30)^2"));
  BOOST_TEST(ended(against_wall), against_wall.report.message);
  BOOST_TEST(against_wall.closed == (std::vector<Index>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(std::abs(against_wall.q[0] - 2) < 1e-12);

  // From a start at the wall that pushes inwards the wall is not closed.
  const Minimum from_wall = minimum_of(with(with(ball, "x = -1", "x = 2"), "(x - 3)^2", "(x + 3)^2"));
  BOOST_TEST(ended(from_wall), from_wall.report.message);
  BOOST_TEST(from_wall.closed == (std::vector<Index>{0}), boost::test_tools::per_element());
  BOOST_TEST(std::abs(from_wall.q[0] + 3 / 2.962) < 1e-9);
}

BOOST_AUTO_TEST_CASE(obstacles_that_are_touched_without_force_stay_open) {
  const std::string text =
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"x^2 + y^2\"\n[obstacles]\nfloor = \"y\"\n"
      "[start]\nposition = { x = 1, y = 1 }\n";
  const Minimum found = minimum_of(text);  // y = 0 is met without a force, and needs no floor
  BOOST_TEST(ended(found), found.report.message);
  BOOST_TEST(found.closed.empty());
  const Minimum hung = minimum_of(with(text, "x^2 + y^2", "x^2 - y"));
  BOOST_TEST(says(hung, "falls without bound"));
}

BOOST_AUTO_TEST_CASE(a_plank_with_four_legs_stands) {
  for (const char* start : {"z = 2", "z = 2, a = 0.3, b = -0.1", "z = 5, a = 1, b = 2"}) {
    const Minimum found = minimum_of(plank + "[start]\nposition = { " + start + " }\n");
    BOOST_TEST_CONTEXT(start) {
      BOOST_TEST(std::abs(found.q[0]) < 1e-9);
      BOOST_TEST(found.q.tail(2).norm() < 1e-9);
      double sum = 0;
      for (Index i = 0; i < 4; ++i) {
        BOOST_TEST(found.lambda[i] >= -1e-9);
        sum += found.lambda[i];
      }
      BOOST_TEST(std::abs(sum - 9.81) < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(constraints_that_repeat_others) {
  const Minimum found = minimum_of(
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y\"\n"
      "[constraints]\nrod = \"x^2 + y^2 - 1\"\nagain = \"2*(x^2 + y^2) - 2\"\n[start]\nposition = { x = 0.6, y = 0.8 "
      "}\n");
  BOOST_TEST(ended(found), found.report.message);
  BOOST_TEST(std::abs(found.q[1] + 1) < 1e-12);
  // Least sum of A_ii lambda_i^2: of rows that are multiples each carries a half of the force 9.81 = 2 lambda_1 + 4
  // lambda_2 of the rod.
  BOOST_TEST(std::abs(found.lambda[0] - 9.81 / 4) < 1e-9);
  BOOST_TEST(std::abs(found.lambda[1] - 9.81 / 8) < 1e-9);
}

// A pendulum rests where it is damped as where it is not; a force that acts at rest, at the start or where the search
// ends, is none of a potential.
BOOST_AUTO_TEST_CASE(damping_does_not_move_a_minimum) {
  const std::string pendulum =
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y\"\n[constraints]\nrod = \"x^2 + y^2 - 1\"\n"
      "[start]\nposition = { x = 0.6, y = 0.8 }\n[force]\n";
  const Minimum found = minimum_of(pendulum + "x = \"-0.3*der(x) - x*der(y)^2\"\n");
  BOOST_TEST(ended(found), found.report.message);
  BOOST_TEST(std::abs(found.q[1] + 1) < 1e-12);
  for (const char* force : {"1", "-0.3*der(x) + max(0.6 - x, 0)"})
    BOOST_CHECK_EXCEPTION(minimum_of(pendulum + "x = \"" + force + "\"\n"), Error, [](const Error& error) {
      return error.code() == ErrorCode::refused &&
             std::string(error.what()).find("a force outside the potential that acts at rest") != std::string::npos;
    });
}
