/// \file
/// Gears, limits, dry friction, spring laws, ropes, rolling, planes and obstacles that move, against closed forms and
/// reduced equations.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <tuple>

#include "gnomon/gnomon.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "mechanism/built_models.hpp"
#include "support/builtin_registry.hpp"
#include "support/mechanism_run.hpp"

using namespace gnomon;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::check_near, gnomon::test::complaint,
    gnomon::test::MechanismRun, gnomon::test::with;

namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;

/// Seven bodies and ten hinges against the angles of the Test Set for IVP Solvers at t = 0.03, which belong to another
/// formulation; problems/andrews_squeezer.toml has it.
BOOST_AUTO_TEST_CASE(squeezer) {
  MechanismRun run(gnomon::registry().build(GNOMON_GALLERY "/squeezer.toml"), 1e-11);
  run.to(0.03);
  const double beta = run["K1.angle"], delta = run["K5.angle"], epsilon = run["K7.angle"];
  check_near(beta, 15.81077119629904, 1e-7);
  check_near(run["K2.angle"] - beta, -15.75637105984298, 1e-7);
  check_near(run["K3.angle"], 0.04082224013073101, 1e-8);
  check_near(run["K4.angle"] - delta, -0.5347301163226948, 1e-8);
  check_near(delta, 0.5244099658805304, 1e-8);
  check_near(run["K6.angle"] - epsilon, 0.5347301163226948, 1e-8);
  check_near(epsilon, 1.048080741042263, 1e-8);
  run.check_promises(1e-11);
}

/// The pendulum against its elliptic function, and the governor against the equations of the angle of its arms and of
/// the height of its slider, by Radau's method of order 5 in SciPy.
BOOST_AUTO_TEST_CASE(iftomm_models_a01_and_a05) {
  MechanismRun pendulum(gnomon::registry().build(GNOMON_MODELS "/iftomm/a01-simple-pendulum.toml"), 1e-10);
  pendulum.to(10);
  check_near(pendulum["P.x"], -.27508746257612, 1e-8);
  check_near(pendulum["P.y"], -.96141920509912, 1e-8);
  pendulum.check_promises();

  const ProblemInstance governor = gnomon::registry().build(GNOMON_MODELS "/iftomm/a05-stiff-governor.toml");
  const EvaluatedOutputs outputs(governor);
  Integrator run = gnomon::registry().integrator(governor, "line-integral-ggl", "newton");
  for (const auto& [t, s] : {std::pair{1., .501420922380}, {5., .535563103722}, {10., .619622917061}}) {
    BOOST_REQUIRE(run.advance(std::lround((t - run.state().t) / 5e-3), 5e-3).success());
    const Vector values = outputs.evaluate(run);
    BOOST_TEST_REQUIRE(outputs.outputs()[0].name == "s");
    check_near(values[0], s, 2e-9);
  }
}

/// No impact changes what a motor prescribes: the stop names the limit that it runs into.
BOOST_AUTO_TEST_CASE(a_motor_that_runs_into_a_limit) {
  const ProblemInstance arm = build(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.arm]
mass = 1
inertia = 0.1
position = [0.5, 0]
markers = { pin = [-0.5, 0] }
[joints]
J = { type = "revolute", between = ["O", "arm.pin"], limits = [-0.5, 0.5] }
[motors]
m = { joint = "J", angle = "t" }
)toml");
  Integrator run = gnomon::registry().integrator(arm, "energy-momentum-ggl", "newton");
  const StepReport report = run.advance(100, 1e-2);
  BOOST_TEST(!report.success());
  BOOST_TEST(report.message.find("obstacle J.upper is run into with the rate 1 at t = 0.5") != std::string::npos,
             report.message);
  check_near(run.state().t, .5, 1e-12);
}

const std::string rack = R"toml(format = 1
planar = true
points = { O = [0, 0], P = [0, -0.25] }
[bodies.pinion]
mass = 3
inertia = 0.06
position = [0, 0]
[bodies.rack]
mass = 2
inertia = 1
position = [0, -0.25]
[joints]
A = { type = "revolute", between = ["O", "pinion"] }
S = { type = "prismatic", between = ["P", "rack"], axis = [1, 0] }
g = { type = "gear", of = ["A", "S"], ratio = 0.2 }
[motors]
m = { joint = "A", torque = 0.7 }
)toml";

/// J a = M - r F, m r a = F
BOOST_AUTO_TEST_CASE(rack_and_pinion) {
  MechanismRun run(rack);
  const double a = 0.7 / (0.06 + 2 * 0.2 * 0.2);
  run.to(2);
  check_near(run["A.angle"], 0.5 * a * 4, 1e-9);
  check_near(run["S.distance"], 0.2 * 0.5 * a * 4, 1e-9);
  check_near(run["g.force2"], 2 * 0.2 * a, 1e-9);
  check_near(run["g.torque1"], 0.06 * a - 0.7, 1e-9);
  run.check_promises();
}

