/// \file
/// Coulomb friction at contacts in space: slips that end, rolling, impacts, contacts that hold together, against closed
/// forms, reduced equations, an integral of the motion and an own time-stepping of order 1.
#include <Eigen/Geometry>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "gnomon/base/numbers.hpp"
#include "gnomon/gnomon.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "mechanism/built_models.hpp"
#include "support/mechanism_run.hpp"
#include "support/says.hpp"

using namespace gnomon;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::check_near, gnomon::test::MechanismRun,
    gnomon::test::says, gnomon::test::with;

namespace {

constexpr double g = 9.81;

const std::string point = R"toml(format = 1
coordinates = ["x", "y", "z"]
mass = "m"
potential = "m*g*(z*cos(alpha) - x*sin(alpha))"
parameters = { m = 2, g = 9.81, alpha = 0.2, mu = 0.4 }
[obstacles]
floor = { formula = "z", slip = ["der(x)", "der(y)"], friction = "mu", restitution = 0.5 }
[start]
velocity = { x = 1, y = 2, z = 0 }
[outputs]
x = "x"
y = "y"
along = "lambda.floor.slip1"
across = "lambda.floor.slip2"
)toml";

const std::string ball = R"toml(format = 1
gravity = [0, 0, -9.81]
parameters = { mu = 0.2, r = 0.1, e = 0, height = 0, vx = 2, vy = 0, vz = 0, wx = 0, wy = 0, wz = 0, slope = 0 }
[bodies.ball]
shape = { sphere = "r", density = 1000 }
position = [0, 0, "r + height"]
velocity = ["vx", "vy", "vz"]
angular_velocity = ["wx", "wy", "wz"]
[contacts.table]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["ball"]
radius = "r"
friction = "mu"
restitution = "e"
[outputs]
along = "lambda.table.ball.slip1"
across = "lambda.table.ball.slip2"
normal = "lambda.table.ball"
)toml";

const double ball_mass = 4000 * M_PI / 3 * 1e-3;

