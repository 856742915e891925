/// Unilateral contact beyond what the cases cover: several contacts at once, rest, refusals, failures, checkpoints.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/gnomon.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/instance.hpp"

using namespace gnomon;
using gnomon::test::says;

namespace {

/// A bead in the plane, without gravity or with it, in the corner between a floor q2 >= 0 and a wall at an angle of 60
/// degrees; friction on both of size mu times the normal force, which may be NaN where a contact would have to pull.
struct Corner : AutodiffModel<2, 0> {
  double gravity = 0, mu = 0;
  bool fragile = false;

  ModelTraits describe() const {
    ModelTraits traits = polynomial_traits("corner", 1, 0);
    traits.obstacle_degree = 1;
    traits.obstacle_names = {"floor", "wall"};
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 1.0 * q[1];
    c[1] = std::sqrt(.75) * q[0] - .5 * q[1];
  }
  template <class S>
  void friction(const S*, const S* v, const S* psi, S* force) const {
    using std::sqrt;
    const S speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    const S load = fragile ? sqrt(psi[0] * psi[0] * psi[0]) : psi[0] + psi[1];
    for (int j = 0; j < 2; ++j) force[j] = -mu * load * v[j] / speed;
  }
};

/// The same without friction, which every scheme takes.
struct SmoothCorner : AutodiffModel<2, 0> {
  double gravity = 0;

  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    Corner().obstacles(q, c);
  }
};

/// A surface that bends down where q1 < 0, so that the mass would fly off, with friction that is NaN there.
struct Ramp : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 10.0 * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[1] - .1 * (q[0] * q[0] * q[0]);
  }
  template <class S>
  void friction(const S*, const S* v, const S* psi, S* force) const {
    using std::sqrt;
    const S speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int j = 0; j < 2; ++j) force[j] = -.1 * sqrt(psi[0]) * v[j] / speed;
  }
};

/// A free mass on a line, with a gap whose shape between the ends of a step is not that of a cubic.
struct Valley : AutodiffModel<1, 0> {
  bool open = true;

  Mass mass() const { return Mass::diagonal(Vector::Ones(1)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 0.0 * q[0];
  }
  /// (2 q - 1)^8 + 0.01, or 1 less a narrow hill at 0.97.
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::exp;
    const S x = 2.0 * q[0] - 1.0, x4 = x * x * x * x, z = (q[0] - 0.97) * 50.0;
    c[0] = open ? x4 * x4 + 0.01 : 1.0 - 10.4 * exp(-z * z);
  }
};

/// A free ball between two walls, at 0 and 1, each with its own restitution.
struct Walls : AutodiffModel<1, 0> {
  double left = 0.5, right = std::nan("");

  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "walls";
    traits.obstacle_names = {"left", "right"};
    traits.restitutions = (Vector(2) << left, right).finished();
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(1)); }
  template <class S>
  S potential(const S& t, const S*) const {
    return 0.0 * t;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[0];
    c[1] = 1.0 - q[0];
  }
};

template <class Model>
Integrator run(const Model& model, const Vector& q, const Vector& p, const std::string& scheme,
               const ContactOptions& contact, const Assignments& options = {}) {
  const ProblemInstance instance = test::instance_of(model, q, p);
  IntegratorOptions o;
  o.contact = contact;
  return registry().integrator(instance, scheme, "newton", options, {}, o);
}

Vector vector(double a, double b) {
  return (Vector(2) << a, b).finished();
}

ContactOptions restitution(double e) {
  ContactOptions contact;
  contact.restitution = e;
  return contact;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contact)

