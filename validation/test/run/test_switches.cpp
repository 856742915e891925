// Switches of formulas: steps end where one changes, whatever takes them, and a run stops where no motion goes on.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

const std::string head = "format = 1\nname = \"test\"\n";

ProblemInstance written(const std::string& text) {
  const auto problem = read_model_text(head + text, "test.toml");
  return problem->build(Options("problem test", problem->parameters()));
}

ProblemInstance jump() {
  return written("coordinates = [\"x\"]\nmass = 1\npotential = 0\n[force]\nx = \"if(t <= 1.1, 1, 0)\"\n");
}

ProblemInstance stop_spring() {
  return written(
      "coordinates = [\"x\"]\nmass = 1\npotential = \"9.81*x + if(x < 0, 500*x^2, 0)\"\n[start]\nposition = { x = 1 "
      "}\n");
}
/// x(3) of it.
constexpr double caught = 0.9979494846333587;

struct Ended {
  StepReport report;
  State state;
  RunCounters counters;
  std::vector<ContactEvent> events;
};

Integrator started(const ProblemInstance& instance, const std::string& scheme, double rtol) {
  Integrator run = registry().integrator(instance, scheme, "newton");
  if (rtol > 0) run.set_tolerances(Tolerances(rtol));
  run.start(instance.t0, instance.q0, instance.p0);
  return run;
}

Ended run_to(const ProblemInstance& instance, const std::string& scheme, double rtol, double t) {
  Integrator run = started(instance, scheme, rtol);
  const StepReport report = run.advance_to(t);
  return {report, run.state(), run.counters(), run.events()};
}
Ended run_with(const ProblemInstance& instance, const std::string& scheme, double h, double t) {
  Integrator run = started(instance, scheme, 0);
  const StepReport report = run.advance_to(t, h);
  return {report, run.state(), run.counters(), run.events()};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_that_takes_a_tolerance_ends_a_step_at_a_jump_of_the_force) {
  const ProblemInstance instance = jump();
  int taken = 0;
  for (const std::string& scheme : registry().schemes())
    for (const double rtol : {1e-4, 1e-7, 1e-10}) BOOST_TEST_CONTEXT(scheme << " " << rtol) {
        Ended end;
        try {
          end = run_to(instance, scheme, rtol, 2);
        } catch (const Error&) {
          continue;
        }
        ++taken;
        BOOST_TEST(end.report.success(), end.report.message);
        BOOST_TEST(std::abs(end.state.q.value()[0] - 1.595) <= 20 * rtol);
        BOOST_TEST(end.counters.switches == 1);
        BOOST_TEST(end.events.size() == 1u);
        if (!end.events.empty()) BOOST_TEST(std::abs(end.events[0].t - 1.1) <= 1e-15);
      }
  BOOST_TEST(taken >= 6);
}

BOOST_AUTO_TEST_CASE(steps_of_one_size_end_at_a_switch_and_go_on_on_the_old_grid) {
  const ProblemInstance instance = stop_spring();
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl", "rattle"}) BOOST_TEST_CONTEXT(scheme) {
      const Ended end = run_with(instance, scheme, 0.01, 3);
      BOOST_TEST(end.report.success(), end.report.message);
      BOOST_TEST(end.counters.steps == 300);
      BOOST_TEST(end.counters.switches == 6);
      BOOST_TEST(end.counters.overstepped_switches == 0);
      BOOST_TEST(std::abs(end.state.t - 3) <= 1e-13);
      // Free fall is exact in each of them.
      if (std::string(scheme) == "line-integral-ggl") BOOST_TEST(std::abs(end.state.q.value()[0] - caught) <= 1e-6);
    }
}

BOOST_AUTO_TEST_CASE(schemes_whose_steps_have_one_size_count_what_they_go_over) {
  const Ended end = run_with(stop_spring(), "alpha", 0.001, 3);
  BOOST_TEST(end.report.success(), end.report.message);
  BOOST_TEST(end.counters.switches == 0);
  BOOST_TEST(end.counters.overstepped_switches == 6);
  BOOST_TEST(end.counters.overstepped_change > 0);
}

