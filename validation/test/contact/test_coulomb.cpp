/// Coulomb friction at contacts, against closed forms: sticking, sliding, impacts, rest, refusals, checkpoints.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/instance.hpp"

using namespace gnomon;
using gnomon::test::says;

namespace {

constexpr double gravity = 9.81;

ModelTraits contact_traits(const char* name, const Vector& mu) {
  ModelTraits traits;
  traits.name = name;
  traits.friction_coefficients = mu;
  return traits;
}

/// A block on a floor y >= 0 that is pulled with the force k t.
struct Crate : AutodiffModel<2, 0> {
  double mu = .5, pull = 0;

  ModelTraits describe() const { return contact_traits("block", Vector::Constant(1, mu)); }
  Mass mass() const { return Mass::diagonal(Vector::Constant(2, 2.0)); }
  template <class S>
  S potential(const S* q) const {
    return 2.0 * gravity * q[1];
  }
  template <class S>
  void force(const S& t, const S*, const S*, S* f) const {
    f[0] = pull * t;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 1.0 * q[1];
  }
  template <class S>
  void slips(const S* q, S* d) const {
    d[0] = 1.0 * q[0];
  }
};

struct TooMany : Crate {
  ModelTraits describe() const { return contact_traits("too-many", Vector::Constant(2, .5)); }
};

struct TooFar : Crate {
  template <class S>
  void slips(const S* q, S* d) const {
    d[1] = 1.0 * q[0];
  }
};

/// A disc of radius 1/2 on a floor, (x, y, theta).
struct Disc : AutodiffModel<3, 0> {
  static constexpr double radius = .5, mu = .2;

  ModelTraits describe() const { return contact_traits("disc", Vector::Constant(1, mu)); }
  Mass mass() const { return Mass::diagonal(Eigen::Vector3d(1, 1, radius * radius / 2)); }
  template <class S>
  S potential(const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[1] - radius;
  }
  template <class S>
  void slips(const S* q, S* d) const {
    d[0] = q[0] + radius * q[2];
  }
};

/// A box of half-sides a, b on a slope, in coordinates along it; its lower corners are contacts.
struct SlopedBox : AutodiffModel<3, 0> {
  double a = .5, b = .3, mu = .4, slope = 0;

  ModelTraits describe() const { return contact_traits("sloped-box", Vector::Constant(2, mu)); }
  Mass mass() const { return Mass::diagonal(Eigen::Vector3d(1, 1, (a * a + b * b) / 3)); }
  template <class S>
  S potential(const S* q) const {
    return gravity * (std::cos(slope) * q[1] + std::sin(slope) * q[0]);
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::cos;
    using std::sin;
    for (int k = 0; k < 2; ++k) c[k] = q[1] + (k - .5) * (2 * a) * sin(q[2]) - b * cos(q[2]);
  }
  template <class S>
  void slips(const S* q, S* d) const {
    using std::cos;
    using std::sin;
    for (int k = 0; k < 2; ++k) d[k] = q[0] + (k - .5) * (2 * a) * cos(q[2]) + b * sin(q[2]);
  }
};

/// One end of a slender rod of half-length 1 and mass 1.
struct Rod : AutodiffModel<3, 0> {
  double mu = .5;