/// A nut that falls and turns on a screw: m s'' = -m g - F, J phi'' = F p with s = p phi.
BOOST_AUTO_TEST_CASE(screw) {
  const std::string screw = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.nut]
mass = 2
inertia = [0.3, 0.3, 0.4]
position = [0, 0, 0]
[joints]
C = { type = "cylindrical", between = ["O", "nut"], axis = [0, 0, 1] }
thread = { type = "gear", of = ["C.angle", "C.distance"], ratio = "pitch/(2*pi)" }
[parameters]
pitch = 0.5
)toml";
  MechanismRun run(screw);
  const double p = 0.5 / (2 * pi), a = -g / (1 + 0.4 / (2 * p * p));
  run.to(3);
  check_near(run["C.distance"], 0.5 * a * 9, 1e-9);
  check_near(run["C.angle"], 0.5 * a * 9 / p, 1e-7);
  run.check_promises(1e-11);
  BOOST_TEST(complaint(with(screw, "\"C.angle\"", "\"C\"")).find("unknown angle or distance of a joint \"C\"") !=
             std::string::npos);
}

/// 2 c - l - r = 0, torques M on the cage and one brake on the left wheel.
BOOST_AUTO_TEST_CASE(differential_of_three) {
  MechanismRun run(R"toml(format = 1
planar = true
points = { O = [0, 0], P = [1, 0], Q = [2, 0] }
bodies.cage = { mass = 1, inertia = 0.5, position = [0, 0] }
bodies.left = { mass = 1, inertia = 0.2, position = [1, 0] }
bodies.right = { mass = 1, inertia = 0.3, position = [2, 0] }
[joints]
C = { type = "revolute", between = ["O", "cage"] }
L = { type = "revolute", between = ["P", "left"] }
R = { type = "revolute", between = ["Q", "right"] }
d = { type = "gear", of = ["C", "L", "R"], ratios = [2, -1, -1] }
[motors]
m = { joint = "C", torque = 1.5 }
brake = { joint = "L", torque = -0.4 }
)toml");
  // 0.5 c = 1.5 - 2 lambda, 0.2 l = -0.4 + lambda, 0.3 r = lambda
  const double lambda = (2 * 1.5 / 0.5 + 0.4 / 0.2) / (4 / 0.5 + 1 / 0.2 + 1 / 0.3);
  run.to(2);
  check_near(run["C.angle"], 2 * (1.5 - 2 * lambda) / 0.5, 1e-8);
  check_near(run["L.angle"], 2 * (-0.4 + lambda) / 0.2, 1e-8);
  check_near(run["R.angle"], 2 * lambda / 0.3, 1e-8);
  check_near(run["d.torque1"], -2 * lambda, 1e-9);
  run.check_promises();
}

BOOST_AUTO_TEST_CASE(gears_that_are_wrong_are_named) {
  BOOST_TEST(complaint(rack) == "");
  check_complaints({
      {with(rack, "[\"A\", \"S\"]", "[\"A\", \"B\"]"), "unknown angle or distance of a joint \"B\""},
      {with(rack, "[\"A\", \"S\"]", "[\"A\", \"A.angle\"]"), "gear g is of A.angle twice"},
      {with(rack, "ratio = 0.2", "ratio = 0"), "a ratio of gear g is "},
      {with(rack, "ratio = 0.2", "ratios = [1]"), "ratios of gear g has 1 entries, expected 2"},
      {with(rack, ", ratio = 0.2", ""), "gear g is of 2 motions: expected two and their ratio"},
      {with(rack, "ratio = 0.2", "rato = 0.2"), "unknown key of gear g \"rato\""},
  });
}

const std::string slider = R"toml(format = 1
planar = true
points = { O = [0, 0] }
bodies.block = { mass = 2, inertia = 1, position = [0, 0], velocity = [1, 0] }
[joints]
S = { type = "prismatic", between = ["O", "block"], axis = [1, 0]LAW }
)toml";

BOOST_AUTO_TEST_CASE(what_acts_in_joints_wrongly_is_named) {
  const auto joint = [](const char* keys) { return with(slider, "LAW", keys); };
  check_complaints({
      {joint(", limits = [0.3, -0.5]"), "the limits of joint S are 0.3 and -0.5, expected the lower one first"},
      {joint(", limits = [0.3, 0.5]"), "joint S stands at 0 at the start, below its lower limit 0.3"},
      {joint(", limits = [-2, 2], start = { distance = 3 }"),
       "joint S stands at 3 at the start, above its upper limit 2"},
      {joint(", friction_force = -1"), "the dry friction of joint S is -1, expected at least zero"},
      {joint(", limits = [-1, 1], stop_stiffness = -1"), "the stop_stiffness of joint S is -1, expected at least zero"},
      {joint(", friction_torque = 1"), "joint S of the type prismatic slides: its dry friction is a friction_force"},
      {joint(", restitution = 0.5"), "joint S has a restitution and no limits"},
      {joint(", limits = [-1, 1], restitution = 0.5, stop_damping = 1"), "expected one of them"},
  });
  MechanismRun damped(joint("") + "[motors]\nd = { joint = \"S\", force = \"-3*speed\" }\n");
  damped.to(1);
  check_near(damped["S.slip"], std::exp(-1.5), 1e-9);
}

