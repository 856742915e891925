/// \file
/// Bodies as people have them: without thickness, by shapes, without a mass, with inertias that no body has.
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/model/solids.hpp"
#include "mechanism/built_models.hpp"
#include "support/mechanism_run.hpp"

using namespace gnomon;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::check_near, gnomon::test::complaint,
    gnomon::test::MechanismRun, gnomon::test::with;

namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;

/// A disc and a plate without thickness move as those whose thickness is without influence: markers beside their plane,
/// forces there, torques, joints that need the axis across, moments as three numbers.
BOOST_AUTO_TEST_CASE(bodies_without_thickness) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.disc]
BODY
markers = { pin = [0.1, 0, 0.2], eye = [-0.1, 0.2, -0.1] }
orientation = { rpy = [0.3, -0.2, 0.5] }
place = { pin = "O" }
velocity = "assembled"
angular_velocity = [0.5, 1, 2]
[joints]
A = { type = "JOINT }
[springs]
s = { between = ["O", "disc.eye"], stiffness = 20, rest_length = 0.2, damping = 0.3 }
[loads]
push = { on = "disc.eye", force = ["sin(t)", 0.5, 0.2] }
)toml";
  const std::string spherical = R"toml(spherical", between = ["O", "disc.pin"])toml",
                    hinge = R"toml(revolute", between = ["O", "disc.pin"], axis = [0.5, 1, 2])toml";
  for (const std::string& joint : {spherical, hinge}) {
    const std::string of =
        with(with(model, "JOINT", joint), "[springs]",
             joint == hinge ? "[motors]\nm = { joint = \"A\", torque = \"0.3 - 0.1*speed\" }\n[springs]" : "[springs]");
    MechanismRun thick(with(of, "BODY", "shape = { cylinder = [0.3, 1e-5], density = 1e6 }"));
    MechanismRun thin(with(of, "BODY", "shape = { disc = 0.3, density = 10 }"));
    MechanismRun moments(with(
        of, "BODY",
        "mass = 2.8274333882308138\ninertia = [0.063617251235193311, 0.063617251235193311, 0.127234502470386622]"));
    for (MechanismRun* run : {&thick, &thin, &moments}) run->to(1.5).check_promises(1e-11);
    for (const char* name : {"disc.x", "disc.y", "disc.z", "disc.omega.x", "disc.omega.y", "disc.omega.z", "disc.q1",
                             "A.force.x", "A.force.z"}) {
      check_near(thin[name], thick[name], 1e-7);
      check_near(moments[name], thin[name], 1e-7);
    }
  }
  MechanismRun plate(with(with(model, "JOINT", spherical), "BODY", "shape = { plate = [0.3, 0.5], density = 10 }")),
      box(with(with(model, "JOINT", spherical), "BODY", "shape = { box = [0.3, 0.5, 1e-5], density = 1e6 }"));
  for (MechanismRun* run : {&plate, &box}) run->to(1.5);
  for (const char* name : {"disc.x", "disc.y", "disc.z", "disc.omega.x", "disc.kinetic"})
    check_near(plate[name], box[name], 1e-7);
}

/// A rod without thickness on a hinge across it is the physical pendulum, and on a ball joint what a thin cylinder is.
BOOST_AUTO_TEST_CASE(rods_without_thickness) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.p]
mass = 1
inertia = MOMENTS
markers = { a = [-0.5, 0, 0] }
place = { a = "O" }
velocity = "assembled"
[joints]
J = { type = JOINT }
)toml";
  const std::string hinge = R"toml("revolute", between = ["O", "p.a"], axis = [0, 1, 0])toml",
                    ball = R"toml("spherical", between = ["O", "p.a"])toml";
  MechanismRun rod(with(with(model, "MOMENTS", "[0, \"1/12\", \"1/12\"]"), "JOINT", hinge));
  rod.to(0.8).check_promises();
  // phi'^2 = 3 g sin phi, from the horizontal
  check_near(rod["J.speed"] * rod["J.speed"], 3 * g * std::sin(rod["J.angle"]), 1e-9);
  MechanismRun spun(with(with(with(model, "MOMENTS", "[0, 0.1, 0.1]"), "JOINT", ball), "velocity",
                         "angular_velocity = [0, 1, 2]\nvelocity")),
      cylinder(with(with(with(model, "MOMENTS", "[1e-9, 0.1, 0.1]"), "JOINT", ball), "velocity",
                    "angular_velocity = [0, 1, 2]\nvelocity"));
  for (MechanismRun* run : {&spun, &cylinder}) run->to(1);
  for (const char* name : {"p.x", "p.y", "p.z", "p.kinetic"}) check_near(spun[name], cylinder[name], 1e-7);
  BOOST_TEST(complaint(with(with(model, "MOMENTS", "[0, 0.1, 0.2]"), "JOINT", ball))
                 .find("principal moments 0, 0.1 and 0.2") != std::string::npos);
}

