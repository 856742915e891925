// The error of a run in fixed steps from halved steps beside it, against true errors; and what its growth is called.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "measures/run/error_estimate.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;
using validation::ErrorEstimate;
using validation::GrowthLaw;
using validation::GrowthWatch;

struct Method {
  std::string problem;
  Assignments set;
  std::string scheme;
  Assignments options;
};

ErrorEstimate estimate(const Method& method, double h, double until, Observer* also = nullptr) {
  const ProblemInstance instance = registry().build(method.problem, method.set);
  const auto make = [&] { return registry().integrator(instance, method.scheme, "newton", method.options); };
  Integrator integrator = make();
  validation::StepHalving halving(integrator, make(), h);
  integrator.add_observer(halving);
  if (also) integrator.add_observer(*also);
  BOOST_REQUIRE(integrator.advance_to(until, h).success());
  return halving.estimate();
}

/// The largest errors of q and v against the closed form, unit masses.
struct TrueErrors final : Observer {
  explicit TrueErrors(ProblemInstance of) : instance(std::move(of)) {}
  bool observe(const State& z, long) override {
    instance.exact(z.t, q, p);
    position = std::max(position, (z.q.value() - q).norm());
    velocity = std::max(velocity, (z.p.value() - p).norm());
    return true;
  }
  ProblemInstance instance;
  Vector q, p;
  double position = 0, velocity = 0;
};

bool chaotic(const Method& method, double h, double until) {
  const GrowthLaw law = estimate(method, h, until).growth;
  BOOST_TEST_MESSAGE(method.problem << " by " << method.scheme << ": L = " << law.rate
                                    << ", L T = " << law.rate * law.until << ", k = " << law.exponent << ", residuals "
                                    << law.residual << " " << law.power_residual);
  BOOST_TEST(law.known);
  return law.exponential;
}

}  // namespace

BOOST_AUTO_TEST_CASE(against_true_errors) {
  const Method methods[] = {{"planar-pendulum", {{"start", "later"}}, "energy-momentum-ggl", {}},
                            {"planar-pendulum", {{"start", "later"}}, "rattle", {}},
                            {"planar-pendulum", {{"start", "later"}}, "line-integral-ggl", {{"s", "2"}}},
                            {"planar-pendulum", {{"start", "later"}}, "projected-rk", {}}};
  for (const Method& method : methods)
    for (const double h : {0.1, 0.03}) {
      TrueErrors truth(registry().build(method.problem, method.set));
      const ErrorEstimate found = estimate(method, h, 10, &truth);
      BOOST_TEST_CONTEXT(method.scheme << ", h = " << h) {
        BOOST_TEST(found.parts[0].largest / truth.position > 0.8);
        BOOST_TEST(found.parts[0].largest / truth.position < 1.25);
        BOOST_TEST(found.parts[1].largest / truth.velocity > 0.8);
        BOOST_TEST(found.parts[1].largest / truth.velocity < 1.25);
        BOOST_TEST(found.parts[2].largest > 0);
        BOOST_TEST(found.left_out == 0);
        BOOST_TEST(found.until == 10);
      }
    }
}

// lambda = q_dot^2 - gravity q_y of the pendulum: its index-1 multiplier is as accurate as q and v.
BOOST_AUTO_TEST_CASE(multipliers) {
  const Method method{"planar-pendulum", {{"start", "later"}}, "energy-momentum-ggl", {}};
  const double coarse = estimate(method, 0.02, 10).parts[2].largest, fine = estimate(method, 0.01, 10).parts[2].largest;
  BOOST_TEST(coarse / fine > 3.6);
  BOOST_TEST(coarse / fine < 4.4);
}

// A last step that is shorter, and a start that is not at rest.
BOOST_AUTO_TEST_CASE(shortened_last_step) {
  const ErrorEstimate found = estimate({"planar-pendulum", {}, "energy-momentum", {}}, 0.03, 1);
  BOOST_TEST(found.until == 1);
  BOOST_TEST(found.parts[0].end > 0);
}

