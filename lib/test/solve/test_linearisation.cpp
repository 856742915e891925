// The motion beside a state: closed forms at rest and in steady motion, differences of the equations of motion, inputs
// and outputs, rigid modes.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/solve/linear_response.hpp"
#include "gnomon/start/consistency.hpp"
#include "mechanism/built_models.hpp"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct Point {
  ProblemInstance instance;
  std::shared_ptr<const System> system;
  Vector q, p, v, a, lambda;

  explicit Point(const std::string& text) : instance(build("format = 1\n" + text)) {
    system = shared_system(instance.model);
    q = instance.q0;
    p = instance.p0;
    project_start(*system, instance.t0, q, p);
    follow();
  }
  void follow() {
    Vector scratch(q.size());
    v.resize(q.size());
    system->velocity(q, p, scratch, v);
    acceleration(*system, instance.t0, q, v, a, lambda);
  }
  /// p' at the multipliers of the state
  Vector force() const {
    const double t = instance.t0;
    Vector out(q.size()), term = Vector::Zero(q.size()), t_p(q.size());
    system->potential_gradient(t, q, out);
    if (system->parts().mass) system->parts().mass->kinetic_gradient(q, p, term, t_p);
    out += term;
    Vector values(system->constraint_pattern().nonzeros());
    system->constraint_jacobian(t, q, values);
    out += to_dense(system->constraint_pattern(), values).transpose() * lambda;
    if (const Force* force = system->parts().force) {
      force->force(t, q, v, term);
      out -= term;
    }
    return -out;
  }
  Linearisation linear() const { return linearise(*system, instance.t0, q, p, lambda); }
  std::vector<Mode> modes() const { return modes_of(linear()); }
};

void close(double found, double expected, double tolerance = 1e-12) {
  BOOST_TEST(std::abs(found - expected) <= tolerance * std::max(1., std::abs(expected)),
             found << " is not " << expected);
}

const std::string spherical =
    "coordinates = [\"x\", \"y\", \"z\"]\nmass = 2\npotential = \"2*9.81*z + 0.3*x*y\"\n"
    "[constraints]\nrod = \"sqrt(x^2 + y^2 + z^2) - 1.5\"\n";