BOOST_AUTO_TEST_CASE(the_energy_book_closes_over_switches_of_the_potential) {
  // A spring that is switched on at a time does work, and no impulse.
  const ProblemInstance on = written(
      "coordinates = [\"x\"]\nmass = 1\npotential = \"if(t < 1, 0, 0.5*x^2)\"\n[start]\nposition = { x = 1 }\n"
      "velocity = { x = 1 }\n");
  for (const char* scheme : {"energy-momentum", "energy-momentum-ggl", "line-integral-ggl"})
    BOOST_TEST_CONTEXT(scheme) {
      for (const ProblemInstance& instance : {on, stop_spring()}) {
        Integrator run = started(instance, scheme, 0);
        const StepReport report = run.advance_to(3, 0.013);
        BOOST_TEST(report.success(), report.message);
        BOOST_TEST(run.check_promises().empty());
        BOOST_TEST(run.monitor().energy().max_abs_error() <= run.monitor().energy_gate());
      }
    }
  const Ended end = run_to(on, "line-integral-ggl", 1e-9, 3);
  BOOST_TEST(end.report.success(), end.report.message);
  BOOST_TEST(std::abs(end.state.q.value()[0] - (2 * std::cos(2.) + std::sin(2.))) <= 2e-8);
  BOOST_TEST(std::abs(static_cast<double>(end.state.work.potential) - 2) <= 1e-12);
  // A jump in q is named by schemes that go over it, too.
  const Ended over = run_with(written("coordinates = [\"x\"]\nmass = 1\npotential = \"if(x < 1, 0, 0.1)\"\n[start]\n"
                                      "velocity = { x = 1 }\n"),
                              "energy-momentum", 0.013, 3);
  BOOST_TEST(!over.report.success());
  BOOST_TEST(has(over.report.message, "the potential jumps"), over.report.message);
}

BOOST_AUTO_TEST_CASE(branches_that_lead_back_to_their_switch_end_the_run_with_their_formula) {
  const ProblemInstance instance = written(
      "coordinates = [\"x\"]\nmass = 1\npotential = \"0.5*x^2\"\n[force]\nx = \"if(der(x) > 0, -0.1, 0.1)\"\n[start]\n"
      "position = { x = 1.05 }\n");
  const Ended end = run_to(instance, "line-integral-ggl", 1e-8, 20);
  BOOST_TEST((end.report.status == SolveStatus::held_at_switch));
  BOOST_TEST(std::abs(end.report.t - 5 * std::acos(-1.)) <= 1e-6);
  BOOST_TEST(has(end.report.message, "if(der(x) > 0, -0.1, 0.1) in test.toml"), end.report.message);
  BOOST_TEST(has(end.report.message, "lead back"), end.report.message);
}

BOOST_AUTO_TEST_CASE(what_would_be_an_impulse_is_named_with_its_jump) {
  const Ended well = run_to(written("coordinates = [\"x\"]\nmass = 1\npotential = \"if(x < 1, 0, 0.1)\"\n[start]\n"
                                    "velocity = { x = 1 }\n"),
                            "line-integral-ggl", 1e-8, 3);
  BOOST_TEST((well.report.status == SolveStatus::held_at_switch));
  BOOST_TEST(std::abs(well.report.t - 1) <= 1e-12);
  BOOST_TEST(has(well.report.message, "the potential jumps by 0.1"), well.report.message);
  const Ended support = run_to(written("coordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"y\"\n[constraints]\n"
                                       "rod = \"(x - if(t < 1, t, 1))^2 + y^2 - 1\"\n[start]\nposition = { y = -1 }\n"
                                       "project = true\n"),
                               "line-integral-ggl", 1e-8, 3);
  BOOST_TEST((support.report.status == SolveStatus::held_at_switch));
  BOOST_TEST(has(support.report.message, "jumps by"), support.report.message);
}