/// Moments of inertia of shapes, by sums over many small parts.
BOOST_AUTO_TEST_CASE(shapes) {
  const auto inside = [](const std::string& shape, double x, double y, double z) {
    const double across = std::hypot(x, y);
    if (shape == "tube") return across < 0.4 && across > 0.25 && std::abs(z) < 0.3;
    if (shape == "ellipsoid") return x * x / 0.25 + y * y / 0.16 + z * z / 0.04 < 1;
    const double beyond = std::max(0.0, std::abs(z) - 0.2);
    return across * across + beyond * beyond < 0.09;
  };
  for (const auto& [name, keys] : {std::pair{"tube", "tube = [0.4, 0.25, 0.6]"},
                                   {"capsule", "capsule = [0.3, 0.4]"},
                                   {"ellipsoid", "ellipsoid = [0.5, 0.4, 0.2]"}}) {
    double mass = 0, along = 0, across = 0;
    constexpr int parts = 200;
    const double h = 1.2 / parts;
    for (int i = 0; i < parts; ++i)
      for (int j = 0; j < parts; ++j)
        for (int k = 0; k < parts; ++k) {
          const double x = (i + 0.5) * h - 0.6, y = (j + 0.5) * h - 0.6, z = (k + 0.5) * h - 0.6;
          if (!inside(name, x, y, z)) continue;
          mass += 2 * h * h * h;
          along += 2 * h * h * h * (x * x + y * y);
          across += 2 * h * h * h * (y * y + z * z);
        }
    for (const bool about_third : {true, false}) {
      MechanismRun run(std::string("format = 1\nbodies.b = { shape = { ") + keys +
                       ", density = 2 }, position = [0, 0, 0], velocity = [1, 0, 0], angular_velocity = [" +
                       (about_third ? "0, 0, 1" : "1, 0, 0") + "] }\n");
      check_near(run.to(1e-3)["b.kinetic"], mass / 2 + (about_third ? along : across) / 2, 2e-3 * mass);
    }
  }
  MechanismRun ring(
      "format = 1\nbodies.b = { shape = { ring = 0.5, density = 2 }, position = [0, 0, 0], angular_velocity = [1, 0, "
      "2] "
      "}\n");
  check_near(ring.to(1e-3)["b.kinetic"], pi * 2 * 0.25 * (0.5 * 0.5 + 0.5 * 4), 1e-9);
}

/// The heavy top of the standard is a flat disc: moments .234375, .46875, .234375, and its centre 1 from the point. Its
/// nutation by Euler's angles: theta'' = (a - b cos)(b - a cos)/sin^3 + m g l sin/J, a = p_phi/J, b = p_psi/J.
BOOST_AUTO_TEST_CASE(heavy_top_as_a_flat_disc) {
  MechanismRun run(R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.disc]
shape = { disc = 0.25 }
mass = 15
markers = { tip = [0, 0, -1] }
orientation = { axis = [0, 1, 0], angle = 0.6 }
place = { tip = "O" }
angular_velocity = ["60*sin(0.6)", 0.5, "60*cos(0.6)"]
[joints]
J = { type = "spherical", between = ["O", "disc.tip"] }
[outputs]
cosine = "disc.z"
)toml");
  run.to(1);
  const double moment = 15 * 0.0625 / 4, along = 2 * moment, J = moment + 15, spin = 60 * along;
  // The angular momentum about z: that of the spin, and of the axis that falls by .5 about y.
  const double p_psi = spin, p_phi = spin * std::cos(0.6);
  double theta = 0.6, rate = 0.5;
  constexpr int steps = 20000;
  const double h = 1.0 / steps, a = p_phi / J, b = p_psi / J;
  const auto f = [&](double x) {
    const double c = std::cos(x), s = std::sin(x);
    return (a - b * c) * (a * c - b) / (s * s * s) + 15 * g * s / J;
  };
  for (int k = 0; k < steps; ++k) {
    const double k1 = rate, l1 = f(theta), k2 = rate + h / 2 * l1, l2 = f(theta + h / 2 * k1), k3 = rate + h / 2 * l2,
                 l3 = f(theta + h / 2 * k2), k4 = rate + h * l3, l4 = f(theta + h * k3);
    theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  check_near(run["cosine"], std::cos(theta), 1e-8);
  run.check_promises(1e-11);
}

