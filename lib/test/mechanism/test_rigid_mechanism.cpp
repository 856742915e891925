// Bodies and joints as numbers in space: against what the file says, in the plane and in space, and as a tree.
#include <Eigen/Dense>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/mechanism/rigid_mechanism.hpp"
#include "mechanism/built_models.hpp"

using Eigen::Matrix3d, Eigen::Vector3d;
using gnomon::Index, gnomon::rigid_mechanism, gnomon::RigidMechanism;
using gnomon::test::build, gnomon::test::with;

namespace {

/// A body on a hinge, one on a ball joint of it, and a hinge from there back to space, listed first.
const std::string text = R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], P = [2, 0, 0] }
[bodies.a]
mass = 2
inertia = [0.3, 0.4, 0.5]
markers = { root = [-0.5, 0, 0], tip = [0.5, 0, 0] }
place = { root = "O" }
angular_velocity = [0, 0, 3]
[bodies.b]
mass = 3
inertia = [[0.6, 0.05, 0.02], [0.05, 0.7, 0.03], [0.02, 0.03, 0.8]]
markers = { root = [-0.5, 0, 0], tip = [0.5, 0, 0] }
place = { root = "a.tip" }
[joints]
C = { type = "spherical", between = ["b.tip", "P"] }
B = { type = "spherical", between = ["a.tip", "b.root"] }
A = { type = "revolute", between = ["O", "a.root"], axis = [0, 0, 2] }
)toml";

void check(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  BOOST_TEST((found - expected).cwiseAbs().maxCoeff() < 1e-14, found << " is not " << expected);
}

std::string refused(const std::string& model) {
  try {
    rigid_mechanism(build(model));
  } catch (const gnomon::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(bodies_in_space) {
  const RigidMechanism m = rigid_mechanism(build(text));
  BOOST_TEST(!m.planar);
  check(m.gravity, Vector3d(0, 0, -9.81));
  BOOST_REQUIRE(m.bodies.size() == 2U);
  const RigidMechanism::Body &a = m.bodies[0], &b = m.bodies[1];
  BOOST_TEST(a.name == "a");
  BOOST_TEST(b.mass == 3);
  check(a.inertia, Vector3d(.3, .4, .5).asDiagonal().toDenseMatrix());
  check(b.inertia, (Matrix3d() << .6, .05, .02, .05, .7, .03, .02, .03, .8).finished());
  check(a.position, Vector3d(.5, 0, 0));
  check(b.position, Vector3d(1.5, 0, 0));
  check(a.axes, Matrix3d::Identity());
  check(a.rotation, Vector3d(0, 0, 3));
  check(a.velocity, Vector3d(0, 1.5, 0));
  // b is on both: its ends move with 3 m/s and with none.
  check(b.velocity, Vector3d(0, 1.5, 0));
  check(b.rotation.tail<2>(), Eigen::Vector2d(0, -3));
  check(centre_of_mass(m, 1, build(text).q0), b.position);
}

BOOST_AUTO_TEST_CASE(joints_are_a_tree_and_what_closes_it) {
  const RigidMechanism m = rigid_mechanism(build(text));
  BOOST_REQUIRE(m.joints.size() == 3U);
  const RigidMechanism::Joint &first = m.joints[0], &second = m.joints[1], &last = m.joints[2];
  BOOST_TEST(first.name == "C");  // from space to b
  BOOST_TEST(first.a == -1);
  BOOST_TEST(first.b == 1);
  check(first.point, Vector3d(2, 0, 0));
  check(first.axis, Vector3d::Zero());
  BOOST_TEST(second.name == "A");
  BOOST_TEST(second.type == "revolute");
  check(second.axis, Vector3d(0, 0, 1));
  BOOST_TEST(last.name == "B");
  BOOST_TEST(last.closes);
  BOOST_TEST(!second.closes);
}

BOOST_AUTO_TEST_CASE(bodies_in_the_plane) {
  const RigidMechanism m = rigid_mechanism(build(R"toml(format = 1
planar = true
gravity = [0, -9.81]
points = { O = [1, 2] }
[bodies.rod]
mass = 2
inertia = 0.4
markers = { end = [-0.5, 0] }
orientation = "90*deg"
place = { end = "O" }
angular_velocity = -2
[joints]
A = { type = "revolute", between = ["rod.end", "O"] }
)toml"));
  BOOST_TEST(m.planar);
  const RigidMechanism::Body& rod = m.bodies[0];
  check(rod.position, Vector3d(1, 2.5, 0));
  check(rod.axes, (Matrix3d() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished());
  check(rod.inertia, .4 * Matrix3d::Identity());
  check(rod.rotation, Vector3d(0, 0, -2));
  check(rod.velocity, Vector3d(1, 0, 0));
  BOOST_TEST(m.joints[0].a == -1);
  BOOST_TEST(m.joints[0].b == 0);
  check(m.joints[0].point, Vector3d(1, 2, 0));
  check(m.joints[0].axis, Vector3d(0, 0, 1));
}

BOOST_AUTO_TEST_CASE(what_else_a_model_has_is_named) {
  const auto says = [](const std::string& model, const std::string& words) {
    const std::string said = refused(model);
    BOOST_TEST(said.find(words) != std::string::npos, said);
  };
  says(text + "[springs]\ns = { between = [\"O\", \"b\"], stiffness = 1 }\n", "it has springs");
  says(with(text, "axis = [0, 0, 2]", "axis = [0, 0, 2], damping = 1"), "joint A has a spring or a damper");
  says("format = 1\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x\"\n", "it has other coordinates");
  says(with(with(text, "C = {", "#"), "B = {", "#"), "its bodies are not all joined to what is fixed");
}
