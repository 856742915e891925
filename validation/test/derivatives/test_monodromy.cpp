/// Floquet multipliers: closed forms, symplectic pairs, and motions that do not close.
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/run/monodromy.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Setting {
  std::string text;  ///< of a model file
  double period = 1;
  std::string scheme = "rattle";
  Assignments options = {};
  long steps = 200;
};

Monodromy found(const Setting& s) {
  const auto problem = read_model_text("format = 1\n" + s.text, "test.toml");
  const ProblemInstance instance = problem->build(Options("problem test", problem->parameters(), {}));
  const auto start = [&s](const ProblemInstance& of) {
    IntegratorOptions options;
    options.project_start = true;
    return registry().integrator(of, s.scheme, "newton", s.options, {}, options);
  };
  return monodromy(instance, start, s.period,
                   [&s](Integrator& run) { return run.advance(s.steps, s.period / static_cast<double>(s.steps)); });
}

double off_one(const Matrix& X) {
  return std::abs(X.determinant() - 1);
}

/// X^T J X - J
double off_symplectic(const Monodromy& of) {
  const Index half = of.matrix.rows() / 2;
  Matrix J = Matrix::Zero(2 * half, 2 * half);
  J.topRightCorner(half, half).setIdentity();
  J.bottomLeftCorner(half, half) -= Matrix::Identity(half, half);
  return (of.matrix.transpose() * J * of.matrix - J).lpNorm<Eigen::Infinity>() / of.matrix.squaredNorm();
}

const double pi = std::acos(-1);

/// Its period by the arithmetic-geometric mean.
double period_of_pendulum(double amplitude) {
  double a = 1, b = std::cos(amplitude / 2);
  for (int k = 0; k < 10; ++k) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * pi / a;
}

const std::string pendulum =
    "coordinates = [\"x\", \"y\"]\nmass = 3\npotential = \"3*y\"\n[constraints]\nrod = \"(x^2 + y^2 - 1)/2\"\n[start]\n"
    "position = { x = \"sin(1.2)\", y = \"-cos(1.2)\" }\n";

}  // namespace

BOOST_AUTO_TEST_CASE(a_damped_oscillator_at_rest) {
  const double delta = 0.1, omega = std::sqrt(4 - delta * delta), T = 1.3;
  const Monodromy of =
      found({"coordinates = [\"x\"]\nmass = 2\npotential = \"4*(x - 1)^2\"\n[force]\nx = \"-0.4*der(x)\"\n[start]\n"
             "position = { x = 1 }\n",
             T,
             "hbvm",
             {{"s", "3"}, {"k", "3"}},
             100});
  BOOST_TEST(of.gap == 0);
  BOOST_REQUIRE(of.multipliers.size() == 2U);
  for (const std::complex<double>& one : of.multipliers) {
    BOOST_TEST(std::abs(std::abs(one) - std::exp(-delta * T)) < 1e-10);
    BOOST_TEST(std::abs(std::abs(std::arg(one)) - std::remainder(omega * T, 2 * pi)) < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(a_pendulum_comes_back) {
  const double T = period_of_pendulum(1.2);
  for (const std::string scheme : {"rattle", "energy-momentum-ggl", "line-integral-ggl"}) {
    const Monodromy of = found({pendulum, T, scheme, {}, 800});
    BOOST_REQUIRE(of.matrix.rows() == 2);
    BOOST_TEST_MESSAGE(scheme << ": gap " << of.gap << ", det - 1 " << off_one(of.matrix) << ", symplectic "
                              << off_symplectic(of) << ", multipliers " << of.multipliers[0] << " "
                              << of.multipliers[1]);
    // s = 1 twice, one chain: differences of X are their square roots.
    const bool exact = scheme == "line-integral-ggl";
    BOOST_TEST(of.gap < (exact ? 1e-9 : 1e-4));
    BOOST_TEST(off_one(of.matrix) < (scheme == "rattle" ? 1e-10 : exact ? 1e-8 : 1e-4));
    for (const std::complex<double>& one : of.multipliers) BOOST_TEST(std::abs(one - 1.0) < (exact ? 1e-4 : 2e-2));
  }
}

BOOST_AUTO_TEST_CASE(symplectic_pairs) {
  // Two pendulums, one at the other, at rest: any time is a period, and the multipliers are exp(i omega T).
  const Monodromy at_rest = found(
      {"coordinates = [\"x\", \"y\", \"u\", \"v\"]\nmass = 1\npotential = \"y + v\"\n[constraints]\n"
       "a = \"(x^2 + y^2 - 1)/2\"\nb = \"((u - x)^2 + (v - y)^2 - 1)/2\"\n[start]\nposition = { y = -1, v = -2 }\n",
       3,
       "rattle",
       {},
       3000});
  BOOST_TEST_MESSAGE("at rest: det - 1 " << off_one(at_rest.matrix) << ", symplectic " << off_symplectic(at_rest));
  BOOST_TEST(off_symplectic(at_rest) < 1e-10);
  for (const double sign : {-1., 1.}) {
    const double omega = std::sqrt(2 + sign * std::sqrt(2.));
    double nearest = 1;
    for (const std::complex<double>& one : at_rest.multipliers)
      nearest = std::min(nearest, std::abs(one - std::polar(1., omega * 3)));
    BOOST_TEST(nearest < 1e-5);
  }
  // A mass on a sphere that goes round a circle, and swings beside it: two of four multipliers are 1.
  const double height = 0.8, T = 2 * pi * std::sqrt(height);
  const Monodromy conical =
      found({"coordinates = [\"x\", \"y\", \"z\"]\nmass = 2\npotential = \"2*z\"\n[constraints]\n"
             "rod = \"(x^2 + y^2 + z^2 - 1)/2\"\n[start]\nposition = { x = 0.6, z = -0.8 }\n"
             "velocity = { y = \"0.6/sqrt(0.8)\" }\n",
             T,
             "line-integral-ggl",
             {{"s", "3"}, {"k", "6"}},
             100});
  // The square of the frequency is (1 + 3 cos^2) times that of the circle.
  const double swing = std::sqrt((1 + 3 * height * height) / height);
  BOOST_TEST_MESSAGE("conical: gap " << conical.gap << ", det - 1 " << off_one(conical.matrix) << ", symplectic "
                                     << off_symplectic(conical));
  BOOST_TEST(off_one(conical.matrix) < 1e-8);
  double nearest = 1;
  int ones = 0;
  for (const std::complex<double>& one : conical.multipliers) {
    nearest = std::min(nearest, std::abs(one - std::polar(1., swing * T)));
    ones += std::abs(one - 1.0) < 1e-3;
  }
  BOOST_TEST(nearest < 1e-7);
  BOOST_TEST(ones == 2);
}

BOOST_AUTO_TEST_CASE(motions_that_do_not_close_are_refused) {
  BOOST_CHECK_EXCEPTION(found({pendulum, 3, "rattle", {}, 100}), Error, [](const Error& e) {
    return e.code() == ErrorCode::refused && std::string(e.what()).find("comes back") != std::string::npos;
  });
}