/// Kane's plate pendulum: a rod that swings by the angle a about x, and a plate that turns by b about the rod. With
/// D(b) = I_x + m_A l_A^2 + m_B l_B^2 + J_x cos^2 b + J_y sin^2 b
///
///     D a'' = 2 (J_x - J_y) sin b cos b a' b' - (m_A l_A + m_B l_B) g sin a,   J_z b'' = -(J_x - J_y) sin b cos b a'^2
///
/// with the numbers of T. Kane, D. Levinson, Dynamics: Theory and Applications (1985), of a plate without thickness.
BOOST_AUTO_TEST_CASE(plate_pendulum) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
parameters = { a = "45*deg", b = "5*deg" }
[bodies.rod]
mass = 0.01
inertia = [5e-6, 5e-6, 1e-9]
markers = { top = [0, 0, 0.075], low = [0, 0, -0.125] }
place = { top = "O" }
[bodies.plate]
mass = 0.1
inertia = [2.5e-4, 5e-5, 2e-4]
position = [0, 0, -0.2]
[joints]
A = { type = "revolute", between = ["O", "rod.top"], axis = [1, 0, 0], start = { angle = "a" } }
B = { type = "revolute", between = ["rod.low", "plate"], axis = [0, 0, 1], start = { angle = "b" } }
[start]
assemble = true
)toml";
  MechanismRun run(model);
  run.to(2);
  double x[4] = {pi / 4, 5 * pi / 180, 0, 0};
  const auto rate = [](const double* y, double* out) {
    const double s = std::sin(y[1]), c = std::cos(y[1]), difference = 2.5e-4 - 5e-5,
                 D = 5e-6 + 0.01 * 0.075 * 0.075 + 0.1 * 0.04 + 2.5e-4 * c * c + 5e-5 * s * s;
    out[0] = y[2];
    out[1] = y[3];
    out[2] = (2 * difference * s * c * y[2] * y[3] - (0.01 * 0.075 + 0.1 * 0.2) * g * std::sin(y[0])) / D;
    out[3] = -difference * s * c * y[2] * y[2] / 2e-4;
  };
  constexpr int steps = 20000;
  const double h = 2.0 / steps;
  for (int k = 0; k < steps; ++k) {
    double sum[4] = {0, 0, 0, 0}, at[4], slope[4] = {0, 0, 0, 0};
    for (const auto& [part, weight] : {std::pair{0.0, 1.0}, {0.5, 2.0}, {0.5, 2.0}, {1.0, 1.0}}) {
      for (int i = 0; i < 4; ++i) at[i] = x[i] + h * part * slope[i];
      rate(at, slope);
      for (int i = 0; i < 4; ++i) sum[i] += weight * slope[i];
    }
    for (int i = 0; i < 4; ++i) x[i] += h / 6 * sum[i];
  }
  // Angles of joints are from where the file draws them, about axes of space; that of B turns against b.
  check_near(std::abs(run["A.angle"]), std::abs(x[0]), 1e-7);
  check_near(std::abs(run["B.angle"]), std::abs(x[1]), 1e-7);
  run.check_promises();
}

