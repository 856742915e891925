// States at given times: the steps stay what they are, and what is between them is as accurate as it says.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"

using namespace gnomon;

namespace {

Integrator make(const ProblemInstance& instance, const std::string& scheme) {
  return registry().integrator(instance, scheme, "newton", {}, {});
}

const std::vector<double> times{0, 0.0137, 0.02, 0.131, 0.1311, 0.5, 0.77777, 1};

struct Kept {
  std::vector<State> states;
  std::vector<bool> ends;
};

Kept run_with(const ProblemInstance& instance, const std::string& scheme, double h, bool prefer_side, State& last) {
  Integrator run = make(instance, scheme);
  Kept kept;
  StatesAtTimes at(
      run, times,
      [&kept](const State& z, bool end) {
        kept.states.push_back(z);
        kept.ends.push_back(end);
      },
      [&] { return make(instance, scheme); }, prefer_side);
  at.observe(run.state(), 0);
  run.add_observer(at);
  BOOST_TEST(run.advance_to(1, h).success());
  BOOST_TEST(at.left() == 0u);
  BOOST_TEST((prefer_side ? at.polynomials() : at.side_steps()) == 0);
  last = run.state();
  return kept;
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_are_not_disturbed) {
  struct Run {
    const char *problem, *scheme;
    bool side_only;
  };
  for (const Run& one :
       {Run{"double-spherical-pendulum", "energy-momentum", false}, Run{"double-spherical-pendulum", "alpha", false},
        Run{"chain", "composition", false}, Run{"odae-test", "symplectic-euler-true", false},
        Run{"walled-pendulum", "energy-momentum", true}, Run{"box-on-floor", "energy-momentum-general", true}}) {
    const ProblemInstance instance = registry().build(one.problem, {});
    Integrator plain = make(instance, one.scheme);
    BOOST_REQUIRE(plain.advance_to(1, 1e-2).success());
    for (const bool side : {false, true}) {
      if (!side && one.side_only) continue;
      State last;
      const Kept kept = run_with(instance, one.scheme, 1e-2, side, last);
      BOOST_TEST((last.q.value() == plain.state().q.value()), one.problem);
      BOOST_TEST((last.p.value() == plain.state().p.value()), one.problem);
      BOOST_TEST((last.q.tail() == plain.state().q.tail()), one.problem);
      BOOST_REQUIRE_EQUAL(kept.states.size(), times.size());
      for (std::size_t k = 0; k < times.size(); ++k) {
        BOOST_TEST(kept.states[k].t == times[k]);
        BOOST_TEST(kept.states[k].q.value().allFinite());
        BOOST_TEST(kept.ends[k] == (times[k] == 0 || times[k] == 0.02 || times[k] == 0.5 || times[k] == 1));
      }
    }
  }
}

// Between the steps the constraints and the energy of a side step are the scheme's own.
BOOST_AUTO_TEST_CASE(a_side_step_keeps_what_the_scheme_keeps) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {});
  State last;
  Measured start, now;
  Integrator fresh = make(instance, "energy-momentum-ggl");
  instance.model->measure(fresh.state().view(), start);
  double polynomial = 0;
  for (const bool side : {true, false})
    for (const State& z : run_with(instance, "energy-momentum-ggl", 1e-2, side, last).states) {
      instance.model->measure(z.view(), now);
      const double error = std::abs(static_cast<double>(now.energy - start.energy));
      if (side) {
        BOOST_TEST(error < 1e-14);
        BOOST_TEST(now.position < 1e-14);
        BOOST_TEST(now.velocity < 1e-13);
      } else {
        polynomial = std::max(polynomial, error);
      }
    }
  BOOST_TEST(polynomial > 1e-8);  // which is why rows of the program are side steps
}

