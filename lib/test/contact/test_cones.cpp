/// The laws of contact and friction in space, solved for impulses: against the laws themselves, and where it was found
/// against Siconos' nonsmooth Gauss-Seidel solver.
#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "contact/complementarity.hpp"
#include "support/siconos.hpp"

using gnomon::FrictionProblem;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::Vector;

namespace {

/// Contacts of which each has a normal and two slips, rates W x + w for x = (P, T).
FrictionProblem problem_of(const Matrix& W, const Vector& w, const Vector& mu) {
  const Index n = mu.size(), s = 2 * n;
  FrictionProblem problem{W.topLeftCorner(n, n),
                          W.topRightCorner(n, s),
                          W.bottomLeftCorner(s, n),
                          W.bottomRightCorner(s, s),
                          w.head(n),
                          w.tail(s),
                          Vector(s),
                          {}};
  for (Index k = 0; k < n; ++k)
    for (Index c = 0; c < 2; ++c) {
      problem.mu[2 * k + c] = mu[k];
      problem.normal_of.push_back(k);
    }
  return problem;
}

/// The largest rate by which the laws are missed, as a part of the largest rate without contacts.
double misfit(const FrictionProblem& problem, const FrictionProblem::Solution& x) {
  const double size = std::max(problem.w_0.lpNorm<Eigen::Infinity>(), problem.u_0.lpNorm<Eigen::Infinity>());
  double most = 0;
  for (Index k = 0; k < problem.w_0.size(); ++k) {
    const double P = x.P[k], w = x.w[k], unit = problem.W_tt(2 * k, 2 * k), limit = problem.mu[2 * k] * P;
    const Eigen::Vector2d u = x.u.segment(2 * k, 2), T = x.T.segment(2 * k, 2);
    most = std::max(
        {most, -w, -P * problem.W_nn(k, k), std::min(P * problem.W_nn(k, k), std::abs(w)), unit * (T.norm() - limit)});
    // Where it slips the force is at its limit, against the slip: |u| T + mu P u = 0.
    most = std::max(most, unit * (u.norm() * T + limit * u).norm() / size);
  }
  return most / size;
}

/// W of a rigid body of the mass 1 that touches at these points with these normals, in a general inertia.
Matrix compliance(const std::vector<Eigen::Vector3d>& points, const std::vector<Eigen::Vector3d>& normals,
                  const Eigen::Vector3d& inertia) {
  const auto n = static_cast<Index>(points.size());
  Matrix rows(3 * n, 6);
  for (Index k = 0; k < n; ++k) {
    const Eigen::Vector3d &r = points[static_cast<std::size_t>(k)], &e = normals[static_cast<std::size_t>(k)];
    const Eigen::Vector3d first = e.unitOrthogonal(), second = e.cross(first);
    const auto row = [&](Index i, const Eigen::Vector3d& along) {
      rows.row(i) << along.transpose(), r.cross(along).transpose();
    };
    row(k, e);
    row(n + 2 * k, first);
    row(n + 2 * k + 1, second);
  }
  Vector mobility(6);
  mobility << 1, 1, 1, inertia.cwiseInverse();
  return rows * mobility.asDiagonal() * rows.transpose();
}

struct Draw {
  std::mt19937 random;
  std::normal_distribution<double> normal{0, 1};
  explicit Draw(unsigned seed) : random(seed) {}
  double number() { return normal(random); }
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); }
  Eigen::Vector3d vector() { return {number(), number(), number()}; }
};

#ifdef GNOMON_SICONOS
/// The rates (w, u) that Siconos finds, in the order of the problem.
Vector rates_of_siconos(const Matrix& W, const Vector& w, const Vector& mu) {
  const Index n = mu.size();
  std::vector<Index> order;
  for (Index k = 0; k < n; ++k) order.insert(order.end(), {k, n + 2 * k, n + 2 * k + 1});
  const Matrix M = W(order, order);
  const Vector q = w(order);
  Vector rates(3 * n);
  rates(order) = M * gnomon::test::siconos_impulses(M, q, mu) + q;
  return rates;
}
#endif