/// Dry friction at a tight tolerance is not taken by steps of order 2.
BOOST_AUTO_TEST_CASE(schemes_for_tight_tolerances) {
  const Registry& all = registry();
  const SolverFactory& solver = all.solver("newton");
  const ProblemInstance instance = build(with(slider, "LAW", ", friction_force = 1.5, stiffness = 50"));
  for (const double tolerance : {1e-9, 1e-10, 1e-11})
    BOOST_TEST(suited_scheme(all, {instance, tolerance, &solver, Options("newton", solver.options()), {}}).scheme ==
               "line-integral-ggl");
}

/// Between two stops a block loses 1 - e of its speed at each impact.
BOOST_AUTO_TEST_CASE(limits_with_restitution) {
  MechanismRun run(with(slider, "LAW", ", limits = [-0.5, 0.3], restitution = 0.5"));
  run.to(6);
  const std::vector<ContactEvent> hits = run.events(EventKind::impact);
  BOOST_REQUIRE(hits.size() == 3U);
  check_near(hits[0].t, 0.3, 1e-12);
  check_near(hits[1].t, 0.3 + 0.8 / 0.5, 1e-12);
  check_near(hits[2].t, 0.3 + 0.8 / 0.5 + 0.8 / 0.25, 1e-12);
  check_near(hits[0].energy_change, -0.75, 1e-12);
  run.check_promises();
}

/// Beyond an elastic stop the motion is that of a spring, half a period of it.
BOOST_AUTO_TEST_CASE(limits_with_stiffness) {
  MechanismRun run(with(slider, "LAW", ", limits = { upper = 0.3 }, stop_stiffness = 200"));
  const double half = pi / 10;
  run.to(0.3 + half / 2);
  check_near(run["S.distance"], 0.3 + 0.1, 1e-9);
  check_near(run["S.stop"], -20, 1e-6);
  run.to(1.3 + half);
  check_near(run["S.distance"], 0.3 - 1, 1e-9);
  check_near(run["S.stop"], 0, 0);
  run.check_promises();
}

/// A damped stop: x'' + 2 d x' + w^2 x = 0 while beyond it.
BOOST_AUTO_TEST_CASE(limits_with_damping) {
  MechanismRun run(with(slider, "LAW", ", limits = { upper = 0.3 }, stop_stiffness = 200, stop_damping = 8"));
  const double d = 8.0 / 4, w = std::sqrt(100 - d * d), t = 0.1;
  run.to(0.3 + t);
  check_near(run["S.distance"], 0.3 + std::exp(-d * t) * std::sin(w * t) / w, 1e-8);
}

/// A spring with Coulomb friction of the size F: each half swing is shorter by 2 F/k, and the block sticks as soon as
/// it turns within F/k of the middle.
BOOST_AUTO_TEST_CASE(dry_friction_of_a_slide) {
  MechanismRun run(with(with(slider, "LAW", ", friction_force = 1.5, stiffness = 50"), ", velocity = [1, 0]",
                        ", velocity = [0, 0]") +
                   "[motors]\nkick = { joint = \"S\", force = \"if(t < 0.2, 20, 0)\" }\n");
  // Pushed by 20 - 1.5 for 0.2 s, then free: amplitudes about shifted middles.
  const double w = 5, middle = (20 - 1.5) / 50, x0 = middle * (1 - std::cos(w * 0.2)),
               v0 = middle * w * std::sin(w * 0.2);
  double amplitude = std::hypot(x0 + 1.5 / 50, v0 / w) - 1.5 / 50, t = 0.2 + std::atan2(v0 / w, x0 + 1.5 / 50) / w;
  int turns = 0;
  for (; amplitude > 1.5 / 50; amplitude -= 2 * 1.5 / 50, ++turns) t += turns > 0 ? pi / w : 0;
  const double sign = turns % 2 == 0 ? 1 : -1;
  t += pi / w;
  run.to(t + 1);
  check_near(run["S.distance"], sign * amplitude, 1e-7);
  BOOST_TEST(run["S.slip"] == 0.0);
  const std::vector<ContactEvent> rest = run.events(EventKind::rest);
  BOOST_REQUIRE(rest.size() == 1U);
  check_near(rest[0].t, t, 1e-6);
  run.check_promises(1e-10);
}