std::string number(double x) {
  return number_text(x, 17);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(friction_in_space)

/// v' = g (sin a, 0) - mu g cos a v/|v|, whose direction turns until it stops, by DOP853 at 1e-13.
BOOST_AUTO_TEST_CASE(a_slip_that_turns_and_ends) {
  MechanismRun run(point);
  run.to(2);
  check_near(run["x"], 0.65714777597, 1e-9);
  check_near(run["y"], 0.69173410414, 1e-9);
  check_near(run["along"], -2 * g * std::sin(.2), 1e-9);
  check_near(run["across"], 0, 1e-9);
  run.check_promises();
  const auto sticks = run.events(EventKind::stick);
  BOOST_TEST_REQUIRE(sticks.size() == 1u);
  check_near(sticks[0].t, 0.9596722727, 1e-8);
  BOOST_TEST(run.events(EventKind::rest).size() == 1u);
}

/// Order 2 and 4 at fixed steps, the end of the slip within one of them.
BOOST_AUTO_TEST_CASE(orders_through_the_end_of_a_slip) {
  for (const auto& [scheme, order] : {std::pair{"energy-momentum-ggl", 2}, {"line-integral-ggl", 4}}) {
    double last = 0;
    for (const double h : {.04, .02}) {
      Integrator run = registry().integrator(build(point), scheme, "newton");
      BOOST_REQUIRE(run.advance(std::lround(1.2 / h), h).success());
      const double error =
          std::hypot(run.state().q.value()[0] - 0.65714777597, run.state().q.value()[1] - 0.69173410414);
      if (last > 0) BOOST_TEST(last / error > .8 * std::pow(2, order), scheme << ": " << last << ", " << error);
      last = error;
      BOOST_TEST(std::abs(run.energy_book().open()) <= 1e-13);
    }
  }
}

/// A ball of any spin: its slip u = v + omega x (-r n) keeps its direction and ends after 2 |u|/(7 mu g).
BOOST_AUTO_TEST_CASE(a_ball_that_slides_and_rolls) {
  MechanismRun run(ball, 1e-10, {{"vx", "1.5"}, {"vy", "-0.4"}, {"wx", "3"}, {"wy", "-8"}, {"wz", "5"}});
  const Eigen::Vector2d v(1.5, -.4), u(1.5 + .8, -.4 + .3), e = u.normalized();
  const double mu = .2, stop = 2 * u.norm() / (7 * mu * g);
  run.to(stop / 2);
  check_near(run["ball.x"], v[0] * stop / 2 - mu * g * e[0] * stop * stop / 8, 1e-9);
  check_near(std::hypot(run["along"], run["across"]), mu * ball_mass * g, 1e-8);
  run.to(1);
  const Eigen::Vector2d rolls = v - 2. / 7 * u, at = v * stop - .5 * mu * g * e * stop * stop + rolls * (1 - stop);
  check_near(run["ball.x"], at[0], 1e-9);
  check_near(run["ball.y"], at[1], 1e-9);
  check_near(run["ball.omega.x"], -rolls[1] / .1, 1e-8);
  check_near(run["ball.omega.y"], rolls[0] / .1, 1e-8);
  check_near(run["ball.omega.z"], 5, 1e-9);
  check_near(std::hypot(run["along"], run["across"]), 0, 1e-8);
  check_near(run["normal"], ball_mass * g, 1e-8);
  BOOST_TEST_REQUIRE(run.events(EventKind::stick).size() == 1u);
  check_near(run.events(EventKind::stick)[0].t, stop, 1e-9);
  run.check_promises();
}

/// From rest on a slope: it rolls with 5/7 g sin a where 2/7 tan a <= mu, and slides with g (sin a - mu cos a) beyond.
BOOST_AUTO_TEST_CASE(a_ball_on_a_slope) {
  const std::string slope =
      with(ball, "gravity = [0, 0, -9.81]", R"t(gravity = ["9.81*sin(slope)", 0, "-9.81*cos(slope)"])t");
  for (const double a : {.3, .8}) {
    MechanismRun run(slope, 1e-10, {{"slope", number(a)}, {"vx", "0"}});
    run.to(.7);
    const bool rolls = 2. / 7 * std::tan(a) <= .2;
    const double pull = rolls ? 5. / 7 * g * std::sin(a) : g * (std::sin(a) - .2 * std::cos(a));
    check_near(run["ball.x"], pull * .49 / 2, 1e-9);
    check_near(run["ball.omega.y"], (rolls ? pull : 2.5 * .2 * g * std::cos(a)) * .7 / .1, 1e-8);
    run.check_promises();
  }
}

const std::string coin = R"toml(format = 1
gravity = [0, 0, -9.81]
parameters = { r = 0.2, lean = 0, spin = 0, v = 2, mu = 0.2 }
points = { O = [0, 0, 0] }
[bodies.coin]
mass = 3
inertia = [0.03, 0.06, 0.03]
position = [0, 0, "r*cos(lean)"]
orientation = { axis = [1, 0, 0], angle = "lean" }
velocity = ["v", 0, 0]
angular_velocity = [0, "8*cos(lean)*spin", "(1 + 8*sin(lean))*spin"]
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["coin"]
radius = "r"
axis = [0, "cos(lean)", "sin(lean)"]
friction = "mu"
)toml";

/// The rim of a disc slides, and rolls at two thirds of its speed. Where it holds from the start it moves as a wheel of
/// the joint that rolls.
BOOST_AUTO_TEST_CASE(a_coin_that_slides_and_rolls) {
  MechanismRun slides(coin);
  const double stop = 2 / (3 * .2 * g);
  slides.to(1.5);
  BOOST_TEST_REQUIRE(slides.events(EventKind::stick).size() == 1u);
  check_near(slides.events(EventKind::stick)[0].t, stop, 1e-9);
  check_near(slides["coin.x"], 2 * stop - .1 * g * stop * stop + 4. / 3 * (1.5 - stop), 1e-8);
  check_near(slides["coin.omega.y"], 4. / 3 / .2, 1e-8);

  const Assignments leaning{{"lean", "0.4"}, {"spin", "1"}, {"v", number(.2 * (8 + std::sin(.4)))}, {"mu", "3"}};
  MechanismRun rolls(coin, 1e-10, leaning);
  const std::string wheel = coin.substr(0, coin.find("[contacts")) + R"toml([joints.roll]
type = "rolling"
between = ["O", "coin"]
normal = [0, 0, 1]
radius = "r"
axis = [0, "cos(lean)", "sin(lean)"]
)toml";
  MechanismRun joint(wheel, 1e-10, Assignments(leaning.begin(), leaning.end() - 1));
  rolls.to(1);
  joint.to(1);
  BOOST_TEST(rolls.events(EventKind::slide).empty());
  for (const char* name : {"coin.x", "coin.y", "coin.z", "coin.omega.x", "coin.omega.z"})
    check_near(rolls[name], joint[name], 1e-7);
}

