/// \file
/// SUNNonlinearSolvers: SUNDIALS' own in all their settings, and any that a user attaches.

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>

#include "gnomon/gnomon.hpp"
#include "gnomon/sundials/attached_solver.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/solver/kinsol_messages.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

struct Setting {
  const char* problem;
  Assignments set;
  double h;
};
const Setting settings[] = {{"planar-pendulum", {{"angle", "1.2"}, {"speed", "0.7"}}, 1e-2},
                            {"heavy-top", {{"start", "nutating"}}, 1e-3},
                            {"chain", {{"start", "spatial"}, {"links", "20"}}, 1e-3}};

Integrator with(const SolverFactory& factory, const Setting& setting, const Assignments& options = {}) {
  const ProblemInstance instance = registry().build(setting.problem, setting.set);
  const Scheme& scheme = registry().scheme("energy-momentum");
  Integrator integrator(instance.model, scheme, Options("scheme", scheme.options()), factory,
                        Options("solver " + factory.name(), factory.options(), options));
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}

/// 100 steps without an allocation, to the state of kinsol-newton.
void reaches_the_same(const SolverFactory& factory, const Setting& setting, const Assignments& options) {
  Integrator expected = with(registry().solver("kinsol-newton"), setting);
  BOOST_TEST_REQUIRE(expected.advance(100, setting.h).success());
  Integrator found = with(factory, setting, options);
  StepReport report;
  long count = 0;
  {
    const validation::CountAllocations allocations;
    report = found.advance(100, setting.h);
    count = allocations.count();
  }
  std::string label = factory.name();
  for (const auto& [name, value] : options) label += " " + name + "=" + value;
  BOOST_TEST_CONTEXT(label << " on " << setting.problem) {
    BOOST_TEST(report.success(), report.message);
    BOOST_TEST((count == 0 || validation::formats_messages(factory.name())));
    const State &a = found.state(), &b = expected.state();
    BOOST_TEST((a.q.value() - b.q.value()).lpNorm<Eigen::Infinity>() <= 1e-11 * b.q.value().lpNorm<Eigen::Infinity>());
    BOOST_TEST((a.p.value() - b.p.value()).lpNorm<Eigen::Infinity>() <= 1e-11 * b.p.value().lpNorm<Eigen::Infinity>());
  }
}

// A solver with a code of its own: so many Newton iterations, no convergence test, no limits.
struct ThreeSteps {
  SUNNonlinSolSysFn system = nullptr;
  SUNNonlinSolLSetupFn setup = nullptr;
  SUNNonlinSolLSolveFn solve = nullptr;
  N_Vector f = nullptr;
  int iterations = 3;
  static ThreeSteps& of(SUNNonlinearSolver s) { return *static_cast<ThreeSteps*>(s->content); }
};

SUNNonlinearSolver own_newton(N_Vector like, SUNContext context, int iterations) {
  SUNNonlinearSolver solver = SUNNonlinSolNewEmpty(context);
  auto* content = new ThreeSteps;
  content->f = N_VClone(like);
  content->iterations = iterations;
  solver->content = content;
  solver->ops->gettype = [](SUNNonlinearSolver) { return SUNNONLINEARSOLVER_ROOTFIND; };
  solver->ops->setsysfn = [](SUNNonlinearSolver s, SUNNonlinSolSysFn f) { return ThreeSteps::of(s).system = f, 0; };
  solver->ops->setlsetupfn = [](SUNNonlinearSolver s, SUNNonlinSolLSetupFn f) {
    return ThreeSteps::of(s).setup = f, 0;
  };
  solver->ops->setlsolvefn = [](SUNNonlinearSolver s, SUNNonlinSolLSolveFn f) {
    return ThreeSteps::of(s).solve = f, 0;
  };
  solver->ops->solve = [](SUNNonlinearSolver s, N_Vector, N_Vector y, N_Vector, SunReal, int, void* memory) {
    const ThreeSteps& me = ThreeSteps::of(s);
    for (int k = 0; k < me.iterations; ++k) {
      if (const int flag = me.system(y, me.f, memory)) return flag;
      N_VScale(-1, me.f, me.f);
      if (const int flag = me.solve(me.f, memory)) return flag;
      N_VLinearSum(1, y, 1, me.f, y);
    }
    return 0;
  };
  solver->ops->free = [](SUNNonlinearSolver s) {
    N_VDestroy(ThreeSteps::of(s).f);
    delete &ThreeSteps::of(s);
    s->content = nullptr;
    SUNNonlinSolFreeEmpty(s);
    return 0;
  };
  return solver;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_settings_reach_the_same_state) {
  for (const Setting& setting : settings) {
    for (const char* algebra : {"dense", "klu"}) {
      for (const char* matrix : {"fresh", "kept"})
        reaches_the_same(registry().solver("sun-newton"), setting, {{"matrix", matrix}, {"algebra", algebra}});
      for (const char* matrix : {"solve", "kept"})
        reaches_the_same(registry().solver("kinsol-picard"), setting, {{"matrix", matrix}, {"algebra", algebra}});
      for (const char* solver : {"kinsol-anderson", "sun-fixed-point"})
        for (const char* matrix : {"solve", "kept"})
          for (const char* depth : {"0", "1", "3", "20"})
            reaches_the_same(registry().solver(solver), setting,
                             {{"depth", depth}, {"matrix", matrix}, {"algebra", algebra}});
    }
    for (const char* matrix : {"solve", "kept"})
      reaches_the_same(registry().solver("newton-simplified"), setting, {{"matrix", matrix}});
  }
}

