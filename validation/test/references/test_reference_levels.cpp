/// \file
/// What references say of their own runs: energy and constraints, and that they are none past a singular position.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

/// Three parallel cranks on pivots (i, 0), joined by two couplers; uniform bars of length and mass 1, gravity 9.81. The
/// coordinates are those of the crank tips. Where the cranks lie flat, G has rank 4 instead of 5. (IFToMM benchmark
/// A02.)
struct FourBars : AutodiffModel<6, 5> {
  static constexpr double gravity = 9.81;
  Mass mass() const {
    Matrix m = Matrix::Zero(6, 6);
    const auto bar = [&m](int a, int b) {
      for (int k = 0; k < 2; ++k) {
        m(2 * a + k, 2 * a + k) += 1. / 3;
        if (b < 0) continue;
        m(2 * b + k, 2 * b + k) += 1. / 3;
        m(2 * a + k, 2 * b + k) += 1. / 6;
        m(2 * b + k, 2 * a + k) += 1. / 6;
      }
    };
    for (int i = 0; i < 3; ++i) bar(i, -1);
    for (int i = 0; i < 2; ++i) bar(i, i + 1);
    return Mass::dense(m);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * (q[1] + 1.5 * q[3] + q[5]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    for (int i = 0; i < 3; ++i) {
      const S x = q[2 * i] - static_cast<double>(i);
      g[i] = 0.5 * (x * x + q[2 * i + 1] * q[2 * i + 1] - 1.0);
    }
    for (int i = 0; i < 2; ++i) {
      const S x = q[2 * i + 2] - q[2 * i], y = q[2 * i + 3] - q[2 * i + 1];
      g[3 + i] = 0.5 * (x * x + y * y - 1.0);
    }
  }
};

ProblemInstance four_bars() {
  ProblemInstance instance;
  instance.model = std::make_shared<AutodiffSystem<FourBars>>(FourBars());
  instance.q0.resize(6);
  instance.q0 << 0, 1, 1, 1, 2, 1;
  Vector v(6);
  v << 1, 0, 1, 0, 1, 0;
  instance.p0.resize(6);
  FourBars().mass().apply(v, instance.p0);
  return instance;
}

/// Angle of the cranks, by the equation of motion for their one degree of freedom and Runge and Kutta's method.
double angle(double t_end) {
  constexpr double inertia = 3. / 3 + 2, weight = FourBars::gravity * (3. / 2 + 2);
  double phi = std::acos(0.0), omega = -1;
  const long steps = 200000;
  const double h = t_end / steps;
  const auto f = [](double x) { return -weight / inertia * std::cos(x); };
  for (long i = 0; i < steps; ++i) {
    const double k1 = f(phi), l1 = omega;
    const double k2 = f(phi + h / 2 * l1), l2 = omega + h / 2 * k1;
    const double k3 = f(phi + h / 2 * l2), l3 = omega + h / 2 * k2;
    const double k4 = f(phi + h * l3), l4 = omega + h * k3;
    phi += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    omega += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return phi;
}

ReferenceReport end(const std::string& name, const ProblemInstance& instance, double t, const Assignments& given = {}) {
  const Reference& reference = registry().reference(name);
  return reference.start(instance, Options("reference " + name, reference.options(), given))->advance_to(t);
}

constexpr const char* codes[] = {"ida-index1", "ida-ggl", "cvode-projection"};

}  // namespace

// Whatever a reference does past the singular position: it is right, or it stops, or it says that it is none. (It goes
// on along another motion that the constraints allow, with 1e-3 to 1 of the energy wrong.)
BOOST_AUTO_TEST_CASE(past_a_singular_position) {
  const ProblemInstance instance = four_bars();
  for (const char* name : codes)
    for (const char* rtol : {"1e-12", "1e-10", "1e-8", "1e-6"})
      for (const double t : {1.0, 2.0, 5.0, 10.0}) {
        const ReferenceReport r = end(name, instance, t, {{"rtol", rtol}, {"atol", rtol}});
        const double phi = angle(r.t);
        const double error = (r.q.head(2) - Vector(Eigen::Vector2d(std::cos(phi), std::sin(phi)))).norm();
        BOOST_TEST_MESSAGE(name << " " << rtol << " t = " << t << ": success " << r.success << " at " << r.t
                                << ", error " << error << ", dH " << r.levels->energy << ", g " << r.levels->position
                                << ", hidden " << r.levels->velocity << " " << r.warning << r.message);
        BOOST_TEST((!r.success || error < 0.1 || !r.warning.empty()),
                   name << " at t = " << t << " is off by " << error);
        if (error < 1e-6) BOOST_TEST(r.warning.empty(), r.warning);
      }
  const ReferenceReport wrong = end("ida-index1", instance, 10, {{"rtol", "1e-10"}, {"atol", "1e-10"}});
  BOOST_TEST(wrong.success);
  BOOST_REQUIRE(wrong.levels->doubtful_from.has_value());
  BOOST_TEST(*wrong.levels->doubtful_from < 10);
  BOOST_TEST(wrong.warning.find("IDA is no reference from t = ") == 0u);
}

// The levels of sound runs are measured, and at the tight tolerances of references no warning is given.
BOOST_AUTO_TEST_CASE(sound_runs) {
  for (const char* problem : {"planar-pendulum", "double-spherical-pendulum", "heavy-top", "closed-chain",
                              "tethered-satellites", "double-compound-pendulum", "shaken-pendulum", "odae-test"})
    for (const char* name : codes)
      for (const char* rtol : {"1e-12", "1e-8", "1e-4"}) {
        ReferenceReport r;
        try {
          r = end(name, registry().build(problem), 1, {{"rtol", rtol}, {"atol", rtol}});
        } catch (const Error& error) {
          BOOST_TEST((error.code() == ErrorCode::refused), error.what());
          continue;
        }
        BOOST_TEST_MESSAGE(problem << " " << name << " " << rtol << ": dH " << r.levels->energy << ", g "
                                   << r.levels->position << ", hidden " << r.levels->velocity);
        BOOST_TEST(r.success, r.message);
        if (std::string(rtol) == "1e-12")
          BOOST_TEST(r.warning == "", problem << ", " << name << ", rtol " << rtol << ": " << r.warning);
        if (std::string(problem) == "planar-pendulum") {
          BOOST_TEST(r.levels->conservative);
          BOOST_TEST(r.levels->energy > 0);
          BOOST_TEST(r.levels->velocity > 0);
        }
        if (std::string(problem) == "shaken-pendulum") BOOST_TEST(!r.levels->conservative);
      }
}
