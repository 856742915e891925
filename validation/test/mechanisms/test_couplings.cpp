/// \file
/// Bearings with friction by the reaction, bushings, discs that roll on discs, and tables as splines, against closed
/// forms, reduced equations and solutions of other programs.
#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "gnomon/gnomon.hpp"
#include "mechanism/built_models.hpp"
#include "support/mechanism_run.hpp"

using namespace gnomon;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::check_near, gnomon::test::MechanismRun,
    gnomon::test::with;

namespace {

constexpr double g = 9.81;

/// x and x' after t, of x'' = f(x, x'), by 20000 steps of the classical Runge-Kutta method.
std::pair<double, double> solved(double x, double v, double t, const std::function<double(double, double)>& f) {
  constexpr int steps = 20000;
  const double h = t / steps;
  for (int k = 0; k < steps; ++k) {
    const double k1 = v, l1 = f(x, v), k2 = v + h / 2 * l1, l2 = f(x + h / 2 * k1, k2), k3 = v + h / 2 * l2,
                 l3 = f(x + h / 2 * k2, k3), k4 = v + h * l3, l4 = f(x + h * k3, k4);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {x, v};
}

const std::string guide = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
parameters = { mu = 0.2, alpha = 0.5, speed = 0 }
[bodies.box]
mass = 2
inertia = 0.3
position = [0, 0]
orientation = "-alpha"
[joints.guide]
type = "prismatic"
between = ["O", "box"]
axis = ["cos(alpha)", "-sin(alpha)"]
bearing = { coefficient = "mu" }
start = { distance = 0, speed = "speed" }
)toml";

/// N = m g cos alpha: down the guide with g (sin alpha - mu cos alpha), up with g (sin alpha + mu cos alpha).
BOOST_AUTO_TEST_CASE(friction_of_a_guide) {
  const double down = g * (std::sin(0.5) - 0.2 * std::cos(0.5)), up = g * (std::sin(0.5) + 0.2 * std::cos(0.5));
  MechanismRun slides(guide);
  slides.to(1.5);
  check_near(slides["guide.distance"], 0.5 * down * 2.25, 1e-9);
  check_near(slides["guide.friction_limit"], 0.2 * 2 * g * std::cos(0.5), 1e-9);
  check_near(slides["guide.friction_force"], -0.2 * 2 * g * std::cos(0.5), 1e-9);
  slides.check_promises();
  MechanismRun turns(guide, 1e-10, {{"speed", "-3"}});
  turns.to(1.5);
  const double stop = 3 / up, top = -4.5 / up, left = 1.5 - stop;
  check_near(turns["guide.distance"], top + 0.5 * down * left * left, 1e-9);
  MechanismRun sticks(guide, 1e-10, {{"mu", "0.6"}, {"speed", "-3"}});
  const double rough = g * (std::sin(0.5) + 0.6 * std::cos(0.5));
  sticks.to(2);
  check_near(sticks["guide.distance"], -4.5 / rough, 1e-9);
  check_near(sticks["guide.slip"], 0, 0);
  check_near(sticks["guide.friction_force"], -2 * g * std::sin(0.5), 1e-9);
  BOOST_TEST(sticks.events(EventKind::rest).size() == 1u);
}

const std::string double_pendulum = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.a]
mass = 2
inertia = 0.3
markers = { top = [0, 0.5], end = [0, -0.5] }
place = { top = "O" }
orientation = "80*deg"
[bodies.b]
mass = 1.5
inertia = 0.2
markers = { top = [0, 0.4] }
place = { top = "a.end" }
orientation = "100*deg"
[joints.A]
type = "revolute"
between = ["O", "a.top"]
bearing = { coefficient = 0.4, radius = 0.1 }
[joints.B]
type = "revolute"
between = ["a.end", "b.top"]
friction_torque = 0.2
bearing = { coefficient = 0.5, radius = 0.12 }
)toml";