/// Into the apex of the corner along its bisector: both contacts are hit at once, and by symmetry the bead comes back
/// the way it came with the fraction e of its speed.
BOOST_AUTO_TEST_CASE(several_impacts_at_once) {
  const double angle = std::acos(-1.0) / 6;  // of the bisector
  for (const double e : {0., .5, 1.}) {
    Integrator integrator = run(SmoothCorner(), 2 * vector(std::cos(angle), std::sin(angle)),
                                -1 * vector(std::cos(angle), std::sin(angle)), "energy-momentum", restitution(e));
    const StepReport report = integrator.advance_to(3, .013);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    const Vector expected = e * vector(std::cos(angle), std::sin(angle));
    BOOST_TEST((integrator.state().p.value() - expected).norm() <= 1e-12, "e = " << e);
    BOOST_TEST((integrator.state().q.value() - expected).norm() <= 1e-11, "e = " << e);
    BOOST_TEST(integrator.events().size() >= 2u);
    BOOST_TEST(std::abs(integrator.events()[0].t - 2) <= 1e-12);
    const EnergyBook book = integrator.energy_book();
    BOOST_TEST(std::abs(book.impact - (e * e - 1) / 2) <= 1e-13);
    BOOST_TEST(std::abs(book.defect) <= 1e-14);
    double by_event = 0;
    for (const ContactEvent& event : integrator.events()) by_event += event.energy_change;
    BOOST_TEST(std::abs(by_event - book.impact) <= 1e-13);
  }
}

/// The left wall says 1/2, the right one nothing, the run 4/5.
BOOST_AUTO_TEST_CASE(every_obstacle_has_its_restitution) {
  for (const ContactMode mode : {ContactMode::event_driven, ContactMode::time_stepping}) {
    ContactOptions contact = restitution(.8);
    contact.mode = mode;
    Integrator integrator = run(Walls(), Vector::Constant(1, .5), Vector::Ones(1), "energy-momentum", contact);
    double speed = 1;
    for (int hit = 0; hit < 6; ++hit) {
      const double e = hit % 2 == 0 ? .8 : .5;
      while (integrator.events().size() <= static_cast<std::size_t>(hit))
        BOOST_REQUIRE(integrator.step(.013).success());
      BOOST_TEST(integrator.events().back().contact == (hit % 2 == 0 ? 1 : 0));
      BOOST_TEST(std::abs(integrator.state().p.value()[0] - (hit % 2 == 0 ? -e : e) * speed) <= 1e-14);
      speed *= e;
    }
  }
  Integrator integrator = run(Walls(), Vector::Constant(1, .5), Vector::Ones(1), "energy-momentum", restitution(1));
  BOOST_REQUIRE(integrator.advance_to(4, .013).success());
  // There and back with speed 1, then half of that.
  BOOST_TEST(std::abs(integrator.events().at(2).t - 3.5) <= 1e-13);
  const std::string file = "walls.checkpoint";
  integrator.save(file);
  Walls others;
  others.left = .25;
  Integrator other = run(others, Vector::Constant(1, .5), Vector::Ones(1), "energy-momentum", restitution(1));
  BOOST_CHECK_EXCEPTION(other.load(file), Error, says("restitution"));
  std::remove(file.c_str());
  for (const double e : {-.1, 1.5, std::numeric_limits<double>::infinity()}) {
    Walls bad;
    bad.right = e;
    BOOST_CHECK_EXCEPTION(AutodiffSystem<Walls>{bad}, Error,
                          says("system walls: the restitution of obstacle right is"));
  }
  BOOST_CHECK_EXCEPTION(run(Walls(), Vector::Constant(1, .5), Vector::Ones(1), "alpha-penalty", ContactOptions()),
                        Error, says("system walls has obstacles with a restitution of their own"));
}