BOOST_AUTO_TEST_CASE(a_branch_without_a_value_beyond_its_end_is_left_there) {
  const ProblemInstance instance = written(
      "coordinates = [\"x\"]\nmass = 1\npotential = 0\n[force]\nx = \"if(x > 0, -sqrt(x), 0)\"\n[start]\nposition = { "
      "x = 1 }\n");
  for (const double rtol : {1e-4, 1e-8}) {
    const Ended end = run_to(instance, "line-integral-ggl", rtol, 4);
    BOOST_TEST(end.report.success(), end.report.message);
    BOOST_TEST(std::abs(end.state.p.value()[0] + std::sqrt(4. / 3)) <= 20 * rtol);
  }
  const Ended fixed = run_with(instance, "energy-momentum-ggl", 0.01, 4);
  BOOST_TEST(fixed.report.success(), fixed.report.message);
}

BOOST_AUTO_TEST_CASE(a_choice_inside_a_choice_and_a_choice_that_depends_on_no_side) {
  // 1 up to t = 0.3, 2 up to 0.7, 0 then; and sin(t)/t, whose hole is no switch.
  const ProblemInstance instance = written(
      "coordinates = [\"x\", \"y\"]\nmass = 1\npotential = 0\n[force]\nx = \"if(t < 0.7, if(t < 0.3, 1, 2), 0)\"\n"
      "y = \"if(t == 0, 1, sin(t)/t)\"\n");
  const Ended end = run_to(instance, "line-integral-ggl", 1e-8, 1);
  BOOST_TEST(end.report.success(), end.report.message);
  BOOST_TEST(end.counters.switches == 2);
  // v = 0.3 at 0.3, 1.1 at 0.7
  BOOST_TEST(std::abs(end.state.q.value()[0] - (0.045 + 0.3 * 0.4 + 0.16 + 1.1 * 0.3)) <= 1e-7);
}

BOOST_AUTO_TEST_CASE(a_run_between_switches_is_restarted_bit_by_bit) {
  const ProblemInstance instance = stop_spring();
  const std::string file = (std::filesystem::temp_directory_path() / "gnomon_test_switches.gcp").string();
  for (const double rtol : {0., 1e-8}) {
    const auto advance = [&](Integrator& run, double t) {
      return rtol > 0 ? run.advance_to(t) : run.advance_to(t, 0.01);
    };
    Integrator whole = started(instance, "line-integral-ggl", rtol);
    BOOST_TEST_REQUIRE(advance(whole, 0.5).success());
    whole.save(file);
    BOOST_TEST_REQUIRE(advance(whole, 3).success());
    Integrator second = registry().integrator(instance, "line-integral-ggl", "newton");
    second.load(file);
    BOOST_TEST_REQUIRE(advance(second, 3).success());
    BOOST_TEST(second.state().q.value()[0] == whole.state().q.value()[0]);
    BOOST_TEST(second.state().p.value()[0] == whole.state().p.value()[0]);
    BOOST_TEST(second.counters().switches == whole.counters().switches);
  }
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(references_end_pieces_at_switches) {
  const ProblemInstance instance = stop_spring();
  for (const char* name : {"ida-index1", "ida-ggl", "cvode-projection"}) BOOST_TEST_CONTEXT(name) {
      const Reference& reference = registry().reference(name);
      const auto solution = reference.start(instance, Options("reference", reference.options(), {{"rtol", "1e-10"}}));
      const ReferenceReport end = solution->advance_to(3);
      BOOST_TEST(end.success, end.message);
      BOOST_TEST(std::abs(end.q[0] - caught) <= 1e-6, "x = " << end.q[0]);
      BOOST_TEST(end.events.size() == 6u);
    }
}