/// Two bearings that stick and slide by themselves. The expected numbers are of the angles and the implicit torques
/// -s_i (T_i + mu r |F_i|) of each set of sliding joints, solved by SciPy's DOP853 at rtol 1e-12 between its events.
BOOST_AUTO_TEST_CASE(friction_of_hinges_by_the_reaction) {
  MechanismRun run(double_pendulum);
  run.to(2.5);
  check_near(run["a.x"], 0.4058614545588393, 1e-9);
  check_near(run["b.x"], 1.1926160157486363, 1e-9);
  check_near(run["b.y"], -0.7061919955192341, 1e-9);
  run.check_promises();
  const std::vector<ContactEvent> stick = run.events(EventKind::stick), slide = run.events(EventKind::slide);
  BOOST_REQUIRE(stick.size() == 2u);
  BOOST_REQUIRE(slide.size() == 5u);
  check_near(stick[0].t, 0.9029880134701204, 1e-9);
  check_near(slide[2].t, 1.2492368270033922, 1e-9);
  check_near(slide[4].t, 2.3521284092410615, 1e-9);
}

/// The same in space, turned, and by fixed steps of order 2.
BOOST_AUTO_TEST_CASE(friction_of_hinges_in_space) {
  const std::string space = R"toml(format = 1
gravity = ["-9.81*sin(0.4)", 0, "-9.81*cos(0.4)"]
points = { O = [0, 0, 0] }
[bodies.rod]
mass = 2
inertia = [0.25, 0.3, 0.1]
markers = { top = [0, 0, 0.5] }
orientation = { axis = [0, 1, 0], angle = "-90*deg + 0.4" }
place = { top = "O" }
[joints.hinge]
type = "revolute"
between = ["O", "rod.top"]
axis = [0, -1, 0]
bearing = { coefficient = 0.3, radius = 0.1 }
)toml";
  MechanismRun run(space);
  run.to(3);
  // The pendulum of the same moments in the plane, by DOP853 with an implicit torque at rtol 1e-13.
  const double x = -0.40131202298885604, y = -0.298242619698446;
  check_near(run["rod.x"], x * std::cos(0.4) + y * std::sin(0.4), 1e-8);
  check_near(run["rod.z"], -x * std::sin(0.4) + y * std::cos(0.4), 1e-8);
  run.check_promises();
}

/// Two shafts in a ratio of 1 to 2, each with dry friction: they hold up to T_a + T_b/2 = 3.5 together, and share what
/// they hold below that within their limits.
BOOST_AUTO_TEST_CASE(frictions_that_hold_together) {
  const std::string shafts = R"toml(format = 1
planar = true
points = { O = [0, 0], P = [1, 0] }
[bodies]
a = { mass = 1, inertia = 1, position = [0, 0] }
b = { mass = 1, inertia = 1, position = [1, 0] }
[joints]
ha = { type = "revolute", between = ["O", "a"], friction_torque = 2 }
hb = { type = "revolute", between = ["P", "b"], friction_torque = 3 }
g = { type = "gear", of = ["ha", "hb"], ratio = RATIO }
[motors]
drive = { joint = "ha", torque = "10*t" }
)toml";
  for (const double ratio : {-0.5, 2.0, 1.0}) BOOST_TEST_CONTEXT("ratio " << ratio) {
      MechanismRun run(with(shafts, "RATIO", std::to_string(ratio)), 1e-7);
      const double limit = 2 + 3 * std::abs(ratio);
      run.to(0.09 * limit);
      const double a = run["ha.friction_torque"], b = run["hb.friction_torque"];
      check_near(a + ratio * b, -0.9 * limit, 1e-9);
      BOOST_TEST(std::abs(a) <= 2.0);
      BOOST_TEST(std::abs(b) <= 3.0);
      run.to(0.12 * limit);
      const std::vector<ContactEvent> slide = run.events(EventKind::slide);
      BOOST_TEST_REQUIRE(slide.size() == 2u);
      check_near(slide[0].t, 0.1 * limit, 1e-9);
      check_near(run["ha.speed"], 5 * 0.02 * 0.02 * limit * limit / (1 + ratio * ratio), 1e-7);
    }
}

/// A slider-crank that two bearings hold by its reactions, which depend on what each of them holds. The time when it
/// lets go is that of the statics with both at their limits.
BOOST_AUTO_TEST_CASE(bearings_of_a_loop_that_hold_together) {
  MechanismRun run(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0], R = [0.8, 0] }