/// Two equal balls on a line, the first hits the second at rest, which then hits a wall: each pair has its own e.
BOOST_AUTO_TEST_CASE(the_restitutions_of_a_model_file) {
  const auto problem = read_model_text(R"toml(format = 1
coordinates = ["x[2]"]
mass = 1
potential = 0
[obstacles]
balls = { formula = "x[1] - x[0] - 1", restitution = "e/2" }
"wall[i] for i in 0..1" = { formula = "(1 - 2*i)*x[i] + 5", restitution = "1 - 0.5*i" }
[parameters]
e = { value = 1.0, min = 0.0 }
[start]
position = { "x[1]" = 2.5 }
velocity = { "x[0]" = 1 }
)toml",
                                       "balls.toml");
  const auto build = [&](const Assignments& set) {
    return problem->build(Options("problem balls", problem->parameters(), set));
  };
  const ProblemInstance instance = build({});
  for (const ProblemInstance& one :
       {instance,
        read_model_text(model_text(instance, "balls"), "written.toml")->build(Options("problem balls", {}))}) {
    Integrator integrator = registry().integrator(one, "energy-momentum", "newton");
    BOOST_REQUIRE(integrator.advance_to(2, .013).success());
    // (1 - e)/2 and (1 + e)/2 for e = 1/2
    BOOST_TEST((integrator.state().p.value() - vector(.25, .75)).norm() <= 1e-14);
    while (integrator.events().size() < 2) BOOST_REQUIRE(integrator.step(.013).success());
    BOOST_TEST((integrator.state().p.value() - vector(.25, -.375)).norm() <= 1e-14);
  }
  BOOST_CHECK_EXCEPTION(build({{"e", "3"}}), Error,
                        says("balls.toml:6:55: the restitution of obstacle balls is 1.5, expected 0 to 1"));
}

/// Dropped on the floor far from the wall, without restitution: it lies there, carried by psi = g, and slides on where
/// it had a tangential velocity, up to the wall.
BOOST_AUTO_TEST_CASE(lying_and_sliding) {
  SmoothCorner model;
  model.gravity = 10;
  Integrator still = run(model, vector(3, .8), vector(0, 0), "energy-momentum", {});
  BOOST_TEST(still.advance_to(2, .01).success());
  BOOST_REQUIRE(still.events().size() == 1u);
  BOOST_TEST((still.events()[0].kind == EventKind::landing));
  BOOST_TEST(std::abs(still.events()[0].t - .4) <= 1e-12);
  BOOST_TEST(std::abs(still.state().q.value()[1]) <= 1e-14);
  BOOST_TEST(std::abs(still.state().lambda[0] - 10) <= 1e-10);
  BOOST_TEST(still.state().lambda[1] == 0);
  BOOST_TEST(still.state().closed == std::vector<Index>{0}, boost::test_tools::per_element());

  Integrator sliding = run(model, vector(3, .8), vector(-1, 0), "energy-momentum-ggl", {});
  BOOST_TEST(sliding.advance_to(4, .01).success());
  // The wall is hit at q = 0 with velocity (-1, 0); the only velocity that keeps out of both is zero.
  BOOST_TEST(sliding.state().p.value().norm() <= 1e-12);
  BOOST_TEST(sliding.state().q.value().norm() <= 1e-12);
  BOOST_TEST(std::abs(sliding.energy_book().open()) <= 1e-12);
}

/// Coulomb friction mu g on the floor: the bead stops after v^2/(2 mu g) at t = v/(mu g) and stays, whatever the step.
BOOST_AUTO_TEST_CASE(friction_holds_at_rest) {
  Corner model;
  model.gravity = 10;
  model.mu = .2;
  for (const ContactMode mode : {ContactMode::event_driven, ContactMode::time_stepping}) {
    ContactOptions contact;
    contact.mode = mode;
    const bool located = mode == ContactMode::event_driven;
    Integrator integrator = run(model, vector(3, 0), vector(1.3, 0), "composition", contact,
                                {{"inner", "symplectic-euler-true"}, {"order", "4"}});
    const StepReport report = integrator.advance_to(5, .01);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    BOOST_TEST(std::abs(integrator.state().t - 5) <= 1e-12);
    BOOST_REQUIRE(integrator.events().size() == 1u);
    BOOST_TEST((integrator.events()[0].kind == EventKind::rest));
    BOOST_TEST(std::abs(integrator.events()[0].t - .65) <= (located ? 1e-12 : .01));
    BOOST_TEST(std::abs(integrator.state().q.value()[0] - (3 + 1.3 * 1.3 / 4)) <= (located ? 1e-11 : 1e-2));
    BOOST_TEST(integrator.state().p.value().norm() == 0);
    const EnergyBook book = integrator.energy_book();
    BOOST_TEST(std::abs(book.open()) <= 1e-13);
    BOOST_TEST(std::abs(book.work + 1.3 * 1.3 / 2) <= (located ? 1e-11 : 1e-2));
  }
  // From rest it never starts.
  Integrator resting = run(model, vector(3, 0), vector(0, 0), "symplectic-euler-true", {});
  BOOST_TEST(resting.advance_to(1, .1).success());
  BOOST_TEST((resting.state().q.value() - vector(3, 0)).norm() == 0);
}

