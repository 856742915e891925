// Assembled starts: positions whatever the masses, in every unit of length, and what is held.
#include <Eigen/Dense>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/mechanism.hpp"
#include "mechanism/built_models.hpp"

using gnomon::Index, gnomon::Mechanism, gnomon::ProblemInstance, gnomon::Vector;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::system_of, gnomon::test::with;

namespace {

/// r and d1 of crank, coupler and rocker; the coupler's right end misses the rocker's top by .2.
const std::string four_bar = R"toml(format = 1
planar = true
points = { O = [0, 0], P = ["4*L", 0] }
[bodies.crank]
mass = "m1"
inertia = "j"
markers = { left = ["-0.5*L", 0], right = ["0.5*L", 0] }
orientation = "60*deg"
place = { left = "O" }
[bodies.coupler]
mass = "m2"
inertia = "j"
markers = { left = ["-2*L", 0], right = ["2*L", 0] }
place = { left = "crank.right", right = ["4.2*L", "2.9*L"] }
[bodies.rocker]
mass = "m3"
inertia = "j"
markers = { top = [0, "1.5*L"], bottom = [0, "-1.5*L"] }
place = { bottom = "P", top = "coupler.right" }
[joints]
A = { type = "revolute", between = ["O", "crank.left"] }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.top"] }
D = { type = "revolute", between = ["P", "rocker.bottom"] }
[start]
assemble = true
[parameters]
L = 1
m1 = 1
m2 = 1
m3 = 1
j = 1
)toml";

/// A body on a joint to a fixed point, and a rod to another one that is two per cent longer than their distance.
std::string tied(const std::string& joint) {
  return R"toml(format = 1
points = { O = [0, 0, 0], W = [0.3, 2, 0.4] }
[bodies.arm]
mass = 2
inertia = [0.3, 0.4, 0.5]
markers = { root = [-0.4, 0, 0.1], end = [0.5, 0.2, 0] }
orientation = { axis = [1, 1, 0], angle = 0.7 }
place = { root = "O" }
[joints]
J = { )toml" +
         joint + R"toml(, between = ["O", "arm.root"] }
[rods]
r = { between = ["arm.end", "W"], length = "1.02*l" }
[start]
assemble = true
[parameters]
l = { value = 1, description = "distance" }
)toml";
}
/// The distance for the file.
std::string at_a_distance(const std::string& joint) {
  const Vector q = build(with(with(tied(joint), "length = \"1.02*l\"", ""), "\"W\"],", "\"W\"]")).q0;
  const Eigen::Vector3d end = q.head<3>() + 0.5 * q.segment<3>(3) + 0.2 * q.segment<3>(6);
  return with(tied(joint), "value = 1",
              "value = " + gnomon::number_text((end - Eigen::Vector3d(0.3, 2, 0.4)).norm(), 17));
}

/// max |g| at the start.
double misfit(const ProblemInstance& instance) {
  Vector g(system_of(instance).m());
  system_of(instance).constraints(0, instance.q0, g);
  return g.lpNorm<Eigen::Infinity>();
}

/// The sine of the angle between two axes in the plane.
double cross(const Vector& q, Index a, Index b) {
  return q[a] * q[b + 1] - q[a + 1] * q[b];
}

}  // namespace

BOOST_AUTO_TEST_CASE(positions_do_not_depend_on_masses) {
  const Vector q = build(four_bar).q0;
  BOOST_TEST(misfit(build(four_bar)) < 1e-14);
  for (const char* mass : {"1e-9", "3", "1e6"})
    for (const char* parameter : {"m1", "m3", "j"})
      BOOST_TEST(build(four_bar, {{parameter, mass}}).q0 == q, parameter << " = " << mass);
}

BOOST_AUTO_TEST_CASE(positions_are_the_same_in_every_unit_of_length) {
  const Vector q = build(four_bar).q0;
  for (const int k : {-20, -3, 20}) {
    const double length = std::ldexp(1.0, 2 * k);
    const ProblemInstance other =
        build(four_bar, {{"L", gnomon::number_text(length, 17)}, {"j", gnomon::number_text(length * length, 17)}});
    for (Index j = 0; j < q.size(); ++j) BOOST_TEST(other.q0[j] == q[j] * (j % 4 < 2 ? length : 1));
  }
}