[bodies.crank]
mass = 2
inertia = 0.03
markers = { a = [-0.15, 0], b = [0.15, 0] }
orientation = "70*deg"
place = { a = "O" }
[bodies.rod]
mass = 1
inertia = 0.05
markers = { a = [-0.4, 0], b = [0.4, 0] }
place = { a = "crank.b", b = [0.85, 0] }
[bodies.slider]
mass = 3
inertia = 0.01
position = [0.85, 0]
[joints]
hinge = { type = "revolute", between = ["O", "crank.a"], bearing = { coefficient = 0.3, radius = 0.04 }, hold = true }
A = { type = "revolute", between = ["crank.b", "rod.a"] }
B = { type = "revolute", between = ["rod.b", "slider"] }
guide = { type = "prismatic", between = ["R", "slider"], axis = [1, 0], bearing = { coefficient = 0.2 } }
[start]
assemble = true
[motors]
drive = { joint = "hinge", torque = "10*t" }
)toml",
                   1e-7);
  run.to(0.45);
  const std::vector<ContactEvent> slide = run.events(EventKind::slide);
  BOOST_TEST_REQUIRE(slide.size() == 2u);
  check_near(slide[0].t, 0.38889773570, 1e-6);
}

/// Within a step the reactions are those of the position and velocity there: m (l w^2 + g cos), m (l w' + g sin) with
/// the acceleration under the friction by them.
BOOST_AUTO_TEST_CASE(reactions_within_a_step) {
  const ProblemInstance instance = build(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.rod]
mass = 2
inertia = 0.3
markers = { top = [0, 0.5] }
place = { top = "O" }
orientation = 1.2
[joints.hinge]
type = "revolute"
between = ["O", "rod.top"]
bearing = { coefficient = 0.3, radius = 0.1 }
)toml");
  Integrator run = gnomon::registry().integrator(instance, "line-integral-ggl", "newton", {{"s", "3"}});
  BOOST_REQUIRE(run.advance(3, 0.02).success());
  const State before = run.state();
  BOOST_REQUIRE(run.advance(1, 0.02).success());
  State at = run.state();
  StepInterpolant step(*instance.model);
  step.set(before, at);
  Vector q(at.q.value().size()), p(q.size());
  at.t = before.t + 0.01;
  step.evaluate(at.t, 0, q, p);
  at.q.set(q);
  at.p.set(p);
  step.multipliers(at, at.lambda);
  const EvaluatedOutputs outputs(instance);
  const Vector values = outputs.evaluate(at);
  const auto value = [&](const std::string& name) {
    for (std::size_t i = 0; i < outputs.outputs().size(); ++i)
      if (outputs.outputs()[i].name == name) return values[static_cast<Index>(i)];
    return std::nan("");
  };
  const double phi = value("rod.angle"), omega = value("rod.omega"),
               radial = 2 * (0.5 * omega * omega + g * std::cos(phi));
  double alpha = 0;
  for (int pass = 0; pass < 100; ++pass)
    alpha = (0.03 * std::hypot(radial, 2 * (0.5 * alpha + g * std::sin(phi))) - g * std::sin(phi)) / (0.3 + 0.5);
  const double force = std::hypot(radial, 2 * (0.5 * alpha + g * std::sin(phi)));
  BOOST_TEST(omega < 0);
  check_near(std::hypot(value("hinge.force.x"), value("hinge.force.y")), force, 1e-10);
  check_near(value("hinge.friction_torque"), 0.03 * force, 1e-11);
}

/// A bearing that carries nothing has no friction: a wheel that turns about its centre, without gravity.
BOOST_AUTO_TEST_CASE(a_bearing_without_reaction) {
  MechanismRun run(R"toml(format = 1
planar = true
points = { O = [0, 0] }
[bodies.wheel]
mass = 2
inertia = 0.3
position = [0, 0]
angular_velocity = 2
[joints.hinge]
type = "revolute"
between = ["O", "wheel"]
bearing = { coefficient = 0.3, radius = 0.1 }
)toml");
  run.to(2);
  check_near(run["wheel.angle"], 4, 1e-10);
}

BOOST_AUTO_TEST_CASE(bearings_that_are_wrong_are_named) {
  check_complaints({{with(guide, "coefficient = \"mu\"", "coefficient = \"-mu\""),
                     "the coefficient of the bearing of joint guide is -0.2"},
                    {with(guide, "coefficient = \"mu\"", "radius = 1"), "radius"},
                    {with(double_pendulum, "coefficient = 0.4, radius = 0.1", "coefficient = 0.4"),
                     "bearing of joint A has no radius"},
                    {double_pendulum + "[friction]\n\"a.x\" = \"-der(a.x)\"\n",
                     "friction beside the Coulomb friction of obstacle A.friction must not depend on velocities"}});
}