/// A body without mass is a place of what it is welded to, through others too, with its own axes, or of the ground.
BOOST_AUTO_TEST_CASE(bodies_without_mass) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.base]
mass = 0
markers = { pivot = [0, 0, 0.5] }
position = [0, 0, -0.5]
[bodies.tool]
mass = 0
markers = { tip = [0.2, 0, 0], root = [-0.2, 0, 0] }
orientation = { rpy = [0, 0, "90*deg"] }
place = { tip = [1.5, 0.4, 0] }
[bodies.flange]
mass = 0
position = [1.5, 0, 0]
[bodies.arm]
mass = 2
inertia = [0.1, 0.2, 0.25]
markers = { left = [-0.5, 0, 0], end = [1, 0, 0] }
place = { left = "base.pivot" }
angular_velocity = [0, 1, 2]
[joints]
ground = { type = "weld", between = ["O", "base.pivot"] }
w1 = { type = "weld", between = ["flange", "tool.root"] }
w2 = { type = "weld", between = ["arm.end", "flange"] }
J = { type = "spherical", between = ["base.pivot", "arm.left"] }
K = { type = "revolute", between = ["tool", "hand"], frame = { origin = [1.5, 0.3, 0], axis = [0, 0, 1] } }
[bodies.hand]
mass = 0.5
inertia = [0.01, 0.01, 0.02]
position = [1.6, 0.3, 0]
[springs]
s = { between = ["tool.tip", "O"], stiffness = 20, damping = 0.2 }
)toml";
  const std::string merged = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.arm]
mass = 2
inertia = [0.1, 0.2, 0.25]
markers = { left = [-0.5, 0, 0], tip = [1, 0.4, 0], hinge = [1, 0.3, 0] }
place = { left = "O" }
angular_velocity = [0, 1, 2]
[joints]
J = { type = "spherical", between = ["O", "arm.left"] }
K = { type = "revolute", between = ["arm.hinge", "hand.hinge"], axis = [0, 0, 1] }
[bodies.hand]
mass = 0.5
inertia = [0.01, 0.01, 0.02]
markers = { hinge = [-0.1, 0, 0] }
place = { hinge = "arm.hinge" }
[springs]
s = { between = ["arm.tip", "O"], stiffness = 20, damping = 0.2 }
)toml";
  const auto outputs = [](const std::string& tip) {
    return "[outputs]\nx = \"" + tip + ".x\"\nv = \"" + tip + ".vy\"\n";
  };
  MechanismRun links(model + outputs("tool.tip")), one(merged + outputs("arm.tip"));
  for (MechanismRun* run : {&links, &one}) run->to(1).check_promises(1e-11);
  for (const char* name : {"x", "v", "K.angle", "hand.y", "J.force.z"}) check_near(links[name], one[name], 1e-8);
  check_complaints(
      {{with(model, "\"arm.end\", \"flange\"", "\"arm\", \"flange\""),
        "weld w2 joins \"flange\" of a body without mass and \"arm\", which are apart by 1"},
       {with(model, "w2 = { type = \"weld\"", "w2 = { type = \"spherical\""), "has no mass and is welded to nothing"},
       {with(model, "position = [1.5, 0, 0]", "position = [1.5, 0, 0]\nvelocity = [1, 0, 0]"),
        "has the mass 0 and velocity"},
       {with(model, "position = [1.5, 0, 0]", "position = [1.5, 0, 0]\ninertia = [1, 1, 1]"),
        "the mass of body flange is 0, expected above zero"}});
}

/// The nearest moments: of 1, 2, 9 the ones with J_3 = J_1 + J_2 that change least, by 2 each.
BOOST_AUTO_TEST_CASE(inertias_that_no_body_has) {
  const std::string model = R"toml(format = 1
[bodies.link]
mass = 1
inertia = [1, 2, 9]
repair = true
position = [0, 0, 0]
angular_velocity = [0, 0, 2]
)toml";
  MechanismRun run(model);
  check_near(run["link.kinetic"], 0.5 * 7 * 4, 1e-4);
  const ProblemInstance instance = build(model);
  BOOST_TEST(repaired_inertias(*instance.model).find("link, whose moments 1, 2, 9 became 3.00001, 4.00001, 6.99999") ==
             0u);
  // A moment below zero goes to the bound with another one.
  const ProblemInstance negative = build(with(model, "[1, 2, 9]", "[-1, 4, 5]"));
  BOOST_TEST(repaired_inertias(*negative.model).find("link, whose moments -1, 4, 5 became") == 0u);
  BOOST_TEST(repaired_inertias(*build(with(model, "[1, 2, 9]", "[6, 8, 9]")).model) == "");
  check_complaints(
      {{with(model, "repair = true\n", ""), "has the principal moments 1, 2 and 9"},
       {with(model, "[1, 2, 9]", "[0, 0, 0]"), "has the principal moments 0, 0 and 0"},
       {with(model, "inertia = [1, 2, 9]", "shape = { sphere = 1 }"), "has a repair, which is for an inertia"}});
}

