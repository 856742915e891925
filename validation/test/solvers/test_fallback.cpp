/// \file
/// The fallback for steps on which the solver fails: another solver, then smaller steps; off by default, counted when
/// used.

#include <boost/test/unit_test.hpp>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

IntegratorOptions with_fallback(const char* fallback, int max_halvings) {
  IntegratorOptions options;
  if (fallback) options.fallback = &registry().solver(fallback);
  options.max_halvings = max_halvings;
  return options;
}

/// hbvm on the modified pendulum at h = 0.6, where undamped Newton fails after some steps.
Integrator long_steps(const IntegratorOptions& options, const char* solver = "kinsol-newton",
                      const Assignments& solver_options = {}) {
  const ProblemInstance instance = registry().build("modified-pendulum");
  Integrator integrator = registry().integrator(instance, "hbvm", solver, {}, solver_options, options);
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_other_solver_takes_the_step_that_newton_does_not) {
  Integrator alone = long_steps(with_fallback(nullptr, 0));
  const StepReport refused = alone.advance(30, 0.6);
  BOOST_TEST(!refused.success());
  BOOST_TEST(refused.fallback_solves == 0);
  const long good = alone.counters().steps;

  Integrator helped = long_steps(with_fallback("kinsol-linesearch", 0));
  const StepReport before = helped.advance(good, 0.6);
  BOOST_TEST(before.success());
  BOOST_TEST(before.fallback_solves == 0);
  BOOST_TEST((helped.state().q.value() == alone.state().q.value()));
  const StepReport step = helped.step(0.6);
  BOOST_TEST(step.success(), step.message);
  BOOST_TEST(step.fallback_solves == 1);
  BOOST_TEST(step.refused_steps == 0);
  const StepReport rest = helped.advance(30 - good - 1, 0.6);
  BOOST_TEST(rest.success(), rest.message);
  BOOST_TEST(helped.counters().fallback_solves == 1 + rest.fallback_solves);
  BOOST_TEST(helped.counters().steps == 30);
  BOOST_TEST(helped.monitor().energy().max_abs_error() < 1e-13);
}

BOOST_AUTO_TEST_CASE(smaller_steps_are_the_last_rung) {
  // Neither solver gets far in so few iterations.
  const Assignments few = {{"max-iterations", "5"}};
  const StepReport cut = long_steps(with_fallback("kinsol-picard", 6), "newton", few).advance(20, 0.6);
  BOOST_TEST(cut.success(), cut.message);
  BOOST_TEST(cut.fallback_solves > 0);
  Integrator halved = long_steps(with_fallback(nullptr, 6), "newton", few);
  const StepReport only_cut = halved.advance(20, 0.6);
  BOOST_TEST(only_cut.success(), only_cut.message);
  BOOST_TEST(only_cut.message.empty(), only_cut.message);
  BOOST_TEST(only_cut.refused_steps > 0);
  BOOST_TEST(only_cut.refused_steps == halved.counters().refused_steps);
  BOOST_TEST(only_cut.fallback_solves == 0);
}

BOOST_AUTO_TEST_CASE(a_failure_of_both_names_both) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  Integrator integrator = registry().integrator(instance, "energy-momentum", "newton", {}, {{"max-iterations", "1"}},
                                                with_fallback("kinsol-linesearch", 2));
  integrator.start(instance.t0, instance.q0, instance.p0);
  const StepReport report = integrator.step(1e3);
  BOOST_TEST(!report.success());
  BOOST_TEST(report.message.find("with kinsol-linesearch: ") != std::string::npos, report.message);
  BOOST_TEST(report.refused_steps > 0);
  BOOST_TEST((integrator.state().q.value() == instance.q0));
  BOOST_TEST(integrator.state().t == instance.t0);
}

BOOST_AUTO_TEST_CASE(a_fallback_that_does_not_take_the_scheme_is_refused) {
  const ProblemInstance instance = registry().build("planar-pendulum");
  class Picky final : public SolverFactory {
   public:
    std::string name() const override { return "picky"; }
    std::string description() const override { return "refuses everything"; }
    std::unique_ptr<NonlinearSolver> create(const Options&) const override { return std::make_unique<Solver>(); }

   private:
    struct Solver final : NonlinearSolver {
      void attach(ScaledEquations&) override { throw Error(ErrorCode::refused, "not these"); }
      SolveReport solve(VectorRef) override { return {}; }
    };
  };
  const Picky picky;
  IntegratorOptions options;
  options.fallback = &picky;
  BOOST_CHECK_EXCEPTION(
      registry().integrator(instance, "rattle", "newton", {}, {}, options), Error, [](const Error& e) {
        return e.code() == ErrorCode::refused && std::string(e.what()).find("picky") != std::string::npos;
      });
}