/// An impact with restitution: the tangential impulse stops the slip, 2/7 m u, or is mu times the normal one.
BOOST_AUTO_TEST_CASE(a_ball_that_bounces) {
  for (const double mu : {.05, .9}) {
    MechanismRun run(ball, 1e-10,
                     {{"mu", number(mu)}, {"e", "0.8"}, {"height", "0.5"}, {"vx", "0.6"}, {"vy", "0.8"}, {"wx", "2"}});
    const double hit = std::sqrt(1 / g), w = g * hit, normal = 1.8 * w;
    run.to(hit + .2);
    const Eigen::Vector2d v(.6, .8), u(.6, .8 + .2);
    const double size = std::min(mu * normal, 2. / 7 * u.norm());
    const Eigen::Vector2d change = -size * u.normalized(), after = v + change;
    check_near(run["ball.x"], v[0] * hit + after[0] * .2, 1e-9);
    check_near(run["ball.y"], v[1] * hit + after[1] * .2, 1e-9);
    // r n x T: omega' = 5/2 (-r n) x change/r^2
    check_near(run["ball.omega.x"], 2 + 2.5 * change[1] / .1, 1e-8);
    check_near(run["ball.omega.y"], -2.5 * change[0] / .1, 1e-8);
    const EnergyBook book = run.integrator().energy_book();
    BOOST_TEST(book.impact < 0);
    BOOST_TEST(std::abs(book.open()) <= 1e-12);
    const double before = .5 * ball_mass * (v.squaredNorm() + w * w) + .5 * .4 * ball_mass * .01 * 4;
    const double turning = std::pow(run["ball.omega.x"], 2) + std::pow(run["ball.omega.y"], 2);
    check_near(book.impact,
               .5 * ball_mass * (after.squaredNorm() + .64 * w * w) + .5 * .4 * ball_mass * .01 * turning - before,
               1e-9);
  }
}

/// On a table that turns with Omega a ball rolls in a circle, v' = 2/7 Omega x v.
BOOST_AUTO_TEST_CASE(a_ball_on_a_turntable) {
  const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.table]
shape = { cylinder = [2, 0.1], density = 100 }
position = [0, 0, -0.05]
markers = { top = [0, 0, 0.05] }
[joints.pivot]
type = "revolute"
between = ["O", "table.top"]
axis = [0, 0, 1]
[motors.drive]
joint = "pivot"
angle = "3*t"
[bodies.ball]
shape = { sphere = 0.1, density = 1000 }
position = [0.5, 0, 0.1]
velocity = [0, 0.3, 0]
angular_velocity = [12, 0, 0]
[contacts.felt]
plane = { point = "table.top", normal = [0, 0, 1] }
on = ["ball"]
radius = 0.1
friction = 0.4
)toml";
  const double w = 6. / 7;  // v = .3 (-sin w t, cos w t)
  double last = 0;
  const ProblemInstance instance = build(text);
  for (const double h : {2e-2, 1e-2}) {
    Integrator run = registry().integrator(instance, "energy-momentum-ggl", "newton");
    BOOST_REQUIRE(run.advance(std::lround(2 / h), h).success());
    const Vector values = EvaluatedOutputs(instance).evaluate(run);
    const auto output = [&](const std::string& name) {
      const std::vector<Output>& all = instance.outputs->outputs();
      const auto at = std::find_if(all.begin(), all.end(), [&](const Output& one) { return one.name == name; });
      return values[at - all.begin()];
    };
    const double error = std::hypot(output("ball.x") - (.5 - .3 / w * (1 - std::cos(2 * w))),
                                    output("ball.y") - .3 / w * std::sin(2 * w));
    if (last > 0) BOOST_TEST(last / error > 3.5, last << ", " << error);
    BOOST_TEST(error < 2e-2);
    last = error;
    BOOST_TEST(run.events().empty());
  }
}