/// An arm held by its friction until the torque of its weight is larger; and which of two joints in a row gives way.
BOOST_AUTO_TEST_CASE(dry_friction_of_hinges) {
  const std::string arm = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
[bodies.upper]
mass = 1
inertia = 0.1
markers = { a = [-0.5, 0], b = [0.5, 0] }
place = { a = "O" }
[bodies.lower]
mass = 1
inertia = 0.1
markers = { a = [-0.5, 0], b = [0.5, 0] }
place = { a = "upper.b" }
[joints]
A = { type = "revolute", between = ["O", "upper.a"], friction_torque = "F" }
B = { type = "revolute", between = ["upper.b", "lower.a"], friction_torque = "G" }
[parameters]
F = 19.7
G = 5.0
)toml";
  MechanismRun held(arm);
  held.to(1);
  BOOST_TEST(held["A.angle"] == 0.0);
  BOOST_TEST(held.events(EventKind::slide).empty());
  // Nothing moves from the start on, and there are equations and multipliers all the same.
  BOOST_TEST(held.integrator().state().lambda.size() == n_state_multipliers(held.integrator().model()));
  BOOST_CHECK_NO_THROW(held.integrator().equations());
  // At B 4.905 N m, at A 19.62 N m of weight: with less at A both links fall as one body.
  MechanismRun one(arm, 1e-10, {{"F", "15"}});
  one.to(1e-3);
  const double J = 2 * 0.1 + 0.25 + 2.25, a = (15 - 19.62) / J;
  check_near(one["A.speed"], a * 1e-3, 1e-7);
  check_near(one["B.angle"], 0, 1e-12);
  MechanismRun two(arm, 1e-10, {{"G", "4"}});
  two.to(1e-3);
  BOOST_TEST(two["B.speed"] < 0);
}

/// The tension as a formula and as a potential are the linear spring with its damper.
BOOST_AUTO_TEST_CASE(laws_of_springs) {
  const std::string model = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
particles.p = { mass = 1, position = [1, 0.2, 0] , velocity = [0, 1, 0.5] }
[springs]
s = { between = ["O", "p"], LAW }
[outputs]
pull = "30*(s.length - 0.8) + 0.5*(p.x*p.vx + p.y*p.vy + p.z*p.vz)/s.length"
)toml";
  MechanismRun linear(with(model, "LAW", "stiffness = 30, rest_length = 0.8")),
      damped(with(model, "LAW", "stiffness = 30, rest_length = 0.8, damping = 0.5"));
  MechanismRun tension(with(model, "LAW", "tension = \"30*(length - 0.8) + 0.5*rate\"")),
      energy(with(model, "LAW", "energy = \"15*(length - 0.8)^2\""));
  for (MechanismRun* run : {&linear, &damped, &tension, &energy}) run->to(2).check_promises(1e-10);
  for (const char* name : {"p.x", "p.y", "p.z", "s.length"}) {
    check_near(energy[name], linear[name], 1e-8);
    check_near(tension[name], damped[name], 1e-8);
  }
  check_near(tension["s.force"], tension["pull"], 1e-12);
  check_complaints({
      {with(model, "LAW", "stiffness = 3, energy = \"length\""), "spring s has 2 of stiffness, tension"},
      {with(model, "LAW", "energy = \"length*rate\""), "unknown name \"rate\""},
      {with(model, "LAW", "tension = \"length\", damping = 1"), "spring s has a damping and no stiffness"},
  });
}

/// A weight on a winch: the rope pulls with m (g + l''), and a mass that falls into a slack rope stops there.
BOOST_AUTO_TEST_CASE(ropes) {
  const std::string crane = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { tip = [0, 5] }
particles.load = { mass = 4, position = [0, 1] }
[ropes]
r = { through = ["tip", "load"], length = "LENGTH" }
)toml";
  MechanismRun winch(with(crane, "LENGTH", "start - 0.3*t^2"));
  winch.to(2);
  check_near(winch["load.y"], 1 + 0.3 * 4, 1e-10);
  check_near(winch["r.tension"], 4 * (g + 0.6), 1e-8);
  winch.check_promises(1e-11);

  MechanismRun slack(with(crane, "LENGTH", "4.5"));
  slack.to(2);
  check_near(slack.events(EventKind::landing).at(0).t, std::sqrt(2 * 0.5 / g), 1e-12);
  check_near(slack.events(EventKind::landing).at(0).energy_change, -4 * g * 0.5, 1e-10);
  check_near(slack["load.y"], 0.5, 1e-12);
  check_near(slack["r.tension"], 4 * g, 1e-8);

  // By an elastic rope it goes as deep as its energy says, and comes back to where it was.
  MechanismRun elastic(with(crane, "\"LENGTH\"", "4.5, stiffness = 100"));
  const double depth = 4 * g / 100, fall = std::sqrt(2 * 0.5 / g), w = 5;
  elastic.to(fall + (pi - std::atan2(g * fall / w, depth)) / w);
  check_near(elastic["load.y"], 0.5 - depth - std::hypot(depth, g * fall / w), 1e-8);
  elastic.check_promises();

  // Over a drum that it turns.
  MechanismRun drum(
      with(with(with(crane, "[0, 5] }", "[0, 5], D = [-2, 0] }"), "\"LENGTH\"", "\"start - 0.3*axle.angle\""),
           "[ropes]", R"toml(
bodies.drum = { mass = 10, inertia = 0.9, position = [-2, 0] }
[joints]
axle = { type = "revolute", between = ["D", "drum"] }
[ropes])toml"));
  drum.to(1);
  const double a = g / (1 + 0.9 / (4 * 0.3 * 0.3));
  check_near(drum["load.y"], 1 - 0.5 * a, 1e-9);
  check_near(drum["r.tension"], 4 * (g - a), 1e-8);
}

