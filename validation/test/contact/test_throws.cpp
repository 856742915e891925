/// \file
/// Cubes that are thrown on a floor with Coulomb friction, against a time-stepping of order 1 that shares no code with
/// Gnomon: Moreau's midpoint rule on a rotation matrix, impulses by projections onto the cones, or by Siconos.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gnomon/base/numbers.hpp"
#include "gnomon/gnomon.hpp"
#include "mechanism/built_models.hpp"
#include "support/builtin_registry.hpp"
#include "support/siconos.hpp"

using namespace gnomon;
using Eigen::Matrix3d, Eigen::Vector3d;
using gnomon::test::build;

namespace {

constexpr double g = 9.81, side = .2, friction = .4, restitution = .2;
constexpr double mass = 500 * side * side * side, moment = mass * side * side / 6;

struct Throw {
  Vector3d x, v, omega;
  Matrix3d R;
};

/// r in the product of the cones |T| <= mu P with W r + w the rates that obey the laws: sweeps of projections of
/// r - rho (rates + (mu |u|, 0, 0)), de Saxce's form of the laws. Rows: (P, T1, T2) of one contact after the other.
Vector impulses_of(const Matrix& W, const Vector& w) {
#ifdef GNOMON_SICONOS
  return test::siconos_impulses(W, w, Vector::Constant(w.size() / 3, friction));
#else
  Vector r = Vector::Zero(w.size());
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double change = 0;
    for (Index k = 0; k < w.size(); k += 3) {
      const double rho = 1 / W.block<3, 3>(k, k).trace();
      Vector3d rate = W.middleRows(k, 3) * r + w.segment<3>(k);
      rate[0] += friction * rate.tail<2>().norm();
      Vector3d next = r.segment<3>(k) - rho * rate;
      const double P = next[0], T = next.tail<2>().norm();
      if (friction * T <= -P)
        next.setZero();
      else if (T > friction * P) {
        const double along = (P + friction * T) / (1 + friction * friction);
        next << along, next.tail<2>() * (friction * along / T);
      }
      change = std::max(change, (next - r.segment<3>(k)).norm());
      r.segment<3>(k) = next;
    }
    if (change <= 1e-12 * r.norm()) break;
  }
  return r;
#endif
}

Vector3d stepped(Throw z, double t, long steps) {
  const double h = t / static_cast<double>(steps);
  const auto turned = [](const Matrix3d& R, const Vector3d& w) -> Matrix3d {
    const double angle = w.norm();
    return angle > 0 ? Matrix3d(Eigen::AngleAxisd(angle, w / angle) * R) : R;
  };
  for (long step = 0; step < steps; ++step) {
    const Vector3d middle = z.x + h / 2 * z.v;
    const Matrix3d R = turned(z.R, h / 2 * z.omega);
    std::vector<Vector3d> arms;
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3d arm = R * Vector3d(corner & 1 ? .5 : -.5, corner & 2 ? .5 : -.5, corner & 4 ? .5 : -.5) * side;
      if (middle[2] + arm[2] <= 0) arms.push_back(arm);
    }
    const Vector3d before_v = z.v, before_omega = z.omega;  // of a cube: no gyroscopic moment
    z.v[2] -= h * g;
    if (!arms.empty()) {
      const auto n = static_cast<Index>(arms.size());
      Matrix rows(3 * n, 6);
      for (Index k = 0; k < n; ++k) {
        const Vector3d& arm = arms[static_cast<std::size_t>(k)];
        Index row = 3 * k;
        for (const Index axis : {2, 0, 1}) {
          const Vector3d e = Vector3d::Unit(axis);
          rows.row(row++) << e.transpose(), arm.cross(e).transpose();
        }
      }
      Vector mobility(6), before(6), free(6);
      mobility << Vector3d::Constant(1 / mass), Vector3d::Constant(1 / moment);
      before << before_v, before_omega;
      free << z.v, z.omega;
      const Vector rate_before = rows * before;
      Vector w = rows * free;
      for (Index k = 0; k < n; ++k) w[3 * k] += restitution * std::min(0.0, rate_before[3 * k]);
      const Vector change =
          mobility.asDiagonal() * rows.transpose() * impulses_of(rows * mobility.asDiagonal() * rows.transpose(), w);
      z.v += change.head(3);
      z.omega += change.tail(3);
    }
    z.x = middle + h / 2 * z.v;
    z.R = turned(R, h / 2 * z.omega);
  }
  return z.x;
}

