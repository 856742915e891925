// Bodies and joints: the motions that joints leave, forces and torques against Newton and Euler, starts, and what is
// said of bad files.
#include <Eigen/Dense>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/mechanism.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/start/consistency.hpp"
#include "mechanism/built_models.hpp"
#include "support/changed_files.hpp"
#include "support/compare_systems.hpp"

using Eigen::Matrix3d, Eigen::Vector3d;
using gnomon::Index, gnomon::Matrix, gnomon::Mechanism, gnomon::ProblemInstance, gnomon::System, gnomon::Vector;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::complaint, gnomon::test::system_of,
    gnomon::test::with;

namespace {

constexpr double pi = 3.14159265358979323846;

Vector velocities(const ProblemInstance& instance) {
  Vector v(instance.p0.size());
  system_of(instance).mass().solve(instance.p0, v);
  return v;
}

/// The constraints of two free bodies and one joint between them, as a dense G at the start.
Matrix jacobian(const ProblemInstance& instance) {
  const System& system = system_of(instance);
  const gnomon::SparsityPattern& pattern = system.constraint_pattern();
  Vector values(pattern.nonzeros());
  system.constraint_jacobian(0, instance.q0, values);
  Matrix dense = Matrix::Zero(system.m(), system.n());
  for (Index i = 0; i < system.m(); ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) dense(i, pattern.indices[k]) = values[k];
  return dense;
}

/// The velocities of a body in space, whose coordinates begin at `first`, that moves with v at the point p and omega.
void set_motion(Index first, const Vector& q, const Vector3d& p, const Vector3d& v, const Vector3d& omega,
                Vector& out) {
  const Vector3d r = q.segment<3>(first);
  out.segment<3>(first) = v + omega.cross(r - p);
  for (Index k = 1; k <= 3; ++k) out.segment<3>(first + 3 * k) = omega.cross(Vector3d(q.segment<3>(first + 3 * k)));
}

/// Two bodies in general position with a joint at P = (1, 2, 3), axis along (1, 2, -2)/3.
std::string two_bodies(const std::string& joint) {
  return R"toml(format = 1
[bodies.a]
mass = 2
inertia = [0.3, 0.4, 0.5]
markers = { end = [0.3, -0.2, 0.1] }
orientation = { axis = [1, 1, 0], angle = 0.7 }
place = { end = [1, 2, 3] }
[bodies.b]
mass = 3
inertia = [[0.6, 0.05, 0.02], [0.05, 0.7, 0.03], [0.02, 0.03, 0.8]]
markers = { end = [-0.1, 0.4, 0.2] }
orientation = { axis = [0, 1, 3], angle = -1.1 }
place = { end = "a.end" }
)toml" + joint;
}

const std::string linkage = R"toml(format = 1
planar = true
gravity = [0, "-g"]
points = { O = [0, 0], P = [4, 0] }
[bodies.crank]
shape = { box = [1, 0.05], density = "rho" }
markers = { left = [-0.5, 0], right = [0.5, 0] }
orientation = "60*deg"
place = { left = "O" }
angular_velocity = 5
[bodies.coupler]
shape = { box = [4, 0.05], density = "rho" }
markers = { left = [-2, 0], right = [2, 0] }
place = { left = "crank.right", right = [4.2, 2.9] }
[bodies.rocker]
mass = 2
inertia = 1.5
markers = { top = [0, 1.5], bottom = [0, -1.5] }
place = { bottom = "P", top = "coupler.right" }
[joints]
A = { type = "revolute", between = ["O", "crank.left"], damping = 0.1 }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.top"] }
D = { type = "revolute", between = ["P", "rocker.bottom"], stiffness = 2 }
[start]
assemble = true
[parameters]
g = 9.81
rho = 10
)toml";

const std::string spatial = R"toml(format = 1
gravity = [0, 0, -9.81]
[points]
O = [0, 0, 0]
W = { position = ["3 + 0.1*sin(2*t)", 0, 1] }
[particles.tip]
mass = 0.5
position = [2, 0, -1]
[bodies.arm]
shape = { cylinder = [0.1, 2], density = 100 }
markers = { left = [0, 0, -1], right = [0, 0, 1] }
orientation = { axis = [0, 1, 0], angle = "90*deg" }
place = { marker = "left", at = "O" }
velocity = "assembled"
[joints.pivot]
type = "revolute"
between = ["O", "arm.left"]
axis = [0, 0, 1]
[rods.r1]
between = ["arm.right", "tip"]
[springs.s1]
between = ["tip", "W"]
stiffness = 100
rest_length = 1
[motors.drive]
joint = "pivot"
torque = "0.2*sin(3*t) - 0.1*speed"
[loads.wind]
on = "tip"
force = ["0.1*der(tip.x)", 0, "arm.right.z"]
[contacts.floor]
plane = { point = [0, 0, -2], normal = [0, 0, 1] }
on = ["tip", "arm.right"]
)toml";

}  // namespace