/// (y', w') by central differences of the motion beside the state, in the chart of its linearisation.
void compare_with_differences(const Point& at) {
  const Linearisation linear = at.linear();
  const Index N = linear.n_positions(), w = linear.n_velocities();
  Matrix M(at.q.size(), at.q.size());
  if (at.system->parts().mass)
    at.system->parts().mass->mass_matrix(at.q, M);
  else
    M = to_dense(at.system->mass().pattern(), at.system->mass().values());
  const Matrix of_w = M.llt().solve(linear.momenta);
  const auto rates = [&](const Vector& y, const Vector& pi) {
    Point moved = at;
    moved.q += linear.positions * y;
    moved.p += linear.carried * y + linear.momenta * pi;
    project_positions(*moved.system, moved.instance.t0, moved.q);
    project_momenta(*moved.system, moved.instance.t0, moved.q, moved.p);
    moved.follow();
    Vector out(N + w);
    out << linear.positions.transpose() * M * moved.v, of_w.transpose() * moved.force();
    return out;
  };
  const double step = 1e-5;
  for (Index j = 0; j < N + w; ++j) {
    Vector z = Vector::Zero(N + w);
    z[j] = step;
    const Vector difference =
        (rates(z.head(N), z.tail(w)) - rates(-z.head(N), -z.tail(w))) / (2 * step) - linear.matrix.col(j);
    BOOST_TEST(difference.norm() < 1e-7 * std::max(1., linear.matrix.norm()), "column " << j);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(frequencies_of_pendulums) {
  const Point pendulum(
      "coordinates = [\"x\", \"y\"]\nmass = 3\npotential = \"3*9.81*y\"\n[constraints]\n"
      "rod = \"x^2 + y^2 - 4\"\n[start]\nposition = { y = -2 }\n");
  const auto one = pendulum.modes();
  BOOST_TEST(one.size() == 1U);
  close(one[0].s.imag(), std::sqrt(9.81 / 2));
  close(one[0].frequency(), std::sqrt(9.81 / 2) / (2 * std::acos(-1)));
  BOOST_TEST(std::abs(one[0].damping_ratio()) < 1e-12);
  BOOST_TEST(std::abs(one[0].shape[1]) < 1e-12);
  close(one[0].shape[0].real(), 1 / std::sqrt(3.));

  const Point upright(
      "coordinates = [\"x\", \"y\"]\nmass = 3\npotential = \"3*9.81*y\"\n[constraints]\n"
      "rod = \"x^2 + y^2 - 4\"\n[start]\nposition = { y = 2 }\n");
  const auto falling = upright.modes();
  BOOST_TEST(falling.size() == 2U);
  close(std::abs(falling[0].s.real()), std::sqrt(9.81 / 2));

  const auto two = Point(
                       "coordinates = [\"x\", \"y\", \"u\", \"v\"]\nmass = 1\npotential = \"9.81*(y + v)\"\n"
                       "[constraints]\na = \"x^2 + y^2 - 1\"\nb = \"(u - x)^2 + (v - y)^2 - 1\"\n"
                       "[start]\nposition = { y = -1, v = -2 }\n")
                       .modes();
  BOOST_TEST(two.size() == 2U);
  for (int k = 0; k < 2; ++k)
    close(two[static_cast<std::size_t>(k)].s.imag(), std::sqrt(9.81 * (2 + (k - .5) * 2 * std::sqrt(2.))));
}

BOOST_AUTO_TEST_CASE(damping_and_rows_that_repeat_others) {
  const auto damped = Point(
                          "coordinates = [\"x\", \"y\"]\nmass = 2\npotential = \"9*x^2\"\n[constraints]\na = \"y\"\n"
                          "b = \"2*y + y^2\"\n[force]\nx = \"-1.2*der(x)\"\n")
                          .modes();
  BOOST_TEST(damped.size() == 1U);
  close(std::abs(damped[0].s), 3);
  close(damped[0].damping_ratio(), 1.2 / (2 * 2 * 3));
}

BOOST_AUTO_TEST_CASE(a_sleigh_that_goes_straight_on) {
  // u' = a w^2, w' = -m a u w/(I + m a^2): beside w = 0 w falls with m a u/(I + m a^2), heading and place stay.
  const double m = 2, a = .3, moment = .5, u = 1.7;
  const Point sleigh(
      "coordinates = [\"x\", \"y\", \"h\"]\nmass = [2, 2, 0.5]\npotential = \"0\"\n[constraints]\n"
      "blade = \"der(y)*cos(h) - der(x)*sin(h) - 0.3*der(h)\"\n[start]\nposition = { h = 0.4 }\n"
      "velocity = { x = \"1.7*cos(0.4)\", y = \"1.7*sin(0.4)\" }\n");
  const Linearisation linear = sleigh.linear();
  BOOST_TEST(linear.n_positions() == 3);
  BOOST_TEST(linear.n_velocities() == 2);
  double fastest = 0;
  for (const Mode& mode : modes_of(linear))
    if (mode.s.real() < fastest) fastest = mode.s.real();
  close(fastest, -m * a * u / (moment + m * a * a), 1e-7);
  compare_with_differences(sleigh);
}

BOOST_AUTO_TEST_CASE(beside_motions) {
  compare_with_differences(
      Point(spherical + "[start]\nposition = { x = 1, z = -1 }\nvelocity = { x = 1, y = 2, z = 0.5 }\n"));
  compare_with_differences(Point(spherical + "[force]\nx = \"-0.2*der(x)*abs(der(y)) + z\"\n[start]\n"
                                             "position = { x = 1, z = -1 }\nvelocity = { x = 1, y = 2, z = 0.5 }\n"));
  compare_with_differences(Point(
      "coordinates = [\"x\", \"y\", \"s\"]\nmass = [[\"2\", \"cos(s)/2\", \"0\"], [\"cos(s)/2\", \"1 + x^2\", \"0\"], "
      "[\"0\", \"0\", \"1\"]]\npotential = \"x*y + s^2 + sin(x)\"\n[constraints]\nc = \"x^2 + y^2 + s - 1 - "
      "0.2*sin(2*t)\"\n"
      "[start]\nposition = { x = 0.4, y = 0.3, s = 0.7 }\nvelocity = { x = 1, y = -0.5 }\n"));
}

BOOST_AUTO_TEST_CASE(units_do_not_matter) {
  for (const double length : {1e-6, 1e3}) {
    std::string text =
        "coordinates = [\"x\", \"y\"]\nmass = 1e9\npotential = \"1e9*9.81*L*y\"\n[constraints]\n"
        "rod = \"1e-7*(x^2 + y^2 - L^2)\"\n[parameters]\nL = " +
        std::to_string(length) + "\n[start]\nposition = { y = \"-L\" }\n";
    const auto modes = Point(text).modes();
    BOOST_TEST(modes.size() == 1U);
    close(modes[0].s.imag(), std::sqrt(9.81));
  }
}

BOOST_AUTO_TEST_CASE(rigid_modes) {
  // Two masses on a spring that nothing holds: they go on together, and swing against each other.
  const auto free = Point(
                        "coordinates = [\"a\", \"b\"]\nmass = [2, 3]\npotential = \"30*(a - b)^2\"\n[start]\n"
                        "position = { a = 0.3, b = 0.3 }\n")
                        .modes();
  BOOST_REQUIRE(free.size() == 2U);
  BOOST_TEST(free[0].rigid);
  BOOST_TEST((free[0].s == 0.0));
  close(free[0].shape[0].real(), free[0].shape[1].real());
  BOOST_TEST(!free[1].rigid);
  close(free[1].s.imag(), std::sqrt(60 * (1 / 2. + 1 / 3.)));

  // With a damper between them and the ground the place is free, the velocity is not.
  const auto damped = Point(
                          "coordinates = [\"a\", \"b\"]\nmass = [2, 3]\npotential = \"30*(a - b)^2\"\n[force]\n"
                          "a = \"-0.5*der(a)\"\n")
                          .modes();
  BOOST_TEST(!damped[0].rigid);
  BOOST_TEST((damped[0].s == 0.0));

  // A rod in the plane without gravity, its ends as points: two translations and a rotation, in any units.
  for (const std::string mass : {"1", "1e-9", "1e9"}) {
    const auto rod = Point("coordinates = [\"x\", \"y\", \"u\", \"v\"]\nmass = " + mass +
                           "\npotential = \"0\"\n[constraints]\nr = \"(x - u)^2 + (y - v)^2 - 4\"\n[start]\n"
                           "position = { x = 0.6, y = 0.8, u = -0.6, v = -0.8 }\n")
                         .modes();
    BOOST_REQUIRE(rod.size() == 3U);
    for (const Mode& mode : rod) BOOST_TEST(mode.rigid);
  }

  // A soft mode beside a stiff one is none.
  const auto soft =
      Point("coordinates = [\"a\", \"b\"]\nmass = 1\npotential = \"1e9*(a - b)^2/2 + 1e-3*a^2/2\"\n").modes();
  BOOST_REQUIRE(soft.size() == 2U);
  BOOST_TEST(!soft[0].rigid);
  close(soft[0].s.imag(), std::sqrt(0.5e-3), 1e-4);
}

namespace {

struct Controlled {
  Linearisation linear;
  LinearResponse response;
};

/// A text whose parameters have the values of its [parameters].
Controlled controlled(const std::string& text, const std::vector<ModelInput>& inputs,
                      const std::vector<double>& values) {
  const Point at(text);
  const auto changed = [&](std::size_t k, double change) {
    return build("format = 1\n" + text, {{inputs[k].name, shortest_text(values[k] + change)}});
  };
  Controlled out;
  out.linear = at.linear();
  out.response = linear_response(at.instance, {at.instance.t0, at.q, at.p, at.lambda, {}}, out.linear, inputs, changed);
  return out;
}

/// C (s - A)^-1 B + D
Eigen::MatrixXcd transfer(const Controlled& of, std::complex<double> s) {
  const Eigen::MatrixXcd A = of.linear.matrix.cast<std::complex<double>>(),
                         B = of.response.B.cast<std::complex<double>>(), C = of.response.C.cast<std::complex<double>>(),
                         one = Eigen::MatrixXcd::Identity(A.rows(), A.cols());
  return C * (s * one - A).partialPivLu().solve(B) + of.response.D.cast<std::complex<double>>();
}

void same(const Eigen::MatrixXcd& found, const Eigen::MatrixXcd& expected, double tolerance = 1e-10) {
  BOOST_REQUIRE(found.rows() == expected.rows());
  BOOST_REQUIRE(found.cols() == expected.cols());
  BOOST_TEST((found - expected).norm() <= tolerance * expected.norm(), found << "\nis not\n" << expected);
}

const std::string cart_pole =
    "coordinates = [\"x\", \"a\"]\n"
    "mass = [[\"M + m\", \"m*l*cos(a)\"], [\"m*l*cos(a)\", \"m*l^2\"]]\npotential = \"m*9.81*l*cos(a)\"\n"
    "[force]\nx = \"F - b*der(x)\"\n[parameters]\nM = 2\nm = 0.3\nl = 0.5\nb = 0.1\nF = 0\n"
    "[outputs]\nposition = \"x\"\nangle = \"a\"\n";

/// The pole as a point on a rod, beside the cart on its rail.
const std::string cart_and_bob =
    "coordinates = [\"x\", \"u\", \"v\"]\nmass = [2, 0.3, 0.3]\npotential = \"0.3*9.81*v\"\n"
    "[constraints]\nrod = \"((u - x)^2 + v^2 - 0.25)/2\"\n[force]\nx = \"F - b*der(x)\"\n"
    "[parameters]\nb = 0.1\nF = 0\n[start]\nposition = { v = 0.5 }\n"
    "[outputs]\nposition = \"x\"\nangle = \"atan2(u - x, v)\"\nrod = \"-lambda.rod\"\n";

/// (position, angle) by F of the textbook: M x'' = F - b x' - m g a, l a'' = g a - x''.
Eigen::MatrixXcd of_textbook(std::complex<double> s) {
  const double M = 2, m = .3, l = .5, b = .1, g = 9.81;
  Eigen::Matrix2cd left;
  left << M * s * s + b * s, m * g, s * s, l * s * s - g;
  return left.partialPivLu().solve(Eigen::Vector2cd(1, 0));
}

}  // namespace

BOOST_AUTO_TEST_CASE(inputs_and_outputs) {
  // m x'' = k (u - x) - c x' + F, output acceleration and place.
  const Controlled one = controlled(
      "coordinates = [\"x\"]\nmass = 2\npotential = \"k*(x - u)^2/2\"\n[force]\nx = \"F - 0.4*der(x)\"\n"
      "[parameters]\nk = 50\nu = 0.1\nF = 1\n[start]\nposition = { x = 0.12 }\n"
      "[outputs]\nplace = \"x + 3*u\"\nspeed = \"2*der(x)\"\n",
      {{"F", 1}, {"u", 0.1}, {"k", 50}}, {1, 0.1, 50});
  const std::complex<double> s(0.3, 4);
  const std::complex<double> x = 1. / (2. * s * s + 0.4 * s + 50.);
  Eigen::MatrixXcd expected(2, 3);
  expected << x, 50. * x + 3., -0.02 * x, 2. * s * x, 100. * s * x, -0.04 * s * x;
  same(transfer(one, s), expected);
  close(one.response.D(0, 1), 3);
  // An output with a corner there, and one without a value, leave the others as they are.
  const Controlled more = controlled(
      "coordinates = [\"x\"]\nmass = 2\npotential = \"25*x^2 - F*x\"\n[parameters]\nF = 0\n"
      "[outputs]\ncorner = \"abs(x)\"\nnone = \"log(x)\"\nplace = \"x\"\n",
      {{"F", 1}}, {0});
  BOOST_TEST(more.response.C.topLeftCorner(2, 1).array().isNaN().all());
  close(std::abs(more.response.C(2, 0)), std::sqrt(0.5));
  BOOST_TEST(one.response.D(1, 0) == 0);

  for (const std::string& text : {cart_pole, cart_and_bob}) {
    const Controlled cart = controlled(text, {{"F", 1}}, {0});
    for (const std::complex<double> at : {std::complex<double>(0, 3), {1.5, 0}, {-0.2, 20}})
      same(transfer(cart, at).topRows(2), of_textbook(at));
  }
  // The force in the rod changes with the square of its angle, and that of the cart not at all.
  const Controlled bob = controlled(cart_and_bob, {{"F", 1}}, {0});
  BOOST_TEST(bob.response.C.row(2).norm() < 1e-10);
  BOOST_TEST(bob.response.D.col(0).norm() < 1e-10);
}

BOOST_AUTO_TEST_CASE(outputs_that_read_multipliers) {
  // Beside a motion: the force in the rod, m (g.r + v^2)/l^2 along the circle, by angle and speed; D by gravity.
  const std::string pendulum =
      "coordinates = [\"x\", \"y\"]\nmass = 2\npotential = \"2*g*y\"\n[constraints]\nrod = \"(x^2 + y^2 - 1)/2\"\n"
      "MORE[parameters]\ng = 9.81\n[start]\nposition = { x = 0.6, y = -0.8 }\nvelocity = { x = 1.6, y = 1.2 }\n"
      "[outputs]\nforce = \"FORCE\"\n";
  const auto text = [&](const std::string& more, const std::string& force) {
    return with(with(pendulum, "MORE", more), "FORCE", force);
  };
  // lambda of a rod that stands twice is that of both.
  for (const std::string& one :
       {text("", "lambda.rod"), text("again = \"x^2 + y^2 - 1\"\n", "lambda.rod + 2*lambda.again")}) {
    const Controlled of = controlled(one, {{"g", 9.81}}, {9.81});
    // lambda = 2 (v^2 - g y) on the unit circle; y = N dq, N = t/2^(1/2), and w the speed times 2^(1/2).
    const double along = of.linear.positions.col(0).dot(Eigen::Vector2d(0.8, 0.6)) * std::sqrt(2.);
    close(std::abs(along), 1, 1e-14);
    const double angle = -2 * 9.81 * 0.6, speed = 2 * 2 * 2;
    same(of.response.C, Eigen::RowVector2d(angle, speed) / std::sqrt(2.) * along, 1e-10);
    close(of.response.D(0, 0), 1.6, 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(inputs_that_move_constraints_are_refused) {
  const std::string rod =
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y\"\n[constraints]\nrod = \"x^2 + y^2 - l^2\"\n"
      "[parameters]\nl = 2\n[start]\nposition = { y = -2 }\n";
  BOOST_CHECK_EXCEPTION(controlled(rod, {{"l", 2}}, {2}), Error, [](const Error& e) {
    return e.code() == ErrorCode::refused &&
           std::string(e.what()).find("input l moves constraint rod") != std::string::npos;
  });
  const std::string sudden =
      "coordinates = [\"x\"]\nmass = 1\npotential = \"x^2\"\n[force]\nx = \"abs(F)\"\n[parameters]\nF = 0\n";
  BOOST_CHECK_EXCEPTION(controlled(sudden, {{"F", 1}}, {0}), Error, [](const Error& e) {
    return std::string(e.what()).find("the force has no derivative by input F") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(friction_is_refused) {
  const Point rough(
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y + x^2\"\n[constraints]\nfloor = \"y\"\n"
      "[friction]\nx = \"-0.1*abs(lambda.floor)*der(x)\"\n");
  BOOST_CHECK_EXCEPTION(rough.linear(), Error, [](const Error& e) {
    return e.code() == ErrorCode::refused && std::string(e.what()).find("friction") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(closed_obstacles_are_constraints) {
  // On the floor a mass on two springs has one frequency, beside it two.
  const Point box(
      "coordinates = [\"x\", \"y\"]\nmass = 2\npotential = \"9*x^2 + 4*y^2 + 9.81*y\"\n[obstacles]\n"
      "floor = \"y + 0.2\"\nwall = \"x + 1\"\n[start]\nposition = { y = -0.2 }\n");
  Vector lambda = Vector::Zero(2);
  lambda[0] = 9.81 - 1.6;
  const double t = box.instance.t0;
  const auto resting = modes_of(linearise(*box.system, t, box.q, box.p, lambda, {0}));
  BOOST_TEST(resting.size() == 1U);
  close(resting[0].s.imag(), 3);
  lambda[0] = 0;
  const auto free = modes_of(linearise(*box.system, t, box.q, box.p, lambda));
  BOOST_TEST(free.size() == 2U);
  close(free[0].s.imag(), 2);
  close(free[1].s.imag(), 3);
}