/// A belt carries a block away: its slip ends after v/(mu g).
BOOST_AUTO_TEST_CASE(a_block_on_a_belt) {
  for (const bool moves : {false, true}) {
    std::string text =
        with(point, R"t(slip = ["der(x)", "der(y)"])t",
             moves ? R"t(slip = ["der(x) - 0.6*t", "der(y) - 0.8"])t" : R"t(slip = ["der(x) - 0.6", "der(y) - 0.8"])t");
    MechanismRun run(with(text, "velocity = { x = 1, y = 2, z = 0 }", "velocity = { x = 0, y = 0, z = 0 }"), 1e-10,
                     {{"alpha", "0"}});
    if (!moves) {
      const double stop = 1 / (.4 * g);
      run.to(1);
      check_near(run["x"], .6 * (1 - stop / 2), 1e-9);
      check_near(run["y"], .8 * (1 - stop / 2), 1e-9);
      check_near(run["along"], 0, 1e-9);
    } else {
      run.to(1.5);
      run.to(2);
      check_near(run["along"], 2 * .6, 1e-8);
      check_near(run["across"], 0, 1e-8);
    }
  }
}

const std::string box = R"toml(format = 1
gravity = [0, 0, -9.81]
parameters = { mu = 0.3, k = 1, low = 0 }
[bodies.box]
mass = 2
inertia = [0.03, 0.04, 0.05]
position = [0, 0, 0.1]
[bodies.box.markers]
push = [0, 0, "low - 0.1"]
a = [-0.2, -0.1, -0.1]
b = [0.2, -0.1, -0.1]
c = [0.2, 0.1, -0.1]
d = [-0.2, 0.1, -0.1]
[loads.pull]
on = "box.push"
force = ["0.6*k*t", "0.8*k*t", 0]
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["box.a", "box.b", "box.c", "box.d"]
friction = "mu"
)toml";

/// Four corners, held twice over, let go together where the pull is mu m g, wherever it acts.
BOOST_AUTO_TEST_CASE(a_box_that_is_pulled_loose) {
  for (const char* low : {"0", "0.1"}) {
    MechanismRun run(box, 1e-10, {{"k", "4"}, {"low", low}});
    const double start = .3 * 2 * g / 4;
    run.to(start - 1e-6);
    BOOST_TEST(run.integrator().state().p.value().isZero(0));
    run.to(start + .5);
    check_near(run["box.x"], .6 * 4 / 12. * .125, 1e-8);
    check_near(run["box.y"], .8 * 4 / 12. * .125, 1e-8);
    check_near(run["box.omega.z"], 0, 1e-8);
    const auto slides = run.events(EventKind::slide);
    BOOST_TEST_REQUIRE(!slides.empty());
    check_near(slides[0].t, start, 1e-9);
  }
}

/// Pulled at one corner it turns as well: all hold up to the least sum of mu N |v| over the rate of the pull, of all
/// motions of the plane, which is a rotation about (0, -.8561793). By a tolerance and in steps it moves alike.
BOOST_AUTO_TEST_CASE(a_box_that_is_pulled_at_a_corner) {
  const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.box]
mass = 1
shape = { box = [1, 1, 0.2] }
position = [0, 0, 0.1]
markers = { a = [-0.5, -0.5, -0.1], b = [0.5, -0.5, -0.1], c = [0.5, 0.5, -0.1], d = [-0.5, 0.5, -0.1] }
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["box.a", "box.b", "box.c", "box.d"]
friction = 0.5
[loads.pull]
on = "box.c"
force = ["5*t", 0, 0]
)toml";
  MechanismRun run(text, 1e-8);
  run.to(1.5);
  const auto slides = run.events(EventKind::slide);
  BOOST_TEST_REQUIRE(slides.size() == 4u);
  for (const ContactEvent& slide : slides) check_near(slide.t, .7448055192003, 1e-11);
  BOOST_TEST(run.integrator().counters().iterations < 20 * run.integrator().counters().steps);
  Integrator fixed = registry().integrator(build(text), "energy-momentum-ggl", "newton");
  BOOST_REQUIRE(fixed.advance(1500, 1e-3).success());
  const Vector apart = fixed.state().q.value() - run.integrator().state().q.value();
  BOOST_TEST(apart.lpNorm<Eigen::Infinity>() < 1e-6, apart.lpNorm<Eigen::Infinity>());
}