/// A ball that rolls down a slope, and a wheel that leans, against Euler's angles (the gallery's rolling coin); a disc
/// in the plane, and a ball on a plate that moves.
BOOST_AUTO_TEST_CASE(rolling) {
  const std::string ball = R"toml(format = 1
gravity = ["9.81*sin(20*deg)", 0, "-9.81*cos(20*deg)"]
points = { O = [0, 0, 0] }
bodies.ball = { shape = { sphere = 0.1, density = 1000 }, position = [0, 0, 0.1] }
[joints]
roll = { type = "rolling", between = ["O", "ball"], normal = [0, 0, 1], friction = 0.3 }
)toml";
  MechanismRun sphere(ball);
  sphere.to(2);
  const double weight = 4000 * pi / 3 * 1e-3 * g, slope = 20 * pi / 180;
  check_near(sphere["ball.x"], 5.0 / 7 * g * std::sin(slope) * 2, 1e-8);
  check_near(sphere["roll.normal"], weight * std::cos(slope), 1e-8);
  check_near(sphere["roll.force.x"], -2.0 / 7 * weight * std::sin(slope), 1e-8);
  check_near(sphere["roll.grip"], 2.0 / 7 * std::tan(slope) / 0.3, 1e-9);
  sphere.check_promises();

  MechanismRun coin(R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.coin]
mass = 0.1
inertia = [2.5e-4, 2.5e-4, 4.999999999e-4]
orientation = { axis = [1, 0, 0], angle = "75*deg" }
position = [0, 0, "0.1*sin(75*deg)"]
angular_velocity = [0, "12*sin(75*deg)", "1 - 12*cos(75*deg)"]
[joints]
roll = { type = "rolling", between = ["O", "coin"], normal = [0, 0, 1], radius = 0.1, axis = ["0", "-s", "c"] }
[parameters]
s = "sin(75*deg)"
c = "cos(75*deg)"
)toml");
  coin.to(2);
  check_near(coin["coin.x"], -0.082761754, 1e-7);
  check_near(coin["coin.y"], 1.440273846, 1e-7);
  coin.check_promises();

  MechanismRun disc(R"toml(format = 1
planar = true
gravity = ["9.81*sin(20*deg)", "-9.81*cos(20*deg)"]
points = { O = [0, 0] }
bodies.disc = { shape = { disc = 0.2, density = 30 }, position = [0, 0.2] }
[joints]
roll = { type = "rolling", between = ["O", "disc"], normal = [0, 1] }
)toml");
  disc.to(2);
  check_near(disc["disc.x"], 2.0 / 3 * g * std::sin(slope) * 2, 1e-8);
  check_near(disc["disc.angle"], -disc["disc.x"] / 0.2, 1e-8);

  // m x'' = F, J w' = F R, -F = M X'' - 3 with x' - X' + w R = 0: the plate is pulled, and the ball rolls back on it.
  MechanismRun plate(R"toml(format = 1
points = { O = [0, 0, 0] }
bodies.ball = { mass = 2, inertia = [0.008, 0.008, 0.008], position = [0, 0, 0.1] }
bodies.plate = { mass = 5, inertia = [1, 1, 1], position = [0, 0, 0] }
[joints]
track = { type = "prismatic", between = ["O", "plate"], axis = [1, 0, 0] }
roll = { type = "rolling", between = ["plate", "ball"], normal = [0, 0, 1], radius = 0.1 }
[loads]
pull = { on = "plate", force = [3, 0, 0] }
)toml");
  plate.to(2);
  // F (1/2 + R^2/J + 1/5) = 3/5
  const double F = 3.0 / 5 / (0.5 + 0.01 / 0.008 + 0.2);
  check_near(plate["ball.x"], F / 2 * 2, 1e-8);
  check_near(plate["plate.x"], (3 - F) / 5 * 2, 1e-8);
  check_near(plate["ball.omega.y"], -F * 0.1 / 0.008 * 2, 1e-7);

  // With a wall in its way: v = 5/7 g sin t, then back with e v.
  MechanismRun wall(ball + R"toml(
[contacts]
wall = { plane = { point = [3, 0, 0], normal = [-1, 0, 0] }, on = ["ball"], restitution = 0.6 }
)toml");
  wall.to(4);
  const double a = 5.0 / 7 * g * std::sin(slope), hit = std::sqrt(6 / a);
  const std::vector<ContactEvent> hits = wall.events(EventKind::impact);
  BOOST_REQUIRE(hits.size() == 2U);
  check_near(hits[0].t, hit, 1e-9);
  check_near(hits[1].t, hit * (1 + 2 * 0.6), 1e-8);
  check_near(hits[0].energy_change, -0.5 * 1.4 * weight / g * (1 - 0.36) * 6 * a, 1e-7);
  wall.check_promises();
  check_complaints({
      {with(ball, "\"ball\"], normal", "\"O\"], normal"), "neither is moved by forces"},
      {with(ball, "shape = { sphere = 0.1, density = 1000 }", "mass = 1, inertia = [1, 1, 1]"),
       "joint roll has no radius, and body ball no shape that has one"},
      {with(ball, "normal = [0, 0, 1], ", ""), "joint roll has no normal"},
      {with(ball, "normal = [0, 0, 1], ", "normal = [0, 0, 1], radius = -0.1, "),
       "the radius of joint roll is -0.1, expected above zero"},
  });
}

