// Runs over time in bounded memory: extremes that stay, states between steps, references at their own steps.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "support/builtin_registry.hpp"
#include "traces/run_page.hpp"
#include "traces/run_trace.hpp"

namespace {

using namespace gnomon;
using traces::DecimatedSeries;
using traces::RunTrace;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

State state_of(double t, const Vector& q, const Vector& p) {
  State z;
  z.t = t;
  z.q.set(q);
  z.p.set(p);
  return z;
}

const ReferenceReport& steps_of(ReferenceSolution& solution, std::vector<double>* times, ReferenceReport& out,
                                double t_end) {
  auto& stepwise = dynamic_cast<StepwiseReference&>(solution);
  if (times) stepwise.watch_steps([times](const ReferenceStep& at) { times->push_back(at.t); });
  out = solution.advance_to(t_end);
  return out;
}

/// A hundred steps of energy-momentum, of which all is added to the trace.
Integrator traced_run(const ProblemInstance& instance, RunTrace& trace) {
  Integrator run = registry().integrator(instance, "energy-momentum", "kinsol-newton");
  run.start(instance.t0, instance.q0, instance.p0);
  trace.add(run.state(), {0, unknown});
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST_REQUIRE(run.step(0.01).success());
    trace.add(run.state(), {run.monitor().energy().last_error(), 2});
  }
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(extremes_stay) {
  DecimatedSeries series(100);
  for (int i = 0; i < 1000000; ++i) series.add(i, i == 345678 ? 9.0 : i == 765432 ? -7.0 : std::sin(1e-3 * i));
  std::vector<double> t, y;
  series.points(t, y);
  BOOST_TEST(t.size() <= 200u);
  BOOST_TEST(t.size() >= 100u);
  BOOST_TEST(std::is_sorted(t.begin(), t.end()));
  const auto high = std::max_element(y.begin(), y.end()) - y.begin(),
             low = std::min_element(y.begin(), y.end()) - y.begin();
  BOOST_TEST(y[static_cast<std::size_t>(high)] == 9.0);
  BOOST_TEST(t[static_cast<std::size_t>(high)] == 345678.0);
  BOOST_TEST(y[static_cast<std::size_t>(low)] == -7.0);
  BOOST_TEST(t[static_cast<std::size_t>(low)] == 765432.0);
  BOOST_TEST(t.back() >= 980000.0);
}

BOOST_AUTO_TEST_CASE(few_values_stay_as_they_are) {
  DecimatedSeries series(100);
  for (int i = 0; i < 100; ++i) series.add(0.1 * i, i % 3 == 2 ? unknown : i);
  std::vector<double> t, y;
  series.points(t, y);
  BOOST_TEST(t.size() == 100u);
  for (int i = 0; i < 100; ++i) {
    const auto k = static_cast<std::size_t>(i);
    BOOST_TEST(t[k] == 0.1 * i);
    BOOST_TEST(std::isnan(y[k]) == (i % 3 == 2));
    if (i % 3 != 2) BOOST_TEST(y[k] == i);
  }
  series.rewind(4.95);
  series.points(t, y);
  BOOST_TEST(t.size() == 50u);
  DecimatedSeries gaps;
  gaps.add(0, std::numeric_limits<double>::infinity());
  BOOST_TEST(!gaps.has_values());
  BOOST_TEST(!gaps.empty());
}

// Between its steps a trace is the solution to the sixth order of the step.
BOOST_AUTO_TEST_CASE(between_steps) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  RunTrace::Spec fine;
  fine.t_end = 2;
  for (int i = 1; i < 40; ++i) fine.targets.push_back(0.05 * i + 1e-3);
  double errors[2];
  for (int level = 0; level < 2; ++level) {
    const double h = level ? 0.2 : 0.4;
    RunTrace trace(instance, fine);
    Integrator run =
        registry().integrator(instance, "projected-rk", "kinsol-newton", {{"stages", "5"}, {"projection", "pv"}});
    run.start(instance.t0, instance.q0, instance.p0);
    trace.add(run.state(), {0, unknown});
    const auto reference =
        registry()
            .reference("ida-index1")
            .start(instance, Options("r", registry().reference("ida-index1").options(), {{"rtol", "1e-13"}}));
    while (run.state().t < 2 - 1e-9) {
      BOOST_TEST_REQUIRE(run.step(h).success());
      trace.add(run.state(), {0, unknown});
    }
    BOOST_TEST_REQUIRE(trace.at_targets().size() == fine.targets.size());
    errors[level] = 0;
    for (std::size_t k = 0; k < fine.targets.size(); ++k)
      errors[level] = std::max(
          errors[level], (reference->advance_to(fine.targets[k]).q - trace.at_targets()[k]).lpNorm<Eigen::Infinity>());
    BOOST_TEST(trace.frame_times().front() == instance.t0);
    BOOST_TEST(trace.frame_times().back() == 2.0);
    std::size_t points = 0;
    for (std::size_t k = 0; k < trace.curves().size(); ++k) points += trace.shown_points(k);
    BOOST_TEST(trace.frames().size() ==
               trace.frame_times().size() * points * static_cast<std::size_t>(trace.dimension()));
  }
  BOOST_TEST(errors[0] < 1e-3);
  BOOST_TEST(errors[0] / errors[1] > 40);  // 64
}