/// Every joint leaves exactly the relative motions that its name says: G v vanishes for them, on top of any motion of
/// both as one body, and the rank of G is that of the rest.
BOOST_AUTO_TEST_CASE(joints_leave_their_motions) {
  const Vector3d p(1, 2, 3), n = Vector3d(1, 2, -2) / 3, second = Vector3d(2, 1, 2) / 3;
  const Vector3d none = Vector3d::Zero();
  struct Motion {
    Vector3d v, omega;  // of B at P relative to A
  };
  const Vector3d e1 = Vector3d::UnitX(), e2 = Vector3d::UnitY(), e3 = Vector3d::UnitZ();
  const std::string axis = "axis = [1, 2, -2]\n";
  const Vector3d across = n.cross(second);
  const std::vector<std::tuple<std::string, std::string, std::vector<Motion>>> joints{
      {"spherical", "", {{none, e1}, {none, e2}, {none, e3}}},
      {"revolute", axis, {{none, n}}},
      {"prismatic", axis, {{n, none}}},
      {"cylindrical", axis, {{none, n}, {n, none}}},
      {"universal", "axes = [[1, 2, -2], [2, 1, 2]]\n", {{none, n}, {none, second}}},
      {"planar", axis, {{none, n}, {second, none}, {across, none}}},
      {"weld", "", {}},
      {"point-on-line", axis, {{none, e1}, {none, e2}, {none, e3}, {n, none}}},
      {"point-on-plane", axis, {{none, e1}, {none, e2}, {none, e3}, {second, none}, {across, none}}}};
  for (const auto& [type, extra, motions] : joints) BOOST_TEST_CONTEXT(type) {
      const ProblemInstance instance =
          build(two_bodies("[joints.j]\ntype = \"" + type + "\"\nbetween = [\"a.end\", \"b.end\"]\n" + extra));
      const System& system = system_of(instance);
      Vector g(system.m());
      system.constraints(0, instance.q0, g);
      BOOST_TEST(g.cwiseAbs().maxCoeff() < 1e-14);
      const Matrix G = jacobian(instance);
      Eigen::ColPivHouseholderQR<Matrix> qr(G);
      const auto left = static_cast<Index>(motions.size());
      BOOST_TEST(qr.rank() == G.rows());
      BOOST_TEST(system.n() - G.rows() == 6 + left);
      Vector v(system.n());
      for (Index k = 0; k < 6; ++k) {  // both as one body
        const Vector3d velocity = k < 3 ? Vector3d::Unit(k) : none, omega = k < 3 ? none : Vector3d::Unit(k - 3);
        set_motion(0, instance.q0, none, velocity, omega, v);
        set_motion(12, instance.q0, none, velocity, omega, v);
        BOOST_TEST((G * v).cwiseAbs().maxCoeff() < 1e-14);
      }
      for (const Motion& motion : motions) {
        v.setZero();
        set_motion(12, instance.q0, p, motion.v, motion.omega, v);
        BOOST_TEST((G * v).cwiseAbs().maxCoeff() < 1e-14);
      }
    }
}

BOOST_AUTO_TEST_CASE(joints_in_the_plane_leave_their_motions) {
  for (const auto& [joint, left] : {std::pair<std::string, Index>{"\"revolute\"", 1},
                                    {"\"prismatic\"\naxis = [1, 2]", 1},
                                    {"\"weld\"", 0},
                                    {"\"point-on-line\"\naxis = [1, 2]", 2}})
    BOOST_TEST_CONTEXT(joint) {
      const ProblemInstance instance = build(R"toml(format = 1
planar = true
[bodies.a]
mass = 2
inertia = 0.3
markers = { end = [0.3, -0.2] }
orientation = 0.7
place = { end = [1, 2] }
[bodies.b]
shape = { disc = 0.4, density = 3 }
markers = { end = [-0.1, 0.4] }
orientation = -1.1
place = { end = "a.end" }
[joints.j]
between = ["a.end", "b.end"]
type = )toml" + joint);
      const Matrix G = jacobian(instance);
      BOOST_TEST(Eigen::ColPivHouseholderQR<Matrix>(G).rank() == G.rows());
      BOOST_TEST(system_of(instance).n() - G.rows() == 3 + left);
      Vector g(G.rows());
      system_of(instance).constraints(0, instance.q0, g);
      BOOST_TEST(g.cwiseAbs().maxCoeff() < 1e-15);
      // The motion that is left, at (1, 2): a turn, or a slide along (1, 2).
      Vector v = Vector::Zero(8);
      const Vector r = instance.q0.segment(4, 2), d = instance.q0.segment(6, 2);
      if (joint != "\"prismatic\"\naxis = [1, 2]" && left > 0) {
        v.segment(4, 4) << -(r[1] - 2), r[0] - 1, -d[1], d[0];
        BOOST_TEST((G * v).cwiseAbs().maxCoeff() < 1e-15);
      }
      if (joint != "\"revolute\"" && left > 0) {
        v.setZero();
        v.segment(4, 2) << 1, 2;
        BOOST_TEST((G * v).cwiseAbs().maxCoeff() < 1e-15);
      }
    }
}