/// A block on a wedge that is free to move: A = m g sin cos/(M + m sin^2), as every textbook has it.
BOOST_AUTO_TEST_CASE(a_plane_on_a_body) {
  MechanismRun run(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0] }
bodies.wedge = { mass = 4, inertia = 1, position = [0, 0] }
particles.block = { mass = 1, position = [0, 0] }
[joints]
track = { type = "prismatic", between = ["O", "wedge"], axis = [1, 0] }
[contacts]
face = { plane = { point = "wedge", normal = ["-sin(30*deg)", "cos(30*deg)"] }, on = ["block"], restitution = 0 }
)toml");
  run.to(1);
  const double s = 0.5, c = std::sqrt(0.75), A = g * s * c / (4 + s * s);
  check_near(run["wedge.x"], 0.5 * A, 1e-9);
  check_near(run["block.x"], -0.5 * 4 * A, 1e-9);
}

/// A block on a belt takes its speed after v/(mu g); a ball on a floor that shakes, its impacts by the flight between
/// them.
BOOST_AUTO_TEST_CASE(obstacles_that_move) {
  MechanismRun belt(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { B = ["0.8*t", 0] }
particles.block = { mass = 2, position = [0, 0] }
[contacts]
belt = { plane = { point = "B", normal = [0, 1] }, on = ["block"], restitution = 0, friction = 0.25 }
)toml");
  const double taken = 0.8 / (0.25 * g);
  belt.to(2);
  check_near(belt["block.x"], 0.5 * 0.8 * taken + 0.8 * (2 - taken), 1e-8);
  const std::vector<ContactEvent> stick = belt.events(EventKind::stick);
  BOOST_REQUIRE(stick.size() == 1U);
  check_near(stick[0].t, taken, 1e-8);
  belt.check_promises();

  MechanismRun floor(R"toml(format = 1
coordinates = ["y"]
mass = 1
potential = "9.81*y"
[obstacles]
floor = { formula = "y - 0.05*sin(30*t)", restitution = 0.5 }
[start]
position = { y = 0.3 }
[outputs]
push = "lambda.floor"
)toml");
  floor.to(1.68);
  const std::vector<ContactEvent> hits = floor.events(EventKind::impact);
  BOOST_REQUIRE(hits.size() == 5U);
  double t = 0, y = 0.3, v = 0;
  for (const ContactEvent& hit : hits) {
    const double s = hit.t - t, down = v - g * s, floor_speed = 1.5 * std::cos(30 * hit.t);
    check_near(y + v * s - g / 2 * s * s, 0.05 * std::sin(30 * hit.t), 1e-8);
    t = hit.t;
    y = 0.05 * std::sin(30 * t);
    v = floor_speed - 0.5 * (down - floor_speed);
    check_near(hit.energy_change, -0.375 * (down - floor_speed) * (down - floor_speed), 1e-7);
  }
  BOOST_TEST(floor["push"] == 0.0);
}

