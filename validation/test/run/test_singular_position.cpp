// Positions where G loses rank are found, and refused steps are cut by default where the scheme takes variable steps.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "gnomon/run/integrator.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

void check_says(const std::string& message, const std::vector<const char*>& parts) {
  for (const char* part : parts) BOOST_TEST(message.find(part) != std::string::npos, part << " in: " << message);
}

Integrator started(const char* problem, const Assignments& set, const char* scheme, IntegratorOptions options = {}) {
  const ProblemInstance instance = registry().build(problem, set);
  Integrator integrator = registry().integrator(instance, scheme, "newton", {}, {}, options);
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_linkage_on_one_line_is_found_at_every_step_size) {
  for (const double h : {1e-2, 3e-3, 1e-3})
    for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "hbvm", "line-integral-ggl"}) {
      Integrator run = started("n-four-bar", {}, scheme);
      BOOST_REQUIRE(run.advance_to(1.0, h).success());
      BOOST_TEST(run.singular_position().step > 0, scheme << ", h = " << h);
      BOOST_TEST(std::abs(run.singular_position().t - 0.714) < 0.02, scheme << ", h = " << h);
    }
}

BOOST_AUTO_TEST_CASE(a_linkage_passes_with_a_tolerance) {
  Integrator run = started("n-four-bar", {}, "energy-momentum-ggl");
  run.set_tolerances(Tolerances(1e-5));
  const StepReport report = run.advance_to(2.0);
  BOOST_TEST(report.success(), report.message);
  BOOST_TEST(run.check_promises().empty());
}

BOOST_AUTO_TEST_CASE(where_the_rank_is_full_nothing_is_found) {
  for (const char* problem : {"double-spherical-pendulum", "heavy-top", "polymer"}) {
    Integrator run = started(problem, {}, "energy-momentum");
    BOOST_REQUIRE(run.advance(2000, 1e-2).success());
    BOOST_TEST(run.singular_position().step == 0, problem);
  }
}

// The velocities of hbvm with one coefficient leave the constraints there, with exact energy.
BOOST_AUTO_TEST_CASE(the_hidden_constraint_before_is_remembered) {
  Integrator run = started("n-four-bar", {}, "hbvm");
  BOOST_REQUIRE(run.advance_to(10.0, 1e-3).success());
  BOOST_TEST(run.singular_position().velocity_before < 1e-4);
  BOOST_TEST(run.monitor().velocity_max() > 1e-2);
}

BOOST_AUTO_TEST_CASE(refused_steps_are_cut_by_default_where_p_is_tangent) {
  const Assignments nutating{{"start", "nutating"}};
  Integrator run = started("heavy-top", nutating, "line-integral-ggl");
  BOOST_TEST(run.promises().symmetric);
  BOOST_REQUIRE(run.advance(100, 0.03125).success());
  BOOST_TEST(run.counters().refused_steps > 0);
  BOOST_TEST(!run.promises().symmetric);
  BOOST_TEST(run.monitor().energy().max_abs_error() < run.monitor().energy_gate());

  IntegratorOptions whole;
  whole.max_halvings = 0;
  Integrator refused = started("heavy-top", nutating, "line-integral-ggl", whole);
  const StepReport report = refused.advance(100, 0.03125);
  BOOST_TEST(!report.success());
  check_says(report.message, {"remedies", "smaller step", "fallback", "halved steps"});

  Integrator fixed = started("heavy-top", nutating, "hbvm");
  const StepReport stopped = fixed.advance(100, 0.03125);
  BOOST_TEST(!stopped.success());
  BOOST_TEST(fixed.counters().refused_steps == 0);
  check_says(stopped.message, {"remedies", "variable steps"});
}

// What a run has seen of it, and that its steps were halved, is part of a checkpoint.
BOOST_AUTO_TEST_CASE(a_run_that_goes_on_knows_what_was_seen) {
  const std::string file = "test_singular_position.gcp";
  Integrator found = started("n-four-bar", {}, "hbvm");
  BOOST_REQUIRE(found.advance_to(1.0, 1e-3).success());
  found.save(file);
  Integrator on = started("n-four-bar", {}, "hbvm");
  on.load(file);
  BOOST_TEST(on.singular_position().step == found.singular_position().step);
  BOOST_TEST(on.singular_position().velocity_before == found.singular_position().velocity_before);

  const Assignments nutating{{"start", "nutating"}};
  Integrator halved = started("heavy-top", nutating, "line-integral-ggl");
  BOOST_REQUIRE(halved.advance(100, 0.03125).success());
  halved.save(file);
  Integrator later = started("heavy-top", nutating, "line-integral-ggl");
  BOOST_TEST(later.promises().symmetric);
  later.load(file);
  BOOST_TEST(!later.promises().symmetric);
  std::remove(file.c_str());
}