const std::string bushing = R"toml(format = 1
planar = true
points = { O = [0, 0] }
[bodies.a]
mass = 2
inertia = 0.3
position = [0, 0]
velocity = [0.4, 0.3]
angular_velocity = 0.5
[joints.bush]
type = "bushing"
between = ["O", "a"]
axis = [0.6, 0.8]
stiffness = [30, 50]
damping = [0.5, 0.7]
turn_stiffness = 4
turn_damping = 0.1
)toml";

/// m d_i'' = -k_i d_i - c_i d_i', J phi'' = -kt phi - ct phi'.
BOOST_AUTO_TEST_CASE(bushing_in_the_plane) {
  MechanismRun run(bushing);
  run.to(2);
  const double along = 0.4 * 0.6 + 0.3 * 0.8, across = -0.4 * 0.8 + 0.3 * 0.6;
  const auto [d1, v1] = solved(0, along, 2, [](double x, double v) { return (-30 * x - 0.5 * v) / 2; });
  const auto [d2, v2] = solved(0, across, 2, [](double x, double v) { return (-50 * x - 0.7 * v) / 2; });
  const auto [phi, omega] = solved(0, 0.5, 2, [](double x, double v) { return (-4 * x - 0.1 * v) / 0.3; });
  check_near(run["bush.d1"], d1, 1e-9);
  check_near(run["bush.d2"], d2, 1e-9);
  check_near(run["bush.angle"], phi, 1e-9);
  check_near(run["bush.force.x"], (-30 * d1 - 0.5 * v1) * 0.6 - (-50 * d2 - 0.7 * v2) * 0.8, 1e-7);
  run.check_promises();
}

/// About one axis in space: U = kt/2 (2 tan(phi/2))^2, at large angles too.
BOOST_AUTO_TEST_CASE(bushing_that_turns_in_space) {
  MechanismRun run(R"toml(format = 1
points = { O = [0, 0, 0] }
[bodies.a]
mass = 2
inertia = [0.3, 0.4, 0.5]
position = [0, 0, 0]
orientation = { rpy = [0.3, 0.2, 0.1] }
angular_velocity = [0, 0, 9]
[joints]
bush = { type = "bushing", between = ["O", "a"], axes = [[0, 1, 0], [0, 0, 1]], turn_stiffness = [1, 4, 1], turn_damping = 0.1 }
C = { type = "cylindrical", between = ["O", "a"], axis = [0, 0, 1] }
)toml");
  run.to(1);
  // The moment about z of a body that is turned: z in its axes.
  const double a = 0.3, b = 0.2;
  const double z[3] = {-std::sin(b), std::sin(a) * std::cos(b), std::cos(a) * std::cos(b)};
  const double J = 0.3 * z[0] * z[0] + 0.4 * z[1] * z[1] + 0.5 * z[2] * z[2];
  const auto [phi, omega] = solved(0, 9, 1, [&](double x, double v) {
    const double t = std::tan(x / 2);
    return (-4 * 2 * t * (1 + t * t) - 0.1 * v) / J;
  });
  check_near(run["bush.turn2"], 2 * std::tan(phi / 2), 1e-7);
  check_near(run["a.omega.z"], omega, 1e-7);
  run.check_promises(1e-11);
}

