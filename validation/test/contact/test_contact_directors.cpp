/// Unilateral contact of a rigid body in directors, against the impact law of a rigid body.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

constexpr double gravity = 9.81, half_length = 1, across = .02, e1 = 1. / 3;

/// A rod of mass 1, q = (phi, d1, d2, d3), M = diag(1, e1, across, across), the d_i orthonormal; the end phi - d1 above
/// the floor.
struct FallingRod : AutodiffModel<12, 6> {
  Mass mass() const {
    Vector diagonal = Vector::Constant(12, across);
    diagonal.head(3).setOnes();
    diagonal.segment(3, 3).setConstant(e1);
    return Mass::diagonal(diagonal);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const auto dot = [&](int i, int j) {
      S sum(0.0);
      for (int k = 0; k < 3; ++k) sum += q[3 + 3 * i + k] * q[3 + 3 * j + k];
      return sum;
    };
    for (int i = 0; i < 3; ++i) g[i] = 0.5 * (dot(i, i) - 1.0);
    g[3] = dot(0, 1);
    g[4] = dot(1, 2);
    g[5] = dot(2, 0);
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[2] - half_length * q[5];
  }
};

/// Dropped at the angle a with its end at the height H; until t, after the impact.
void drop(const std::string& scheme, double e, double h, double within) {
  constexpr double a = .7, height = .2, until = .26;
  const double landing = std::sqrt(2 * height / gravity), w = -std::sqrt(2 * gravity * height);
  // J = e1 + across, lever cos a; P (1 + (l cos a)^2/J) = -(1 + e) w
  const double lever = half_length * std::cos(a), inertia = e1 + across;
  const double impulse = -(1 + e) * w / (1 + lever * lever / inertia), turn = -lever * impulse / inertia;
  const double flight = until - landing, speed = w + impulse;

  ProblemInstance instance;
  instance.model = std::make_shared<AutodiffSystem<FallingRod>>(FallingRod());
  instance.q0.setZero(12);
  instance.p0.setZero(12);
  instance.q0[2] = height + half_length * std::sin(a);
  instance.q0.segment(3, 3) << std::cos(a), 0, std::sin(a);
  instance.q0[7] = 1;
  instance.q0.tail(3) << -std::sin(a), 0, std::cos(a);
  IntegratorOptions options;
  options.contact.restitution = e;
  Integrator integrator = registry().integrator(instance, scheme, "newton", {}, {}, options);
  const StepReport report = integrator.advance_to(until, h);
  BOOST_REQUIRE_MESSAGE(report.success(), scheme + ": " + report.message);

  BOOST_REQUIRE_EQUAL(integrator.events().size(), 1u);
  const ContactEvent& impact = integrator.events().front();
  BOOST_TEST(std::abs(impact.t - landing) < 1e-12, scheme << ": impact at " << impact.t << ", not " << landing);
  // Newton's law takes (1 - e^2) of the energy of the impulse.
  const double lost = -.5 * (1 - e * e) * w * w / (1 + lever * lever / inertia);
  BOOST_TEST(std::abs(impact.energy_change - lost) < 1e-11, scheme << ": impact of " << impact.energy_change);

  const double angle = a + turn * flight;
  const double rise = half_length * std::sin(a) + speed * flight - .5 * gravity * flight * flight;
  const Vector q = integrator.state().q.value();
  BOOST_TEST(std::abs(q[2] - rise) < within, scheme << ": height off by " << q[2] - rise);
  BOOST_TEST(std::abs(q[3] - std::cos(angle)) < within, scheme << ": angle off by " << q[3] - std::cos(angle));
  BOOST_TEST(std::abs(q[5] - std::sin(angle)) < within, scheme << ": angle off by " << q[5] - std::sin(angle));
}

BOOST_AUTO_TEST_CASE(rod_in_directors_hits_the_floor) {
  for (const double e : {0.3, 1.0}) {
    drop("line-integral-ggl", e, 1e-3, 1e-10);
    drop("energy-momentum-ggl", e, 1e-3, 1e-6);
    drop("energy-momentum", e, 1e-3, 1e-6);
    drop("energy-momentum-general", e, 1e-2, 1e-4);
    drop("hbvm", e, 1e-3, 1e-8);
    drop("rattle", e, 1e-3, 1e-6);
    drop("projected-rk", e, 1e-2, 1e-9);
  }
}

}  // namespace
