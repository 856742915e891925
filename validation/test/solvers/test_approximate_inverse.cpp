/// \file
/// The solvers that use a scheme's approximate inverse: same steps as Newton, without a Jacobian, over longer steps,
/// and a sentence where the scheme exposes none.

#include <boost/test/unit_test.hpp>

#include "gnomon/gnomon.hpp"
#include "measures/run/counting_malloc.hpp"
#include "test/builtin_registry.hpp"

namespace {

using namespace gnomon;

struct Solver {
  const char* name;
  Assignments options;
};
const Solver solvers[] = {{"kinsol-picard", {{"matrix", "leading"}}}, {"newton-simplified", {{"matrix", "leading"}}}};

struct Setting {
  const char *problem, *scheme;
  Assignments set, options;
  double h;
};
const Setting settings[] = {
    {"planar-pendulum", "hbvm", {{"speed", "0.7"}}, {{"s", "1"}}, 0.1},
    {"modified-pendulum", "hbvm", {{"start", "later"}}, {}, 0.1},
    {"double-spherical-pendulum", "hbvm", {{"start", "spatial"}}, {{"s", "3"}, {"r", "2"}}, 0.02},
    {"heavy-top", "hbvm", {{"start", "nutating"}}, {}, 2e-3},
    {"chain", "hbvm", {{"start", "spatial"}}, {}, 1e-2},
    {"double-spherical-pendulum", "energy-momentum-ggl", {{"start", "spatial"}}, {}, 0.02},
    {"spherical-atwood", "energy-momentum-ggl", {}, {{"derivative", "zorb"}}, 0.05},
    {"modified-pendulum", "energy-momentum-ggl", {{"start", "later"}}, {}, 0.05},
    {"heavy-top", "energy-momentum-ggl", {{"start", "nutating"}}, {}, 1e-3},
    {"double-spherical-pendulum", "line-integral-ggl", {{"start", "spatial"}}, {{"s", "3"}}, 0.02},
    {"modified-pendulum", "line-integral-ggl", {{"start", "later"}}, {{"k", "6"}}, 0.05},
};

double scaled(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_with_one_makes_the_steps_of_newton_without_a_jacobian) {
  for (const Setting& setting : settings) {
    const ProblemInstance instance = registry().build(setting.problem, setting.set);
    Integrator newton = registry().integrator(instance, setting.scheme, "kinsol-newton", setting.options,
                                              {{"step-tolerance", "1e-12"}});
    newton.start(instance.t0, instance.q0, instance.p0);
    BOOST_REQUIRE(newton.advance(10, setting.h).success());
    for (const Solver& solver : solvers) {
      BOOST_TEST_CONTEXT(setting.scheme << " on " << setting.problem << " with " << solver.name) {
        Integrator other =
            registry().integrator(instance, setting.scheme, solver.name, setting.options, solver.options);
        other.start(instance.t0, instance.q0, instance.p0);
        long allocations = 0;
        {
          const validation::CountAllocations count;
          BOOST_REQUIRE(other.advance(10, setting.h).success());
          allocations = count.count();
        }
        BOOST_TEST(allocations == 0);
        BOOST_TEST(scaled(other.state().q.value(), newton.state().q.value()) < 1e-11);
        BOOST_TEST(scaled(other.state().p.value(), newton.state().p.value()) < 1e-11);
        BOOST_TEST(other.counters().jacobian_evaluations == 0);
        BOOST_TEST(other.counters().iterations <= 300);
        BOOST_TEST(other.monitor().energy().max_abs_error() <= other.monitor().energy_gate());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(one_factorisation_a_step_is_enough_for_simplified_newton) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {{"start", "spatial"}});
  for (const char* matrix : {"solve", "kept", "leading"}) {
    Integrator integrator =
        registry().integrator(instance, "energy-momentum-ggl", "newton-simplified", {}, {{"matrix", matrix}});
    integrator.start(instance.t0, instance.q0, instance.p0);
    BOOST_REQUIRE(integrator.advance(100, 0.01).success());
    const long factorisations = integrator.counters().factorisations;
    if (std::string(matrix) == "kept")
      BOOST_TEST(factorisations < 60);
    else
      BOOST_TEST(factorisations == 100);
  }
}

// Over the ten units of time of the report's tables, and a little more for Newton at h = 0.6.
BOOST_AUTO_TEST_CASE(picard_reaches_steps_where_undamped_newton_fails) {
  const ProblemInstance instance = registry().build("modified-pendulum");
  const auto run = [&](const char* solver, double h, double until) {
    Integrator integrator = registry().integrator(instance, "hbvm", solver);
    integrator.start(instance.t0, instance.q0, instance.p0);
    const bool done = integrator.advance_to(until, h).success();
    if (done) BOOST_TEST(integrator.monitor().energy().max_abs_error() < 1e-13);
    return done;
  };
  for (const double h : {0.6, 0.8, 1.0}) {
    BOOST_TEST(run("kinsol-picard", h, h < 0.7 ? 12 : 10), h);
    BOOST_TEST(!run("kinsol-newton", h, 12), h);
    BOOST_TEST(!run("newton", h, 12), h);
  }
}

BOOST_AUTO_TEST_CASE(a_scheme_without_one_is_refused_by_name) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  for (const Solver& solver : solvers) {
    const auto refused = [&](const Error& error) {
      const std::string text = error.what();
      return error.code() == ErrorCode::refused && text.find("rattle") != std::string::npos &&
             text.find(solver.name) != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(registry().integrator(instance, "rattle", solver.name, {}, solver.options), Error, refused);
  }
}

BOOST_AUTO_TEST_CASE(a_solve_that_does_not_converge_keeps_the_state) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  for (const Solver& solver : solvers) {
    Assignments options = solver.options;
    options.emplace_back("max-iterations", "2");
    Integrator integrator = registry().integrator(instance, "hbvm", solver.name, {}, options);
    integrator.start(instance.t0, instance.q0, instance.p0);
    const StepReport report = integrator.step(0.1);
    BOOST_TEST((report.status == SolveStatus::not_converged));
    BOOST_TEST(!report.message.empty());
    BOOST_TEST((integrator.state().q.value() == instance.q0));
  }
}