/// Between two free bodies a bushing does not change the momenta, and its damping takes energy.
BOOST_AUTO_TEST_CASE(bushings_between_free_bodies) {
  ProblemInstance instance = build(R"toml(format = 1
[bodies.a]
mass = 2
inertia = [0.3, 0.4, 0.5]
markers = { m = [0.3, 0.1, 0.2] }
position = [0, 0, 0]
velocity = [0.4, 0.3, 0.1]
angular_velocity = [1, 2, -1]
[bodies.b]
mass = 1
inertia = [0.1, 0.1, 0.15]
markers = { m = [-0.2, 0, 0.1] }
position = [0.6, 0.1, 0.2]
velocity = [0, 0, 0]
angular_velocity = [0, -2, 1]
[joints.bush]
type = "bushing"
between = ["a.m", "b.m"]
axes = [[0, 1, 0], [1, 0, 1]]
stiffness = [30, 50, 40]
damping = [2, 3, 1]
turn_stiffness = [4, 3, 2]
turn_damping = [0.1, 0.2, 0.3]
)toml");
  Integrator run = gnomon::registry().integrator(instance, "projected-rk", "newton", {});
  run.set_tolerances(Tolerances(1e-11));
  const auto momenta = [&] {
    const Vector q = run.state().q.value(), p = run.state().p.value();
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    for (Index k = 0; k < q.size(); k += 3) {
      const Eigen::Vector3d x = q.segment<3>(k), y = p.segment<3>(k);
      if (k % 12 == 0) sum.head<3>() += y;
      sum.tail<3>() += x.cross(y);
    }
    return sum;
  };
  const auto before = momenta();
  double last = 0;
  for (int k = 1; k <= 10; ++k) {
    BOOST_REQUIRE(run.advance_to(0.1 * k).success());
    const double work = run.state().work.force;
    BOOST_TEST(work < last);
    last = work;
  }
  BOOST_TEST((momenta() - before).lpNorm<Eigen::Infinity>() <= 1e-9);
  BOOST_TEST(run.monitor().energy().max_abs_error() <= 1e-11);
}

BOOST_AUTO_TEST_CASE(bushings_that_are_wrong_are_named) {
  check_complaints(
      {{with(bushing, "[30, 50]", "[30, 50, 1]"), "stiffness of joint bush has 3 entries, expected 2"},
       {with(bushing, "[30, 50]", "[30, -50]"), "a stiffness of bushing bush is -50, expected at least zero"},
       {with(bushing, "axis = [0.6, 0.8]", "axes = [[1, 0], [0, 1]]"), "expects an axis"},
       {with(bushing, "turn_damping = 0.1", "turning = 0.1"), "\"turning\""}});
}

/// Inside a ring: (R - r)(1 + J/(m r^2)) phi'' = -g sin phi about the lowest point.
BOOST_AUTO_TEST_CASE(disc_inside_a_ring) {
  MechanismRun run(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.disc]
mass = 2
inertia = "2*0.3^2/2"
position = ["cos(-0.3)", "sin(-0.3)"]
[joints.roll]
type = "rolling"
between = ["O", "disc"]
radii = [1.3, 0.3]
inside = true
friction = 0.9
)toml");
  run.to(2);
  const auto [phi, omega] = solved(-0.3, 0, 2, [](double x, double) { return -g * std::cos(x) / 1.5; });
  check_near(run["disc.x"], std::cos(phi), 1e-9);
  check_near(run["disc.y"], std::sin(phi), 1e-9);
  check_near(run["disc.angle"], -(phi + 0.3) / 0.3, 1e-8);
  // m v^2/(R - r) - m g sin phi, and J alpha/r along the way.
  const double normal = 2 * omega * omega - 2 * g * std::sin(phi), alpha = -g * std::cos(phi) / 1.5;
  check_near(run["roll.normal"], normal, 1e-7);
  const double along = 2 * alpha + 2 * g * std::cos(phi);
  check_near(run["roll.force.x"], -normal * std::cos(phi) - along * std::sin(phi), 1e-7);
  check_near(run["roll.force.y"], -normal * std::sin(phi) + along * std::cos(phi), 1e-7);
  check_near(run["roll.grip"], std::abs(along) / (0.9 * normal), 1e-7);
  run.check_promises(1e-11);
}

/// On a disc that turns freely. The expected numbers are of two coordinates by SciPy's DOP853 at rtol 1e-13.
BOOST_AUTO_TEST_CASE(disc_on_a_disc) {
  const std::string model = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.base]
shape = { disc = 1, density = 2 }
position = [0, 0]
[bodies.top]
shape = { disc = 0.5, density = 3 }
position = ["1.5*cos(1.5)", "1.5*sin(1.5)"]
orientation = 0.3
[joints]
hinge = { type = "revolute", between = ["O", "base"] }
roll = { type = "rolling", between = ["base", "top"] }
)toml";
  MechanismRun run(model);
  run.to(0.8);
  check_near(run["top.x"], 0.3126396547114916, 1e-9);
  check_near(run["base.angle"], -0.05693296020743534, 1e-9);
  check_near(run["top.angle"], -0.003642454439654696, 1e-9);
  run.check_promises();
  check_complaints({{with(model, "shape = { disc = 1, density = 2 }", "mass = 1\ninertia = 1"), "\"base\" is no disc"},
                    {with(model, "\"top\"] }", "\"top\"], radii = [1, 1], inside = true }"), "expected two radii"},
                    {with(model, "\"top\"] }", "\"top\"], radius = 1 }"), "expected normal = [..] of a plane"}});
}