/// A run up to t by a tolerance, h = 0, or in steps of order 2.
Integrator ended(const std::string& text, double t, double h) {
  Integrator run = registry().integrator(build(text), h > 0 ? "energy-momentum-ggl" : "line-integral-ggl", "newton");
  if (h == 0) run.set_tolerances(Tolerances(1e-9));
  BOOST_REQUIRE((h > 0 ? run.advance(std::lround(t / h), h) : run.advance_to(t)).success());
  return run;
}

/// A table that a motor moves from rest, without velocity and acceleration at first, takes what lies on it along until
/// 3 t = mu g; then it slides.
BOOST_AUTO_TEST_CASE(a_table_that_a_motor_moves) {
  const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.table]
mass = 10
shape = { box = [2, 2, 0.2] }
position = [0, 0, -0.1]
markers = { top = [0, 0, 0.1] }
[joints.slide]
type = "prismatic"
between = ["ground", "table"]
frame = { origin = [0, 0, -0.1], axis = [1, 0, 0] }
[motors.m]
joint = "slide"
distance = "0.5*t^3"
[particles.p]
mass = 1
position = [0, 0, 0]
[contacts.top]
plane = { point = "table.top", normal = [0, 0, 1] }
on = ["p"]
friction = 0.2
)toml";
  const double mu = .2, starts = mu * g / 3, left = 1.5 - starts;
  for (const double h : {0., .01}) {
    const Integrator end = ended(text, 1.5, h);
    const double tolerance = h > 0 ? h * h : 1e-8;
    const std::vector<std::string> names = coordinate_names(*build(text).model);
    const auto at = std::find(names.begin(), names.end(), "p.x") - names.begin();
    check_near(end.state().q.value()[at],
               .5 * std::pow(starts, 3) + 1.5 * starts * starts * left + .5 * mu * g * left * left, tolerance);
    BOOST_TEST_REQUIRE(!end.events().empty());
    BOOST_TEST((end.events().back().kind == EventKind::slide));
    check_near(end.events().back().t, starts, tolerance);
  }
}

/// A thin rod is pulled at one end, from exact rest: this end slides about the other, and later that slides too. Both
/// slips begin without acceleration and turn at once. Against the equations of the angle and of the plane motion, by
/// Runge and Kutta's methods of order 8 and 5 in SciPy.
BOOST_AUTO_TEST_CASE(ends_of_a_rod_slide_one_after_the_other) {
  const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.rod]
mass = 1
position = [0, 0, 0]
inertia = [0, 0.1, 0.1]
markers = { l = [-0.5, 0, 0], r = [0.5, 0, 0] }
[contacts.left]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["rod.l"]
friction = 0.5
[contacts.right]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["rod.r"]
friction = 0.2
[loads.pull]
on = "rod.r"
force = [0, "2*t", 0]
)toml";
  for (const double h : {0., .01}) {  // by a tolerance, and in fixed steps of order 2
    const Integrator end = ended(text, 2, h);
    const double tolerance = h > 0 ? h * h : 1e-8;
    check_near(end.state().q.value()[0], -.5596938198, tolerance);
    check_near(end.state().q.value()[1], .9641742087, tolerance);
    std::vector<double> slides;
    for (const ContactEvent& event : end.events())
      if (event.kind == EventKind::slide) slides.push_back(event.t);
    BOOST_TEST_REQUIRE(slides.size() == 2u);
    check_near(slides[0], .2 * g / 4, 1e-12);
    check_near(slides[1], 1.26204567810, tolerance);
    BOOST_TEST(end.broken_promises().empty());
    BOOST_TEST(end.counters().iterations < 40 * end.counters().steps);
  }
}

