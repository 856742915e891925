// Reactions of joints and torques of motors against the multipliers of IDA's index-1 form.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/reference.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

/// A driven four-bar linkage: its crank turns as it is told.
const char* const linkage = R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [0, 0], P = [4, 0] }
[bodies.crank]
shape = { box = [1, 0.05], density = 10 }
markers = { left = [-0.5, 0], right = [0.5, 0] }
orientation = "60*deg"
place = { left = "O" }
[bodies.coupler]
shape = { box = [4, 0.05], density = 10 }
markers = { left = [-2, 0], right = [2, 0] }
place = { left = "crank.right", right = [4.2, 2.9] }
[bodies.rocker]
mass = 2
inertia = 1.5
markers = { top = [0, 1.5], bottom = [0, -1.5] }
place = { bottom = "P", top = "coupler.right" }
[joints]
A = { type = "revolute", between = ["O", "crank.left"] }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.top"] }
D = { type = "revolute", between = ["P", "rocker.bottom"], stiffness = 2, damping = 0.3 }
[motors.drive]
joint = "A"
angle = "2*t + 0.1*sin(5*t)"
[start]
assemble = true
)toml";

/// Two links in space: the first one is told its angle, the second one has a torque.
const char* const arm = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[bodies.upper]
shape = { box = [1, 0.1, 0.2], density = 500 }
markers = { left = [-0.5, 0, 0], right = [0.5, 0, 0] }
place = { left = "O" }
[bodies.lower]
shape = { cylinder = [0.05, 0.8], density = 600 }
markers = { left = [0, 0, -0.4], right = [0, 0, 0.4] }
orientation = { axis = [0, 1, 0], angle = "60*deg" }
place = { left = "upper.right" }
[joints]
shoulder = { type = "revolute", between = ["O", "upper.left"], axis = [0, 0, 1] }
elbow = { type = "revolute", between = ["upper.right", "lower.left"], axis = [0, 1, 0] }
[motors]
turn = { joint = "shoulder", angle = "0.5*(1 - cos(2*t))" }
lift = { joint = "elbow", torque = "-10 - 0.5*speed" }
)toml";

/// A rotor that slides along a rod which swings: cylindrical and universal joints, a spring and a rod.
const char* const rotor = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
[particles.bob]
mass = 0.3
position = [1, 0, -1.5]
[bodies.shaft]
shape = { cylinder = [0.02, 2], density = 2000 }
markers = { top = [0, 0, 1], end = [0, 0, -1] }
orientation = { axis = [0, 1, 0], angle = "-40*deg" }
place = { top = "O" }
[bodies.disc]
shape = { cylinder = [0.3, 0.05], density = 800 }
orientation = { axis = [0, 1, 0], angle = "-40*deg" }
position = ["sin(40*deg)", 0, "-cos(40*deg)"]
angular_velocity = ["-20*sin(40*deg)", 0, "20*cos(40*deg)"]
[joints]
hang = { type = "universal", between = ["O", "shaft.top"], axes = [[1, 0, 0], [0, 1, 0]] }
spin = { type = "cylindrical", between = ["shaft", "disc"], axis = ["-sin(40*deg)", 0, "cos(40*deg)"], damping = 0.01 }
[springs.holder]
between = ["shaft.end", "disc"]
stiffness = 400
damping = 2
[rods.r]
between = ["disc", "bob"]
)toml";

constexpr double until = 0.5;

Vector reactions(const ProblemInstance& instance, const std::string& scheme, double h) {
  Integrator integrator = registry().integrator(instance, scheme, "newton");
  const auto report = integrator.advance_to(until, h);
  BOOST_TEST_REQUIRE(report.success(), report.message);
  return EvaluatedOutputs(instance).evaluate(integrator);
}

/// Of a second-order scheme at h and h/2 the terms in h^2 cancel.
void compare(const char* text, const std::string& scheme, double h) {
  const ProblemInstance instance = read_model_text(text, "test.toml")->build(Options("problem test", {}));
  const Vector coarse = reactions(instance, scheme, h), fine = reactions(instance, scheme, h / 2);
  const Vector ours = (4 * fine - coarse) / 3;

  const Reference& ida = registry().reference("ida-index1");
  const ReferenceReport report =
      ida.start(instance, Options("ida-index1", ida.options(), {{"rtol", "1e-13"}}))->advance_to(until);
  BOOST_TEST_REQUIRE(report.success, report.message);
  Vector v(report.p.size()), theirs(ours.size());
  instance.model->mechanical()->mass().solve(report.p, v);
  instance.outputs->evaluate(until, report.q, v, report.own_lambda, theirs);

  double forces = 0, moments = 0;
  const std::vector<Output> outputs = instance.outputs->outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k].unit == "N")
      forces = std::max(forces, std::abs(theirs[static_cast<Index>(k)]));
    else if (outputs[k].unit == "N m")
      moments = std::max(moments, std::abs(theirs[static_cast<Index>(k)]));
  int compared = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const double scale = outputs[k].unit == "N" ? forces : outputs[k].unit == "N m" ? moments : 0;
    if (scale == 0) continue;
    const auto at = static_cast<Index>(k);
    BOOST_TEST(std::abs(ours[at] - theirs[at]) <= 1e-8 * scale,
               outputs[k].name << " = " << ours[at] << ", of IDA " << theirs[at] << ", apart by "
                               << std::abs(ours[at] - theirs[at]) / scale << " of the largest");
    ++compared;
  }
  BOOST_TEST(compared >= 8);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_driven_linkage) {
  compare(linkage, "rattle", 2e-3);
}
BOOST_AUTO_TEST_CASE(a_robot_arm) {
  compare(arm, "rattle", 1e-3);
}
BOOST_AUTO_TEST_CASE(a_rotor_on_a_shaft) {
  compare(rotor, "energy-momentum-ggl", 1e-3);
}