BOOST_AUTO_TEST_CASE(a_held_body_does_not_move) {
  const Vector free = build(with(four_bar, "assemble = true", "assemble = true\nproject = true")).q0;
  BOOST_TEST(free == build(four_bar).q0);
  const ProblemInstance held = build(with(four_bar, "inertia = \"j\"", "inertia = \"j\"\nhold = true"));
  BOOST_TEST(misfit(held) < 1e-14);
  const double c = std::cos(std::acos(-1.0) / 3), s = std::sin(std::acos(-1.0) / 3);
  BOOST_TEST((held.q0.head(4) - Eigen::Vector4d(c / 2, s / 2, c, s)).norm() < 1e-15);
  BOOST_TEST((held.q0 - free).norm() > 1e-2);
}

BOOST_AUTO_TEST_CASE(a_held_joint_keeps_its_angle) {
  const double given = cross(build(with(four_bar, "C = {", "#")).q0, 2, 6);
  const ProblemInstance free = build(four_bar), held = build(with(four_bar, "B = { ", "B = { hold = true, "));
  BOOST_TEST(std::abs(cross(free.q0, 2, 6) - given) > 1e-2);
  BOOST_TEST(std::abs(cross(held.q0, 2, 6) - given) < 1e-14);
  BOOST_TEST(misfit(held) < 1e-14);
  BOOST_TEST(system_of(held).m() == system_of(free).m());
}

BOOST_AUTO_TEST_CASE(held_joints_in_space_keep_angles_and_distances) {
  for (const std::string type :
       {"type = \"cylindrical\", axis = [0, 0, 1]", "type = \"revolute\", axis = [1, 0, -1]",
        "type = \"prismatic\", axis = [0, 1, 0]", "type = \"universal\", axes = [[0, 0, 1], [1, 0, 0]]"}) {
    const ProblemInstance free = build(at_a_distance(type));
    BOOST_TEST(misfit(free) < 1e-14);
    const std::string said = gnomon::test::complaint(with(at_a_distance(type), "J = {", "J = { hold = true,"));
    // No freedom is left, and the rod does not fit.
    BOOST_TEST(said.find("cannot be assembled with joint J held: no positions that fit were found from the given ones, "
                         "where constraint r is ") != std::string::npos,
               type << ": " << said);
  }
  const std::string loose = "type = \"spherical\"";
  BOOST_TEST(misfit(build(at_a_distance(loose))) < 1e-14);
  check_complaints(
      {{tied(loose + ", hold = true"),
        "test.toml:10:1: joint J of the type spherical has neither an angle nor a distance to hold"},
       {with(four_bar, "assemble = true", "assemble = true\nposition = { x = 1 }"), "unknown coordinate \"x\""},
       {with(four_bar, "inertia = \"j\"", "inertia = \"j\"\nhold = 1"), "hold of body crank"},
       {with(with(four_bar, "inertia = \"j\"\nmarkers = { top", "hold = true\ninertia = \"j\"\nmarkers = { top"),
             "D = {", "# D = {"),
        ""}});
}

BOOST_AUTO_TEST_CASE(a_held_coordinate_does_not_move) {
  const std::string text = R"toml(format = 1
coordinates = ["x", "y"]
mass = [1, "m"]
potential = "0"
[constraints]
g = "(x^2 + y^2 - 1)/2"
[parameters]
m = 1
[start]
position = { x = 0.8, y = 0.7 }
velocity = { y = 1 }
project = true
)toml";
  const Vector free = build(text).q0, held = build(with(text, "x = 0.8", "x = { formula = 0.8, hold = true }")).q0;
  BOOST_TEST(std::abs(free[0] - .8) > 1e-2);
  BOOST_TEST(held[0] == .8);
  BOOST_TEST(std::abs(held[1] - .6) < 1e-15);
  check_complaints({{with(text, "x = 0.8", "x = { formula = 0.8, held = true }"), "held"},
                    {with(text, "x = 0.8", "x = { hold = true }"), "start x has no formula"}});
}

BOOST_AUTO_TEST_CASE(the_builder_holds_by_name) {
  Mechanism m("pair", Mechanism::Space::planar);
  const auto a = m.particle("a", 1, {0, 0}), b = m.particle("b", 1, {1, 0});
  m.rod("r", a, b).length(2);
  m.assemble();
  m.hold("a");
  const Vector q = m.build().q0;
  BOOST_TEST(q == (Vector(4) << 0, 0, 2, 0).finished());
  BOOST_CHECK_EXCEPTION(m.hold("r"), gnomon::Error, [](const gnomon::Error& error) {
    return std::string(error.what()) == "unknown body, particle or joint \"r\"; did you mean \"a\"?" ||
           std::string(error.what()).find("unknown body, particle or joint \"r\"") == 0;
  });
}