/// A tripod that slides and turns: one foot may hold while the others slide about it, and the motion ends as the last
/// of them stick. All energy is lost to friction.
BOOST_AUTO_TEST_CASE(sliding_and_turning_end_together) {
  const std::string text =
      with(with(with(box, "position = [0, 0, 0.1]",
                     "position = [0, 0, 0.1]\nvelocity = [0.7, 0.2, 0]\nangular_velocity = [0, 0, 4]"),
                ", \"box.d\"", ""),
           "low = 0", "low = 0.1");
  MechanismRun run(text, 1e-8, {{"k", "0"}});
  run.to(2);
  const auto sticks = run.events(EventKind::stick), rests = run.events(EventKind::rest);
  BOOST_TEST_REQUIRE(sticks.size() >= 3u);
  BOOST_TEST_REQUIRE(rests.size() == 1u);
  BOOST_TEST(sticks[sticks.size() - 1].t == rests[0].t);
  BOOST_TEST(sticks[sticks.size() - 2].t == rests[0].t);
  const EnergyBook book = run.integrator().energy_book();
  BOOST_TEST(std::abs(book.open()) <= 1e-12);
  check_near(book.work + book.impact, -(.5 * 2 * .53 + .5 * .05 * 16), 1e-9);
}

/// A top that is a ball with its centre of mass beside its middle: L.a, a from the centre of mass to the contact, is
/// kept, whatever the friction at the contact does (Jellett, 1872).
BOOST_AUTO_TEST_CASE(jellett_integral) {
  const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.top]
mass = 0.015
inertia = [8e-6, 8e-6, 7e-6]
position = [0, 0, "0.02 - 0.003*cos(0.1)"]
orientation = { rpy = [0.1, 0, 0] }
angular_velocity = [0, 0, 150]
markers = { middle = [0, 0, 0.003] }
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["top.middle"]
radius = 0.02
friction = 0.3
)toml";
  MechanismRun run(text, 1e-8);
  const auto jellett = [&] {
    const Eigen::Quaterniond turn(run["top.q0"], run["top.q1"], run["top.q2"], run["top.q3"]);
    const Eigen::Vector3d omega(run["top.omega.x"], run["top.omega.y"], run["top.omega.z"]);
    const Eigen::Vector3d L = turn * (Eigen::Vector3d(8e-6, 8e-6, 7e-6).asDiagonal() * (turn.inverse() * omega));
    return L.dot(turn * Eigen::Vector3d(0, 0, .003) - Eigen::Vector3d(0, 0, .02));
  };
  run.to(.01);
  const double start = jellett(), lean = std::abs(run["top.q1"]) + std::abs(run["top.q2"]);
  run.to(1.5);
  check_near(jellett() / start, 1, 1e-5);
  BOOST_TEST(std::abs(run["top.q1"]) + std::abs(run["top.q2"]) > 2 * lean);  // it rises
  BOOST_TEST(run.integrator().energy_book().work < 0);
}

const std::string cube = R"toml(format = 1
gravity = [0, 0, -9.81]
[bodies.cube]
shape = { box = [0.2, 0.2, 0.2], density = 500 }
position = [0, 0, 0.5]
orientation = { rpy = [0.3, 0.5, 0.2] }
velocity = [1, 0.5, 0]
angular_velocity = [2, -3, 1]
[bodies.cube.markers]
a = [-0.1, -0.1, -0.1]
b = [0.1, -0.1, -0.1]
c = [-0.1, 0.1, -0.1]
d = [0.1, 0.1, -0.1]
e = [-0.1, -0.1, 0.1]
f = [0.1, -0.1, 0.1]
g = [-0.1, 0.1, 0.1]
h = [0.1, 0.1, 0.1]
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
on = ["cube.a", "cube.b", "cube.c", "cube.d", "cube.e", "cube.f", "cube.g", "cube.h"]
friction = 0.4
restitution = 0.2
)toml";