namespace {

/// A bead on a circle of this radius at the time t, one at the start, with friction that stops it at the top of every
/// swing.
ProblemInstance bead(const std::string& radius) {
  return read_model_text(
             "format = 1\nname = \"bead\"\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y\"\n"
             "[constraints]\nwire = \"(x^2 + y^2 - (" +
                 radius +
                 ")^2)/2\"\n[friction]\n"
                 "x = \"-0.05*sqrt(lambda.wire^2)*der(x)/hypot(der(x), der(y))\"\n"
                 "y = \"-0.05*sqrt(lambda.wire^2)*der(y)/hypot(der(x), der(y))\"\n"
                 "[start]\nposition = { y = -1 }\nvelocity = { x = 8 }\n",
             "bead.toml")
      ->build(Options("problem bead", {}));
}

}  // namespace

/// Most of these schemes do not solve G v = 0: what their velocity has off the circle is as large as the motion at the
/// top, and turns round with every step.
BOOST_AUTO_TEST_CASE(friction_stops_a_velocity_off_the_constraints) {
  const ProblemInstance instance = bead("1");
  for (const char* scheme : {"energy-momentum-ggl", "energy-momentum", "energy-momentum-general", "hbvm", "alpha"})
    for (const double h : {.01, 7e-4}) {
      Integrator run = registry().integrator(instance, scheme, "newton");
      const StepReport report = run.advance_to(20, h);
      BOOST_REQUIRE_MESSAGE(report.success(), scheme << ": " << report.message);
      BOOST_TEST(run.events().size() == 14u, scheme);
      BOOST_TEST((run.events().back().kind == EventKind::rest));
      BOOST_TEST(run.state().p.value().norm() == 0);
      if (run.promises().energy) BOOST_TEST(std::abs(run.energy_book().open()) <= 1e-14, scheme);
    }
}

BOOST_AUTO_TEST_CASE(friction_backward_in_time) {
  const ProblemInstance instance = bead("1");
  for (const char* scheme : {"energy-momentum-ggl", "energy-momentum", "hbvm"}) {
    Integrator run = registry().integrator(instance, scheme, "newton");
    for (const double h : {.01, .01, -.01, -.01}) {
      const StepReport report = run.step(h);
      BOOST_REQUIRE_MESSAGE(report.success(), scheme << ": " << report.message);
    }
    BOOST_TEST((run.state().q.value() - instance.q0).norm() <= 1e-13, scheme);
  }
}

/// Turns on a circle that moves, until the end of the third swing.
BOOST_AUTO_TEST_CASE(friction_on_a_constraint_that_moves) {
  for (const std::string part : {"1e-9", "1e-6", "1e-3"})
    for (const char* scheme : {"energy-momentum-ggl", "energy-momentum", "hbvm"}) {
      Integrator run = registry().integrator(bead("1 - " + part + "*(1 - cos(3*t))"), scheme, "newton");
      const StepReport report = run.advance_to(5, .01);
      BOOST_REQUIRE_MESSAGE(report.success(), scheme << ", " << part << ": " << report.message);
      BOOST_TEST(std::abs(run.energy_book().open()) <= 1e-13, scheme);
    }
}

