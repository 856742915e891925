// Which scheme a tolerance chooses: the table that ships, the rule, the promises of what is chosen.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "support/builtin_registry.hpp"
#include "test/run/close_encounter.hpp"

namespace {

using namespace gnomon;

SuitedRun run_of(const ProblemInstance& instance, double relative) {
  SuitedRun run;
  run.start = instance;
  run.relative = relative;
  run.solver = &registry().solver("newton");
  run.solver_options = Options("solver newton", run.solver->options());
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_table_that_ships) {
  std::map<std::pair<std::string, double>, double> cheapest;
  std::map<std::string, std::set<double>> tolerances;
  for (const SuitedRow& row : suited_table()) {
    BOOST_CHECK_NO_THROW(registry().scheme(row.scheme));
    BOOST_TEST(row.cost >= 0.99);
    double& least = cheapest.try_emplace({row.model_class, row.tolerance}, row.cost).first->second;
    least = std::min(least, row.cost);
    tolerances[row.model_class].insert(row.tolerance);
  }
  BOOST_TEST(tolerances.size() == 5u);
  for (const auto& [model_class, known] : tolerances) {
    BOOST_TEST(known.size() == 9u, model_class);
    BOOST_TEST(*known.begin() == 1e-10);
    BOOST_TEST(*known.rbegin() == 1e-2);
  }
  // No candidate is the cheapest on every problem, but the first is not far from it.
  for (const auto& [key, cost] : cheapest) BOOST_TEST(cost < 2);
}

BOOST_AUTO_TEST_CASE(classes_and_candidates) {
  const auto system = [](const std::string& problem, const Assignments& set = {}) {
    return registry().build(problem, set).model;
  };
  const auto chain = system("chain", {{"links", "10"}}), long_chain = system("chain", {{"links", "100"}}),
             angles = system("double-compound-pendulum"), quartic = system("modified-pendulum"),
             top = system("heavy-top");
  BOOST_TEST(class_of(*chain->mechanical()) == "constant mass, up to 60 coordinates, no more than half of them bound");
  BOOST_TEST(class_of(*long_chain->mechanical()) ==
             "constant mass, above 60 coordinates, no more than half of them bound");
  BOOST_TEST(class_of(*top->mechanical()) == "constant mass, up to 60 coordinates, more than half of them bound");
  BOOST_TEST(class_of(*angles->mechanical()) == "M(q)");
  // U of degree 4, g of degree 6: s = 3 takes nine nodes, so that the energy is exact.
  bool found = false;
  for (const SchemeChoice& choice : tolerance_candidates(*quartic->mechanical()))
    found = found || to_string(choice) == "line-integral-ggl s=3 k=9";
  BOOST_TEST(found);
  for (const SchemeChoice& choice : tolerance_candidates(*chain->mechanical()))
    BOOST_TEST(to_string(choice).find("k=") == std::string::npos);
}

// Under friction projected-rk is out. Obstacles are constraints while they are closed: c of degree 3 takes the nodes
// with which line integrals keep the energy, and they take a hundredth of the time of the second-order scheme.
BOOST_AUTO_TEST_CASE(under_friction) {
  for (const char* contact : {"unilateral", "kept"}) {
    const ProblemInstance surface = registry().build("cubic-surface", {{"contact", contact}});
    for (const double relative : {1e-5, 1e-7}) {
      const SchemeChoice choice = suited_scheme(registry(), run_of(surface, relative));
      BOOST_TEST(choice.scheme == "line-integral-ggl", contact);
      Integrator run = registry().integrator(surface, choice.scheme, "newton", choice.options);
      run.set_tolerances(Tolerances(relative));
      BOOST_TEST(run.promises().energy);
      BOOST_REQUIRE(run.advance_to(1.5).success());
      BOOST_TEST(run.check_promises().empty());
      BOOST_TEST(run.counters().steps < 200);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_chosen_keeps_everything) {
  for (const char* problem : {"planar-pendulum", "modified-pendulum", "spherical-atwood", "polymer", "shaken-pendulum",
                              "driven-double-pendulum", "double-compound-pendulum", "chain", "heavy-top"})
    for (const double relative : {1e-2, 1e-5, 3e-8, 1e-12}) {
      const ProblemInstance instance = registry().build(problem);
      const SchemeChoice choice = suited_scheme(registry(), run_of(instance, relative));
      Integrator run = registry().integrator(instance, choice.scheme, "newton", choice.options);
      BOOST_TEST_CONTEXT(problem << " " << relative << " " << to_string(choice)) {
        const Promises& promises = run.promises();
        BOOST_TEST((promises.energy && promises.position && promises.hidden));
        BOOST_CHECK_NO_THROW(run.set_tolerances(Tolerances(relative)));
        BOOST_TEST(to_string(suited_scheme(registry(), run_of(instance, relative))) == to_string(choice));
      }
    }
}

BOOST_AUTO_TEST_CASE(errors_are_proportional_to_the_tolerance) {
  struct Case {
    const char* problem;
    Assignments set;
    double until;
  };
  for (const Case& c : {Case{"planar-pendulum", {}, 10}, Case{"double-spherical-pendulum", {{"start", "spatial"}}, 2},
                        Case{"modified-pendulum", {}, 5}, Case{"double-compound-pendulum", {}, 3},
                        Case{"chain", {{"links", "10"}, {"start", "spatial"}}, 2}}) {
    const ProblemInstance instance = registry().build(c.problem, c.set);
    Integrator true_run =
        registry().integrator(instance, "projected-rk", "newton", {{"stages", "5"}, {"projection", "pve"}});
    true_run.set_tolerances(Tolerances(1e-13));
    BOOST_REQUIRE(true_run.advance_to(c.until).success());
    const Vector truth = true_run.state().q.value();
    for (const double relative : {1e-3, 1e-5, 1e-7, 1e-9}) {
      const SchemeChoice choice = suited_scheme(registry(), run_of(instance, relative));
      Integrator run = registry().integrator(instance, choice.scheme, "newton", choice.options);
      run.set_tolerances(Tolerances(relative));
      BOOST_REQUIRE(run.advance_to(c.until).success());
      const double error = (run.state().q.value() - truth).norm() / truth.norm();
      BOOST_TEST_CONTEXT(c.problem << " " << relative << " " << to_string(choice) << ": " << error / relative)
      BOOST_TEST(error <= 30 * relative);
      BOOST_TEST(run.monitor().relative_energy_error() <= 1e-14);
    }
  }
}

// Fixed steps of the same scheme that are no more accurate take twenty times the iterations of Newton's method.
BOOST_AUTO_TEST_CASE(close_encounter_on_a_sphere) {
  const ProblemInstance instance = test::close_encounter();
  Integrator true_run =
      registry().integrator(instance, "projected-rk", "newton", {{"stages", "5"}, {"projection", "pve"}});
  true_run.set_tolerances(Tolerances(1e-13));
  BOOST_REQUIRE(true_run.advance_to(12).success());
  for (const double relative : {1e-6, 1e-8}) {
    const SchemeChoice choice = suited_scheme(registry(), run_of(instance, relative));
    const Assignments full = {{"matrix", "full"}};
    Integrator run = registry().integrator(instance, choice.scheme, "newton", choice.options, full),
               fixed = registry().integrator(instance, choice.scheme, "newton", choice.options, full);
    run.set_tolerances(Tolerances(relative));
    BOOST_REQUIRE(run.advance_to(12).success());
    const auto error = [&](const Integrator& of) {
      return (of.state().q.value() - true_run.state().q.value()).norm() / true_run.state().q.value().norm();
    };
    BOOST_TEST(error(run) <= 30 * relative);
    BOOST_TEST(error(run) >= relative / 30);
    const long steps = 40 * run.counters().steps;
    BOOST_REQUIRE(fixed.advance(steps, 12 / static_cast<double>(steps)).success());
    BOOST_TEST_CONTEXT(to_string(choice) << ": " << error(run) << " by " << run.counters().iterations << ", fixed "
                                         << error(fixed) << " by " << fixed.counters().iterations)
    BOOST_TEST(error(fixed) >= error(run));
    BOOST_TEST(fixed.counters().iterations >= 20 * run.counters().iterations);
  }
}

// Seven bodies, M(q): the angles at t = 0.03 that the Test Set for IVP Solvers prints (release 2.4, II-17). Steps as
// long as 1e-3 allows would cost more than shorter ones, so that the error is far below it.
BOOST_AUTO_TEST_CASE(andrews_squeezer) {
  Vector printed(7);
  printed << 15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
      0.5347301163226948, 1.048080741042263;
  const ProblemInstance instance = registry().build("andrews-squeezer");
  for (const double relative : {1e-3, 1e-6}) {
    const SchemeChoice choice = suited_scheme(registry(), run_of(instance, relative));
    Integrator run = registry().integrator(instance, choice.scheme, "newton", choice.options);
    run.set_tolerances(Tolerances(relative));
    BOOST_REQUIRE(run.advance_to(0.03).success());
    const double error = (run.state().q.value() - printed).norm() / printed.norm();
    BOOST_TEST_CONTEXT(to_string(choice)) BOOST_TEST(error <= 30 * relative);
    BOOST_TEST(error >= relative / 1000);
    BOOST_TEST(run.counters().followed_steps == 0);
    BOOST_TEST(run.counters().steps < 60);
    BOOST_TEST(run.monitor().relative_energy_error() <= 1e-15);
  }
}

// Steps as long as 1e-2 allows cost ten others, or a hundred, each: their stages take dF/dx of 5 (n + m) unknowns,
// their solutions have to be followed from h -> 0. (n, m) = (90, 30) of points on rods.
BOOST_AUTO_TEST_CASE(no_step_costs_much_more_than_a_shorter_one) {
  const ProblemInstance chain = registry().build("chain", {{"links", "30"}, {"start", "spatial"}});
  for (const char* stages : {"3", "5"}) {
    Integrator run =
        registry().integrator(chain, "projected-rk", "newton", {{"stages", stages}, {"projection", "pve"}});
    run.set_tolerances(Tolerances(1e-2));
    BOOST_REQUIRE(run.advance_to(1).success());
    BOOST_TEST_CONTEXT(stages << " stages, " << run.counters().steps << " steps") {
      BOOST_TEST(run.counters().refused_steps > 0);
      BOOST_TEST(run.counters().refused_steps < run.counters().steps / 2);
      BOOST_TEST(run.counters().followed_steps == 0);
      BOOST_TEST(run.counters().jacobian_evaluations < run.counters().steps / 10);
    }
  }
}

// A hundred rods: where the stages of the last step give a start value that is near, the second correction may be
// larger than the first, and steps were refused for that.
BOOST_AUTO_TEST_CASE(a_start_value_that_is_near_is_taken) {
  const int rods = 100;
  std::string text = "format = 1\nname = \"rods\"\ngravity = [0, 0, -9.81]\npoints = { P0 = [0, 0, 0] }\n";
  for (int k = 1; k <= rods; ++k) {
    const std::string own = std::to_string(k), last = std::to_string(k - 1), middle = last + ".5";
    text += "[bodies.rod" + own + "]\nmass = 1\ninertia = [0.002, 0.084, 0.084]\n" + "markers = { m" + last +
            " = [-0.5, 0, 0], m" + own + " = [0.5, 0, 0] }\nposition = [" + middle + ", 0, 0]\nvelocity = [0, " +
            std::to_string(.1 * (k - .5)) + ", 0]\nangular_velocity = [0, 0, 0.1]\n";
  }
  text += "[joints]\nJ0 = { type = \"spherical\", between = [\"P0\", \"rod1.m0\"] }\n";
  for (int k = 1; k < rods; ++k) {
    const std::string own = std::to_string(k), marker = ".m" + own + "\"";
    text += "J" + own + " = { type = \"spherical\", between = [\"rod" + own + marker + ", \"rod" +
            std::to_string(k + 1) + marker + "] }\n";
  }
  const ProblemInstance instance = read_model_text(text, "rods.toml")->build(Options("problem rods", {}));
  for (const auto& [stages, relative] : {std::pair("3", 1e-4), std::pair("4", 1e-5)}) {
    Integrator run =
        registry().integrator(instance, "projected-rk", "kinsol-newton", {{"stages", stages}, {"projection", "pve"}});
    run.set_tolerances(Tolerances(relative));
    BOOST_REQUIRE(run.advance_to(1).success());
    BOOST_TEST(run.counters().refused_steps == 0);
    BOOST_TEST(run.counters().jacobian_evaluations == 0);
    BOOST_TEST(run.monitor().relative_energy_error() <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(named_schemes_and_refusals) {
  const ProblemInstance pendulum = registry().build("planar-pendulum");
  const auto options = [&](const char* scheme, double relative) {
    return suited_options(registry(), run_of(pendulum, relative), scheme);
  };
  BOOST_TEST(options("line-integral-ggl", 1e-3).size() == 1u);
  BOOST_TEST((options("line-integral-ggl", 1e-3) != options("line-integral-ggl", 1e-10)));
  BOOST_TEST(options("energy-momentum-ggl", 1e-6).empty());
  BOOST_TEST(options("rattle", 1e-6).empty());
  BOOST_CHECK_THROW(suited_scheme(registry(), run_of(registry().build("odae-test"), 1e-6)), Error);
}
