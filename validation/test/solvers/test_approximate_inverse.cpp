/// \file
/// The solvers that use a scheme's approximate inverse: same steps as Newton, without a Jacobian, over longer steps,
/// and a sentence where the scheme exposes none. And its simplified Newton matrix, which `newton` and `kinsol-newton`
/// take first: how near it is to dF/dx, the same steps, and dF/dx where it will not do.

#include <boost/test/unit_test.hpp>

#include "gnomon/gnomon.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/solver/kinsol_messages.hpp"
#include "support/builtin_registry.hpp"

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
        BOOST_TEST((allocations == 0 || validation::formats_messages(solver.name)));
        BOOST_TEST(scaled(other.state().q.value(), newton.state().q.value()) < 1e-11);
        BOOST_TEST(scaled(other.state().p.value(), newton.state().p.value()) < 1e-11);
        BOOST_TEST(other.counters().jacobian_evaluations == 0);
        BOOST_TEST(other.counters().iterations <= 300);
        BOOST_TEST(other.monitor().energy().max_abs_error() <= other.monitor().energy_gate());
      }
    }
  }
}

namespace {
/// The largest error of A^-1 (dF/dx) w = w, in scaled unknowns, for w of them, at the solution of the first step.
double distance_of_simplified_matrix(const Setting& setting, double h) {
  const ProblemInstance instance = registry().build(setting.problem, setting.set);
  const Scheme& scheme = registry().scheme(setting.scheme);
  const Binding binding = scheme.bind(*instance.model, Options(setting.scheme, scheme.options(), setting.options));
  State z;
  z.t = instance.t0;
  z.q.set(instance.q0);
  z.p.set(instance.p0);
  z.lambda = Vector::Zero(instance.model->mechanical()->m());
  binding.equations->prepare(z);
  binding.equations->begin(z, h);
  NonlinearEquations& equations = binding.equations->system(0);
  ApproximateInverse* inverse = equations.simplified_newton();
  BOOST_REQUIRE(inverse != nullptr);
  const Index size = equations.size();
  Vector x(size), f(size), d(size), w(size), columns(size), rows(size);
  binding.equations->predict(0, x);
  for (int i = 0; i < 12; ++i) {
    BOOST_REQUIRE(inverse->update(x));
    equations.residual(x, f);
    inverse->solve(f, d);
    x -= d;
  }
  BOOST_REQUIRE(inverse->update(x));
  equations.scales(columns, rows);
  double largest = 0;
  for (int k = 1; k <= 5; ++k) {
    for (Index j = 0; j < size; ++j) w[j] = std::sin(k + 2.3 * k * static_cast<double>(j)) * columns[j];
    equations.tangent(x, w, f);
    inverse->solve(f, d);
    largest = std::max(largest, (d - w).cwiseQuotient(columns).lpNorm<Eigen::Infinity>());
  }
  return largest;
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_simplified_newton_matrix_is_near_the_jacobian_to_third_order) {
  const Setting near[] = {
      {"planar-pendulum", "line-integral-ggl", {{"speed", "0.7"}}, {{"s", "4"}, {"k", "6"}}, 0.1},
      {"double-spherical-pendulum", "line-integral-ggl", {{"start", "spatial"}}, {{"s", "3"}}, 0.02},
      {"double-spherical-pendulum", "line-integral-ggl", {{"start", "spatial"}}, {}, 0.02},
      {"modified-pendulum", "line-integral-ggl", {{"start", "later"}}, {{"k", "6"}, {"s", "3"}}, 0.05},
      {"spherical-atwood", "line-integral-ggl", {}, {{"k", "6"}, {"s", "3"}}, 0.02},
  };
  for (const Setting& setting : near) {
    const double coarse = distance_of_simplified_matrix(setting, setting.h),
                 fine = distance_of_simplified_matrix(setting, setting.h / 4);
    BOOST_TEST_MESSAGE(setting.problem << " " << coarse << " " << fine);
    BOOST_TEST_CONTEXT(setting.problem << ": " << coarse << " and " << fine) {
      BOOST_TEST(coarse < 0.1);
      BOOST_TEST(fine < coarse / 30);
    }
  }
}

BOOST_AUTO_TEST_CASE(matrices_to_leading_order_are_near_the_jacobian_to_first_order) {
  const Setting near[] = {
      {"double-spherical-pendulum", "projected-rk", {{"start", "spatial"}}, {{"stages", "3"}}, 0.04},
      {"chain", "projected-rk", {{"start", "spatial"}}, {{"stages", "2"}}, 0.02},
      {"double-compound-pendulum", "projected-rk", {}, {{"stages", "2"}}, 0.02},
      {"chain", "energy-momentum-ggl", {{"start", "spatial"}, {"links", "20"}}, {}, 0.01},
  };
  for (const Setting& setting : near) {
    const double coarse = distance_of_simplified_matrix(setting, setting.h),
                 fine = distance_of_simplified_matrix(setting, setting.h / 4);
    BOOST_TEST_MESSAGE(setting.problem << " " << coarse << " " << fine);
    BOOST_TEST_CONTEXT(setting.scheme << " on " << setting.problem << ": " << coarse << " and " << fine) {
      BOOST_TEST(coarse < 1);
      BOOST_TEST(fine < coarse / 3);
    }
  }
}

BOOST_AUTO_TEST_CASE(iterations_that_a_user_allows_are_those_of_either_matrix) {
  const ProblemInstance instance = registry().build("double-spherical-pendulum", {{"start", "spatial"}});
  IntegratorOptions whole;
  whole.max_halvings = 0;
  for (const char* solver : {"newton", "kinsol-newton"}) {
    Integrator integrator =
        registry().integrator(instance, "projected-rk", solver, {}, {{"max-iterations", "2"}}, whole);
    integrator.start(instance.t0, instance.q0, instance.p0);
    const StepReport report = integrator.step(0.4);
    BOOST_TEST((report.status == SolveStatus::not_converged));
    BOOST_TEST(report.last.iterations <= 4);
    BOOST_TEST((integrator.state().q.value() == instance.q0));
  }
}

BOOST_AUTO_TEST_CASE(newton_makes_the_same_steps_with_the_simplified_matrix) {
  struct Case : Setting {
    bool enough;  ///< the simplified matrix
  };
  const Case cases[] = {
      {{"planar-pendulum", "line-integral-ggl", {}, {{"s", "4"}, {"k", "6"}}, 0.02}, true},
      {{"planar-pendulum", "line-integral-ggl", {}, {}, 0.8}, false},
      {{"double-spherical-pendulum", "line-integral-ggl", {{"start", "spatial"}}, {{"s", "3"}}, 0.01}, true},
      {{"double-spherical-pendulum", "line-integral-ggl", {{"start", "spatial"}}, {{"s", "3"}}, 0.1}, false},
      {{"heavy-top", "line-integral-ggl", {{"start", "nutating"}}, {{"s", "3"}, {"r", "2"}}, 1e-3}, true},
      {{"modified-pendulum", "line-integral-ggl", {{"start", "later"}}, {{"k", "6"}}, 0.02}, true},
      {{"modified-pendulum", "line-integral-ggl", {{"start", "later"}}, {{"k", "6"}}, 0.5}, false},
      {{"shaken-pendulum", "line-integral-ggl", {}, {}, 0.02}, true},
      {{"driven-double-pendulum", "line-integral-ggl", {}, {}, 0.01}, true},
      {{"double-spherical-pendulum", "projected-rk", {{"start", "spatial"}}, {{"projection", "pve"}}, 0.02}, true},
      {{"double-spherical-pendulum", "projected-rk", {{"start", "spatial"}}, {{"metric", "euclidean"}}, 0.02}, true},
      {{"chain", "projected-rk", {{"start", "spatial"}}, {{"projection", "pve"}, {"stages", "4"}}, 0.02}, true},
      {{"modified-pendulum", "projected-rk", {{"start", "later"}}, {{"projection", "pve"}}, 0.02}, true},
      {{"shaken-pendulum", "projected-rk", {}, {{"projection", "pv"}}, 0.02}, true},
      {{"driven-double-pendulum", "projected-rk", {}, {{"projection", "pve"}, {"stages", "3"}}, 0.01}, true},
      {{"double-spherical-pendulum", "projected-rk", {{"start", "spatial"}}, {{"projection", "pve"}}, 0.3}, false},
  };
  for (const Case& each : cases)
    for (const char* solver : {"newton", "kinsol-newton"}) {
      // kinsol-newton takes those to leading order in h only.
      if (std::string(solver) == "kinsol-newton" && std::string(each.scheme) != "projected-rk") continue;
      BOOST_TEST_CONTEXT(each.scheme << " on " << each.problem << ", h = " << each.h << ", " << solver) {
        const ProblemInstance instance = registry().build(each.problem, each.set);
        const auto start = [&](const char* matrix) {
          Integrator integrator =
              registry().integrator(instance, each.scheme, solver, each.options, {{"matrix", matrix}});
          integrator.start(instance.t0, instance.q0, instance.p0);
          return integrator;
        };
        Integrator full = start("full"), simplified = start("simplified");
        BOOST_REQUIRE(full.advance(12, each.h).success());
        long allocations = 0;
        {
          const validation::CountAllocations count;
          BOOST_REQUIRE(simplified.advance(12, each.h).success());
          allocations = count.count();
        }
        // A part of a path that fails has a message. No other case may allocate.
        const bool messages =
            !each.enough && std::string(each.scheme) == "projected-rk" && simplified.counters().followed_steps > 0;
        BOOST_TEST((allocations == 0 || messages || validation::formats_messages(solver)));
        BOOST_TEST(scaled(simplified.state().q.value(), full.state().q.value()) < 1e-11);
        BOOST_TEST(scaled(simplified.state().p.value(), full.state().p.value()) < 1e-11);
        if (simplified.promises().energy)
          BOOST_TEST(simplified.monitor().energy().max_abs_error() <= simplified.monitor().energy_gate());
        BOOST_TEST((simplified.counters().jacobian_evaluations < full.counters().jacobian_evaluations / 2) ==
                   each.enough);
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