BOOST_AUTO_TEST_CASE(attached_solvers_reach_the_same_state) {
  const AttachedSolver newton("my-newton", SUNNonlinSol_Newton, registry().algebra_table());
  const AttachedSolver fixed_point(
      "my-fixed-point", [](N_Vector like, SUNContext context) { return SUNNonlinSol_FixedPoint(like, 2, context); },
      registry().algebra_table());
  const AttachedSolver own(
      "my-own", [](N_Vector like, SUNContext context) { return own_newton(like, context, 5); },
      registry().algebra_table());
  for (const Setting& setting : settings)
    for (const AttachedSolver* solver : {&newton, &fixed_point, &own}) reaches_the_same(*solver, setting, {});
}

// The same object, attached or by name: the same bits.
BOOST_AUTO_TEST_CASE(attached_newton_is_the_named_one) {
  for (const Setting& setting : settings) {
    Integrator named = with(registry().solver("sun-newton"), setting);
    Integrator attached = with(AttachedSolver("my-newton", SUNNonlinSol_Newton, registry().algebra_table()), setting);
    BOOST_TEST(named.advance(50, setting.h).success());
    BOOST_TEST(attached.advance(50, setting.h).success());
    BOOST_TEST((named.state().q.value() == attached.state().q.value()));
    BOOST_TEST((named.state().p.value() == attached.state().p.value()));
    BOOST_TEST(named.counters().iterations == attached.counters().iterations);
  }
}

// A kept matrix is what it says, and is set anew when h changes by so much that it does not do.
BOOST_AUTO_TEST_CASE(kept_matrices) {
  const Setting& setting = settings[0];
  for (const char* name : {"sun-newton", "kinsol-anderson", "sun-fixed-point", "kinsol-picard", "newton-simplified"}) {
    Integrator kept = with(registry().solver(name), setting, {{"matrix", "kept"}});
    BOOST_TEST(kept.advance(200, 1e-3).success(), name);
    BOOST_TEST(kept.counters().factorisations < 50, name << ": " << kept.counters().factorisations);
    const StepReport report = kept.advance(10, -0.05);
    BOOST_TEST(report.success(), name << ": " << report.message);
    BOOST_TEST(kept.monitor().energy().max_abs_error() < 1e-12, name);
  }
}

// A run that goes on from a checkpoint has the matrix that was kept, and with it the very bits of the other one.
BOOST_AUTO_TEST_CASE(kept_matrices_are_in_checkpoints) {
  const std::string file = "test_attached_solver.gcp";
  for (const char* name : {"sun-newton", "kinsol-anderson", "sun-fixed-point", "kinsol-picard", "newton-simplified"}) {
    Integrator first = with(registry().solver(name), settings[0], {{"matrix", "kept"}});
    BOOST_TEST(first.advance(20, 1e-2).success(), name);
    first.save(file);
    Integrator second = with(registry().solver(name), settings[0], {{"matrix", "kept"}});
    second.load(file);
    BOOST_TEST(first.advance(50, 1e-2).success(), name);
    BOOST_TEST(second.advance(50, 1e-2).success(), name);
    BOOST_TEST((first.state().q.value() == second.state().q.value()), name);
    BOOST_TEST((first.state().p.value() == second.state().p.value()), name);
    BOOST_TEST(first.counters().iterations == second.counters().iterations, name);
    BOOST_TEST(first.counters().factorisations == second.counters().factorisations, name);
  }
  std::remove(file.c_str());
}

// Failure is a report with one sentence, and the state stays.
BOOST_AUTO_TEST_CASE(failures_are_reports) {
  const AttachedSolver lazy(
      "lazy", [](N_Vector like, SUNContext context) { return own_newton(like, context, 1); },
      registry().algebra_table());
  const Assignments once = {{"max-iterations", "1"}};
  struct Run {
    const SolverFactory& factory;
    Assignments options;
  };
  for (const Run& run :
       {Run{lazy, {}}, Run{registry().solver("sun-newton"), once}, Run{registry().solver("kinsol-anderson"), once},
        Run{registry().solver("kinsol-picard"), once}, Run{registry().solver("sun-fixed-point"), once}}) {
    Integrator integrator = with(run.factory, settings[0], run.options);
    const Vector q = integrator.state().q.value(), p = integrator.state().p.value();
    const StepReport report = integrator.step(0.3);
    BOOST_TEST((report.status == SolveStatus::not_converged), run.factory.name());
    BOOST_TEST(report.message.find("scaled residual") != std::string::npos, report.message);
    BOOST_TEST(report.message.find("after 1 ") != std::string::npos, report.message);
    BOOST_TEST((integrator.state().q.value() == q && integrator.state().p.value() == p), run.factory.name());
  }
}

BOOST_AUTO_TEST_CASE(no_solver_is_refused) {
  BOOST_CHECK_EXCEPTION(
      AttachedSolver(
          "none", [](N_Vector, SUNContext) { return SUNNonlinearSolver(nullptr); }, registry().algebra_table()),
      Error, [](const Error& e) { return e.code() == ErrorCode::refused; });
}