/// A cube tumbles to rest on a face; the book is closed, every impact loses, and the order of its corners is none.
BOOST_AUTO_TEST_CASE(a_cube_that_tumbles) {
  const auto end_of = [](const std::string& text, double h) {
    Integrator run = registry().integrator(build(text), "energy-momentum-ggl", "newton");
    BOOST_REQUIRE(run.advance(std::lround(1.5 / h), h).success());
    BOOST_TEST(run.state().p.value().isZero(0));
    const EnergyBook book = run.energy_book();
    BOOST_TEST(std::abs(book.open()) <= 1e-12 * book.start);
    BOOST_TEST(std::abs(book.defect) <= 1e-12 * book.start);
    for (const ContactEvent& event : run.events()) BOOST_TEST(event.energy_change <= 1e-12 * book.start);
    return Vector(run.state().q.value().head(3));
  };
  const Vector coarse = end_of(cube, .01), middle = end_of(cube, .005), fine = end_of(cube, .0025);
  check_near(fine[2], .1, 1e-12);
  const double ratio = (coarse - middle).norm() / (middle - fine).norm();
  BOOST_TEST(ratio > 3, "the differences fall by " << ratio);
  const Vector permuted =
      end_of(with(cube, R"t("cube.a", "cube.b", "cube.c", "cube.d", "cube.e", "cube.f", "cube.g", "cube.h")t",
                  R"t("cube.h", "cube.d", "cube.c", "cube.f", "cube.e", "cube.b", "cube.a", "cube.g")t"),
             .01);
  BOOST_TEST((permuted - coarse).norm() < 1e-9, "permuted by " << (permuted - coarse).norm());
}

/// The same in another direction of space.
BOOST_AUTO_TEST_CASE(a_floor_that_is_turned) {
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(.7, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(-.4, Eigen::Vector3d::UnitY()))
          .toRotationMatrix();
  const auto turned = [&](double x, double y, double z) {
    const Eigen::Vector3d v = R * Eigen::Vector3d(x, y, z);
    return "[" + number(v[0]) + ", " + number(v[1]) + ", " + number(v[2]) + "]";
  };
  std::string text = with(cube, "gravity = [0, 0, -9.81]", "gravity = " + turned(0, 0, -9.81));
  text = with(text, "position = [0, 0, 0.5]", "position = " + turned(0, 0, .5));
  const Eigen::Matrix3d start =
      R * (Eigen::AngleAxisd(.2, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(.5, Eigen::Vector3d::UnitY()) *
           Eigen::AngleAxisd(.3, Eigen::Vector3d::UnitX()))
              .toRotationMatrix();
  std::string rows;
  for (int i = 0; i < 3; ++i)
    rows += std::string(i ? ", " : "") + "[" + number(start(i, 0)) + ", " + number(start(i, 1)) + ", " +
            number(start(i, 2)) + "]";
  text = with(text, "{ rpy = [0.3, 0.5, 0.2] }", "{ matrix = [" + rows + "] }");
  text = with(text, "velocity = [1, 0.5, 0]", "velocity = " + turned(1, .5, 0));
  text = with(text, "angular_velocity = [2, -3, 1]", "angular_velocity = " + turned(2, -3, 1));
  text = with(text, "normal = [0, 0, 1]", "normal = " + turned(0, 0, 1));
  Integrator upright = registry().integrator(build(cube), "energy-momentum-ggl", "newton"),
             other = registry().integrator(build(text), "energy-momentum-ggl", "newton");
  BOOST_REQUIRE(upright.advance(60, .01).success());
  BOOST_REQUIRE(other.advance(60, .01).success());
  const Vector there = R.transpose() * other.state().q.value().head(3);
  BOOST_TEST((there - upright.state().q.value().head(3)).norm() < 1e-8);
  BOOST_TEST(upright.events().size() == other.events().size());
}

/// In mid-slide, in the held end of a slip, rolling and at rest a checkpoint goes on bit by bit.
BOOST_AUTO_TEST_CASE(checkpoints) {
  const std::string file = "test_friction_in_space.checkpoint";
  for (const auto& [text, steps] :
       {std::pair{point, 20}, {point, 96}, {ball, 10}, {ball, 80}, {cube, 70}, {cube, 130}}) {
    const ProblemInstance instance = build(text);
    Integrator whole = registry().integrator(instance, "energy-momentum-ggl", "newton");
    BOOST_REQUIRE(whole.advance(steps, .01).success());
    whole.save(file);
    Integrator other = registry().integrator(instance, "energy-momentum-ggl", "newton");
    other.load(file);
    BOOST_TEST(whole.advance(30, .01).success());
    BOOST_TEST(other.advance(30, .01).success());
    BOOST_TEST(whole.state().q.value() == other.state().q.value(), boost::test_tools::per_element());
    BOOST_TEST(whole.state().p.value() == other.state().p.value(), boost::test_tools::per_element());
    BOOST_TEST(whole.events().size() == other.events().size());
  }
  std::remove(file.c_str());
}

/// In C++: a ball in the coordinates of its middle and rotation vector rates, which slips by velocities.
struct Puck : AutodiffModel<3, 0> {
  std::vector<Index> in_space = {0};
  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "puck";
    traits.friction_coefficients = Vector::Constant(1, .3);
    traits.slips_in_space = in_space;
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Constant(3, 2.0)); }
  template <class S>
  S potential(const S* q) const {
    return 2.0 * g * q[2];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 1.0 * q[2];
  }
  template <class S>
  void slip_velocities(const S*, const S* v, S* u) const {
    u[0] = 1.0 * v[0];
    u[1] = 1.0 * v[1];
  }
};
struct OneVelocity : Puck {
  template <class S>
  void slip_velocities(const S*, const S* v, S* u) const {
    u[0] = 1.0 * v[0];
  }
};
struct SquaredVelocity : Puck {
  template <class S>
  void slip_velocities(const S*, const S* v, S* u) const {
    u[0] = v[0] * v[0];
    u[1] = 1.0 * v[1];
  }
};