/// m a = F and J omega' = tau - omega x J omega for a free body under a load at a marker, with the kinetic energy
/// m |v|^2/2 + omega.J omega/2 and the angular velocity that was given.
BOOST_AUTO_TEST_CASE(a_body_moves_as_newton_and_euler_say) {
  const ProblemInstance instance = build(R"toml(format = 1
[bodies.b]
mass = 3
inertia = [[0.6, 0.05, 0.02], [0.05, 0.7, 0.03], [0.02, 0.03, 0.8]]
markers = { end = [-0.1, 0.4, 0.2] }
orientation = { axis = [0, 1, 3], angle = -1.1 }
position = [1, 2, 3]
velocity = [0.1, 0.2, 0.3]
angular_velocity = [1, -2, 3]
[loads.push]
on = "b.end"
force = [4, 5, "-6 + t"]
)toml");
  const System& system = system_of(instance);
  Matrix3d J;
  J << .6, .05, .02, .05, .7, .03, .02, .03, .8;
  const Matrix3d R = Eigen::AngleAxisd(-1.1, Vector3d(0, 1, 3).normalized()).toRotationMatrix();
  const Matrix3d in_space = R * J * R.transpose();
  const Vector3d omega(1, -2, 3), force(4, 5, -6), v(.1, .2, .3);
  const Vector velocity = velocities(instance);
  BOOST_TEST(0.5 * instance.p0.dot(velocity) == 1.5 * v.squaredNorm() + 0.5 * omega.dot(in_space * omega),
             boost::test_tools::tolerance(1e-14));
  Vector a(12), lambda(6);
  gnomon::acceleration(system, 0, instance.q0, velocity, a, lambda);
  BOOST_TEST((a.head<3>() - force / 3).norm() < 1e-13);
  const Vector3d torque = (R * Vector3d(-.1, .4, .2)).cross(force);
  const Vector3d alpha = in_space.inverse() * (torque - omega.cross(in_space * omega));
  for (Index k = 1; k <= 3; ++k) {
    const Vector3d d = instance.q0.segment<3>(3 * k), second = a.segment<3>(3 * k);
    BOOST_TEST((second - alpha.cross(d) - omega.cross(omega.cross(d))).norm() < 1e-12);
  }
}