// Memory is bounded, whatever the model and the number of steps are.
BOOST_AUTO_TEST_CASE(bounded) {
  const ProblemInstance instance = registry().build("chain", {{"links", "300"}});
  RunTrace::Spec spec;
  spec.t_end = 1;
  spec.most_numbers = 20000;
  RunTrace trace(instance, spec);
  for (int i = 0; i <= 5000; ++i) trace.add(state_of(2e-4 * i, instance.q0, instance.p0), {0, unknown});
  BOOST_TEST(trace.point_stride() > 1);
  BOOST_TEST(trace.frames().size() <= 24000u);
  BOOST_TEST(trace.frames().size() >= 10000u);
  BOOST_TEST(trace.samples().size() <= 2000u);
  BOOST_TEST(trace.samples().size() >= 1000u);
  BOOST_TEST(trace.states() == 5001);
}

// What is shown of a reference does not change it, and an event that is found late takes back what lies after it.
BOOST_AUTO_TEST_CASE(references_at_their_own_steps) {
  for (const char* name : {"ida-ggl", "ida-index1", "cvode-projection"}) {
    BOOST_TEST_CONTEXT(name) {
      const ProblemInstance instance = registry().build("double-spherical-pendulum");
      const Reference& reference = registry().reference(name);
      const Options options(name, reference.options(), {{"rtol", "1e-8"}, {"atol", "1e-9"}});
      const auto shown = reference.start(instance, options), hidden = reference.start(instance, options);
      std::vector<double> times;
      ReferenceReport one, other;
      steps_of(*shown, &times, one, 3);
      steps_of(*hidden, nullptr, other, 3);
      BOOST_TEST(one.success);
      BOOST_TEST((one.q.array() == other.q.array()).all());
      BOOST_TEST((one.p.array() == other.p.array()).all());
      BOOST_TEST(one.steps == other.steps);
      BOOST_TEST(times.size() > 100u);
      BOOST_TEST(std::is_sorted(times.begin(), times.end()));
      BOOST_TEST(times.back() == 3.0);
    }
  }
  const ProblemInstance box = registry().build("box-on-floor");
  const Reference& ida = registry().reference("ida-ggl");
  const auto solution = ida.start(box, Options("ida-ggl", ida.options()));
  std::vector<double> times;
  ReferenceReport end;
  steps_of(*solution, &times, end, 2.5);
  BOOST_TEST(end.success);
  BOOST_TEST(times.back() == 2.5);
  for (const ContactEvent& event : end.events)
    BOOST_TEST(std::count(times.begin(), times.end(), event.t) >= 1, "no state at the event at " << event.t);
}