/// A ring about a disc inside it: the same motion as that of the disc in the ring, seen from the ring.
BOOST_AUTO_TEST_CASE(ring_about_a_disc) {
  MechanismRun run(R"toml(format = 1
planar = true
points = { O = [0, 0] }
[bodies.ring]
mass = 2
inertia = 3
position = [-1, 0]
velocity = [0, -2]
angular_velocity = "assembled"
[joints.roll]
type = "rolling"
between = ["O", "ring"]
radii = [0.3, 1.3]
inside = true
)toml");
  run.to(1);
  // |omega_line| = 2; R_A (0 - gamma) - R (beta - gamma) = const: beta' = gamma' (R - R_A)/R
  check_near(run["ring.x"], -std::cos(2.0), 1e-10);
  check_near(run["ring.y"], -std::sin(2.0), 1e-10);
  check_near(run["ring.omega"], 2 / 1.3, 1e-10);
  check_near(run["roll.normal"], 2 * 4.0, 1e-8);
  check_near(run["roll.force.x"], 8 * std::cos(2.0), 1e-8);
}

const std::string law = R"toml(format = 1
coordinates = ["x"]
mass = 1
potential = "0"
force = { x = "-law(x)" }
[tables.law]
x = [-2, -1.2, 0, 0.7, 1, 1.4]
y = [-8, -1, 0, 0.5, 1, 8]
[start]
position = { x = 1.5 }
)toml";

/// The expected numbers are of SciPy's CubicSpline, its line beyond the last point, and DOP853 at rtol 1e-12.
BOOST_AUTO_TEST_CASE(tables_are_splines) {
  const auto end_of = [](const std::string& text) {
    ProblemInstance instance = build(text);
    Integrator run = gnomon::registry().integrator(instance, "projected-rk", "newton", {});
    run.set_tolerances(Tolerances(1e-11));
    BOOST_REQUIRE(run.advance_to(3).success());
    return run.state().q.value()[0];
  };
  check_near(end_of(law), 0.38037724530615435, 1e-10);
  // A cubic is its spline; a straight line is one by two points.
  const std::string cubic =
      with(with(law, "[-2, -1.2, 0, 0.7, 1, 1.4]", "[-2, -1, 0, 1, 2]"), "[-8, -1, 0, 0.5, 1, 8]", "[-8, -1, 0, 1, 8]");
  check_near(end_of(cubic), end_of(with(law, "law(x)", "x^3")), 1e-10);
  const std::string line = with(with(law, "[-2, -1.2, 0, 0.7, 1, 1.4]", "[0, 1]"), "[-8, -1, 0, 0.5, 1, 8]", "[0, 4]");
  check_near(end_of(line), 1.5 * std::cos(6.0), 1e-10);
  const std::string parabola =
      with(with(law, "[-2, -1.2, 0, 0.7, 1, 1.4]", "[-9, 0, 2]"), "[-8, -1, 0, 0.5, 1, 8]", "[81, 0, 4]");
  check_near(end_of(with(parabola, "[start]", "[start]\nvelocity = { x = -0.1 }")),
             end_of(with(with(law, "law(x)", "x^2"), "[start]", "[start]\nvelocity = { x = -0.1 }")), 1e-9);
  check_complaints(
      {{with(law, "[-2, -1.2, 0,", "[-2, 0, 0,"), "x of table law goes from 0 to 0, expected ascending numbers"},
       {with(law, "[-8, -1, 0,", "[-8, -1,"), "table law has 6 numbers x and 5 numbers y"},
       {with(law, "law(x)", "law(x, 1)"), "table law has one argument"},
       {with(law, "-law(x)", "-law*x"), "table law is a function: law(u)"},
       {with(law, "[start]", "ends = \"clamped\"\n[start]"), "unknown kind of ends \"clamped\""},
       {with(law, "law(x)", "lav(x)"), "\"law\""}});
}

}  // namespace
