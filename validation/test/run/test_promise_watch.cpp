/// \file
/// Promises that are watched: kept ones are never named, broken ones once, with the step.

#include <boost/test/unit_test.hpp>
#include <cstdio>

#include "gnomon/base/error.hpp"
#include "gnomon/gnomon.hpp"

namespace {

using namespace gnomon;

constexpr const char* module = GNOMON_TEST_MODULES "/overpromising.so";

Registry registry() {
  Registry registry;
  register_builtin(registry);
  registry.load(module);
  return registry;
}

ProblemInstance pendulum(const Registry& registry) {
  return registry.build("double-spherical-pendulum", {{"start", "spatial"}});
}

/// Steps after which a broken promise was there.
class FirstSeen final : public Observer {
 public:
  explicit FirstSeen(const Integrator& integrator) : integrator_(&integrator) {}
  bool observe(const State&, long step) override {
    if (at < 0 && !integrator_->broken_promises().empty()) at = step;
    return true;
  }
  long at = -1;

 private:
  const Integrator* integrator_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(broken_energy_is_named_once) {
  const Registry all = registry();
  Integrator integrator = all.integrator(pendulum(all), "overpromising", "kinsol-newton");
  FirstSeen seen(integrator);
  integrator.add_observer(seen);
  BOOST_TEST(integrator.broken_promises().empty());
  BOOST_TEST(integrator.advance(1000, 1e-2).success());
  BOOST_REQUIRE(integrator.broken_promises().size() == 1u);
  const BrokenPromise& broken = integrator.broken_promises().front();
  BOOST_TEST(broken.measure.name() == "energy");
  BOOST_TEST(broken.step == seen.at);
  BOOST_TEST((broken.step & (broken.step - 1)) == 0);
  BOOST_TEST(broken.t == 1e-2 * static_cast<double>(broken.step), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(broken.measure.error > broken.measure.gate);
  BOOST_TEST(broken.text().find("energy at step " + std::to_string(broken.step)) == 0u);
  integrator.start(0, integrator.state().q.value(), integrator.state().p.value());
  BOOST_TEST(integrator.broken_promises().empty());
}

// Single steps are watched at powers of two; in between the caller may ask.
BOOST_AUTO_TEST_CASE(checked_on_request) {
  const Registry all = registry();
  Integrator asked = all.integrator(pendulum(all), "overpromising", "kinsol-newton");
  long step = 0;
  while (asked.check_promises().empty() && ++step < 1000) BOOST_TEST(asked.step(1e-3).success());
  BOOST_TEST(asked.broken_promises().front().step == step);
  Integrator silent = all.integrator(pendulum(all), "overpromising", "kinsol-newton");
  long power = 0;
  while (silent.broken_promises().empty() && ++power < 1000) BOOST_TEST(silent.step(1e-3).success());
  BOOST_TEST(power >= step);
  BOOST_TEST((power & (power - 1)) == 0);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_remembers) {
  const Registry all = registry();
  const ProblemInstance instance = pendulum(all);
  Integrator whole = all.integrator(instance, "overpromising", "kinsol-newton");
  BOOST_TEST(whole.advance(100, 1e-2).success());
  whole.save("promise_watch.checkpoint");
  Integrator resumed = all.integrator(instance, "overpromising", "kinsol-newton");
  resumed.load("promise_watch.checkpoint");
  std::remove("promise_watch.checkpoint");
  BOOST_REQUIRE(resumed.broken_promises().size() == 1u);
  BOOST_TEST(resumed.broken_promises().front().text() == whole.broken_promises().front().text());
}

// What the caller changes is no broken promise.
BOOST_AUTO_TEST_CASE(a_restart_with_another_momentum_breaks_nothing) {
  const Registry all = registry();
  Integrator integrator = all.integrator(pendulum(all), "energy-momentum", "kinsol-newton");
  BOOST_TEST(integrator.advance(100, 1e-3).success());
  State faster = integrator.state();
  faster.p.set(1.5 * faster.p.value());
  integrator.restart(faster);
  BOOST_TEST(integrator.advance(100, 1e-3).success());
  BOOST_TEST(integrator.broken_promises().empty());
  BOOST_TEST(integrator.monitor().energy().max_abs_error() < integrator.monitor().energy_gate());
}

// Atwood's machine at rest: U = 0 by terms that cancel, 2/3 is rounded, and the first step takes the start onto the
// constraint. What its multiplier makes of that is far above the rounding of the energies of so small a motion.
BOOST_AUTO_TEST_CASE(the_first_step_counts_terms_that_cancel) {
  const auto problem = read_model_text(R"toml(format = 1
coordinates = ["x[2]"]
mass = [1, 3]
potential = "10*x[0] + 30*x[1]"
constraints = { rope = "x[0] + x[1] - 2/3" }
[start]
position = { "x[0]" = 1, "x[1]" = "-1/3" }
)toml",
                                       "atwood.toml");
  const Registry all = registry();
  const ProblemInstance atwood = problem->build(Options("problem atwood", {}));
  BOOST_TEST(atwood.model->mechanical()->potential(0, atwood.q0) == 0);
  for (const char* scheme : {"energy-momentum", "augmented-lagrange", "energy-momentum-ggl", "line-integral-ggl"}) {
    Integrator integrator = all.integrator(atwood, scheme, "newton");
    BOOST_REQUIRE(integrator.advance(1, 1e-4).success());
    const InvariantMonitor& monitor = integrator.monitor();
    BOOST_TEST_MESSAGE(scheme << ": " << monitor.energy().max_abs_error() << " of " << monitor.energy_scale());
    for (const BrokenPromise& broken : integrator.broken_promises()) BOOST_ERROR(scheme << ": " << broken.text());
  }
}

// A pendulum hangs at rest, and a body is held at its centre of mass, both at the height zero: neither velocities nor
// energies have a size, but roundings do.
BOOST_AUTO_TEST_CASE(exact_rest) {
  const Registry all = registry();
  int runs = 0;
  for (const char* text : {R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = "9.81*y"
constraints = { rod = "x^2 + (y - 1)^2 - 1" }
)toml",
                           R"toml(format = 1
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0] }
bodies.b = { mass = 1, inertia = [1, 1, 1], position = [0, 0, 0] }
joints.j = { type = "revolute", between = ["O", "b"], axis = [0, 1, 0] }
)toml"}) {
    const auto problem = read_model_text(text, "rest.toml");
    const ProblemInstance rest = problem->build(Options("problem rest", {}));
    for (const auto& scheme : all.schemes()) {
      if (scheme == "overpromising") continue;
      try {
        Integrator integrator = all.integrator(rest, scheme, "newton");
        if (!integrator.advance(300, 1e-2).success()) {
          // Updates of multipliers end at the rounding of g, whose terms have no size where q = 0: they stall and say
          // so.
          BOOST_TEST(scheme.find("augmented") != std::string::npos, scheme << " stopped");
          continue;
        }
        ++runs;
        for (const BrokenPromise& broken : integrator.broken_promises()) BOOST_ERROR(scheme << ": " << broken.text());
        if (integrator.promises().position) BOOST_TEST(integrator.state().p.value().norm() < 1e-15, scheme);
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::refused), error.what());
      }
    }
  }
  BOOST_TEST(runs > 20);
}