/// Markers and the position from an origin that is not the centre of mass.
BOOST_AUTO_TEST_CASE(centre_of_mass_beside_the_origin) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.link]
mass = 2
inertia = [0.1, 0.2, 0.25]
CENTRE
orientation = { rpy = [0.3, 0.2, 0.1] }
place = { end = "O" }
angular_velocity = [1, 2, 3]
[joints]
J = { type = "spherical", between = ["O", "link.end"] }
)toml";
  MechanismRun origin(with(model, "CENTRE", "markers = { end = [0, 0, 0] }\ncentre_of_mass = [0.4, -0.1, 0.2]")),
      centre(with(model, "CENTRE", "markers = { end = [-0.4, 0.1, -0.2] }"));
  for (MechanismRun* run : {&origin, &centre}) run->to(1).check_promises();
  for (const char* name : {"link.x", "link.y", "link.z", "link.q1", "J.force.x"})
    check_near(origin[name], centre[name], 1e-9);
  MechanismRun placed(R"toml(format = 1
[bodies.link]
mass = 2
inertia = [0.1, 0.2, 0.25]
centre_of_mass = [0.4, 0, 0]
orientation = { axis = [0, 0, 1], angle = "90*deg" }
position = [1, 1, 0]
)toml");
  check_near(placed["link.x"], 1, 1e-15);
  check_near(placed["link.y"], 1.4, 1e-15);
}

/// A cylinder from one point to another is one along their line; `along` says where the third axis is.
BOOST_AUTO_TEST_CASE(shapes_from_point_to_point) {
  const std::string ends = R"toml(format = 1
gravity = [0, 0, -9.81]
parameters = { l = 2 }
[bodies.b]
shape = { cylinder = 0.1, from = [0, 0, 1], to = ["l", 1, 1], density = 7 }
angular_velocity = [1, 2, 3]
)toml";
  const std::string given = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.b]
shape = { cylinder = [0.1, "sqrt(5)"], density = 7 }
position = [1, 0.5, 1]
orientation = { along = [2, 1, 0] }
angular_velocity = [1, 2, 3]
)toml";
  MechanismRun a(ends), b(given);
  for (const char* name : {"b.x", "b.y", "b.z", "b.kinetic"}) check_near(a[name], b[name], 1e-14);
  for (MechanismRun* run : {&a, &b}) run->to(1);
  for (const char* name : {"b.z", "b.kinetic", "b.omega.x"}) check_near(a[name], b[name], 1e-9);
  check_complaints(
      {{with(ends, "angular", "position = [0, 0, 0]\nangular"), "has a position beside the from and to"},
       {with(ends, ", to = [\"l\", 1, 1]", ""), "has no to"},
       {with(ends, "cylinder", "sphere"), "is a sphere, which has no from"},
       {with(ends, "[\"l\", 1, 1]", "[0, 0, 1]"), "expected above zero"},
       {with(ends, "cylinder = 0.1", "cylinder = [0.1, 2]"), "of body b, one size beside from and to, is"}});

  const std::string planar = R"toml(format = 1
planar = true
gravity = [0, -9.81]
parameters = { l = 2 }
[bodies.b]
shape = { box = 0.1, from = [1, 1], to = [0, "l"], density = 7 }
angular_velocity = 2
)toml";
  MechanismRun c(planar), d(with(planar, "box = 0.1, from = [1, 1], to = [0, \"l\"], density = 7 }",
                                 "box = [\"sqrt(2)\", 0.1], density = 7 }\n"
                                 "position = [0.5, 1.5]\norientation = \"135*deg\""));
  for (const char* name : {"b.x", "b.y", "b.angle", "b.kinetic"}) check_near(c[name], d[name], 1e-15);
  check_complaints({{with(planar, "box", "disc"), "is a disc, which has no from"}});
}