  ModelTraits describe() const { return contact_traits("rod", Vector::Constant(1, mu)); }
  Mass mass() const { return Mass::diagonal(Eigen::Vector3d(1, 1, 1. / 3)); }
  template <class S>
  S potential(const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::sin;
    c[0] = q[1] - sin(q[2]);
  }
  template <class S>
  void slips(const S* q, S* d) const {
    using std::cos;
    d[0] = q[0] - cos(q[2]);
  }
};

template <class Model>
Integrator run(const Model& model, const Vector& q, const Vector& p, const std::string& scheme = "energy-momentum-ggl",
               const ContactOptions& contact = {}) {
  const ProblemInstance instance = test::instance_of(model, q, p);
  IntegratorOptions o;
  o.contact = contact;
  return registry().integrator(instance, scheme, "newton", {}, {}, o);
}

void reaches(Integrator& integrator, double t, double h, double open = 1e-9) {
  const StepReport report = integrator.advance_to(t, h);
  BOOST_REQUIRE_MESSAGE(report.success(), report.message);
  const EnergyBook book = integrator.energy_book();
  BOOST_TEST(std::abs(book.now - book.start - book.work - book.impact) <= open * std::max(1.0, std::abs(book.start)));
}

Vector vector(double a, double b) {
  return Eigen::Vector2d(a, b);
}
Vector vector(double a, double b, double c) {
  return Eigen::Vector3d(a, b, c);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coulomb)

/// It slides v^2/(2 mu g) and stops after v/(mu g), where it stays.
BOOST_AUTO_TEST_CASE(a_block_slides_to_rest) {
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl", "symplectic-euler-true"})
    for (const double side : {-1., 1.}) {
      Integrator integrator = run(Crate(), vector(1, 0), vector(side * 6, 0), scheme);
      const bool first_order = std::string(scheme) == "symplectic-euler-true";
      reaches(integrator, 2, .01, first_order ? .05 : 1e-9);
      const double stop = 3 / (.5 * gravity), within = first_order ? 2e-2 : 1e-12;
      BOOST_REQUIRE(integrator.events().size() == 2u);
      BOOST_TEST((integrator.events()[0].kind == EventKind::stick && integrator.events()[1].kind == EventKind::rest));
      BOOST_TEST(std::abs(integrator.events()[0].t - stop) <= 1e-12, scheme);
      BOOST_TEST(std::abs(integrator.state().q.value()[0] - 1 - side * 1.5 * stop) <= within, scheme);
      BOOST_TEST(integrator.state().p.value().isZero(0));
    }
}

/// Pulled by k t it rests until k t = mu m g; from there m x = k s^3/6, s the time since.
BOOST_AUTO_TEST_CASE(a_block_is_pulled_loose) {
  Crate block;
  block.pull = 8;
  Integrator integrator = run(block, vector(0, 0), vector(0, 0), "line-integral-ggl");
  reaches(integrator, 3, .01);
  const double loose = .5 * 2 * gravity / 8;
  const auto& events = integrator.events();
  BOOST_REQUIRE(events.size() == 2u);
  BOOST_TEST((events[0].kind == EventKind::rest && events[1].kind == EventKind::slide));
  BOOST_TEST(std::abs(events[1].t - loose) <= 1e-12);
  const double s = 3 - loose;
  BOOST_TEST(std::abs(integrator.state().q.value()[0] - 8 * s * s * s / 12) <= 1e-10);
  BOOST_TEST(integrator.state().slip == std::vector<int>{1}, boost::test_tools::per_element());
}

/// A disc that starts sliding rolls after v/(3 mu g), with two thirds of its speed.
BOOST_AUTO_TEST_CASE(a_disc_begins_to_roll) {
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"}) {
    Integrator integrator = run(Disc(), vector(0, .5, 0), vector(3, 0, 0), scheme);
    reaches(integrator, 2, .01);
    const auto& events = integrator.events();
    BOOST_REQUIRE(events.size() == 1u);
    BOOST_TEST((events[0].kind == EventKind::stick));
    BOOST_TEST(std::abs(events[0].t - 1 / (.2 * gravity)) <= 1e-12);
    const Vector p = integrator.state().p.value();
    BOOST_TEST((p - vector(2, 0, -2 * .5 / 2)).norm() <= 1e-11, scheme);
    BOOST_TEST(std::abs(integrator.energy_book().work + 1.5) <= 1e-11);
    BOOST_TEST(integrator.state().slip == std::vector<int>{0}, boost::test_tools::per_element());
  }
}

/// On a slope a box rests while tan < mu and tan < a/b; else it slides, or one corner leaves.
BOOST_AUTO_TEST_CASE(a_box_on_a_slope) {
  SlopedBox box;
  box.slope = std::atan(.39);
  Integrator rests = run(box, vector(0, .3, 0), vector(0, 0, 0));
  reaches(rests, 1, .01);
  BOOST_REQUIRE(rests.events().size() == 1u);
  BOOST_TEST((rests.events()[0].kind == EventKind::rest));
  BOOST_TEST(rests.state().q.value() == vector(0, .3, 0), boost::test_tools::per_element());

  box.slope = std::atan(.41);
  Integrator slides = run(box, vector(0, .3, 0), vector(0, 0, 0));
  reaches(slides, 1, .01);
  BOOST_TEST(slides.events().empty());
  const double a = gravity * (std::sin(box.slope) - .4 * std::cos(box.slope));
  BOOST_TEST((slides.state().q.value() - vector(-a / 2, .3, 0)).norm() <= 1e-12);
  BOOST_TEST(slides.state().slip == (std::vector<int>{-1, -1}), boost::test_tools::per_element());

  // High and rough: it stands while tan < a/b = 1/2, and tips over its lower corner.
  box.b = 1;
  box.mu = 2;
  box.slope = std::atan(.49);
  Integrator stands = run(box, vector(0, 1, 0), vector(0, 0, 0));
  reaches(stands, .3, .01);
  BOOST_TEST(stands.state().q.value() == vector(0, 1, 0), boost::test_tools::per_element());
  box.slope = std::atan(.51);
  Integrator tips = run(box, vector(0, 1, 0), vector(0, 0, 0));
  reaches(tips, .3, .01);
  BOOST_TEST(tips.state().closed == std::vector<Index>{0}, boost::test_tools::per_element());
  BOOST_TEST(tips.state().slip == std::vector<int>{0}, boost::test_tools::per_element());
  BOOST_TEST(tips.state().q.value()[2] > 0);
}