/// Words at points that move: a spring with a damper and the law of a motor against formulas, a ball that rolls and
/// one that sticks on a table which is pulled away, with 2/7 of its acceleration, and a block that slides there while
/// the table shakes, mu (g t^2/2 + z) from its place.
BOOST_AUTO_TEST_CASE(points_that_move) {
  MechanismRun bodies(R"toml(format = 1
planar = true
points = { P = ["0.3*sin(2*t)", "0.1*t^2"] }
[particles]
a = { mass = 1, position = [1, 0] }
b = { mass = 2, position = [0, -1], velocity = [0.2, 0] }
[joints]
guide = { type = "point-on-line", between = ["P", "a"], axis = [1, 0], damping = 2 }
[motors]
law = { joint = "guide", force = "-3*speed - 5*distance" }
[springs]
s = { between = ["P", "b"], stiffness = 10, rest_length = 0.8, damping = 1 }
[start]
assemble = true
)toml");
  MechanismRun formulas(R"toml(format = 1
coordinates = ["x", "u", "w"]
mass = [1, 2, 2]
potential = "0"
[definitions]
p = "0.3*sin(2*t)"
length = "sqrt((u - p)^2 + (w - 0.1*t^2)^2)"
rate = "((u - p)*(der(u) - 0.6*cos(2*t)) + (w - 0.1*t^2)*(der(w) - 0.2*t))/length"
pull = "(10*(length - 0.8) + rate)/length"
[force]
x = "-5*(der(x) - 0.6*cos(2*t)) - 5*(x - p - 1)"
u = "-pull*(u - p)"
w = "-pull*(w - 0.1*t^2)"
[start]
position = { x = 1, w = -1 }
velocity = { u = 0.2 }
[outputs]
x = "x"
u = "u"
w = "w"
)toml");
  bodies.to(1);
  formulas.to(1);
  check_near(bodies["a.x"], formulas["x"], 1e-9);
  check_near(bodies["b.x"], formulas["u"], 1e-9);
  check_near(bodies["b.y"], formulas["w"], 1e-9);

  MechanismRun table(R"toml(format = 1
gravity = [0, 0, -9.81]
points = { P = ["1.5*t^2", 0, "0.01*sin(2*t)^2"] }
[bodies]
rolls = { shape = { sphere = 0.1, density = 1000 }, position = [0, 0, 0.1] }
sticks = { shape = { sphere = 0.1, density = 1000 }, position = [0, 1, 0.1] }
[particles]
block = { mass = 1, position = [1, 0, 0] }
[joints]
roll = { type = "rolling", between = ["P", "rolls"], normal = [0, 0, 1] }
[contacts]
balls = { plane = { point = "P", normal = [0, 0, 1] }, on = ["sticks"], radius = 0.1, friction = 0.2 }
points = { plane = { point = "P", normal = [0, 0, 1] }, on = ["block"], friction = 0.2 }
)toml");
  table.to(0.5);
  check_near(table["rolls.x"], 2.0 / 7 * 1.5 * 0.25, 1e-9);
  check_near(table["sticks.x"], 2.0 / 7 * 1.5 * 0.25, 1e-9);
  check_near(table["block.x"], 1 + 0.2 * (g * 0.125 + 0.01 * std::sin(1.0) * std::sin(1.0)), 1e-9);
  table.check_promises();
}

/// Two wheels of an axle: the side of the second one repeats what that of the first, the hinges and the heights say.
/// The motion is that without it, the energy and all conditions are kept, to the order of the method.
BOOST_AUTO_TEST_CASE(two_wheels_of_an_axle) {
  const std::string model = R"toml(format = 1
gravity = [0.3, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.axle]
mass = 5
inertia = [0.5, 0.1, 0.5]
markers = { left = [0, 0.4, 0], right = [0, -0.4, 0] }
position = [0, 0, 0.2]
velocity = "assembled"
[bodies.left]
shape = { cylinder = [0.2, 0.05], density = 500 }
orientation = { axis = [1, 0, 0], angle = "90*deg" }
position = [0, 0.4, 0.2]
[bodies.right]
shape = { cylinder = [0.2, 0.05], density = 500 }
orientation = { axis = [1, 0, 0], angle = "90*deg" }
position = [0, -0.4, 0.2]
[joints]
JL = { type = "revolute", between = ["axle.left", "left"], axis = [0, 1, 0], start = { angle = 0, speed = 3 } }
JR = { type = "revolute", between = ["axle.right", "right"], axis = [0, 1, 0], start = { angle = 0, speed = 6 } }
RL = { type = "rolling", between = ["O", "left"], normal = [0, 0, 1] }
RR = { type = "rolling", between = ["O", "right"], normal = [0, 0, 1], side_slip = true }
[motors]
m = { joint = "JR", torque = "0.3*cos(t)" }
[start]
assemble = true
)toml";
  const std::string both = with(model, ", side_slip = true", "");
  MechanismRun one(model), two(both);
  for (MechanismRun* run : {&one, &two}) run->to(2).check_promises(1e-10);
  for (const char* name : {"axle.x", "axle.y", "left.z", "JL.angle", "JR.angle"})
    check_near(two[name], one[name], 1e-7);
  // Both wheels together carry sideways what the one carries alone.
  check_near(two["RL.force.y"] + two["RR.force.y"], one["RL.force.y"] + one["RR.force.y"], 1e-5);
  for (const auto& [scheme, options, order] :
       {std::tuple{"energy-momentum-ggl", Assignments{}, 2.0}, {"line-integral-ggl", Assignments{{"s", "2"}}, 4.0}})
    BOOST_TEST_CONTEXT(scheme) {
      const auto error = [&, scheme = scheme, options = options](long steps) {
        const ProblemInstance instance = build(both);
        Integrator run = gnomon::registry().integrator(instance, scheme, "newton", options);
        const StepReport report = run.advance(steps, 1.0 / static_cast<double>(steps));
        BOOST_REQUIRE_MESSAGE(report.success(), report.message);
        BOOST_TEST(run.broken_promises().empty());
        BOOST_TEST(run.monitor().energy().max_abs_error() <= 1e-10);
        BOOST_TEST(run.monitor().velocity_max() <= 1e-11);
        MechanismRun exact(model, 1e-11);
        exact.to(1);
        return std::abs(EvaluatedOutputs(instance).evaluate(run)[0] -
                        exact[EvaluatedOutputs(instance).outputs()[0].name]);
      };
      const long few = order > 2 ? 8 : 40;
      const double coarse = error(few), fine = error(2 * few);
      BOOST_TEST(std::log2(coarse / fine) > order - 0.4, scheme << ": errors " << coarse << " and " << fine);
    }
}