BOOST_AUTO_TEST_CASE(a_trace_goes_back) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  RunTrace::Spec spec;
  spec.t_end = 1;
  RunTrace trace(instance, spec), straight(instance, spec);
  for (int i = 0; i <= 10; ++i) trace.add(state_of(0.1 * i, 5 * instance.q0, instance.p0), {1.0, unknown});
  for (RunTrace* one : {&trace, &straight})
    for (int i = 0; i <= 10; ++i) one->add(state_of(0.1 * i, instance.q0, instance.p0), {0.0, unknown});
  std::vector<double> t, y, expected_t, expected_y;
  trace.energy_error().points(t, y);
  straight.energy_error().points(expected_t, expected_y);
  BOOST_TEST(t.size() == expected_t.size() + 1);  // the first state has no state before it to go back to
  BOOST_TEST(y.back() == 0.0);
  BOOST_TEST(trace.frames().size() == straight.frames().size());
  BOOST_TEST(trace.frames().back() == straight.frames().back());
}

// Two runs and their page: every figure is there, with the colour of its run.
BOOST_AUTO_TEST_CASE(blocks) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {{"start", "spatial"}});
  RunTrace::Spec spec;
  spec.name = "one";
  spec.t_end = 1;
  RunTrace one(instance, spec);
  traced_run(instance, one);
  spec.name = "two";
  spec.reference = true;
  for (const auto& sample : one.samples()) spec.targets.push_back(sample.t);
  RunTrace two(instance, spec);
  const Reference& ida = registry().reference("ida-ggl");
  const auto solution = ida.start(instance, Options("ida-ggl", ida.options()));
  two.add(state_of(instance.t0, instance.q0, instance.p0), {unknown, unknown});
  dynamic_cast<StepwiseReference&>(*solution).watch_steps([&two](const ReferenceStep& at) {
    two.add(state_of(at.t, at.q, at.p), {unknown, unknown});
  });
  BOOST_TEST(solution->advance_to(1).success);
  std::vector<std::string> titles;
  for (const pages::Block& block : traces::run_blocks({&one, &two})) {
    if (const auto* motion = std::get_if<pages::Motion>(&block)) {
      BOOST_TEST(motion->runs.size() == 2u);
      titles.push_back("motion");
    }
    if (const auto* quantities = std::get_if<pages::Quantities>(&block)) {
      titles.push_back("quantities");
      BOOST_TEST(quantities->all.size() == 12u);  // coordinates and their rates
      BOOST_TEST(quantities->all[6].name == "der(" + quantities->all[0].name + ")");
    }
    const auto* chart = std::get_if<pages::Chart>(&block);
    if (!chart) continue;
    titles.push_back(chart->title);
    for (const pages::Series& series : chart->series) BOOST_TEST(series.x.size() == series.y.size());
    if (chart->title != "Distance from the references") continue;
    BOOST_TEST_REQUIRE(chart->series.size() == 1u);
    BOOST_TEST(chart->series.front().x.size() == 101u);
    // energy-momentum is of order 2 with h = 0.01
    BOOST_TEST(chart->series.front().y.back() > 1e-6);
    BOOST_TEST(chart->series.front().y.back() < 1e-2);
  }
  for (const char* title : {"Energy error", "Position constraints", "Velocity constraints", "Momentum maps",
                            "Distance from the references", "motion", "quantities", "Phase plot of one",
                            "Energies of one", "Step size", "Iterations of the nonlinear solver a step"})
    BOOST_TEST(std::count(titles.begin(), titles.end(), title) == 1, "there is no " << title);
}