/// A box that rocks to rest lands infinitely often, with each lower corner in turn, in a finite time. To its end steps
/// are so short that the rounding of c and d is a velocity in them.
BOOST_AUTO_TEST_CASE(a_box_rocks_to_rest) {
  struct Start {
    const char *mu, *theta;
  };
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"})
    for (const Start& start : {Start{".3", "-.17"}, Start{".3", ".1"}, Start{"1", ".15"}, Start{"2", "-.05"}}) {
      const ProblemInstance instance = registry().build("box-on-floor", {{"mu", start.mu}, {"theta", start.theta}});
      IntegratorOptions options;
      options.contact.restitution = .3;
      Integrator integrator = registry().integrator(instance, scheme, "newton", {}, {}, options);
      reaches(integrator, 4, 1e-3);
      BOOST_REQUIRE(!integrator.events().empty());
      BOOST_TEST((integrator.events().back().kind == EventKind::rest));
      BOOST_TEST(integrator.events().size() > 20u);
      BOOST_TEST(integrator.deepest_penetration() <= 1e-15, scheme << ", mu = " << start.mu);
      BOOST_TEST(integrator.state().p.value().isZero(0));
      const Vector& q = integrator.state().q.value();
      BOOST_TEST(std::abs(std::sin(2 * q[2])) <= 1e-14, "it stands on a side");

      // A rebound of 1e-4 that is left out takes 2e-5.
      options.contact.zeno_speed = 1e-4;
      Integrator sooner = registry().integrator(instance, scheme, "newton", {}, {}, options);
      reaches(sooner, 4, 1e-3);
      BOOST_TEST(sooner.events().size() < integrator.events().size());
      BOOST_TEST((sooner.state().q.value() - q).norm() <= 1e-4);
      BOOST_TEST(std::abs(sooner.events().back().t - integrator.events().back().t) <= 2e-3);
    }
}

/// What sticks is held to the rounding of d - held, not to that of d, however short the step is: the end of a rod that
/// turns about it, far from the origin.
BOOST_AUTO_TEST_CASE(what_sticks_takes_short_steps) {
  for (const char* scheme : {"energy-momentum-general", "energy-momentum-ggl"})
    for (const double h : {1e-3, 1e-5, 1e-6}) {
      Rod rod;
      rod.mu = 5;
      const double angle = 1, up = -std::sin(angle), right = -std::cos(angle), turning = .1;
      // v = -omega x r of the end
      const Vector p = vector(turning * up, -turning * right, turning / 3);
      Integrator integrator = run(rod, vector(1000.1, std::sin(angle), angle), p, scheme);
      BOOST_REQUIRE(integrator.state().slip == std::vector<int>{0});
      const double held = integrator.state().held[0];
      const StepReport report = integrator.advance(100, h);
      BOOST_REQUIRE_MESSAGE(report.success(), scheme << ", h = " << h << ": " << report.message);
      const Vector& q = integrator.state().q.value();
      BOOST_TEST(std::abs(q[0] - std::cos(q[2]) - held) <= 4e-13);
      const Vector& v = integrator.state().p.value();
      const double slip = v[0] + std::sin(q[2]) * 3 * v[2], size = std::abs(v[0]);
      BOOST_TEST(std::abs(slip) <= (std::string(scheme) == "energy-momentum-ggl" ? 1e-13 : 1e-3) * size,
                 scheme << ", h = " << h << ": slip rate " << slip);
    }
}