BOOST_AUTO_TEST_CASE(misuse_is_refused) {
  const Vector q = vector(3, .8), p = vector(0, 0);
  BOOST_CHECK_EXCEPTION(run(Corner(), q, p, "symplectic-euler-true", restitution(-.1)), Error,
                        says("restitution e = -0.1 is outside [0, 1]"));
  BOOST_CHECK_EXCEPTION(run(Corner(), q, p, "symplectic-euler-true", restitution(1.5)), Error,
                        says("restitution e = 1.5 is outside [0, 1]"));
  BOOST_CHECK_EXCEPTION(run(Corner(), q, p, "symplectic-euler-true", restitution(std::nan(""))), Error,
                        says("is outside [0, 1]"));
  ContactOptions contact;
  contact.zeno_speed = -1;
  BOOST_CHECK_EXCEPTION(run(Corner(), q, p, "symplectic-euler-true", contact), Error, says("zeno speed -1"));
  BOOST_CHECK_EXCEPTION(run(Corner(), vector(3, -.8), p, "symplectic-euler-true", {}), Error,
                        says("the start is inside obstacle \"floor\": c = -0.8"));
  BOOST_CHECK_EXCEPTION(run(Corner(), q, p, "rattle", {}), Error, says("friction"));
  BOOST_CHECK_EXCEPTION(contact_options({{"restitution", "2"}}), Error, says("restitution"));
  BOOST_CHECK_EXCEPTION(contact_options({{"mode", "never"}}), Error, says("mode"));
  Integrator integrator = run(Corner(), q, p, "symplectic-euler-true", {});
  BOOST_CHECK_EXCEPTION(integrator.step(-.1), Error, says("h = -0.1 is below zero"));
}

/// The friction law is NaN where the floor would have to pull: the step that runs into it is refused with one sentence,
/// and state, events and book are those of the step before.
BOOST_AUTO_TEST_CASE(a_failed_step_changes_nothing) {
  Integrator integrator = run(Ramp(), vector(2, .8), vector(-6, -7.2), "symplectic-euler-true", {});
  State before = integrator.state();
  EnergyBook book = integrator.energy_book();
  StepReport report;
  for (int step = 0; step < 1000 && report.success(); ++step) {
    before = integrator.state();
    book = integrator.energy_book();
    report = integrator.step(.01);
  }
  BOOST_REQUIRE(!report.success());
  BOOST_TEST(report.message.find("not finite") != std::string::npos, report.message);
  BOOST_TEST(report.message.find("step ") == 0u, report.message);
  const State& after = integrator.state();
  BOOST_TEST(after.t == before.t);
  BOOST_TEST((after.q.value() - before.q.value()).norm() == 0);
  BOOST_TEST((after.p.value() - before.p.value()).norm() == 0);
  BOOST_TEST((after.lambda - before.lambda).norm() == 0);
  BOOST_TEST(after.closed == before.closed, boost::test_tools::per_element());
  BOOST_TEST(integrator.events().empty());
  BOOST_TEST(integrator.energy_book().now == book.now);
  BOOST_TEST(integrator.energy_book().work == book.work);
  BOOST_TEST(!integrator.step(.01).success());
}

/// A bead over a floor with a bump of height 1 mm: at 8 m/s it flies off near the top and lands behind it, all within
/// one step, at whose ends it is pressed on the floor.
struct Bump : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 9.81 * q[1];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::exp;
    c[0] = q[1] - 1e-3 * exp(-100.0 * q[0] * q[0]);
  }
};

BOOST_AUTO_TEST_CASE(a_flight_within_one_step) {
  const auto events = [](double h) {
    const double x = -.48, y = 1e-3 * std::exp(-100 * x * x);
    Integrator integrator = run(Bump(), vector(x, y), vector(8, -200 * x * y * 8), "energy-momentum-ggl", {});
    const StepReport report = integrator.advance_to(.12, h);
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    return integrator.events();
  };
  const auto fine = events(1e-4), coarse = events(.04);
  BOOST_REQUIRE_EQUAL(fine.size(), 2);
  BOOST_REQUIRE_EQUAL(coarse.size(), 2);
  BOOST_TEST((coarse[0].kind == EventKind::launch && coarse[1].kind == EventKind::landing));
  for (std::size_t k = 0; k < 2; ++k) BOOST_TEST(std::abs(coarse[k].t - fine[k].t) <= 1e-3, fine[k].t << coarse[k].t);
}