/// Problems for which no solution was found, and of which Siconos finds another one: the laws are those of no minimum,
/// and may have several solutions.
long unsolved = 0, elsewhere = 0;

/// within: of the largest rate, from Siconos, whose solution satisfies the laws to 1e-13.
void check(const Matrix& W, const Vector& w, const Vector& mu, double within, const std::string& what) {
  const FrictionProblem problem = problem_of(W, w, mu);
  const auto solution = problem.solve();
  if (!solution) {
    ++unsolved;
    return;
  }
  BOOST_TEST(misfit(problem, *solution) < 1e-12, what << ": misfit " << misfit(problem, *solution));
#ifdef GNOMON_SICONOS
  Vector rates(w.size());
  rates << solution->w, solution->u;
  const double apart = (rates - rates_of_siconos(W, w, mu)).lpNorm<Eigen::Infinity>() / w.lpNorm<Eigen::Infinity>();
  if (!(apart < within)) ++elsewhere;
#else
  static_cast<void>(within);
#endif
}

}  // namespace

/// One contact of a sphere: closed forms of sticking, sliding and leaving.
BOOST_AUTO_TEST_CASE(one_sphere) {
  const Matrix W = compliance({{0, 0, -1}}, {{0, 0, 1}}, {.4, .4, .4});
  const auto impulses = [&](double normal, double slip, double mu) {
    Vector w(3);
    w << normal, slip * .6, slip * .8;
    return *problem_of(W, w, Vector::Constant(1, mu)).solve();
  };
  BOOST_TEST(impulses(1, 1, .3).P[0] == 0);
  const auto sticks = impulses(-1, 1, .3);  // T = -u/3.5 is within .3
  BOOST_TEST(sticks.T.norm() == 1 / 3.5, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(sticks.u.norm() < 1e-15);
  const auto slides = impulses(-1, 2, .3);
  BOOST_TEST(slides.T[0] == -.3 * .6, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(slides.T[1] == -.3 * .8, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(slides.u.norm() == 2 - 3.5 * .3, boost::test_tools::tolerance(1e-13));
}

/// One to five contacts of a body in any position.
BOOST_AUTO_TEST_CASE(random_bodies) {
  Draw draw(7);
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::size_t>(1 + trial % 5);
    std::vector<Eigen::Vector3d> points, normals;
    for (std::size_t k = 0; k < n; ++k) {
      points.push_back(draw.vector());
      normals.push_back((Eigen::Vector3d(0, 0, 3) + draw.vector()).normalized());
    }
    const Matrix W = compliance(points, normals, {draw.between(.3, 1), draw.between(.3, 1), draw.between(.3, 1)});
    // Rates that a motion of the body has: where contacts hold each other others have no solution.
    Vector motion(3 * static_cast<Index>(n));
    for (Index i = 0; i < motion.size(); ++i) motion[i] = draw.number();
    Vector mu(static_cast<Index>(n));
    for (Index k = 0; k < mu.size(); ++k) mu[k] = draw.between(.05, .8);
    check(W, W * motion, mu, 1e-8, "trial " + std::to_string(trial));
  }
  BOOST_TEST(unsolved == 0);
  BOOST_TEST(elsewhere <= 1);  // of 400
}

/// The four corners of a box on a face, which are held twice over: slips of 1e-5 are within Siconos' tolerance.
BOOST_AUTO_TEST_CASE(corners_of_a_face) {
  Draw draw(8);
  unsolved = elsewhere = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Eigen::Vector3d> points, normals(4, Eigen::Vector3d::UnitZ());
    for (const double x : {-.5, .5})
      for (const double y : {-.4, .4}) points.emplace_back(x, y, -.3);
    const Matrix W = compliance(points, normals, {.083, .1, .12});
    Vector motion(12);
    for (Index i = 0; i < 12; ++i) motion[i] = i < 4 ? -draw.between(.2, 1) : .6 * draw.number();
    check(W, W * motion, Vector::Constant(4, draw.between(.1, .6)), 1e-4, "trial " + std::to_string(trial));
  }
  BOOST_TEST(unsolved == 0);
  BOOST_TEST(elsewhere == 0);
}
