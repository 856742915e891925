// After start() nothing allocates: every scheme with every solver, on problems with dense and with sparse equations.
#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/solver/kinsol_messages.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;
using validation::CountAllocations;

struct Setting {
  const char* problem;
  Assignments set;
  double h;
};

const Setting settings[] = {
    {"planar-pendulum", {}, 1e-2}, {"double-spherical-pendulum", {{"start", "spatial"}}, 1e-3},
    {"spring-pendulum", {}, 2e-3}, {"heavy-top", {{"start", "nutating"}}, 1e-3},
    {"closed-chain", {}, 1e-3},    {"chain", {{"start", "spatial"}, {"links", "20"}}, 1e-3},
};

}  // namespace

// The counter must see what is there: the C++ library's, Eigen's and SUNDIALS' allocations.
BOOST_AUTO_TEST_CASE(counter_counts) {
  if (!CountAllocations::available()) return;
  const Registry& registry = gnomon::registry();
  const ProblemInstance instance = registry.build("planar-pendulum");
  for (const auto& solver : registry.solvers()) {
    if (solver == "uzawa") continue;  // for beams; every other one takes hbvm
    const CountAllocations allocations;
    const Integrator integrator = registry.integrator(instance, "hbvm", solver);
    BOOST_TEST(allocations.count() > 20, solver);
  }
  const CountAllocations allocations;
  const Vector v = Vector::Zero(1000);
  BOOST_TEST(v.size() == 1000);
  BOOST_TEST(allocations.count() == 1);
}

BOOST_AUTO_TEST_CASE(no_allocation_after_start) {
  const Registry& registry = gnomon::registry();
  int combinations = 0;
  for (const Setting& setting : settings) {
    const ProblemInstance instance = registry.build(setting.problem, setting.set);
    for (const auto& scheme : registry.schemes())
      for (const auto& solver : registry.solvers()) {
        try {
          Integrator integrator = registry.integrator(instance, scheme, solver);
          StepReport report;
          long count = 0;
          {
            const CountAllocations allocations;
            report = integrator.advance(100, setting.h);
            count = allocations.count();
          }
          BOOST_TEST(report.success(), report.message);
          BOOST_TEST((count == 0 || validation::formats_messages(solver)), scheme << " with " << solver << " on "
                                                                                  << setting.problem << ": " << count
                                                                                  << " allocations in 100 steps");
          ++combinations;
        } catch (const Error& error) {
          BOOST_TEST((error.code() == ErrorCode::refused), error.what());
        }
      }
  }
  BOOST_TEST(combinations >= 30);
}

// Constraints of velocities.
BOOST_AUTO_TEST_CASE(no_allocation_on_models_of_the_gallery) {
  const Registry& registry = gnomon::registry();
  for (const auto& [scheme, model] : {std::pair{"projected-rk", "knife-edge"},
                                      {"projected-rk", "rolling-coin"},
                                      {"energy-momentum-ggl", "knife-edge"},
                                      {"energy-momentum-ggl", "rolling-coin"},
                                      {"line-integral-ggl", "knife-edge"},
                                      {"line-integral-ggl", "rolling-coin"}}) {
    const ProblemInstance instance = registry.build(std::string(GNOMON_MODELS_FOLDER "/gallery/") + model + ".toml");
    Integrator integrator = registry.integrator(instance, scheme, "newton");
    const CountAllocations allocations;
    const StepReport report = integrator.advance(20, 1e-3);
    const long count = allocations.count();
    BOOST_TEST(report.success(), report.message);
    BOOST_TEST(count == 0, scheme << ": " << count << " allocations");
  }
}

// With obstacles events allocate, and nothing between them: in contact and in flight.
BOOST_AUTO_TEST_CASE(no_allocation_between_events) {
  const Registry& registry = gnomon::registry();
  struct Run {
    const char *problem, *scheme;
    Assignments options;
    int contacts_at_the_end;
    long before = 2;
  };
  for (const Run& run : {Run{"cubic-surface", "symplectic-euler-true", {}, 1},
                         Run{"cubic-surface", "composition", {{"inner", "symplectic-euler-true"}, {"order", "4"}}, 1},
                         Run{"box-on-floor", "energy-momentum-ggl", {}, 1, 200},   // slides
                         Run{"box-on-floor", "line-integral-ggl", {}, 1, 1000},    // sticks
                         Run{"box-on-floor", "energy-momentum-ggl", {}, 2, 1750},  // two corners slide
                         Run{"box-on-floor", "energy-momentum-ggl", {}, 2, 2000},  // rests
                         Run{"walled-pendulum", "energy-momentum", {}, 0}}) {
    Integrator integrator = registry.integrator(registry.build(run.problem), run.scheme, "kinsol-newton", run.options);
    BOOST_TEST(integrator.advance(run.before, 1e-3).success());
    const std::size_t events = integrator.events().size();
    long count = 0;
    StepReport report;
    {
      const CountAllocations allocations;
      report = integrator.advance(100, 1e-3);
      count = allocations.count();
    }
    BOOST_TEST(report.success(), report.message);
    BOOST_TEST(integrator.events().size() == events);
    BOOST_TEST(static_cast<int>(integrator.state().closed.size()) == run.contacts_at_the_end);
    BOOST_TEST((count == 0 || validation::formats_messages("kinsol-newton")),
               run.problem << ", " << run.scheme << ": " << count << " allocations in 100 steps");
  }
}

// Runs beside a run are made where a change of a parameter gets another size; nothing else allocates.
BOOST_AUTO_TEST_CASE(no_allocation_of_derivatives) {
  const Registry& registry = gnomon::registry();
  struct Run {
    const char *problem, *scheme, *parameter;
  };
  for (const Run& run :
       {Run{"double-spherical-pendulum", "energy-momentum-ggl", "gravity"},
        Run{"double-spherical-pendulum", "rattle", "mass1"}, Run{"planar-pendulum", "hbvm", "length"},
        Run{"planar-pendulum", "projected-rk", "length"}, Run{"planar-pendulum", "symplectic-euler-true", "gravity"},
        Run{"planar-pendulum", "alpha", "length"}, Run{"planar-pendulum", "composition", "length"},
        Run{"chain", "energy-momentum", "length"}, Run{"bricard-loop", "energy-momentum", "mass"}}) {
    const auto integrator_of = [&](const ProblemInstance& instance) {
      IntegratorOptions options;
      options.project_start = true;
      return registry.integrator(instance, run.scheme, "newton", {}, {}, options);
    };
    const VariedProblem all(registry.problem(run.problem), {}, integrator_of, {run.parameter});
    Integrator integrator = integrator_of(all.instance(0, 0));
    Sensitivities by(integrator, all.parameters(), all.make());
    BOOST_REQUIRE(by.observe(integrator.state(), 0));
    integrator.add_observer(by);
    BOOST_REQUIRE(integrator.advance(300, 1e-3).success());
    long count = 0;
    {
      const CountAllocations allocations;
      integrator.advance(100, 1e-3);
      count = allocations.count();
    }
    BOOST_TEST(by.failure() == "");
    BOOST_TEST(count == 0, run.problem << ", " << run.scheme << ": " << count << " allocations in 100 steps");
  }
}