BOOST_AUTO_TEST_CASE(orders_that_give_no_estimate) {
  BOOST_CHECK_THROW(estimate({"cubic-surface", {}, "symplectic-euler-natural", {}}, 1e-3, 0.1), Error);
  BOOST_TEST(estimate({"planar-pendulum", {}, "penalty", {}}, 1e-2, 0.1).own_limit);
}

// Events of the two runs come at different steps; what lies between is left out.
BOOST_AUTO_TEST_CASE(contacts) {
  const ErrorEstimate found = estimate({"walled-pendulum", {}, "energy-momentum", {}}, 1e-2, 5);
  BOOST_TEST(found.parts[0].largest < 1e-2);
  BOOST_TEST(found.parts[1].relative(found.parts[1].largest) < 1e-2);
  BOOST_TEST(found.until == 5);
}

BOOST_AUTO_TEST_CASE(laws_of_growth) {
  const auto law = [](double until, auto error) {
    GrowthWatch watch;
    for (int i = 1; i <= 5000; ++i) watch.add(until * i / 5000, error(until * i / 5000));
    return watch.law();
  };
  const auto wave = [](double t) { return 1 + 0.9 * std::sin(7 * t); };
  BOOST_TEST(law(50, [&](double t) { return 1e-12 * t * wave(t) * std::exp(0.4 * t); }).exponential);
  BOOST_TEST(law(50, [&](double t) { return 1e-12 * t * std::exp(0.4 * t); }).rate == 0.4,
             boost::test_tools::tolerance(0.02));
  for (const double power : {0.0, 0.5, 1.0, 1.5, 2.0}) {
    const GrowthLaw found = law(1000, [&](double t) { return 1e-9 * std::pow(t, power) * wave(t); });
    BOOST_TEST(!found.exponential);
    BOOST_TEST(found.exponent == power, boost::test_tools::tolerance(0.15));
  }
  // Growth by exp(3) is not enough to speak of chaos, and what follows saturation is not looked at.
  BOOST_TEST(!law(10, [](double t) { return 1e-6 * std::exp(0.3 * t); }).exponential);
  const GrowthLaw saturating = law(100, [](double t) { return std::min(2.0, 1e-10 * std::exp(t)); });
  BOOST_TEST(saturating.exponential);
  BOOST_TEST(saturating.until < 25);
  BOOST_TEST(!law(10, [](double) { return 1e-15; }).known);
  BOOST_TEST(!law(10, [](double) { return NAN; }).known);
}

BOOST_AUTO_TEST_CASE(chaotic_motions) {
  BOOST_TEST(chaotic({"double-spherical-pendulum", {}, "energy-momentum", {}}, 2e-3, 20));
  BOOST_TEST(chaotic({"double-spherical-pendulum", {}, "line-integral-ggl", {}}, 5e-3, 20));
  BOOST_TEST(chaotic({"double-compound-pendulum", {}, "energy-momentum-general", {}}, 2e-3, 30));
  BOOST_TEST(chaotic({"chain", {{"links", "5"}}, "rattle", {}}, 2e-3, 20));
}

BOOST_AUTO_TEST_CASE(regular_motions) {
  BOOST_TEST(!chaotic({"planar-pendulum", {}, "energy-momentum", {}}, 1e-2, 100));
  BOOST_TEST(!chaotic({"planar-pendulum", {{"angle", "3.1"}, {"speed", "0"}}, "rattle", {}}, 1e-2, 100));
  BOOST_TEST(!chaotic({"heavy-top", {{"start", "nutating"}}, "energy-momentum", {}}, 1e-3, 5));
  BOOST_TEST(!chaotic({"simple-pendulum", {}, "line-integral-ggl", {}}, 5e-2, 200));
  BOOST_TEST(!chaotic({"swinging-atwood", {}, "energy-momentum-ggl", {}}, 1e-2, 50));
  BOOST_TEST(!chaotic({"conical-pendulum", {}, "energy-momentum", {}}, 1e-2, 100));
  BOOST_TEST(!chaotic({"oscillator-chain", {}, "rattle", {}}, 1e-2, 100));
  BOOST_TEST(!chaotic({"tethered-satellites", {}, "energy-momentum-general", {}}, 1e-1, 300));
}
