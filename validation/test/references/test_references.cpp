// The references: failures are reports, misuse is refused, force and time dependence are honoured.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "gnomon/registry/registry.hpp"
#include "support/builtin_registry.hpp"
#include "support/faulty_system.hpp"
#include "support/models.hpp"
#include "test/instance.hpp"

using namespace gnomon;

namespace {

/// A pendulum whose pivot moves, with friction, a wall of invalid values and a switch for exceptions.
struct Driven : AutodiffModel<2, 1> {
  double sway = 0, drag = 0, limit = std::numeric_limits<double>::infinity();
  int kind = 0;
  Mass mass() const { return Mass::diagonal((Vector(2) << 2, 2).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 2 * 9.81 * q[1];
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    const S x = q[0] - sway * sin(3.0 * t);
    g[0] = 0.5 * (x * x + q[1] * q[1] - 1.0);
  }
  template <class S>
  void force(const S&, const S* q, const S* v, S* f) const {
    if (q[1] > limit) {
      if (kind == 0) throw CannotEvaluate("above the limit");
      if (kind == 1) throw std::runtime_error("broken force");
      if (kind == 2) f[0] = f[1] = std::nan("");
      if (kind == 3) throw 5;
      if (kind == 2) return;
    }
    f[0] = -drag * v[0];
    f[1] = -drag * v[1];
  }
};

/// A pendulum of unit mass, length and gravity, written in other units.
struct OtherUnits : AutodiffModel<2, 1> {
  double length = 1, time = 1, mass_unit = 1;
  Mass mass() const { return Mass::diagonal(Vector::Constant(2, mass_unit)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return mass_unit * length / (time * time) * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - length * length);
  }
};

struct References {
  std::unique_ptr<ReferenceSolution> start(const std::string& name, const ProblemInstance& i, Assignments a = {}) {
    const Reference& r = registry().reference(name);
    return r.start(i, Options("reference " + name, r.options(), a));
  }
};

ProblemInstance driven(Driven model) {
  return test::instance_of(model, (Vector(2) << 1, 0).finished(), (Vector(2) << 2 * 3 * model.sway, 1).finished());
}

const std::vector<std::string> codes{"ida-index1", "ida-ggl", "cvode-projection"};

/// x = sway sin 3t + sin th, y = -cos th by RK4 on theta'' with 2e5 steps
void rk4(const Driven& m, double T, double& th, double& w) {
  th = std::acos(-1.0) / 2;
  w = 0.5;
  auto acc = [&](double t, double th, double w) {
    // x' = s*3cos3t + w cos th, y' = w sin th; tangent (cos th, sin th)
    const double vx = m.sway * 3 * std::cos(3 * t) + w * std::cos(th), vy = w * std::sin(th);
    const double fx = -m.drag * vx / 2, fy = -9.81 - m.drag * vy / 2;
    const double px = -m.sway * 9 * std::sin(3 * t);  // pivot acceleration
    return (fx - px) * std::cos(th) + fy * std::sin(th);
  };
  const int N = 200000;
  const double h = T / N;
  for (int i = 0; i < N; ++i) {
    const double t = i * h;
    double k1 = w, l1 = acc(t, th, w), k2 = w + h / 2 * l1, l2 = acc(t + h / 2, th + h / 2 * k1, w + h / 2 * l1);
    double k3 = w + h / 2 * l2, l3 = acc(t + h / 2, th + h / 2 * k2, w + h / 2 * l2), k4 = w + h * l3,
           l4 = acc(t + h, th + h * k3, w + h * l3);
    th += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(force_and_moving_constraint) {
  Driven m;
  m.sway = 0.3;
  m.drag = 0.7;
  double th, w;
  rk4(m, 2, th, w);
  References refs;
  for (const auto& name : codes) {
    auto s = refs.start(name, driven(m));
    ReferenceReport r = s->advance_to(0.5);
    BOOST_TEST(r.success, r.message);
    BOOST_TEST(r.t == 0.5);
    r = s->advance_to(2);
    BOOST_TEST(r.success, r.message);
    const double x = 0.3 * std::sin(6) + std::sin(th), y = -std::cos(th);
    const double px = 2 * (0.9 * std::cos(6) + w * std::cos(th)), py = 2 * w * std::sin(th);
    BOOST_TEST_MESSAGE(name << " " << r.q[0] - x << " " << r.q[1] - y << " " << r.p[0] - px << " " << r.p[1] - py
                            << " steps " << r.steps);
    BOOST_TEST(std::hypot(r.q[0] - x, r.q[1] - y) < 1e-8);
    BOOST_TEST(std::hypot(r.p[0] - px, r.p[1] - py) < 1e-7);
  }
}

// The force enters IDA's Jacobian through its own derivatives; a force without any is differenced.
BOOST_AUTO_TEST_CASE(jacobian_of_the_force) {
  Driven m;
  m.drag = 2000;  // stiff: what is missing in the Jacobian would be seen
  ProblemInstance declared = driven(m), undeclared = declared;
  undeclared.model = std::make_shared<test::FaultySystem>(
      *declared.model->mechanical(), test::FaultySystem::Function::count, test::FaultySystem::How::nan);
  BOOST_CHECK_THROW(undeclared.model->mechanical()->parts().force->force_pattern(ForceArgument::v), Error);
  References refs;
  for (const std::string name : {"ida-index1", "ida-ggl"}) {
    const auto run = [&](const ProblemInstance& instance, const char* jacobian) {
      const auto r = refs.start(name, instance, {{"jacobian", jacobian}})->advance_to(2);
      BOOST_TEST(r.success, r.message);
      return r;
    };
    const auto analytic = run(declared, "analytic"), differences = run(declared, "differences"),
               none = run(undeclared, "analytic");
    BOOST_TEST_MESSAGE(name << ": " << analytic.residual_evaluations << " residuals, by differences "
                            << differences.residual_evaluations);
    BOOST_TEST(analytic.residual_evaluations < differences.residual_evaluations);
    BOOST_TEST(none.residual_evaluations == differences.residual_evaluations);
    BOOST_TEST((analytic.q - differences.q).norm() < 1e-9);
    BOOST_TEST((none.q - differences.q).norm() == 0);
  }
}

BOOST_AUTO_TEST_CASE(there_and_back) {
  References refs;
  for (const auto& name : codes) {
    auto s = refs.start(name, driven({}));
    const auto r = s->advance_to(-1);
    BOOST_TEST(r.success, r.message);
    BOOST_TEST(r.t == -1);
    ProblemInstance back = driven({});
    back.t0 = -1;
    back.q0 = r.q;
    back.p0 = r.p;
    // index 1 has drifted off the constraint
    if (name != "ida-index1") {
      const auto b = refs.start(name, back)->advance_to(0);
      BOOST_TEST(b.success, b.message);
      BOOST_TEST((b.q - driven({}).q0).norm() < 1e-9);
    }
    const auto wrong = s->advance_to(-0.5);
    BOOST_TEST(!wrong.success);
    BOOST_TEST_MESSAGE(wrong.message);
    BOOST_TEST(wrong.t == -1);
    const auto same = s->advance_to(-1);
    BOOST_TEST(same.success);
    const auto nan = s->advance_to(std::nan(""));
    BOOST_TEST(!nan.success);
    const auto inf = s->advance_to(-std::numeric_limits<double>::infinity());
    BOOST_TEST(!inf.success);
    const auto on = s->advance_to(-1.5);
    BOOST_TEST(on.success);
  }
}

BOOST_AUTO_TEST_CASE(start_time) {
  References refs;
  for (const auto& name : codes) {
    auto s = refs.start(name, driven({}));
    const auto r = s->advance_to(0);
    BOOST_TEST(r.success);
    BOOST_TEST((r.q == driven({}).q0 && r.p == driven({}).p0));
    const auto tiny = s->advance_to(1e-300);
    BOOST_TEST_MESSAGE(tiny.success << " " << tiny.message);
    const auto on = s->advance_to(1e-3);
    BOOST_TEST(on.success, on.message);
  }
}

BOOST_AUTO_TEST_CASE(failing_callbacks) {
  References refs;
  const char* says[] = {"above the limit", "broken force", "not finite", "no std::exception"};
  for (const auto& name : codes)
    for (int kind = 0; kind < 4; ++kind) {
      Driven m;
      m.limit = 0.005;
      m.kind = kind;
      auto s = refs.start(name, driven(m));
      const auto r = s->advance_to(1);
      BOOST_TEST(!r.success);
      BOOST_TEST_MESSAGE(name << ": " << r.message);
      BOOST_TEST(r.message.find(says[kind]) != std::string::npos);
      BOOST_TEST(r.t > 0);
      BOOST_TEST(r.q[1] < 0.0051);
      BOOST_TEST(r.q.allFinite());
      const auto again = s->advance_to(1);
      BOOST_TEST(!again.success);
    }
}

BOOST_AUTO_TEST_CASE(step_limit) {
  References refs;
  for (const auto& name : codes) {
    auto s = refs.start(name, driven({}), {{"max-steps", "50"}});
    const auto r = s->advance_to(1);
    BOOST_TEST(!r.success);
    BOOST_TEST_MESSAGE(r.message);
    BOOST_TEST(r.steps == 50);
  }
}

BOOST_AUTO_TEST_CASE(refusals) {
  References refs;
  ProblemInstance bad = driven({});
  bad.q0[0] = 1.1;
  for (const auto& name : codes) BOOST_CHECK_THROW(refs.start(name, bad), Error);
  BOOST_CHECK_THROW(refs.start("exact", driven({})), Error);
  ProblemInstance broken = driven({});
  broken.exact = [](double t, Vector& q, Vector&) {
    if (t > 1) throw std::runtime_error("no more");
    q[0] = std::nan("");
  };
  auto s = refs.start("exact", broken);
  BOOST_TEST_MESSAGE(s->advance_to(0.5).message);
  BOOST_TEST(!s->advance_to(0.5).success);
  BOOST_TEST_MESSAGE(s->advance_to(2).message);
  BOOST_TEST(!s->advance_to(2).success);
  try {
    refs.start("exact", driven({}));
  } catch (const Error& e) {
    BOOST_TEST_MESSAGE(e.what());
  }
}

// One option set serves every choice of units: the tolerances are in parts of the unknowns' sizes.
BOOST_AUTO_TEST_CASE(units_do_not_matter) {
  References refs;
  for (const auto& name : codes) {
    std::vector<Vector> ends;
    std::vector<double> steps;
    for (const double unit : {1.0, 1e7, 1e-7}) {
      OtherUnits model;
      model.length = unit;
      model.time = 1e3;
      model.mass_unit = 1 / unit;
      const ProblemInstance i =
          test::instance_of(model, (Vector(2) << unit, 0).finished(), (Vector(2) << 0, 0.5 / model.time).finished());
      const auto r = refs.start(name, i)->advance_to(2 * model.time);
      BOOST_TEST(r.success, name << " at length unit " << unit << ": " << r.message);
      ends.push_back(r.q / unit);
      steps.push_back(static_cast<double>(r.steps));
    }
    for (std::size_t k : {1u, 2u}) {
      BOOST_TEST((ends[k] - ends[0]).norm() < 1e-9, name);
      BOOST_TEST(std::abs(steps[k] - steps[0]) < 0.1 * steps[0], name << ": " << steps[k] << " steps, " << steps[0]);
    }
  }
}

namespace {

/// A mass above a floor c = q >= 0, under gravity; or on a spring that takes it into the floor c = q + 1 - depth from
/// q = 1 by no more than `depth`.
struct Ball : AutodiffModel<1, 0> {
  double depth = 0;
  bool spring = false;
  double own_restitution = std::nan("");
  SystemTraits describe() const {
    SystemTraits traits = polynomial_traits("ball", 2, 1);
    traits.restitutions = Vector::Constant(1, own_restitution);
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Constant(1, 1)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return spring ? 0.5 * q[0] * q[0] : q[0];
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = spring ? q[0] + (1.0 - depth) : q[0];
  }
};

std::unique_ptr<ReferenceSolution> start_ball(const char* name, const Ball& ball, double q0,
                                              const Assignments& options = {}) {
  ProblemInstance instance;
  instance.q0 = Vector::Constant(1, q0);
  instance.p0 = Vector::Zero(1);
  instance.model = std::make_shared<AutodiffSystem<Ball>>(ball, instance.q0);
  const Reference& reference = registry().reference(name);
  return reference.start(instance, Options(name, reference.options(), options));
}

}  // namespace

// From height 1/2 it falls for a time 1 and rebounds with half the rate: impacts at 1, 2, 2.5, ..., 3 - 2^(2-k).
BOOST_AUTO_TEST_CASE(contact_in_closed_form) {
  for (const char* name : {"ida-index1", "ida-ggl"}) BOOST_TEST_CONTEXT(name) {
      const auto bouncing = start_ball(name, Ball(), 0.5, {{"restitution", "0.5"}, {"zeno-speed", "1e-3"}});
      const ReferenceReport up = bouncing->advance_to(1.5);
      BOOST_TEST(up.success, up.message);
      BOOST_TEST(std::abs(up.q[0] - 0.125) <= 1e-10);
      BOOST_TEST(up.events.size() == 1u);
      const ReferenceReport end = bouncing->advance_to(4);
      BOOST_TEST(end.success, end.message);
      // Rates 2^-k after the k-th impact: that with 2^-10 is the first below the zeno speed.
      BOOST_REQUIRE(end.events.size() == 10u);
      for (std::size_t k = 0; k < end.events.size(); ++k) {
        BOOST_TEST(std::abs(end.events[k].t - (3 - std::ldexp(4.0, -static_cast<int>(k) - 1))) <= 1e-8);
        BOOST_TEST((end.events[k].kind == (k == 9 ? EventKind::landing : EventKind::impact)));
      }
      BOOST_TEST(std::abs(end.q[0]) <= 1e-12);
      BOOST_REQUIRE(end.own_lambda.size() == 1);
      BOOST_TEST(std::abs(end.own_lambda[0] - 1) <= 1e-10);  // it carries the weight
      const ReferenceReport back = bouncing->advance_to(3);
      BOOST_TEST(!back.success);
      BOOST_TEST(back.message.find("cannot turn back") != std::string::npos);
    }
}

// The obstacle's own restitution comes before that of the options.
BOOST_AUTO_TEST_CASE(restitution_of_an_obstacle) {
  Ball ball;
  ball.own_restitution = 0.25;
  for (const char* name : {"ida-index1", "ida-ggl"}) BOOST_TEST_CONTEXT(name) {
      const ReferenceReport up = start_ball(name, ball, 0.5, {{"restitution", "0.5"}})->advance_to(1.25);
      BOOST_TEST(up.success, up.message);
      BOOST_TEST(std::abs(up.q[0] - 0.03125) <= 1e-10);
    }
}

// A gap that is below zero for 9e-5 only, far within one step, is seen where it is least.
BOOST_AUTO_TEST_CASE(a_dip_within_a_step_is_a_landing) {
  Ball ball;
  ball.spring = true;
  ball.depth = 1e-9;
  for (const char* name : {"ida-index1", "ida-ggl"}) BOOST_TEST_CONTEXT(name) {
      const ReferenceReport end = start_ball(name, ball, 1, {{"restitution", "1"}})->advance_to(4);
      BOOST_TEST(end.success, end.message);
      BOOST_REQUIRE(!end.events.empty());
      // The gap closes at a rate of 4.5e-5, and q is 1e-11 off.
      BOOST_TEST(std::abs(end.events[0].t - std::acos(ball.depth - 1)) <= 1e-6);
      BOOST_TEST((end.events[0].kind == EventKind::impact));
    }
}

BOOST_AUTO_TEST_CASE(contact_of_a_reference_is_event_driven) {
  ProblemInstance instance;
  instance.q0 = Vector::Constant(1, 1);
  instance.p0 = Vector::Zero(1);
  instance.model = std::make_shared<AutodiffSystem<Ball>>(Ball(), instance.q0);
  ContactOptions options;
  options.mode = ContactMode::time_stepping;
  BOOST_CHECK_THROW(contact_reference(instance, options, nullptr), Error);
  BOOST_CHECK_THROW(start_ball("ida-ggl", Ball(), -1), Error);
  BOOST_CHECK_THROW(start_ball("cvode-projection", Ball(), 1), Error);
  const Assignments told = contact_of_reference({{"mode", "time-stepping"}, {"restitution", "1"}},
                                                registry().reference("ida-ggl").options());
  BOOST_TEST(told.size() == 1u);
  BOOST_TEST(told.front().first == "restitution");
}
