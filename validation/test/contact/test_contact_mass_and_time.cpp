/// Unilateral contact where the mass depends on q or something depends on time, against closed forms.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

using namespace gnomon;

namespace {

constexpr double gravity = 9.81, rough = 0.3;

/// A particle of mass 1 above a floor with Coulomb friction, in polar coordinates q = (r, theta): x = r cos theta,
/// y = r sin theta >= 0, M = diag(1, r^2).
struct PolarParticle : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = S(1.0);
    m[3] = q[0] * q[0];
  }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::sin;
    return gravity * (q[0] * sin(q[1]));
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::sin;
    c[0] = q[0] * sin(q[1]);
  }
  template <class S>
  void friction(const S* q, const S* v, const S* psi, S* force) const {
    using std::sqrt;
    const S across = q[0] * v[1], speed = sqrt(v[0] * v[0] + across * across);
    force[0] = -rough * (psi[0] * v[0] / speed);
    force[1] = -rough * (psi[0] * across * q[0] / speed);
  }
};

/// A particle of mass 1 over a floor y >= 0 in a gravity that changes, U = (g + a cos w t) y.
struct ShakenParticle : AutodiffModel<2, 0> {
  static constexpr double a = 4, w = 3;

  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    return (gravity + a * cos(w * t)) * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 1.0 * q[1];
  }
};

/// A particle of mass 1 on a rough floor, pulled by Q = (t, 0).
struct PulledParticle : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void force(const S& t, const S*, const S*, S* out) const {
    out[0] = 1.0 * t;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 1.0 * q[1];
  }
  template <class S>
  void friction(const S*, const S* v, const S* psi, S* out) const {
    using std::sqrt;
    const S speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int j = 0; j < 2; ++j) out[j] = -rough * psi[0] * v[j] / speed;
  }
};

template <class Model>
Integrator run(const Model& model, const Vector& q, const Vector& p, const std::string& scheme, double e, double until,
               double h) {
  const ProblemInstance instance = test::instance_of(model, q, p);
  IntegratorOptions options;
  options.contact.restitution = e;
  Integrator integrator = registry().integrator(instance, scheme, "newton", {}, {}, options);
  const StepReport report = integrator.advance_to(until, h);
  BOOST_REQUIRE_MESSAGE(report.success(), scheme + ": " + report.message);
  return integrator;
}

Vector vector(double a, double b) {
  return (Vector(2) << a, b).finished();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contact_mass_and_time)

/// From (1, 1) with x' = 2: it falls for (2/g)^1/2, lands, slides for 2/(mu g) and stays. Friction takes x'^2/2, the
/// impact y'^2/2.
BOOST_AUTO_TEST_CASE(a_mass_that_depends_on_q_with_friction) {
  const double land = std::sqrt(2 / gravity), stop = land + 2 / (rough * gravity);
  const double end = 1 + 2 * land + 2 / (rough * gravity);
  const Vector q = vector(std::sqrt(2.), std::atan(1.)), p = vector(std::sqrt(2.), -2);
  struct Run {
    const char* scheme;
    double h, error, book;
  };
  for (const auto& [scheme, h, error, book] :
       {Run{"line-integral-ggl", 1e-2, 1e-8, 1e-9}, Run{"energy-momentum-ggl", 2e-3, 2e-5, 1e-9},
        Run{"symplectic-euler-true", 1e-3, 1e-2, .1}}) {
    const Integrator integrator = run(PolarParticle(), q, p, scheme, 0, 1.5 * stop, h);
    const auto& events = integrator.events();
    BOOST_REQUIRE_EQUAL(events.size(), 2);
    BOOST_TEST((events[0].kind == EventKind::landing && events[1].kind == EventKind::rest));
    BOOST_TEST(std::abs(events[0].t - land) <= error, scheme << " lands " << events[0].t - land);
    BOOST_TEST(std::abs(events[1].t - stop) <= error, scheme << " stops " << events[1].t - stop);
    const State& z = integrator.state();
    BOOST_TEST(std::abs(z.q.value()[0] - end) <= error, scheme << " ends " << z.q.value()[0] - end);
    BOOST_TEST(z.p.value().isZero(0));
    const EnergyBook energy = integrator.energy_book();
    BOOST_TEST(std::abs(energy.impact + gravity) <= 20 * error);
    BOOST_TEST(std::abs(energy.work + 2) <= 10 * error);
    BOOST_TEST(std::abs(energy.now - energy.start - energy.work - energy.impact) <= book, scheme);
  }
}

/// Elastic: between two impacts y = y0 + v0 s - g s^2/2 + a/w^2 (cos w t - cos w t0) + a/w sin(w t0) s, s = t - t0.
BOOST_AUTO_TEST_CASE(a_potential_that_depends_on_time) {
  constexpr double a = ShakenParticle::a, w = ShakenParticle::w;
  std::vector<double> impacts;
  double t0 = 0, y0 = 1, v0 = 0;
  for (int bounce = 0; bounce < 3; ++bounce) {
    const auto height = [&](double t) {
      const double s = t - t0;
      return y0 + v0 * s - gravity * s * s / 2 + a / (w * w) * (std::cos(w * t) - std::cos(w * t0)) +
             a / w * std::sin(w * t0) * s;
    };
    double t = t0 + 1e-2;
    while (height(t) > 0) t += 1e-3;
    double below = t, above = t - 1e-3;
    for (int i = 0; i < 60; ++i) (height((above + below) / 2) > 0 ? above : below) = (above + below) / 2;
    t = (above + below) / 2;
    v0 = -(v0 - gravity * (t - t0) - a / w * (std::sin(w * t) - std::sin(w * t0)));
    t0 = t;
    y0 = 0;
    impacts.push_back(t);
  }
  for (const auto& [scheme, error] :
       {std::pair{"line-integral-ggl", 1e-7}, {"energy-momentum", 1e-4}, {"rattle", 1e-4}}) {
    const Integrator integrator =
        run(ShakenParticle(), vector(0, 1), vector(1, 0), scheme, 1, impacts.back() + .05, 1e-2);
    BOOST_REQUIRE_EQUAL(integrator.events().size(), 3);
    for (std::size_t k = 0; k < 3; ++k)
      BOOST_TEST(std::abs(integrator.events()[k].t - impacts[k]) <= error,
                 scheme << " " << k << " " << integrator.events()[k].t - impacts[k]);
    BOOST_TEST(std::abs(integrator.energy_book().impact) <= 1e-10);
  }
}

/// At rest until t = mu g, then x' = (t - mu g)^2/2.
BOOST_AUTO_TEST_CASE(a_force_that_overcomes_friction) {
  const double moves = rough * gravity, until = moves + 1;
  for (const auto& [scheme, error] : {std::pair{"line-integral-ggl", 1e-8}, {"energy-momentum-ggl", 1e-4}}) {
    const Integrator integrator = run(PulledParticle(), vector(0, 0), vector(0, 0), scheme, 0, until, 1e-2);
    const auto& events = integrator.events();
    BOOST_REQUIRE_EQUAL(events.size(), 2);
    BOOST_TEST((events[0].kind == EventKind::rest && events[1].kind == EventKind::turning));
    BOOST_TEST(std::abs(events[1].t - moves) <= 1e-12);
    BOOST_TEST(std::abs(integrator.state().p.value()[0] - .5) <= error, scheme);
    BOOST_TEST(std::abs(integrator.state().q.value()[0] - 1. / 6) <= error, scheme);
  }
}

BOOST_AUTO_TEST_SUITE_END()