/// A box as triangles, binary and as text, has the mass, the centre and the inertia of the box.
BOOST_AUTO_TEST_CASE(surfaces) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("gnomon_surfaces_" + std::to_string(getpid()));
  fs::create_directory(folder);
  const double size[3] = {2, 3, 0.5}, corner[3] = {1, -1, 2};
  // Two triangles of each face, anticlockwise from outside.
  std::vector<std::array<std::array<float, 3>, 3>> triangles;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool far : {false, true})
      for (const auto& path :
           {std::array<std::pair<int, int>, 3>{{{0, 0}, {1, 0}, {1, 1}}}, {{{0, 0}, {1, 1}, {0, 1}}}}) {
        std::array<std::array<float, 3>, 3> triangle;
        for (std::size_t k = 0; k < 3; ++k) {
          double at[3];
          at[axis] = far ? 1 : 0;
          at[(axis + 1) % 3] = path[far ? k : 2 - k].first;
          at[(axis + 2) % 3] = path[far ? k : 2 - k].second;
          for (std::size_t c = 0; c < 3; ++c) triangle[k][c] = static_cast<float>(corner[c] + at[c] * size[c]);
        }
        triangles.push_back(triangle);
      }
  const auto write_binary = [&](const std::string& name, std::size_t count) {
    std::ofstream out(folder / name, std::ios::binary);
    const std::string head(80, ' ');
    const auto written = static_cast<std::uint32_t>(count);
    out.write(head.data(), 80).write(reinterpret_cast<const char*>(&written), 4);
    for (std::size_t k = 0; k < count; ++k) {
      const float normal[3] = {0, 0, 0};
      out.write(reinterpret_cast<const char*>(normal), 12);
      out.write(reinterpret_cast<const char*>(triangles[k].data()), 36).write("\0\0", 2);
    }
  };
  const auto write_text = [&](const std::string& name, bool inside_out) {
    std::ofstream out(folder / name);
    out << "solid box\n";
    for (const auto& triangle : triangles) {
      out << "facet normal 0 0 0\nouter loop\n";
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& x = triangle[inside_out ? 2 - k : k];
        out << "vertex " << x[0] << " " << x[1] << " " << x[2] << "\n";
      }
      out << "endloop\nendfacet\n";
    }
    out << "endsolid\n";
  };
  write_binary("box.stl", triangles.size());
  write_binary("open.stl", triangles.size() - 1);
  write_text("text.stl", false);
  write_text("inside-out.stl", true);
  std::ofstream(folder / "none.stl") << "solid\nvertex 1 2\n";
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.b]
BODY
place = { pin = "O" }
angular_velocity = [0.4, -0.2, 0.3]
[joints]
J = { type = "spherical", between = ["O", "b.pin"] }
)toml";
  const auto mesh = [&](const std::string& name, const std::string& more) {
    return with(model, "BODY",
                "shape = { mesh = \"" + (folder / name).string() + "\"" + more + " }\nmarkers.pin = [0, 0, 0]");
  };
  MechanismRun box(with(model, "BODY", "shape = { box = [2, 3, 0.5], density = 4 }\nmarkers.pin = [-2, -0.5, -2.25]")),
      binary(mesh("box.stl", ", density = 4")),
      text(with(mesh("text.stl", ", scale = 0.5"), "shape", "mass = 12\nshape"));
  const MechanismRun half(
      with(model, "BODY", "shape = { box = [1, 1.5, 0.25] }\nmass = 12\nmarkers.pin = [-1, -0.25, -1.125]"));
  for (const char* name : {"b.x", "b.y", "b.z", "b.kinetic"}) check_near(text[name], half[name], 1e-12);
  for (MechanismRun* run : {&box, &binary}) run->to(1).check_promises(1e-10);
  for (const char* name : {"b.x", "b.y", "b.z", "b.kinetic", "J.force.z"}) check_near(binary[name], box[name], 1e-7);
  check_complaints({{mesh("open.stl", ", density = 4"), "is not closed: 3 of its 18 edges"},
                    {mesh("inside-out.stl", ", density = 4"), "has the volume -3, expected above zero"},
                    {mesh("none.stl", ", density = 4"), "has a vertex that is no number"},
                    {mesh("missing.stl", ", density = 4"), "cannot be read: No such file"},
                    {mesh("", ", density = 4"), "is no regular file"}});
  fs::remove_all(folder);
}