/// What moves an obstacle does not act while the obstacle is open, with M(q) too, in all forms of a mass.
BOOST_AUTO_TEST_CASE(open_obstacles_that_move_do_nothing) {
  const std::string model = R"toml(format = 1
coordinates = ["x", "y"]
mass = MASS
potential = "y^2/2 + x^4"
[obstacles]
floor = "y + 50 + RISE"
[start]
position = { x = 0.7, y = 1 }
velocity = { x = 0.2 }
[outputs]
at_x = "x"
at_y = "y"
)toml";
  for (const char* mass : {"[\"1 + 10*y^2\", 2]", "[\"1 + 10*y^2\", \"2 + x^2\"]",
                           "[[\"2 + y^2\", 0.1], [0.1, \"1 + x^2\"]]", "[[2, 0.1], [0.1, 3]]", "3"}) {
    MechanismRun still(with(with(model, "MASS", mass), "RISE", "0")),
        moving(with(with(model, "MASS", mass), "RISE", "sin(t)"));
    for (MechanismRun* run : {&still, &moving}) run->to(2).check_promises();
    for (const char* name : {"at_x", "at_y"}) check_near(moving[name], still[name], 1e-8);
  }
}

/// A blade between two walls loses (1 - e^2)/2 v_x^2 at each impact, by every scheme that holds it, at steps of one
/// size: v_x^2 = 1 + 6 x at the first one, times e^2 a wall, and 6 x between them.
BOOST_AUTO_TEST_CASE(walls_beside_constraints_of_velocities) {
  const ProblemInstance instance = build(R"toml(format = 1
coordinates = ["x", "y", "a"]
mass = [1, 1, 0.5]
potential = "-3*x"
constraints.blade = "der(x)*sin(a) - der(y)*cos(a)"
[obstacles]
wall = { formula = "0.3 - x", restitution = 0.8 }
[start]
velocity = { a = 2, x = 1 }
)toml");
  for (const auto& [scheme, options] : {std::pair<std::string, Assignments>{"energy-momentum-ggl", {}},
                                        {"composition", {{"inner", "energy-momentum-ggl"}}},
                                        {"line-integral-ggl", {{"s", "2"}}},
                                        {"projected-rk", {{"stages", "3"}, {"projection", "pve"}}}})
    for (const double h : {1e-3, 1e-2, 0.05}) {
      Integrator run = registry().integrator(instance, scheme, "newton", options);
      BOOST_REQUIRE_MESSAGE(run.advance_to(2, h).success(), scheme << " stops at h = " << h);
      const auto hit = std::find_if(run.events().begin(), run.events().end(),
                                    [](const ContactEvent& event) { return event.kind == EventKind::impact; });
      BOOST_REQUIRE(hit != run.events().end());
      const double order = scheme == "energy-momentum-ggl" ? 2 : 4;
      check_near(hit->t, 0.23275580756911, 20 * std::pow(h, order) + 1e-12);
      check_near(hit->energy_change, -0.18 * 2.8, 200 * std::pow(h, order) + 1e-12);
      BOOST_TEST(run.monitor().velocity_max() <= 1e-13);
      // The nodes of line integrals leave h^2k.
      BOOST_TEST(run.monitor().energy().max_abs_error() <= (h > 0.01 ? 1e-10 : 1e-13));
    }
}

}  // namespace