std::string listed(const Vector3d& v) {
  return "[" + number_text(v[0], 17) + ", " + number_text(v[1], 17) + ", " + number_text(v[2], 17) + "]";
}

Integrator made(const Throw& z) {
  std::string rows, markers, on;
  for (int i = 0; i < 3; ++i) rows += (i ? ", " : "") + listed(z.R.row(i));
  for (int corner = 0; corner < 8; ++corner) {
    const std::string name(1, static_cast<char>('a' + corner));
    markers += name + " = " +
               listed(side * Vector3d(corner & 1 ? .5 : -.5, corner & 2 ? .5 : -.5, corner & 4 ? .5 : -.5)) + "\n";
    on += std::string(corner ? ", " : "") + "\"cube." + name + "\"";
  }
  const std::string text =
      "format = 1\ngravity = [0, 0, -9.81]\n[bodies.cube]\nshape = { box = [0.2, 0.2, 0.2], density = 500 }\n" +
      ("position = " + listed(z.x)) + "\norientation = { matrix = [" + rows + "] }\nvelocity = " + listed(z.v) +
      "\nangular_velocity = " + listed(z.omega) + "\n[bodies.cube.markers]\n" + markers +
      "[contacts.floor]\nplane = { point = [0, 0, 0], normal = [0, 0, 1] }\non = [" + on +
      "]\nfriction = 0.4\nrestitution = 0.2\n";
  IntegratorOptions options;
  options.contact.zeno_speed = 1e-4;
  return registry().integrator(build(text), "energy-momentum-ggl", "newton", {}, {}, options);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

/// 120 throws for half a second, several impacts, slides and turns over edges each. The differences are those of the
/// time-stepping, of order 1; an impact that comes sooner by one of its steps changes what follows, so that medians
/// are compared.
BOOST_AUTO_TEST_CASE(random_throws) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
  std::vector<double> coarse, fine;
  long impacts = 0, others = 0;
  for (int trial = 0; trial < 120; ++trial) {
    Throw z;
    z.x = Vector3d(0, 0, .3);
    z.R =
        Eigen::Quaterniond(Eigen::Vector4d(normal(random), normal(random), normal(random), normal(random)).normalized())
            .toRotationMatrix();
    z.v = vector();
    z.v[2] = -std::abs(z.v[2]);
    z.omega = 4 * vector();
    Integrator run = made(z);
    const StepReport report = run.advance(100, 5e-3);
    BOOST_TEST_REQUIRE(report.success(), "throw " << trial << ": " << report.message);
    const EnergyBook book = run.energy_book();
    BOOST_TEST(std::abs(book.open()) <= 1e-12 * book.start, "throw " << trial);
    BOOST_TEST(std::abs(book.defect) <= 1e-12 * book.start, "throw " << trial);
    for (const ContactEvent& event : run.events()) {
      BOOST_TEST(event.energy_change <= 1e-12 * book.start, "throw " << trial << " gains at t = " << event.t);
      ++(event.kind == EventKind::impact ? impacts : others);
    }
    const Vector3d end = run.state().q.value().head(3);
    coarse.push_back((stepped(z, .5, 2500) - end).norm());
    fine.push_back((stepped(z, .5, 10000) - end).norm());
  }
  const double first = median(coarse), second = median(fine);
  BOOST_TEST_MESSAGE("medians " << first << ", " << second << "; impacts " << impacts << ", other events " << others);
  BOOST_TEST(first <= 4e-3, "median " << first);
  BOOST_TEST(second <= .4 * first, "medians " << first << ", " << second);
  BOOST_TEST(impacts > 500);
  BOOST_TEST(others > 200);
}