/// Shapes without a mass that are drawn of bodies and points, in body axes from the origin, open surfaces too.
BOOST_AUTO_TEST_CASE(drawn_shapes) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("gnomon_drawn_" + std::to_string(getpid()));
  fs::create_directory(folder);
  std::ofstream(folder / "open.stl") << "solid\nvertex 0 0 0 vertex 1000 0 0 vertex 0 2000 0\nendsolid\n";
  {
    std::ofstream strip(folder / "strip.stl");
    for (int k = 0; k < 20000; ++k)
      strip << "vertex " << k << " 0 0 vertex " << k + 1 << " 0 0 vertex " << k << " " << 2000 + k % 7 << " 0\n";
  }
  const std::string model = R"toml(format = 1
points.table = { position = [0, 0, -1], drawn = [{ box = [4, 4, 0.5], position = [0, 0, -0.25] }] }
[bodies.b]
mass = 2
inertia = [1, 1, 1]
centre_of_mass = [0.5, 0, 0]
position = [10, 0, 0]
orientation = { rpy = [0, 0, "90*deg"] }
drawn = [
  { box = [2, 1, 1], position = [1, 0, 0] },
  { ellipsoid = [1, 2, 3], position = [0, 10, 0], orientation = { rpy = [0, 0, "90*deg"] } },
  { mesh = "MESH", scale = 1e-3, position = [0, 0, 20] },
]
)toml";
  const std::string of_mesh = with(model, "MESH", (folder / "open.stl").string());
  const ProblemInstance instance = build(of_mesh);
  const std::vector<Solid>& solids = instance.solids->solids();
  BOOST_TEST_REQUIRE(solids.size() == 2U);
  BOOST_TEST(solids[1].name == "table");
  // Points from one to another of a solid in space: x of the body is y there, and its y is -x.
  const auto check_extents = [&](Index k, std::size_t first, std::size_t last, const Eigen::Vector3d& low,
                                 const Eigen::Vector3d& high) {
    Matrix pose(3, 4);
    instance.solids->pose(k, 0, instance.q0, pose);
    Eigen::Vector3d least = Eigen::Vector3d::Constant(1e9), most = -least;
    for (std::size_t i = first; i < last; ++i) {
      const auto& p = solids[static_cast<std::size_t>(k)].points[i];
      const Eigen::Vector3d x = pose.col(0) + pose.rightCols(3) * Eigen::Vector3d(p[0], p[1], p[2]);
      least = least.cwiseMin(x);
      most = most.cwiseMax(x);
    }
    BOOST_TEST((least - low).cwiseAbs().maxCoeff() < 0.02, least.transpose());
    BOOST_TEST((most - high).cwiseAbs().maxCoeff() < 0.02, most.transpose());
  };
  const std::size_t all = solids[0].points.size();
  check_extents(0, 0, 36, {9.5, 0, -0.5}, {10.5, 2, 0.5});
  check_extents(0, 36, all - 3, {-1, -2, -3}, {1, 2, 3});
  check_extents(0, all - 3, all, {8, 0, 20}, {10, 1, 20});
  check_extents(1, 0, 36, {-2, -2, -1.5}, {2, 2, -1});
  // A surface of many triangles is drawn by fewer.
  const ProblemInstance fine = build(with(model, "MESH", (folder / "strip.stl").string()));
  const std::size_t kept = fine.solids->solids()[0].triangles.size() - (solids[0].triangles.size() - 1);
  BOOST_TEST(kept > 100U);
  BOOST_TEST(kept <= 4000U);
  check_complaints({{with(of_mesh, "box = [2, 1, 1]", "box = 2"), "the box drawn of body b"},
                    {with(of_mesh, "box = [2, 1, 1]", "box = [2, 1, 1], sphere = 1"),
                     "a shape drawn of body b is a box and a sphere"},
                    {with(of_mesh, "box = [2, 1, 1], ", ""), "a shape drawn of body b is none of box, sphere"},
                    {with(of_mesh, "box = [2, 1, 1]", "box = [2, 1, 1], scale = 2"), "is a box, which has no scale"},
                    {with(of_mesh, "open.stl", "opened.stl"), "opened.stl\" cannot be read: No such file"},
                    {with(of_mesh, "rpy = [0, 0, \"90*deg\"] } },", "rpy = [0, 0, 1], relative = \"b\" } },"),
                     "is relative, expected one in body axes"}});
  fs::remove_all(folder);
}

}  // namespace