/// A torque about the axis of a revolute joint turns a rod with tau/J; its damper and its spring pull back.
BOOST_AUTO_TEST_CASE(motors_dampers_and_springs_of_joints) {
  const auto alpha = [](const std::string& joint, const std::string& rest) {
    const ProblemInstance instance = build(R"toml(format = 1
points = { O = [0, 0, 0] }
[bodies.rod]
mass = 2
inertia = [0.01, 0.3, 0.3]
markers = { end = [-1, 0, 0] }
orientation = { axis = [0, 0, 1], angle = 0.4 }
place = { end = "O" }
angular_velocity = [0, 0, 5]
[joints.pivot]
type = "revolute"
between = ["O", "rod.end"]
axis = [0, 0, 1]
)toml" + joint + rest);
    Vector a(12), lambda(11);
    gnomon::acceleration(system_of(instance), 0, instance.q0, velocities(instance), a, lambda);
    const Vector3d d = instance.q0.segment<3>(3), second = a.segment<3>(3);
    return d.cross(second)[2];  // alpha
  };
  const double inertia = 0.3 + 2 * 1;
  BOOST_TEST(alpha("", "[motors.m]\njoint = \"pivot\"\ntorque = 7\n") == 7 / inertia,
             boost::test_tools::tolerance(1e-13));
  BOOST_TEST(alpha("", "[motors.m]\njoint = \"pivot\"\ntorque = \"2*speed + angle\"\n") == 10 / inertia,
             boost::test_tools::tolerance(1e-13));
  BOOST_TEST(alpha("damping = 3\n", "") == -15 / inertia, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(alpha("stiffness = 3\nrest = 0.5\n", "") == 1.5 / inertia, boost::test_tools::tolerance(1e-13));
  // Torque and load by the lever arm are the same.
  BOOST_TEST(alpha("", "[loads.l]\non = \"rod\"\nforce = [\"-3*sin(0.4)\", \"3*cos(0.4)\", 0]\n") == 3 / inertia,
             boost::test_tools::tolerance(1e-13));
}

/// The same in the plane, and along a slide.
BOOST_AUTO_TEST_CASE(motors_in_the_plane) {
  const auto acceleration = [](const std::string& joint) {
    const ProblemInstance instance = build(R"toml(format = 1
planar = true
points = { O = [0, 0] }
[bodies.rod]
mass = 2
inertia = 0.3
markers = { end = [-1, 0] }
orientation = 0.4
place = { end = "O" }
[joints.pivot]
between = ["O", "rod.end"]
)toml" + joint);
    const Index m = system_of(instance).m();
    Vector a(4), lambda(m);
    gnomon::acceleration(system_of(instance), 0, instance.q0, velocities(instance), a, lambda);
    return a;
  };
  const Vector turned = acceleration("type = \"revolute\"\n[motors.m]\njoint = \"pivot\"\ntorque = 7\n");
  BOOST_TEST(std::cos(.4) * turned[3] - std::sin(.4) * turned[2] == 7 / 2.3, boost::test_tools::tolerance(1e-13));
  const Vector slid =
      acceleration("type = \"prismatic\"\naxis = [3, 4]\n[motors.m]\njoint = \"pivot\"\nforce = \"5 - distance\"\n");
  BOOST_TEST(slid[0] == 5 * .6 / 2, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(slid[1] == 5 * .8 / 2, boost::test_tools::tolerance(1e-13));
}

/// Springs and dampers between two particles: F = -k (l - l0) - c l'.
BOOST_AUTO_TEST_CASE(springs_between_particles) {
  const ProblemInstance instance = build(R"toml(format = 1
[particles]
a = { mass = 2, position = [1, 0, 0], velocity = [0, 1, 0] }
b = { mass = 4, position = [4, 4, 0], velocity = [1, 0, 2] }
[springs.s]
between = ["a", "b"]
stiffness = 10
rest_length = 4
damping = 0.5
)toml");
  Vector a(6), lambda(0);
  const Vector v = velocities(instance);
  gnomon::acceleration(system_of(instance), 0, instance.q0, v, a, lambda);
  const Vector3d e(.6, .8, 0), relative(1, -1, 2);
  const double pull = 10 * (5 - 4) + 0.5 * relative.dot(e);
  BOOST_TEST((a.head<3>() - pull * e / 2).norm() < 1e-13);
  BOOST_TEST((a.tail<3>() + pull * e / 4).norm() < 1e-13);
}

/// Of a four-bar linkage only the crank's speed is given: the rest follows from the joints.
BOOST_AUTO_TEST_CASE(velocities_are_assembled) {
  const ProblemInstance instance = build(linkage);
  const Vector v = velocities(instance), &q = instance.q0;
  BOOST_TEST((jacobian(instance) * v).cwiseAbs().maxCoeff() < 1e-13);
  BOOST_TEST(q[2] * v[3] - q[3] * v[2] == 5, boost::test_tools::tolerance(1e-13));
  // Freudenstein: omega_4 = omega_2 a sin(phi_2 - phi_3)/(c sin(phi_4 - phi_3)).
  const double phi2 = std::atan2(q[3], q[2]), phi3 = std::atan2(q[7], q[6]), phi4 = std::atan2(q[11], q[10]) + pi / 2;
  BOOST_TEST(q[10] * v[11] - q[11] * v[10] == 5 * std::sin(phi2 - phi3) / (3 * std::sin(phi4 - phi3)),
             boost::test_tools::tolerance(1e-12));
  // A free body beside a moving one stays at rest; of two particles on a rod one is given, the other is pulled along.
  const Vector pulled = velocities(build(R"toml(format = 1
[particles]
a = { mass = 1, position = [0, 0, 0], velocity = [2, 0, 0] }
b = { mass = 1, position = [1, 0, 0] }
c = { mass = 1, position = [5, 0, 0], velocity = "assembled" }
[rods]
r = { between = ["a", "b"] }
)toml"));
  BOOST_TEST((pulled - (Vector(9) << 2, 0, 0, 2, 0, 0, 0, 0, 0).finished()).norm() < 1e-13);
}

/// Planar loops in space and Bricard's mechanism repeat constraints: it is found, and by how many.
BOOST_AUTO_TEST_CASE(redundant_constraints_are_found) {
  Mechanism four_bar;
  const auto o = four_bar.point("O", {0, 0, 0}), p = four_bar.point("P", {2, 0, 0});
  const auto bar = [&](const std::string& name, double x, double y, double angle) {
    return four_bar.body(name)
        .box({1, .1, .1})
        .density(1)
        .marker("l", {-.5, 0, 0})
        .marker("r", {.5, 0, 0})
        .orientation({0, 0, 1}, angle)
        .place("l", {x, y, 0});
  };
  const auto a = bar("a", 0, 0, pi / 2), b = bar("b", 0, 1, 0), c = bar("c", 1, 1, 0), d = bar("d", 2, 0, pi / 2);
  const auto hinge = [&](const char* name, const gnomon::Attachment& from, const gnomon::Attachment& to) {
    four_bar.joint(name, "revolute", from, to).axis({0, 0, 1});
  };
  hinge("A", o, a.at("l"));
  hinge("B", a.at("r"), b.at("l"));
  four_bar.joint("W", "weld", b.at("r"), c.at("l"));
  hinge("C", c.at("r"), d.at("r"));
  hinge("D", p, d.at("l"));
  const ProblemInstance instance = four_bar.build();
  const gnomon::ConstraintRank rank = gnomon::constraint_rank(system_of(instance), 0, instance.q0);
  BOOST_TEST(system_of(instance).m() - rank.rank == 3);
  BOOST_TEST(system_of(instance).n() - rank.rank == 1);
}

BOOST_AUTO_TEST_CASE(the_builder_writes_what_a_file_says) {
  Mechanism m("test", Mechanism::Space::planar);
  m.parameter("g", 9.81);
  m.parameter("rho", 10);
  m.gravity({0, "-g"});
  const auto o = m.point("O", {0, 0}), p = m.point("P", {4, 0});
  const auto crank = m.body("crank")
                         .box({1, .05})
                         .density("rho")
                         .marker("left", {-.5, 0})
                         .marker("right", {.5, 0})
                         .orientation("60*deg")
                         .place("left", o)
                         .angular_velocity(5);
  const auto coupler = m.body("coupler")
                           .box({4, .05})
                           .density("rho")
                           .marker("left", {-2, 0})
                           .marker("right", {2, 0})
                           .place("left", crank.at("right"))
                           .place("right", {4.2, 2.9});
  const auto rocker = m.body("rocker")
                          .mass(2)
                          .inertia(1.5)
                          .marker("top", {0, 1.5})
                          .marker("bottom", {0, -1.5})
                          .place("bottom", p)
                          .place("top", coupler.at("right"));
  m.joint("A", "revolute", o, crank.at("left")).damping(.1);
  m.joint("B", "revolute", crank.at("right"), coupler.at("left"));
  m.joint("C", "revolute", coupler.at("right"), rocker.at("top"));
  m.joint("D", "revolute", p, rocker.at("bottom")).stiffness(2);
  m.assemble();
  const ProblemInstance built = m.build(), read = build(linkage);
  BOOST_TEST(built.q0 == read.q0);
  BOOST_TEST(built.p0 == read.p0);
  gnomon::test::compare(system_of(built), system_of(read), 0, built.q0, 1e-15);
  BOOST_CHECK_EXCEPTION(m.build({{"rh", "1"}}), gnomon::Error,
                        [](const gnomon::Error& e) { return std::string(e.what()).find("rho") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(the_builder_has_the_words_of_machines) {
  const ProblemInstance read = build(R"toml(format = 1
planar = true
points = { O = [0, 0], B = ["0.1*t", -1] }
bodies.wheel = { shape = { disc = 0.5, density = 3 }, position = [0, -0.5], markers = { rim = [0.5, 0] } }
bodies.drum = { mass = 1, inertia = 0.2, position = [0, 0] }
bodies.cam = { mass = 1, inertia = 0.2, position = [0, 0] }
particles.load = { mass = 1, position = [2, 0] }
[joints]
A = { type = "revolute", between = ["O", "drum"], limits = [-3, 3], restitution = 0.5, friction_torque = 0.1 }
B1 = { type = "revolute", between = ["O", "cam"] }
g = { type = "gear", of = ["A", "B1"], ratio = -2 }
d = { type = "gear", of = ["A", "B1", "wheel"], ratios = [1, 2, 3] }
roll = { type = "rolling", between = ["O", "wheel"], normal = [0, -1], friction = 0.3 }
[springs]
s = { between = ["wheel.rim", "load"], tension = "3*length" }
[ropes]
r = { through = ["drum", "load"], length = "start + 1" }
[contacts]
belt = { plane = { point = "B", normal = [0, 1] }, on = ["load"], friction = 0.1 }
)toml");
  Mechanism m("test", Mechanism::Space::planar);
  const auto o = m.point("O", {0, 0}), b = m.point("B", {"0.1*t", -1});
  const auto wheel = m.body("wheel").disc(.5).density(3).position({0, -.5}).marker("rim", {.5, 0});
  const auto drum = m.body("drum").mass(1).inertia(.2).position({0, 0});
  const auto cam = m.body("cam").mass(1).inertia(.2).position({0, 0});
  const auto load = m.particle("load", 1, {2, 0});
  m.joint("A", "revolute", o, drum.centre()).limits(-3, 3).restitution(.5).friction_torque(.1);
  m.joint("B1", "revolute", o, cam.centre());
  m.gear("g", "A", "B1", -2);
  m.gear("d", {"A", "B1", "wheel"}, {1, 2, 3});
  m.joint("roll", "rolling", o, wheel.centre()).normal({0, -1}).friction(.3);
  m.spring("s", wheel.at("rim"), load).tension("3*length");
  m.rope("r", {drum.centre(), load}).length("start + 1");
  m.contact("belt", b, {0, 1}, {load}).friction(.1);
  const ProblemInstance built = m.build();
  BOOST_TEST(built.q0 == read.q0);
  BOOST_TEST(built.p0 == read.p0);
  gnomon::test::compare(system_of(built), system_of(read), 0, built.q0, 1e-15);
}

BOOST_AUTO_TEST_CASE(bad_planar_bodies_get_one_sentence_with_a_place) {
  BOOST_TEST(complaint(linkage) == "");
  check_complaints({
      {with(linkage, "\"crank.left\"]", "\"crank.lef\"]"), "did you mean \"crank.left\"?"},
      {with(linkage, "\"crank.left\"]", "\"crnk.left\"]"), "unknown point, particle, body or marker \"crnk.left\""},
      {with(linkage, "\"crank.left\"]", "\"P\"]"), "joins \"O\" and \"P\", and neither is moved by forces"},
      {with(linkage, "[\"O\", \"crank.left\"]", "[\"crank.right\", \"crank.left\"]"), "which move as one"},
      {with(linkage, "[\"O\", \"crank.left\"]", "[\"O\"]"), "between of joint A has 1 entries, expected 2"},
      {with(linkage, "\"revolute\"", "\"revolut\""),
       "test.toml:21:15: unknown joint in the plane \"revolut\"; did you mean \"revolute\"?"},
      {with(linkage, "\"revolute\"", "\"spherical\""), "unknown joint in the plane \"spherical\""},
      {with(linkage, "mass = 2\n", ""), "test.toml:15:9: body rocker has no mass"},
      {with(linkage, "mass = 2\n", "mass = 0\n"), "test.toml:16:8: the mass of body rocker is 0, expected above zero"},
      {with(linkage, "mass = 2\n", "mass = \"m\"\n"), "test.toml:16:9: unknown name \"m\""},
      {with(linkage, "mass = 2\n", "mass = \"t\"\n"), "mass of body rocker must not depend on the time"},
      {with(linkage, "inertia = 1.5\n", ""), "body rocker has no inertia"},
      {with(linkage, "inertia = 1.5\n", "inertia = -1\n"), "the inertia of body rocker is -1, expected above zero"},
      {with(linkage, "[4, 0.05]", "[4, 0]"), "a size of body coupler is 0, expected above zero"},
      {with(linkage, "[4, 0.05]", "[4, 0.05, 1]"), "the box of body coupler has 3 entries, expected 2"},
      {with(linkage, "box = [4, 0.05]", "sphere = 1"), "the shape of body coupler is none of box, disc"},
      {with(linkage, "\"60*deg\"", "60"),
       "the orientation of body crank is 60 rad, more than a turn: of degrees it is \"60*deg\""},
      {with(linkage, "\"60*deg\"", "{ axis = [1, 0, 0], angle = 1 }"),
       "the orientation of body crank in the plane is one angle"},
      {with(linkage, "planar = true\n", ""),
       "gravity has 2 entries, expected 3 in space (for the plane write planar = true)"},
      {with(linkage, "density = \"rho\"", "density = 2*rho"), "(a formula stands in quotation marks)"},
      {with(linkage, "mass = 2\n", "mass = \"2 kg\"\n"), "units are no part of formulas"},
      {with(linkage, "mass = 2\n", "mass = \"2\u00b0\"\n"), "\"\u00b0\" was not expected"},
      {with(linkage, "rocker]", "crank]"), "test.toml:15:1: not TOML"},
      {with(linkage, "points = { O", "points = { crank"), "\"crank\" is the name of something else already"},
      {with(linkage, "g = 9.81", "g = 9.81\n\"crank.mass\" = 10"),
       "test.toml:5:9: \"crank.mass\" is the name of something else already, in line 29"},
      {with(linkage, "place = { left = \"O\" }", "place = { left = \"rocker.top\" }"), "depends on itself"},
      {with(linkage, "place = { left = \"O\" }", "place = { lft = \"O\" }"), "unknown marker of body crank \"lft\""},
      {with(linkage, "place = { left = \"O\" }\n", ""), "body crank has no position"},
      {with(linkage, "right = [4.2, 2.9]", "right = \"crank.right\""), "its two markers are at one point"},
      {with(linkage, "assemble = true", "assemble = false"),
       "test.toml:11:9: the place of body coupler: its two markers are 4 apart and their places 4.22220945"},
      {with(linkage, "P = [4, 0]", "P = [40, 0]"),
       "test.toml:25:1: the joints cannot be assembled: no positions that fit were found from the given ones, where "
       "constraint C.x is 33"},
      {with(linkage, "density = \"rho\"", "density = \"rho\", color = 1"),
       "unknown key of the shape of body crank \"color\""},
      {with(linkage, "mass = 2\n", "mass = 2\nvelocity = [9, 9]\n"),
       "the given velocities, of crank and rocker, do not fit: they violate constraint "},
      {with(linkage, "planar = true", "planar = 1"), "planar is of the type integer, expected true or false"},
      {with(linkage, "[start]", "[start]\nposition = { \"crank.x\" = 1 }"), "whose table says where it starts"},
  });
}

BOOST_AUTO_TEST_CASE(bad_spatial_bodies_get_one_sentence_with_a_place) {
  BOOST_TEST(complaint(spatial) == "");
  check_complaints({
      {with(spatial, "arm.right.z", "arm.rigt.z"), "unknown name \"arm.rigt.z\"; did you mean \"arm.right.z\"?"},
      {with(spatial, "0.1*der(tip.x)",
            "S.angle\", 0, 0]\n[joints.S]\ntype = \"spherical\"\nbetween = [\"O\", \"arm\"]\n#"),
       "there is no S.angle: a joint of the type spherical does not turn about one axis"},
      {with(spatial, "0.1*speed", "0.1*sped"), "test.toml:27:30: unknown name \"sped\""},
      {with(spatial, "torque =", "distance ="),
       "motor drive has a distance or a force, and joint pivot of the type revolute"},
      {with(spatial, "joint = \"pivot\"", "joint = \"pivo\""), "unknown joint \"pivo\"; did you mean \"pivot\"?"},
      {with(spatial, "axis = [0, 0, 1]\n[rods", "[rods"), "joint pivot of the type revolute expects an axis"},
      {with(spatial, "axis = [0, 0, 1]\n[rods", "axis = [0, 0, 0]\n[rods"),
       "the axis of joint pivot has the length zero"},
      {with(spatial, "\"arm.left\"]", "\"tip\"]"), "particle tip has no axes for a joint of the type revolute"},
      {with(spatial, "normal = [0, 0, 1]", "normal = [0, 0, 0]"), "the normal of contact floor has the length zero"},
      {with(spatial, "[\"tip\", \"arm.right\"]", "[]"), "contact floor is on nothing, expected bodies"},
      {with(spatial, "cylinder = [0.1, 2], density = 100 }", "density = 100 }"), "is none of box"},
      {with(spatial, "shape = { cylinder = [0.1, 2], density = 100 }", "mass = 1\ninertia = [1, 1, 2.1]"),
       "the inertia of body arm has the principal moments 1, 1 and 2.1"},
      {with(spatial, "[rods.r1]\n", "[rods.r1]\nlength = 0\n"), "rod r1 has the length 0, expected above zero"},
      {with(spatial, "between = [\"tip\", \"W\"]", "between = [\"arm.left\", \"O\"]"),
       "the two ends of spring s1 are at one point at the start"},
      {with(spatial, "[rods.r1]\n", "[rods.r1]\nlength = 3\n"), "the start does not fit: constraint r1"},
      {with(spatial, "\"3 + 0.1*sin(2*t)\"", "\"3 + 0.1*sin(2*tip.x)\""), "unknown name \"tip.x\""},
  });
}

/// One body with an orientation in several forms: those of z by 0.4, y by -0.3, x by 0.2, and relative to another body.
BOOST_AUTO_TEST_CASE(orientations_have_several_forms) {
  const std::string model = R"toml(format = 1
[bodies.b]
mass = 1
inertia = [1, 1, 1]
position = [1, 2, 3]
orientation = FORM
[bodies.parent]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
orientation = { axis = [0, 0, 1], angle = 0.4 }
)toml";
  const Matrix3d R = (Eigen::AngleAxisd(0.4, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.3, Vector3d::UnitY()) *
                      Eigen::AngleAxisd(0.2, Vector3d::UnitX()))
                         .toRotationMatrix();
  const Eigen::Quaterniond q(R);
  const auto text = [](double x) { return gnomon::number_text(x, 17); };
  const auto row = [&](const Vector3d& v) { return "[" + text(v[0]) + ", " + text(v[1]) + ", " + text(v[2]) + "]"; };
  for (const std::string& form : {std::string("{ rpy = [0.2, -0.3, 0.4] }"),
                                  "{ quaternion = [" + text(2 * q.w()) + ", " + text(2 * q.x()) + ", " +
                                      text(2 * q.y()) + ", " + text(2 * q.z()) + "] }",
                                  "{ matrix = [" + row(R.row(0)) + ", " + row(R.row(1)) + ", " + row(R.row(2)) + "] }",
                                  "{ axes = [" + row(3 * R.col(0)) + ", " + row(R.col(1) + R.col(0)) + "] }",
                                  std::string("{ rpy = [0.2, -0.3, 0], relative = \"parent\" }")}) {
    const ProblemInstance instance = build(with(model, "FORM", form));
    for (Index i = 0; i < 3; ++i)
      BOOST_TEST((instance.q0.segment<3>(3 + 3 * i) - R.col(i)).norm() <= 1e-14, form << " is another orientation");
  }
  check_complaints({
      {with(model, "FORM", "{ rpy = [0, 1] }"), "rpy of the orientation of body b has 2 entries, expected 3"},
      {with(model, "FORM", "{ rpy = [0, 1, 0], angle = 1 }"), "expected one of axis and angle, rpy"},
      {with(model, "FORM", "{ quaternion = [0, 0, 0, 0] }"), "has the length zero"},
      {with(model, "FORM", "{ matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }"), "is no rotation: it is a mirror image"},
      {with(model, "FORM", "{ matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 1]] }"), "R^T R is off the unit matrix by 3"},
      {with(model, "FORM", "{ axes = [[1, 0, 0], [2, 0, 0]] }"), "are no two directions"},
      {with(model, "FORM", "{ rpy = [0, 0, 0], relative = \"b\" }"), "the place of body b depends on itself"},
      {with(model, "FORM", "{ rpy = [0, 0, 0], relative = \"prent\" }"), "did you mean \"parent\""},
      {with(model, "FORM", "{ relatve = \"parent\" }"), "unknown key of the orientation of body b \"relatve\""},
  });
}

/// A joint by one frame in space is the joint between markers that are there.
BOOST_AUTO_TEST_CASE(a_joint_by_one_frame) {
  const std::string by_markers = two_bodies(
      "[joints]\nj = { type = \"revolute\", between = [\"a.end\", \"b.end\"], axis = [1, 2, -2] }\n"
      "k = { type = \"spherical\", between = [\"O\", \"a.end\"] }\n[points]\nO = [1, 2, 3]\n");
  const std::string by_frames = two_bodies(R"toml([joints]
j = { type = "revolute", between = ["a", "b"], frame = { origin = [1, 2, 3], axis = [1, 2, -2] } }
k = { type = "spherical", between = ["ground", "a"], frame = { origin = "b.j" } }
)toml");
  const ProblemInstance first = build(by_markers), second = build(by_frames);
  BOOST_TEST((first.q0 - second.q0).norm() == 0);
  BOOST_TEST((jacobian(first) - jacobian(second)).cwiseAbs().maxCoeff() <= 1e-14);
  check_complaints({
      {with(by_frames, "\"ground\", \"a\"", "\"ground\", \"ground\""), "expected two bodies, or one and the ground"},
      {with(by_frames, "[\"a\", \"b\"]", "[\"a\", \"b.end\"]"), "expected a body, or \"ground\""},
      {with(by_frames, "origin = [1, 2, 3], ", ""), "the frame of joint j has no origin"},
      {with(by_frames, ", axis = [1, 2, -2] }", "}, axis = [1, 2, -2]"), "joint j has a frame and axis beside it"},
  });
}

/// Where joints start, the bodies that follow them are: a chain of two hinges against its angles, in closed form.
BOOST_AUTO_TEST_CASE(joints_start_at_an_angle_and_a_speed) {
  const std::string chain = R"toml(format = 1
planar = true
points = { O = [0, 0] }
[bodies.a]
mass = 1
inertia = 1
markers = { l = [-0.5, 0], r = [0.5, 0] }
place = { l = "O" }
[bodies.b]
mass = 1
inertia = 1
markers = { l = [-0.5, 0] }
place = { l = "a.r" }
[joints]
A = { type = "revolute", between = ["O", "a.l"], start = { angle = "120*deg", speed = 2 } }
B = { type = "revolute", between = ["a.r", "b.l"], start = { angle = "-100*deg", speed = -3 } }
)toml";
  const ProblemInstance instance = build(chain);
  const double first = 120 * pi / 180, second = 20 * pi / 180;
  const Vector v = velocities(instance);
  BOOST_TEST(std::abs(instance.q0[0] - 0.5 * std::cos(first)) <= 1e-12);
  BOOST_TEST(std::abs(instance.q0[4] - std::cos(first) - 0.5 * std::cos(second)) <= 1e-12);
  BOOST_TEST(std::abs(instance.q0[5] - std::sin(first) - 0.5 * std::sin(second)) <= 1e-12);
  BOOST_TEST(std::abs(v[0] + 2 * 0.5 * std::sin(first)) <= 1e-12);
  BOOST_TEST(std::abs(v[5] - 2 * std::cos(first) + 0.5 * std::cos(second)) <= 1e-12);
  check_complaints({
      {with(chain, "\"120*deg\"", "\"200*deg\""), "the angle of joint A at the start is 3.49"},
      {with(chain, "angle = \"120*deg\"", "distance = 1"), "unknown key of start of joint A \"distance\""},
      {with(chain, "speed = 2 }", "speed = 2 }, hold = true"), "joint A has a start and hold, expected one of them"},
      {with(chain, "mass = 1\ninertia = 1\nmarkers = { l = [-0.5, 0], r",
            "angular_velocity = 7\nmass = 1\ninertia = 1\nmarkers = { l = [-0.5, 0], r"),
       "do not fit: they violate the given rate of A.angle"},
  });
}

BOOST_AUTO_TEST_CASE(changed_files_are_taken_or_refused) {
  gnomon::test::check_changed_files({linkage, spatial}, complaint);
}