/// A rod hits the floor with one end, which sticks or slips: with D the 2 x 2 compliance of normal and tangential
/// impulses, D (P, T) = -(w, u) or T = -mu s P.
BOOST_AUTO_TEST_CASE(a_rod_hits_the_floor) {
  const double angle = 1, right = -std::cos(angle), up = -std::sin(angle);
  const Vector n = vector(0, 1, right), d = vector(1, 0, -up), inverse = vector(1, 1, 3);
  const double nn = n.dot(inverse.cwiseProduct(n)), dd = d.dot(inverse.cwiseProduct(d)),
               nd = n.dot(inverse.cwiseProduct(d));
  int sticks = 0, slips = 0;
  for (const double e : {0., .5})
    for (const double u : {0., .3, 3., -3.}) {
      Rod rod;
      const Vector p = vector(u, -2, 0);
      ContactOptions contact;
      contact.restitution = e;
      // At once: the start is the moment of the impact.
      Integrator integrator = run(rod, vector(0, std::sin(angle), angle), p, "energy-momentum-ggl", contact);
      const double w = n.dot(inverse.cwiseProduct(p)), slip = d.dot(inverse.cwiseProduct(p)), hit = (1 + e) * w;
      double P = (-dd * hit + nd * slip) / (nn * dd - nd * nd), T = (nd * hit - nn * slip) / (nn * dd - nd * nd);
      if (std::abs(T) > rod.mu * P) {
        const double side = slip > 0 || (slip == 0 && T < 0) ? 1 : -1;
        P = -hit / (nn - rod.mu * side * nd);
        T = -rod.mu * side * P;
        BOOST_TEST(side * (slip + nd * P + dd * T) > 0, "it goes on to the side to which it slips");
        ++slips;
      } else {
        ++sticks;
      }
      const Vector after = p + P * n + T * d;
      BOOST_TEST((integrator.state().p.value() - after).norm() <= 1e-12, "e = " << e << ", u = " << u);
      const double lost = .5 * (after.dot(inverse.cwiseProduct(after)) - p.dot(inverse.cwiseProduct(p)));
      BOOST_TEST(std::abs(integrator.energy_book().impact - lost) <= 1e-12);
      BOOST_REQUIRE(integrator.events().size() == 1u);
      BOOST_TEST(std::abs(integrator.events()[0].energy_change - lost) <= 1e-12);
    }
  BOOST_TEST((sticks > 0 && slips > 0));
}

/// A rod that is pushed along a rough floor: no force satisfies the laws.
BOOST_AUTO_TEST_CASE(painleves_paradox_is_refused) {
  Rod rod;
  rod.mu = 3;
  Integrator integrator = run(rod, vector(0, std::sin(1.), 1), vector(0, 0, 0));
  BOOST_CHECK_EXCEPTION(integrator.start(0, vector(0, std::sin(1.), 1), vector(-5, 0, 0)), std::exception,
                        [](const std::exception& error) {
                          const std::string text = error.what();
                          return text.find("Painleve") != std::string::npos && text.find("contacts 0") != text.npos;
                        });
}

BOOST_AUTO_TEST_CASE(bad_coefficients_are_refused) {
  for (const double mu : {-.1, std::numeric_limits<double>::infinity(), std::nan("")}) {
    Crate block;
    block.mu = mu;
    BOOST_CHECK_EXCEPTION(AutodiffSystem<Crate>{block}, Error, says("the friction coefficient of contact 0 is "));
  }
  BOOST_CHECK_EXCEPTION(AutodiffSystem<TooMany>{TooMany()}, Error,
                        says("2 friction coefficients, expected one for each of its 1 obstacles"));
  BOOST_CHECK_EXCEPTION(AutodiffSystem<TooFar>{TooFar()}, Error, says("slips, one an obstacle"));
}

/// Schemes without friction do not take it, and those that keep obstacles by themselves do not.
BOOST_AUTO_TEST_CASE(schemes_without_friction_refuse_it) {
  BOOST_CHECK_EXCEPTION(run(Crate(), vector(0, 0), vector(0, 0), "rattle"), Error, says("friction"));
  BOOST_CHECK_EXCEPTION(run(Crate(), vector(0, 0), vector(0, 0), "alpha-penalty"), Error, says("friction"));
}

/// In mid-slide, in mid-stick and at rest a checkpoint goes on bit by bit.
BOOST_AUTO_TEST_CASE(checkpoints_hold_what_sticks) {
  const ProblemInstance instance = registry().build("box-on-floor");
  const std::string file = "test_coulomb.checkpoint";
  struct Moment {
    long steps;
    std::vector<int> slip;
  };
  for (const Moment& moment :
       {Moment{30, {1}}, Moment{110, {State::sticks}}, Moment{163, {1}}, Moment{210, {State::sticks, State::loose}}}) {
    Integrator whole = registry().integrator(instance, "energy-momentum-ggl", "newton");
    BOOST_REQUIRE(whole.advance(moment.steps, .01).success());
    BOOST_TEST(whole.state().slip.size() == moment.slip.size(), "after " << moment.steps << " steps");
    whole.save(file);
    Integrator other = registry().integrator(instance, "energy-momentum-ggl", "newton");
    other.load(file);
    BOOST_TEST(other.state().slip == whole.state().slip, boost::test_tools::per_element());
    BOOST_TEST(other.state().held == whole.state().held, boost::test_tools::per_element());
    BOOST_TEST(whole.advance(100, .01).success());
    BOOST_TEST(other.advance(100, .01).success());
    BOOST_TEST(whole.state().q.value() == other.state().q.value(), boost::test_tools::per_element());
    BOOST_TEST(whole.state().p.value() == other.state().p.value(), boost::test_tools::per_element());
    BOOST_TEST(whole.events().size() == other.events().size());
    BOOST_TEST(whole.energy_book().impact == other.energy_book().impact);
  }
  std::remove(file.c_str());
}

BOOST_AUTO_TEST_SUITE_END()