BOOST_AUTO_TEST_CASE(models_in_cpp) {
  ProblemInstance instance;
  instance.model = std::make_shared<AutodiffSystem<Puck>>(Puck());
  instance.q0 = Vector::Zero(3);
  instance.p0 = Eigen::Vector3d(2 * .6, 2 * .8, 0);
  MechanismRun run(instance, 1e-10);
  run.to(1);
  const Vector& q = run.integrator().state().q.value();
  check_near(q[0], .6 / (2 * .3 * g), 1e-10);
  check_near(q[1], .8 / (2 * .3 * g), 1e-10);
  BOOST_CHECK_EXCEPTION(AutodiffSystem<OneVelocity>{OneVelocity()}, Error, says("1 slip velocities"));
  Puck none;
  none.in_space = {1};
  BOOST_CHECK_EXCEPTION(AutodiffSystem<Puck>{none}, Error, says("obstacle 1"));
  const AutodiffSystem<SquaredVelocity> bent{SquaredVelocity()};
  BOOST_CHECK_EXCEPTION(bent.with_obstacles_closed(), Error, says("is not linear in the velocities"));
}

/// A contact that sticks in space is a constraint of velocities: schemes that take none say so before the first step.
BOOST_AUTO_TEST_CASE(refusals) {
  for (const char* scheme : {"energy-momentum-general", "symplectic-euler-natural", "rattle"})
    BOOST_CHECK_EXCEPTION(registry().integrator(build(point), scheme, "newton"), Error, says("it is taken by"));
  check_complaints({
      {with(coin, "radius = \"r\"\n", ""), "contact floor has an axis and no radius: a disc needs both"},
      {with(point, R"t(["der(x)", "der(y)"])t", R"t(["der(x)"])t"), "has 1 entries, expected two"},
      {with(point, R"t(["der(x)", "der(y)"])t", R"t(["x", "y"])t"), "contains none: expected der(..)"},
      {with(point, R"t(["der(x)", "der(y)"])t", R"t("der(x)")t"), "the slip of obstacle floor"},
      {with(ball, "radius = \"r\"", "radius = -1"), "the radius of contact table is -1, expected above zero"},
  });
  BOOST_CHECK_EXCEPTION(build(with(point, R"t("der(y)"])t", R"t("der(y)^2"])t"))
                            .model->mechanical()
                            ->parts()
                            .obstacles->with_obstacles_closed(),
                        Error, says("is not linear in the velocities"));
}

BOOST_AUTO_TEST_SUITE_END()
