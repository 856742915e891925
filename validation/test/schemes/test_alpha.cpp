// The alpha-schemes: the two-step scheme as a one-step map, warnings at the stability limit, contacts, iterations.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "gnomon/solve/scaled_equations.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

Integrator start(const ProblemInstance& instance, const std::string& scheme, const Assignments& options = {}) {
  Integrator integrator = registry().integrator(instance, scheme, "newton", options);
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}
void advance(Integrator& integrator, long steps, double h) {
  const StepReport report = integrator.advance(steps, h);
  BOOST_TEST_REQUIRE(report.success(), report.message);
}
const char* warning(Integrator& integrator) {
  const auto* equations = dynamic_cast<const StepWarning*>(&integrator.equations());
  BOOST_REQUIRE(equations != nullptr);
  return equations->warning();
}
double distance(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>();
}

}  // namespace

// Damped, driven, nonlinear; constrained; with contacts.
BOOST_AUTO_TEST_CASE(a_state_is_all_that_a_step_needs) {
  struct Example {
    const char *problem, *scheme;
    Assignments set;
    double h;
  };
  const Example examples[] = {{"oscillator-chain", "alpha", {{"damping", ".2"}, {"load", "1"}, {"cubic", "3"}}, .05},
                              {"planar-pendulum", "alpha", {}, .01},
                              {"planar-pendulum", "alpha-penalty", {}, .01},
                              {"colliding-strings", "alpha-penalty", {{"intervals", "20"}}, 1e-3}};
  for (const Example& example : examples) BOOST_TEST_CONTEXT(example.problem << ", " << example.scheme) {
      const ProblemInstance instance = registry().build(example.problem, example.set);
      Integrator whole = start(instance, example.scheme), again = start(instance, example.scheme);
      advance(whole, 400, example.h);
      again.restart(whole.state());
      advance(whole, 20, example.h);
      advance(again, 20, example.h);
      BOOST_TEST(distance(whole.state().q.value(), again.state().q.value()) <= 1e-12);
      BOOST_TEST(distance(whole.state().p.value(), again.state().p.value()) <= 1e-11);
      BOOST_TEST(std::abs(static_cast<double>(whole.state().work.total() - again.state().work.total())) <= 1e-12);
    }
}

// Against 2/[lambda (1 - 4 alpha)]^(1/2), lambda = 4 k/m cos^2(pi/(2N + 2)): dense for few masses, Lanczos for many.
BOOST_AUTO_TEST_CASE(steps_above_the_stability_limit_are_warned_of) {
  for (const int masses : {5, 100, 101, 2000}) {
    const ProblemInstance instance =
        registry().build("oscillator-chain", {{"masses", std::to_string(masses)}, {"stiffness", "9"}, {"cubic", "0"}});
    const double cosine = std::cos(std::acos(-1.0) / (2 * masses + 2));
    const double limit = 1 / std::sqrt(9 * cosine * cosine * (1 - 4 * .1));
    for (const double factor : {.999, 1.001}) BOOST_TEST_CONTEXT(masses << " masses, " << factor << " of the limit") {
        Integrator integrator = start(instance, "alpha", {{"alpha", ".1"}});
        advance(integrator, 1, factor * limit);
        const char* text = warning(integrator);
        BOOST_TEST((text != nullptr) == (factor > 1));
        if (text == nullptr) continue;
        const std::string said = text, before = "stability limit ";
        const auto at = said.find(before);
        BOOST_REQUIRE(at != std::string::npos);
        BOOST_TEST(std::abs(std::stod(said.substr(at + before.size())) / limit - 1) <= 1e-4);
      }
  }
  Integrator unconditional = start(registry().build("oscillator-chain", {{"cubic", "0"}}), "alpha");
  advance(unconditional, 1, 100);
  BOOST_TEST(warning(unconditional) == nullptr);
}

// With strings on each other, leaving and meeting.
BOOST_AUTO_TEST_CASE(jacobians_agree_in_contact) {
  for (const char* mass : {"lumped", "consistent"}) {
    const ProblemInstance instance =
        registry().build("colliding-strings", {{"intervals", "16"}, {"mass", mass}, {"rho2", "2"}});
    Integrator integrator = start(instance, "alpha-penalty");
    int in_contact = 0;
    for (int k = 0; k < 1000; ++k) {
      advance(integrator, 1, 1e-3);
      StepEquations& step = integrator.equations();
      const State z = integrator.state();
      Vector c(15);
      instance.model->mechanical()->parts().obstacles->obstacles(z.q.value(), c);
      if (c.minCoeff() >= 0) continue;
      ++in_contact;
      for (const double h : {1e-3, 2e-3}) {  // 2e-3: from the start's equation
        step.begin(z, h);
        ScaledEquations equations(step.system(0), JacobianSource::analytic);
        Vector x(equations.size()), xs(equations.size());
        step.predict(0, x);
        equations.update_scales();
        equations.to_scaled(x, xs);
        BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::dual) <= 1e-12);
        BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::differences) <= 1e-6);
      }
    }
    BOOST_TEST(in_contact >= 10);
  }
}

// What a solve at double precision leaves of the equation is energy.
BOOST_AUTO_TEST_CASE(the_energy_of_a_stiff_penalty_does_not_drift) {
  for (const char* problem : {"heavy-top", "polymer", "closed-chain"}) BOOST_TEST_CONTEXT(problem) {
      Integrator integrator = start(registry().build(problem, {}), "alpha-penalty");
      advance(integrator, 2000, 1e-3);
      const Drift& energy = integrator.monitor().discrete_energy();
      BOOST_TEST(energy.max_abs_error() <= 2e-15);
    }
}

BOOST_AUTO_TEST_CASE(penalties_tend_to_the_constraint) {
  const ProblemInstance instance = registry().build("planar-pendulum", {});
  Integrator exact = start(instance, "alpha");
  advance(exact, 100, 1e-3);
  for (const double eps : {1e-4, 1e-6, 1e-8}) {
    Integrator penalty = start(instance, "alpha-penalty", {{"eps", number_text(eps)}});
    advance(penalty, 100, 1e-3);
    BOOST_TEST(distance(penalty.state().q.value(), exact.state().q.value()) <= 10 * eps);
  }
}

BOOST_AUTO_TEST_CASE(second_order_updates_need_two_iterations) {
  const ProblemInstance instance = registry().build("planar-pendulum", {});
  const auto iterations = [&](const char* update, const char* eps) {
    Integrator integrator =
        start(instance, "alpha-augmented", {{"update", update}, {"tolerance", "1e-9"}, {"eps", eps}});
    advance(integrator, 1000, 1e-2);
    BOOST_TEST(integrator.monitor().position_max() <= 1e-9);
    return 1 + static_cast<double>(integrator.counters().repeated_solves) / 1000;
  };
  for (const char* eps : {"1e-5", "1e-4"}) {
    const double second = iterations("second", eps), first = iterations("first", eps);
    BOOST_TEST(second <= 2.1);
    BOOST_TEST(first > second + .5);
  }
}
