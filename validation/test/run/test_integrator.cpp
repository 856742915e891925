/// \file
/// The integrator with real schemes and solvers: arrival, failure, refusal, and models that no built-in problem covers.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

namespace {

using namespace gnomon;

/// Planar pendulum whose potential cannot be evaluated below a height, in one of several ways.
struct FragilePendulum : AutodiffModel<2, 1> {
  enum class Failure { none, throws, nan };
  Failure failure = Failure::none;
  double limit = -0.5;

  SystemTraits describe() const { return polynomial_traits("fragile-pendulum", 1, 2); }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    if (failure != Failure::none && q[1] < S(limit)) {
      if (failure == Failure::throws) throw CannotEvaluate("below the table");
      return S(std::numeric_limits<double>::quiet_NaN()) * q[1];
    }
    return 9.81 * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

/// Its first integral refuses states while it is told to: a step then fails after the scheme has finished it.
struct RefusingPendulum : FragilePendulum {
  std::shared_ptr<bool> refuse = std::make_shared<bool>(false);

  ModelTraits describe() const {
    ModelTraits traits = FragilePendulum::describe();
    traits.n_integrals = 1;
    return traits;
  }
  std::string integral_name(Index) const { return "nothing"; }
  double integral(Index, double, const double*, const double*) const {
    if (*refuse) throw CannotEvaluate("not now");
    return 0;
  }
};

/// Swinging Atwood machine: g = |(x, y)| - h - 1 is not polynomial. M = diag(1,1,3), U = y + 3 h, from (1,0,0) at rest.
/// For this mass ratio Tufillaro's second integral exists; theta is the angle from the downward vertical:
/// r^2 theta' (r' cos(theta/2) - (r theta'/2) sin(theta/2)) + r^2 sin(theta/2) cos(theta/2)^2 = 0.35355339059327.
struct SwingingAtwood : AutodiffModel<3, 1> {
  Mass mass() const { return Mass::diagonal(Vector(Eigen::Vector3d(1, 1, 3))); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[1] + 3.0 * q[2];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    using std::sqrt;
    g[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - q[2] - 1.0;
  }
  static double second_integral(const State& z) {
    const Vector &q = z.q.value(), &p = z.p.value();
    const double r = std::hypot(q[0], q[1]), theta = std::atan2(q[0], -q[1]);
    const double rdot = (q[0] * p[0] + q[1] * p[1]) / r, thetadot = (q[0] * p[1] - q[1] * p[0]) / (r * r);
    const double s = std::sin(theta / 2), c = std::cos(theta / 2);
    return r * r * thetadot * (rdot * c - 0.5 * r * thetadot * s) + r * r * s * c * c;
  }
};

/// Two coupled masses on a rod with a full mass matrix, quartic potential.
struct CoupledRod : AutodiffModel<2, 1> {
  bool sparse = false;
  SystemTraits describe() const { return polynomial_traits("coupled-rod", 4, 2); }
  Mass mass() const {
    Matrix m(2, 2);
    m << 2, 0.5, 0.5, 1;
    if (!sparse) return Mass::dense(m);
    return Mass::sparse(SparsityPattern::dense(2, 2), (Vector(4) << 2, 0.5, 0.5, 1).finished());
  }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[1] + q[0] * q[0] * q[0] * q[0];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

struct Forced : FragilePendulum {
  template <class S>
  void force(const S&, const S*, const S* v, S* out) const {
    out[0] = -v[0];
    out[1] = -v[1];
  }
};

template <class Model>
ProblemInstance instance(Model model, std::initializer_list<double> q, std::initializer_list<double> p) {
  return test::instance_of(model, Eigen::Map<const Vector>(q.begin(), static_cast<Index>(q.size())),
                           Eigen::Map<const Vector>(p.begin(), static_cast<Index>(p.size())));
}

ProblemInstance pendulum(FragilePendulum::Failure failure = FragilePendulum::Failure::none) {
  FragilePendulum model;
  model.failure = failure;
  return instance(model, {1, 0}, {0, 0});
}

bool refused(const Error& error) {
  return error.code() == ErrorCode::refused;
}

const char* const solvers[] = {"kinsol-newton", "kinsol-linesearch", "newton"};

BOOST_AUTO_TEST_CASE(arrives_at_the_end_time_exactly) {
  auto integrator = registry().integrator(pendulum(), "energy-momentum", "newton");
  StepReport report = integrator.advance_to(1.0, 0.1);
  BOOST_TEST(report.success());
  BOOST_TEST(report.steps == 10);
  BOOST_TEST(report.t == 1.0);
  report = integrator.advance_to(1.25, 0.1);
  BOOST_TEST(report.steps == 3);
  BOOST_TEST(report.t == 1.25);
  BOOST_TEST(integrator.advance_to(1.25, 0.1).steps == 0);
}

BOOST_AUTO_TEST_CASE(steps_back_to_the_start) {
  for (const char* scheme : {"energy-momentum", "rattle"}) {
    auto integrator = registry().integrator(pendulum(), scheme, "newton");
    integrator.advance(200, 0.01);
    integrator.advance(200, -0.01);
    BOOST_TEST((integrator.state().q.value() - Eigen::Vector2d(1, 0)).norm() < 1e-11);
    BOOST_TEST(std::abs(integrator.state().t) < 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(a_callback_that_fails_ends_the_run_and_keeps_the_state) {
  for (const auto failure : {FragilePendulum::Failure::throws, FragilePendulum::Failure::nan})
    for (const char* solver : solvers) {
      auto integrator = registry().integrator(pendulum(failure), "energy-momentum", solver);
      const StepReport report = integrator.advance_to(1.0, 1e-2);
      BOOST_TEST((report.status == SolveStatus::evaluation_failed));
      BOOST_TEST(report.t < 0.5);
      BOOST_TEST(report.t == integrator.state().t);
      BOOST_TEST(integrator.state().q.value().allFinite());
      BOOST_TEST(integrator.state().q.value()[1] > -0.55);
      BOOST_TEST(report.message.find("t = ") != std::string::npos);
      if (failure == FragilePendulum::Failure::throws)
        BOOST_TEST(report.message.find("below the table") != std::string::npos, report.message);
      const Vector before = integrator.state().q.value();
      BOOST_TEST(!integrator.step(1e-2).success());
      BOOST_TEST((integrator.state().q.value() - before).norm() == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_step_refused_after_its_end_leaves_everything_as_it_was) {
  for (const char* scheme : {"energy-momentum", "composition", "alpha"}) {
    const RefusingPendulum model;
    const auto built = [&] { return registry().integrator(instance(model, {1, 0}, {0, 0}), scheme, "newton"); };
    auto undisturbed = built(), integrator = built();
    BOOST_REQUIRE(undisturbed.advance(20, 1e-2).success());
    for (const int steps : {0, 1, 2, 7, 10}) {  // histories that are empty, filling and full
      BOOST_REQUIRE(integrator.advance(steps, 1e-2).success());
      const State before = integrator.state();
      *model.refuse = true;
      const StepReport report = integrator.step(1e-2);
      *model.refuse = false;
      BOOST_TEST((report.status == SolveStatus::evaluation_failed));
      BOOST_TEST(report.message.find("not now") != std::string::npos, report.message);
      const State& after = integrator.state();
      BOOST_TEST((after.t == before.t && after.q.value() == before.q.value() && after.p.tail() == before.p.tail()));
      BOOST_TEST(after.history.count() == before.history.count());
      for (Index age = 0; age < before.history.count(); ++age)
        BOOST_TEST((after.history.at(age) == before.history.at(age)), scheme);
    }
    BOOST_TEST((integrator.state().q.value() == undisturbed.state().q.value()), scheme);
    BOOST_TEST((integrator.state().p.value() == undisturbed.state().p.value()), scheme);
  }
}

BOOST_AUTO_TEST_CASE(a_callback_that_fails_at_the_start_is_misuse) {
  FragilePendulum model;
  model.failure = FragilePendulum::Failure::throws;
  model.limit = 1;
  BOOST_CHECK_EXCEPTION(registry().integrator(instance(model, {1, 0}, {0, 0}), "energy-momentum", "newton"), Error,
                        [](const Error& e) { return e.code() == ErrorCode::callback_failed; });
  model.failure = FragilePendulum::Failure::nan;
  BOOST_CHECK_EXCEPTION(registry().integrator(instance(model, {1, 0}, {0, 0}), "energy-momentum", "newton"), Error,
                        [](const Error& e) { return e.code() == ErrorCode::not_finite; });
}

BOOST_AUTO_TEST_CASE(exhausted_iterations_are_a_report) {
  for (const char* solver : solvers) {
    auto integrator = registry().integrator(pendulum(), "energy-momentum", solver, {}, {{"max-iterations", "1"}});
    const StepReport report = integrator.step(0.2);
    BOOST_TEST((report.status == SolveStatus::not_converged), solver);
    BOOST_TEST(!report.message.empty());
    BOOST_TEST(integrator.state().t == 0);
    BOOST_TEST(integrator.counters().steps == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_step_is_cut_where_allowed) {
  IntegratorOptions options;
  auto strict = registry().integrator(pendulum(), "energy-momentum", "newton", {}, {{"max-iterations", "4"}}, options);
  BOOST_TEST(!strict.advance_to(10.0, 0.5).success());
  options.max_halvings = 6;
  auto lenient = registry().integrator(pendulum(), "energy-momentum", "newton", {}, {{"max-iterations", "4"}}, options);
  const StepReport report = lenient.advance_to(10.0, 0.5);
  BOOST_TEST(report.success(), report.message);
  BOOST_TEST(lenient.counters().refused_steps > 0);
  BOOST_TEST(lenient.state().t == 10.0);
  BOOST_TEST(lenient.monitor().energy().max_abs_error() < 1e-12);
}

BOOST_AUTO_TEST_CASE(an_observer_sees_every_step_and_may_stop) {
  struct Stop final : Observer {
    long calls = 0;
    bool observe(const State& z, long step) override {
      BOOST_TEST(step == calls);
      BOOST_TEST(std::abs(z.t - 0.01 * static_cast<double>(step)) < 1e-14);
      return ++calls <= 5;
    }
  } observer;
  auto integrator = registry().integrator(pendulum(), "energy-momentum", "newton");
  integrator.add_observer(observer);
  integrator.start(0, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 0));
  const StepReport report = integrator.advance(100, 0.01);
  BOOST_TEST(report.stopped_by_observer);
  BOOST_TEST(observer.calls == 6);
  BOOST_TEST(report.steps == 5);
}

BOOST_AUTO_TEST_CASE(bad_steps_are_misuse) {
  auto integrator = registry().integrator(pendulum(), "energy-momentum", "newton");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_THROW(integrator.step(0), Error);
  BOOST_CHECK_THROW(integrator.step(nan), Error);
  BOOST_CHECK_THROW(integrator.advance_to(1, -0.1), Error);
  BOOST_CHECK_THROW(integrator.advance_to(nan, 0.1), Error);
  BOOST_CHECK_THROW(integrator.advance_to(1, 1e-17), Error);
  const ProblemInstance late = pendulum();
  integrator.start(1e16, late.q0, late.p0);
  BOOST_CHECK_EXCEPTION(integrator.advance(3, 0.01), Error, [](const Error& error) {
    return std::string(error.what()).find("step h = 0.01 is below the rounding of t = 1e+16") == 0;
  });
  BOOST_TEST(integrator.advance(3, 4).success());
}

BOOST_AUTO_TEST_CASE(systems_that_do_not_fit_are_refused) {
  const auto forced = instance(Forced(), {1, 0}, {0, 0});
  for (const char* scheme : {"constrained-midpoint", "alpha-exact", "beam-dissipative"})
    BOOST_CHECK_EXCEPTION(registry().integrator(forced, scheme, "newton"), Error, refused);
  const auto atwood = instance(SwingingAtwood(), {1, 0, 0}, {0, 0, 0});
  BOOST_CHECK_EXCEPTION(registry().integrator(atwood, "energy-momentum", "newton"), Error, refused);
  const auto quartic = instance(CoupledRod(), {1, 0}, {0, 0});
  BOOST_CHECK_EXCEPTION(registry().integrator(quartic, "energy-momentum", "newton"), Error, refused);
}

BOOST_AUTO_TEST_CASE(general_derivative_is_exact_for_any_constraint) {
  const auto atwood = instance(SwingingAtwood(), {1, 0, 0}, {0, 0, 0});
  for (const char* weight : {"identity", "mass"})
    for (const char* solver : solvers) {
      double previous = 0;
      for (const double h : {0.02, 0.01}) {
        auto integrator = registry().integrator(atwood, "energy-momentum-general", solver, {{"weight", weight}});
        const StepReport report = integrator.advance_to(10.0, h);
        BOOST_TEST(report.success(), report.message);
        BOOST_TEST(integrator.monitor().energy().max_abs_error() < integrator.monitor().energy_gate());
        BOOST_TEST(integrator.monitor().position_max() < 1e-13);
        const double error = std::abs(SwingingAtwood::second_integral(integrator.state()) - 0.35355339059327);
        if (previous > 0) BOOST_TEST(std::abs(std::log2(previous / error) - 2) < 0.15, previous << " " << error);
        previous = error;
      }
    }
}

BOOST_AUTO_TEST_CASE(full_mass_matrices_keep_the_energy_too) {
  for (const bool sparse : {false, true})
    for (const char* weight : {"identity", "mass"}) {
      CoupledRod model;
      model.sparse = sparse;
      auto integrator = registry().integrator(instance(model, {1, 0}, {0, 0}), "energy-momentum-general",
                                              "kinsol-newton", {{"weight", weight}});
      BOOST_TEST(integrator.advance(2000, 0.01).success());
      BOOST_TEST(integrator.monitor().energy().max_abs_error() < integrator.monitor().energy_gate());
      BOOST_TEST(integrator.monitor().position_max() < 1e-14);
      for (const auto source : {JacobianSource::dual, JacobianSource::differences}) {
        ScaledEquations scaled(integrator.equations().system(0), JacobianSource::analytic);
        integrator.equations().begin(integrator.state(), 0.01);
        scaled.update_scales();
        const Vector x = Vector::Constant(scaled.size(), 0.3);
        double outside = 1;
        const double difference = compare_jacobians(scaled, x, JacobianSource::analytic, source, &outside);
        BOOST_TEST(difference < (source == JacobianSource::dual ? 1e-12 : 1e-6));
        BOOST_TEST(outside < 1e-7);
      }
    }
}

BOOST_AUTO_TEST_CASE(dense_and_klu_take_the_same_steps) {
  const ProblemInstance chain = registry().build("chain", {{"links", "30"}});
  auto dense = registry().integrator(chain, "energy-momentum", "kinsol-newton", {}, {{"algebra", "dense"}});
  auto klu = registry().integrator(chain, "energy-momentum", "kinsol-newton", {}, {{"algebra", "klu"}});
  BOOST_TEST(dense.advance(50, 1e-3).success());
  BOOST_TEST(klu.advance(50, 1e-3).success());
  BOOST_TEST((dense.state().q.value() - klu.state().q.value()).lpNorm<Eigen::Infinity>() < 1e-13);
  BOOST_TEST(klu.monitor().energy().max_abs_error() < 1e-14);
}

}  // namespace

// The border of constraints that repeat others is found anew in most of these steps.
BOOST_AUTO_TEST_CASE(a_step_is_a_function_of_its_start) {
  const Registry& registry = gnomon::registry();
  const ProblemInstance instance = registry.build("bricard-loop");
  constexpr double h = 0.05;
  constexpr std::size_t steps = 40;
  for (const std::string& scheme : registry.schemes()) {
    if (scheme == "alpha-exact" || scheme == "beam-dissipative") continue;  // of models with M(q), and of beams
    Integrator run = registry.integrator(instance, scheme, "newton");
    Integrator other = registry.integrator(instance, scheme, "newton");
    std::vector<State> states{run.state()};
    std::size_t renewed = 0;
    for (std::size_t k = 0; k < steps; ++k) {
      BOOST_REQUIRE(run.step(h).success());
      renewed += run.state().border != states.back().border ? 1 : 0;
      states.push_back(run.state());
    }
    BOOST_TEST((renewed > 10 || states.back().border.size() == 0), scheme << ": " << renewed);
    BOOST_REQUIRE(other.step(h).success());
    for (std::size_t k = steps; k-- > 0;) {
      other.restore(states[k]);
      BOOST_REQUIRE(other.step(h).success());
      const State &here = other.state(), &there = states[k + 1];
      BOOST_TEST((here.border - there.border).norm() < 1e-15, scheme << ", step " << k);
      BOOST_TEST((here.q.value() - there.q.value()).lpNorm<Eigen::Infinity>() < 1e-15, scheme << ", step " << k);
      BOOST_TEST((here.p.value() - there.p.value()).lpNorm<Eigen::Infinity>() < 1e-14, scheme << ", step " << k);
    }
  }
}