// Errors of energy are parts of one energy all over the page; events and the stop of a run are ticks below its motion,
// whose times end where the run did.
BOOST_AUTO_TEST_CASE(one_energy_and_the_events) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  RunTrace::Spec spec;
  spec.name = "one";
  spec.t_end = 4;
  RunTrace one(instance, spec);
  const Integrator run = traced_run(instance, one);
  BOOST_TEST(one.energy_scale() == run.monitor().energy_scale());
  one.set_events({{0.25, "landing", "wall"}, {0.5, "rest", ""}}, true);
  const auto blocks = traces::run_blocks({&one});
  double largest = 0, part = 0;
  for (const pages::Block& block : blocks) {
    if (const auto* motion = std::get_if<pages::Motion>(&block)) {
      BOOST_TEST_REQUIRE(motion->events.size() == 3u);
      BOOST_TEST(motion->events[0].text == "landing, wall");
      BOOST_TEST(motion->events[1].text == "rest");
      BOOST_TEST(motion->events[2].kind == "stop");
      BOOST_TEST(motion->events[2].t == run.state().t);
      BOOST_TEST(motion->times.back() <= 1.0 + 1e-9);
      BOOST_TEST(motion->times.back() > 0.98);
    }
    if (const auto* table = std::get_if<pages::Table>(&block)) {
      BOOST_TEST(table->columns[3] == "energy / E");
      part = std::stod(table->rows[0][3].text);
    }
    if (const auto* chart = std::get_if<pages::Chart>(&block); chart && chart->title == "Energy error")
      for (const double y : chart->series.front().y) largest = std::max(largest, std::abs(y));
  }
  BOOST_TEST(largest == run.monitor().relative_energy_error(), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(part == largest, boost::test_tools::tolerance(1e-2));
}

// Outputs are quantities, of which the first that changes is drawn in each of two units; what a reference does not know
// is said beside the energy error.
BOOST_AUTO_TEST_CASE(outputs_by_unit) {
  const auto problem = read_model_text(R"toml(
format = 1
name = "damped pendulum"
coordinates = ["x", "y"]
mass = 1
potential = "9.81*y"
[constraints]
rod = "(x^2 + y^2 - 1)/2"
[force]
x = "-0.1*der(x)"
y = "-0.1*der(y)"
[outputs]
tension = { formula = "lambda.rod", unit = "N" }
height = "y"
"height.again" = "2*y"
[start]
position = { x = 1 }
)toml",
                                       "model.toml");
  const ProblemInstance instance = problem->build(Options("problem model", problem->parameters()));
  RunTrace::Spec spec;
  spec.name = "one";
  spec.t_end = 1;
  RunTrace one(instance, spec);
  const Integrator run = traced_run(instance, one);
  spec.name = "two";
  spec.reference = true;
  RunTrace two(instance, spec);
  two.add(state_of(instance.t0, instance.q0, instance.p0), {unknown, unknown});
  std::vector<std::string> curves;
  for (const pages::Block& block : traces::run_blocks({&one, &two})) {
    if (const auto* quantities = std::get_if<pages::Quantities>(&block)) {
      BOOST_TEST(quantities->times.size() == 101u);
      for (const auto& one_of : quantities->all)
        curves.push_back(one_of.name + " [" + one_of.unit + "]" + (one_of.chosen ? " drawn" : ""));
      BOOST_TEST(quantities->all[1].values.front() == 0.0);
      BOOST_TEST(quantities->all[1].values.back() == run.state().q.value()[1]);
    }
    const auto* chart = std::get_if<pages::Chart>(&block);
    if (!chart) continue;
    if (chart->title == "Energy error") BOOST_TEST(chart->y.label == "|H - H(t0) - booked work| / E");
    if (chart->title == "Energy error")
      BOOST_TEST(chart->note == "Not known of two: forces do work, which a reference does not book.");
  }
  const std::vector<std::string> expected{"tension [N] drawn", "height [] drawn", "height.again []"};
  BOOST_TEST(curves == expected, boost::test_tools::per_element());
}