// Against a solution of steps twenty times smaller.
BOOST_AUTO_TEST_CASE(as_accurate_as_the_steps) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {});
  State last;
  const Kept fine = run_with(instance, "energy-momentum", 5e-4, true, last);
  for (const bool side : {true, false}) {
    const Kept coarse = run_with(instance, "energy-momentum", 1e-2, side, last);
    double at_ends = 0, between = 0;
    for (std::size_t k = 0; k < times.size(); ++k)
      (coarse.ends[k] ? at_ends : between) =
          std::max(coarse.ends[k] ? at_ends : between, (coarse.states[k].q.value() - fine.states[k].q.value()).norm());
    BOOST_TEST(at_ends > 1e-6);
    BOOST_TEST(between < 2 * at_ends);
  }
}

BOOST_AUTO_TEST_CASE(solve_at_times) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {});
  const Index n = instance.q0.size();
  Integrator plain = make(instance, "energy-momentum"), run = make(instance, "energy-momentum");
  BOOST_REQUIRE(plain.advance_to(1, 1e-2).success());
  StepReport report;
  const Matrix states = solve(run, times, 1e-2, &report);
  BOOST_TEST(report.success());
  BOOST_TEST(report.steps == 100);
  BOOST_TEST(states.rows() == 2 * n);
  BOOST_TEST(states.cols() == static_cast<Index>(times.size()));
  BOOST_TEST((states.col(0).head(n) == instance.q0));
  BOOST_TEST((states.col(states.cols() - 1).head(n) == plain.state().q.value()));
  BOOST_TEST((run.state().p.value() == plain.state().p.value()));

  // The last step is shortened to arrive.
  Integrator shorter = make(instance, "energy-momentum"), same = make(instance, "energy-momentum");
  BOOST_REQUIRE(same.advance_to(0.777, 1e-2).success());
  const Matrix two = solve(shorter, {0.5, 0.777}, 1e-2);
  BOOST_TEST((two.col(1).head(n) == same.state().q.value()));

  // To a tolerance, against a tighter one.
  const auto by_tolerance = [&](double tolerance) {
    Integrator with = registry().integrator(instance, "line-integral-ggl", "newton", {}, {});
    with.set_tolerances(Tolerances(tolerance));
    return solve(with, times);
  };
  BOOST_TEST((by_tolerance(1e-8) - by_tolerance(1e-11)).topRows(n).cwiseAbs().maxCoeff() < 1e-6);

  // Over impacts, and of an overdetermined DAE.
  const ProblemInstance walls = registry().build("walled-pendulum", {});
  Integrator bounces = make(walls, "energy-momentum");
  BOOST_TEST(solve(bounces, times, 1e-2).allFinite());
  const ProblemInstance dae = registry().build("odae-test", {});
  Integrator euler = make(dae, "symplectic-euler-true");
  BOOST_TEST(solve(euler, times, 1e-2).rows() == dae.q0.size() + dae.p0.size());
}

BOOST_AUTO_TEST_CASE(bad_times) {
  const ProblemInstance instance = registry().build("planar-pendulum", {});
  Integrator run = make(instance, "energy-momentum");
  BOOST_CHECK_EXCEPTION(solve(run, {0, 0.1, 0.1}, 1e-2), Error, test::says("time 2 of the output is 0.1"));
  BOOST_CHECK_EXCEPTION(solve(run, {-1, 0}, 1e-2), Error, test::says("before the start of the run"));
  BOOST_CHECK_EXCEPTION(solve(run, {0, NAN}, 1e-2), Error, test::says("expected a finite number"));
  BOOST_CHECK_EXCEPTION(solve(run, {0, 1}, 0.0), Error, test::says("step h = 0"));
  BOOST_CHECK_EXCEPTION(solve(run, {0, 1}, -1e-2), Error, test::says("cannot be reached"));
  BOOST_CHECK_EXCEPTION(solve(run, {1}), Error, test::says("toleranc"));
  BOOST_TEST(solve(run, {}, 1e-2).cols() == 0);
  // A run that fails leaves the columns behind it empty, and says why.
  StepReport report;
  const Matrix states = solve(run, {0, 1, 1e4}, 1e4, &report);
  if (!report.success()) BOOST_TEST(std::isnan(states(0, 2)));
}
