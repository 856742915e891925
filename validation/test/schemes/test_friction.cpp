// Friction in proportion to a multiplier, in every scheme that takes it, against a closed form.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

using namespace gnomon;

namespace {

constexpr double radius = 2, mu = 0.3, speed = 3;

/// A bead of mass 1 in a ring without gravity: s'' = -mu s'^2/radius, so s = (radius/mu) log(1 + mu speed t/radius).
struct RingBead : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - radius * radius);
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    using std::sqrt;
    const S rate = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int j = 0; j < 2; ++j) force[j] = -mu * radius * (lambda[0] * v[j] / rate);
  }
};

/// The same in polar coordinates, with the constraint r^3 = radius^3 and M = diag(1, r^2).
struct PolarRingBead : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = S(1.0);
    m[3] = q[0] * q[0];
  }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] * q[0] - radius * radius * radius;
  }
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* force) const {
    force[1] = -3 * mu * (lambda[0] * q[0] * q[0] * q[0]) + 0.0 * v[0];
  }
};

/// The bead with friction along x alone: at 45 degrees and |v| = 1 lambda = 1/4 + (3/2) (1 + lambda^2)^(1/2), which no
/// lambda satisfies.
struct StrongFriction : RingBead {
  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "strong-friction";
    return traits;
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    using std::sqrt;
    force[0] = -3 * radius * (v[0] * sqrt(1.0 + lambda[0] * lambda[0]));
  }
};

struct StrongFrictionAndFloor : StrongFriction {
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 5.0 + q[1];
  }
};

template <class Model>
int check_refused() {
  const double half = std::sqrt(0.5);
  const ProblemInstance instance =
      test::instance_of(Model(), radius * (Vector(2) << half, half).finished(), (Vector(2) << -half, half).finished());
  int refused = 0;
  for (const std::string& name : registry().schemes()) try {
      registry().integrator(instance, name, "newton");
      BOOST_ERROR(name + " has started");
    } catch (const Error& error) {
      if (error.code() == ErrorCode::refused) continue;
      const std::string text = error.what();
      BOOST_TEST((error.code() == ErrorCode::callback_failed), name << ": " << text);
      BOOST_TEST(text.find("system strong-friction: at the start no multiplier") == 0u, name << ": " << text);
      ++refused;
    }
  return refused;
}

/// |q - closed form| at t = 1 and the gap of the energy book.
struct Outcome {
  double error, book;
};
template <class Model>
Outcome run(const std::string& scheme, const Vector& q0, const Vector& p0, bool polar, double h) {
  const ProblemInstance instance = test::instance_of(Model(), q0, p0);
  Integrator integrator = registry().integrator(instance, scheme, "newton");
  const StepReport report = integrator.advance_to(1, h);
  BOOST_REQUIRE_MESSAGE(report.success(), scheme + ": " + report.message);
  const State& z = integrator.state();
  const double angle = std::log(1 + mu * speed / radius) / mu;
  Vector expected(2);
  if (polar)
    expected << radius, angle;
  else
    expected << radius * std::cos(angle), radius * std::sin(angle);
  const Vector v = [&] {
    Vector out(2), scratch(2);
    instance.model->mechanical()->velocity(z.q.value(), z.p.value(), scratch, out);
    return out;
  }();
  const double kinetic = 0.5 * v.dot(z.p.value());
  return {(z.q.value() - expected).lpNorm<Eigen::Infinity>(),
          std::abs(kinetic - 0.5 * speed * speed - static_cast<double>(z.work.total()))};
}

template <class Model>
int check_all(const Vector& q0, const Vector& p0, bool polar) {
  int taken = 0;
  for (const std::string& name : registry().schemes()) {
    const auto model = std::make_shared<AutodiffSystem<Model>>(Model());
    Promises promises;
    try {
      promises = registry().scheme(name).bind(*model, Options(name, registry().scheme(name).options())).promises;
    } catch (const Error& refused) {
      BOOST_TEST(std::string(refused.what()).size() > 20u);
      continue;
    }
    ++taken;
    const Outcome coarse = run<Model>(name, q0, p0, polar, 0.05), fine = run<Model>(name, q0, p0, polar, 0.025);
    const double order = std::log2(coarse.error / fine.error);
    BOOST_TEST_MESSAGE(name << ": errors " << coarse.error << ", " << fine.error << ", order " << order << " of "
                            << promises.order << ", book " << fine.book);
    BOOST_TEST((order > promises.order - 0.3 || fine.error < 1e-12),
               name << ": order " << order << ", promised " << promises.order);
    if (promises.energy) BOOST_TEST(fine.book < 1e-12, name << ": book " << fine.book);
  }
  return taken;
}

Vector vector(double a, double b) {
  Vector v(2);
  v << a, b;
  return v;
}

BOOST_AUTO_TEST_CASE(bead_in_a_ring) {
  BOOST_TEST(check_all<RingBead>(vector(radius, 0), vector(0, speed), false) >= 5);
}
BOOST_AUTO_TEST_CASE(friction_that_no_multiplier_agrees_with) {
  BOOST_TEST(check_refused<StrongFriction>() > 0);
  BOOST_TEST(check_refused<StrongFrictionAndFloor>() > 0);
}
BOOST_AUTO_TEST_CASE(bead_in_a_ring_in_polar_coordinates) {
  BOOST_TEST(check_all<PolarRingBead>(vector(radius, 0), vector(0, radius * speed), true) >= 4);
}

}  // namespace
