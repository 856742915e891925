// A step takes the solution of its equations that h -> 0 leads to, or it is refused: with a mass that depends on q
// large steps have others, and solvers find them.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/run/integrator.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Run {
  StepReport report;
  RunCounters counters;
  double t = 0, energy_error = 0;
};

Run ran(const char* problem, const Assignments& set, const char* scheme, const Assignments& options, double h,
        double until, const char* solver = "newton", int halvings = -1) {
  const ProblemInstance instance = registry().build(problem, set);
  IntegratorOptions how;
  how.max_halvings = halvings;
  Integrator integrator = registry().integrator(instance, scheme, solver, options, {}, how);
  integrator.start(instance.t0, instance.q0, instance.p0);
  Run run;
  run.report = integrator.advance_to(until, h);
  run.counters = integrator.counters();
  run.t = integrator.state().t;
  run.energy_error = integrator.monitor().energy().max_abs_error();
  return run;
}

const char* const elbow = GNOMON_CASES_FOLDER "/../data/models/roots/elbow-and-wall.toml";
const Assignments elastic{{"e", "1"}, {"A", "0"}};
constexpr double energy = 8058;

}  // namespace

BOOST_AUTO_TEST_CASE(a_step_to_another_solution_is_halved) {
  for (const char* solver : {"newton", "kinsol-newton", "newton-simplified"}) {
    const Run run = ran(elbow, elastic, "line-integral-ggl", {{"s", "4"}}, .1, 6, solver);
    BOOST_TEST(run.report.success(), solver << ": " << run.report.message);
    if (solver != std::string("newton-simplified"))  // which does not converge where the others find another solution
      BOOST_TEST(run.counters.unconnected_steps > 0, solver);
    BOOST_TEST(run.counters.refused_steps >= run.counters.unconnected_steps, solver);
    BOOST_TEST(run.energy_error < .1 * energy, solver << ": " << run.energy_error);
  }
}

BOOST_AUTO_TEST_CASE(it_is_a_sentence_where_steps_are_fixed) {
  const Run run = ran(elbow, elastic, "hbvm", {}, .1, 6, "kinsol-newton", 0);
  BOOST_TEST(!run.report.success());
  BOOST_TEST(run.counters.unconnected_steps == 1);
  for (const char* part : {"not the one that h -> 0 leads to", "from t = ", "over h = 0.1", "a smaller step"})
    BOOST_TEST(run.report.message.find(part) != std::string::npos, run.report.message);
  BOOST_TEST(run.energy_error < .1 * energy, run.energy_error);
}

BOOST_AUTO_TEST_CASE(no_scheme_jumps_at_large_steps) {
  // Before they were refused: 1e6 .. 1e10.
  for (const char* scheme : {"line-integral-ggl", "hbvm", "projected-rk", "alpha", "energy-momentum-ggl"})
    for (const double h : {.05, .1, .2}) {
      const Run run = ran(elbow, elastic, scheme, {}, h, 6);
      BOOST_TEST(run.energy_error < energy, scheme << ", h = " << h << ": " << run.energy_error << ", t = " << run.t);
      BOOST_TEST((run.report.success() || !run.report.message.empty()));
    }
}

BOOST_AUTO_TEST_CASE(steps_that_resolve_the_motion_are_not_doubted) {
  for (const char* scheme : {"line-integral-ggl", "hbvm", "projected-rk", "rattle", "energy-momentum-ggl"})
    for (const char* problem : {"double-compound-pendulum", "double-spherical-pendulum"}) {
      const Run run = ran(problem, {}, scheme, {}, 2e-3, 1);
      BOOST_TEST(run.report.success(), scheme << ", " << problem << ": " << run.report.message);
      BOOST_TEST(run.counters.unconnected_steps == 0, scheme << ", " << problem);
      BOOST_TEST(run.counters.followed_steps <= 2, scheme << ", " << problem << ": " << run.counters.followed_steps);
    }
}

// The penalty of the first of three solves takes six matrices and more on a way of 1/100, and each of these steps was
// followed, at twenty times its cost.
BOOST_AUTO_TEST_CASE(solves_that_are_repeated_are_not_doubted_where_they_are_near) {
  for (const char* scheme : {"augmented-lagrange", "augmented-lagrange-general"}) {
    const Run run = ran("heavy-top", {}, scheme, {}, 1e-3, .1, "kinsol-newton");
    BOOST_TEST(run.report.success(), scheme << ": " << run.report.message);
    BOOST_TEST(run.counters.repeated_solves > 100, scheme);
    BOOST_TEST(run.counters.followed_steps == 0, scheme);
  }
}

BOOST_AUTO_TEST_CASE(solvers_without_factors_and_compositions_are_judged_too) {
  for (const char* solver : {"kinsol-picard", "kinsol-anderson"}) {
    const Run run =
        ran("double-spherical-pendulum", {{"start", "spatial"}}, "energy-momentum-ggl", {}, 1e-2, 2, solver);
    BOOST_TEST(run.report.success(), solver << ": " << run.report.message);
    BOOST_TEST(run.counters.unconnected_steps == 0, solver);
  }
  const Run composed = ran(elbow, elastic, "composition", {{"inner", "energy-momentum-ggl"}}, .2, 6);
  BOOST_TEST(composed.energy_error < 1, composed.energy_error);
  BOOST_TEST(composed.counters.followed_steps > 0);
}