// Every scheme with what it promises, on problems of several kinds.
BOOST_AUTO_TEST_CASE(kept_promises_are_not_named) {
  const Registry all = registry();
  int runs = 0;
  for (const char* problem : {"planar-pendulum", "spring-pendulum", "heavy-top", "closed-chain", "shaken-pendulum",
                              "double-compound-pendulum", "polymer"})
    for (const auto& scheme : all.schemes()) {
      if (scheme == "overpromising") continue;
      try {
        Integrator integrator = all.integrator(all.build(problem), scheme, "kinsol-newton");
        if (!integrator.advance(300, 1e-3).success()) continue;
        ++runs;
        for (const BrokenPromise& broken : integrator.broken_promises())
          BOOST_ERROR(problem << ", " << scheme << ": " << broken.text());
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::refused), error.what());
      }
    }
  BOOST_TEST(runs > 60);
}

namespace {

/// The energy error of a particle on a surface after 40 000 steps of 0.2.
double drift_on(const Registry& all, const std::string& surface, const char* scheme) {
  const auto problem = read_model_text(R"toml(format = 1
coordinates = ["x", "y", "z"]
mass = 1
potential = "0"
parameters = { a = 1.1, b = 1.5, k = 0.37 }
constraints = { surface = ")toml" + surface +
                                           R"toml(" }
[start]
position = { x = 0.6, y = 0.5, z = 0.5 }
velocity = { x = 0.3, y = -0.8, z = 0.4 }
project = true
)toml",
                                       "ellipsoid.toml");
  Integrator integrator = all.integrator(problem->build(Options("problem ellipsoid", {})), scheme, "kinsol-newton");
  BOOST_REQUIRE(integrator.advance(40000, 0.2).success());
  return integrator.monitor().energy().max_abs_error();
}

}  // namespace

// A particle on ellipsoids whose factors are not exact: where a value and its derivative are rounded to different ones
// the energy moves along by their difference, by 2e-14 to 4e-14 in these steps.
BOOST_AUTO_TEST_CASE(factors_of_constraints_make_no_drift) {
  const Registry all = registry();
  for (const std::string surface :
       {"(x^2/a^2 + y^2/b^2 + z^2/0.49 - 1)/2", "k*(0.7*(x^2 + 0.1*z*x) + 1.3*y^2 - (1 - 0.9*z^2))/3"})
    for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "line-integral-ggl", "hbvm"})
      BOOST_TEST(drift_on(all, surface, scheme) < 1e-15, scheme << ", " << surface);
}

// z^2 stands in two terms, so that the factor of it is a sum, which is rounded once more.
BOOST_AUTO_TEST_CASE(monomials_that_stand_twice) {
  const Registry all = registry();
  for (const std::string surface :
       {"-k*((0.7*x + 0.1*z)^2/a - 1.1*(1 - 1.3*y^2 - 0.9*z^2))", "(0.7*x + z)^2 + 1.3*y^2 + 0.9*z^2 - 1"})
    for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "line-integral-ggl", "hbvm"})
      BOOST_TEST(drift_on(all, surface, scheme) < 1e-15, scheme << ", " << surface);
}