/// Where events are not located, a contact that has closed is at c = 0 all the same, and c is as deep as O(h) only in
/// the step in which it closes.
/// An event that is looked for in the middle of a step and is not there leaves no trace: the state is that of the whole
/// step.
BOOST_AUTO_TEST_CASE(a_landing_that_is_looked_for_and_not_there) {
  const Vector start = Vector::Zero(1), speed = Vector::Ones(1);
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl", "symplectic-euler-true"}) {
    Integrator integrator = run(Valley(), start, speed, scheme, restitution(1));
    BOOST_TEST_REQUIRE(integrator.step(1).success());
    BOOST_TEST(integrator.state().t == 1);
    BOOST_TEST(integrator.state().q.value()[0] == 1);
    BOOST_TEST(integrator.events().empty());
    BOOST_TEST_REQUIRE(integrator.step(0.5).success());
    BOOST_TEST(integrator.state().t == 1.5);
    BOOST_TEST(integrator.state().q.value()[0] == 1.5);
  }
}

/// The gap is below zero at the end of the step, and the cubic through its ends is so much earlier, where the gap is
/// not: the landing lies between the two.
BOOST_AUTO_TEST_CASE(a_landing_behind_the_place_where_the_cubic_has_it) {
  Valley valley;
  valley.open = false;
  Integrator integrator = run(valley, Vector::Zero(1), Vector::Ones(1), "energy-momentum-ggl", restitution(1));
  BOOST_TEST_REQUIRE(integrator.step(1).success());
  BOOST_TEST_REQUIRE(integrator.events().size() == 1u);
  const double landing = 0.97 - std::sqrt(std::log(10.4)) / 50;
  BOOST_TEST((integrator.events()[0].kind == EventKind::impact));
  BOOST_TEST(std::abs(integrator.events()[0].t - landing) <= 1e-13);
  BOOST_TEST(std::abs(integrator.state().q.value()[0] - (2 * landing - 1)) <= 1e-13);
}

BOOST_AUTO_TEST_CASE(time_stepping_moves_out_of_the_obstacle) {
  ContactOptions contact;
  contact.mode = ContactMode::time_stepping;
  for (const double h : {.04, .02, .01}) {
    SmoothCorner model;
    model.gravity = 10;
    Integrator integrator = run(model, vector(3, .8), vector(-.5, 0), "energy-momentum-ggl", contact);
    double deepest = 0;
    int closed = 0;
    for (int k = 0; k * h < 1; ++k) {
      BOOST_REQUIRE(integrator.step(h).success());
      if (integrator.state().closed.empty()) continue;
      ++closed;
      deepest = std::max(deepest, std::abs(integrator.state().q.value()[1]));
    }
    BOOST_TEST(closed > 10);
    BOOST_TEST(deepest <= 1e-14);
    BOOST_TEST(integrator.deepest_penetration() > 0);
    BOOST_TEST(integrator.deepest_penetration() <= (4 + 10 * h) * h);  // at most the way of the last step
    BOOST_TEST(std::abs(integrator.energy_book().open()) <= 1e-13);
  }
}

/// A run goes on from a state of another integrator of the same model.
BOOST_AUTO_TEST_CASE(checkpoints_hold_the_contacts) {
  SmoothCorner model;
  model.gravity = 10;
  Integrator whole = run(model, vector(3, .8), vector(-.5, 0), "energy-momentum-ggl", restitution(.5));
  Integrator other = run(model, vector(3, .8), vector(-.5, 0), "energy-momentum-ggl", restitution(.5));
  BOOST_TEST(whole.advance(150, .01).success());
  other.restore(whole.state());
  BOOST_TEST(other.state().closed == whole.state().closed, boost::test_tools::per_element());
  BOOST_TEST(whole.advance(150, .01).success());
  BOOST_TEST(other.advance(150, .01).success());
  BOOST_TEST((whole.state().q.value() - other.state().q.value()).norm() <= 1e-12);
  BOOST_TEST((whole.state().p.value() - other.state().p.value()).norm() <= 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_scheme_that_keeps_obstacles_by_itself_refuses_restitution) {
  const ProblemInstance instance = registry().build("wall-pendulum");
  IntegratorOptions options;
  options.contact.restitution = 0.5;
  BOOST_CHECK_EXCEPTION(
      registry().integrator(instance, "alpha-penalty", "newton", {}, {}, options), Error,
      [](const Error& error) { return std::string(error.what()).find("restitution = 0.5") != std::string::npos; });
}
