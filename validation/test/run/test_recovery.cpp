// A callback that fails once: the run goes on from where it was, and ends where an undisturbed one does.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/registry/registry.hpp"
#include "support/builtin_registry.hpp"
#include "support/faulty_system.hpp"

namespace {

using namespace gnomon;
using test::FaultySystem;
using Called = FaultySystem::Function;
using How = FaultySystem::How;

constexpr long never = 1000000000;

struct Ran {
  Vector q, p, lambda;
  double energy_error = 0;
  long calls = 0;
  int failures = 0;
  std::size_t events = 0;
};

bool finite(const State& z) {
  bool all = z.q.value().allFinite() && z.p.value().allFinite() && z.lambda.allFinite() && z.scheme_data.allFinite();
  for (Index age = 0; age < z.history.count(); ++age) all = all && z.history.at(age).allFinite();
  for (const auto& substep : z.substeps)
    for (Index age = 0; age < substep.history.count(); ++age) all = all && substep.history.at(age).allFinite();
  return all;
}

/// A run in which one call of a function fails. What fails is tried once more, start or step.
Ran ran(const ProblemInstance& sound, const std::string& scheme, const std::string& solver, Called function, How how,
        long call, long steps = 12, double h = 0.01) {
  const System& system = *sound.model->mechanical();
  const auto faulty = std::make_shared<FaultySystem>(system, function, how, call);
  ProblemInstance instance = sound;
  instance.model = faulty;
  Ran run;
  IntegratorOptions options;
  options.event_driver = contact_driver;
  options.max_halvings = 0;  // a step that fails is taken again whole
  // Binding may evaluate the model too.
  std::optional<Integrator> integrator;
  for (int attempt = 0; !integrator; ++attempt) try {
      integrator.emplace(faulty, registry().scheme(scheme), Options(scheme, registry().scheme(scheme).options(), {}),
                         registry().solver(solver), Options(solver, registry().solver(solver).options(), {}), options);
    } catch (const std::exception&) {
      if (faulty->calls() < call || attempt > 0) throw;
      ++run.failures;
    }
  for (int attempt = 0;; ++attempt) try {
      integrator->start(instance.t0, instance.q0, instance.p0);
      break;
    } catch (const std::exception&) {
      BOOST_REQUIRE(attempt == 0);
      ++run.failures;
    }
  for (long step = 0; step < steps; ++step) {
    const Vector q = integrator->state().q.value();
    StepReport report = integrator->step(h);
    if (!report.success()) {
      ++run.failures;
      BOOST_TEST((integrator->state().q.value() - q).norm() == 0);
      report = integrator->step(h);
    }
    BOOST_REQUIRE_MESSAGE(report.success(), report.message);
    BOOST_REQUIRE(finite(integrator->state()));
  }
  run.q = integrator->state().q.value();
  run.p = integrator->state().p.value();
  run.lambda = integrator->state().lambda;
  run.energy_error = integrator->monitor().energy().max_abs_error();
  run.calls = faulty->calls();
  run.events = integrator->events().size();
  return run;
}

/// The first of these that the scheme takes, without force, friction and obstacles.
std::optional<ProblemInstance> problem_for(const std::string& scheme) {
  for (const char* name :
       {"double-spherical-pendulum", "planar-pendulum", "tethered-satellites", "spring-pendulum", "modified-pendulum",
        "oscillator-chain", "simple-pendulum", "double-compound-pendulum", "beam"}) {
    try {
      const Assignments set =
          name == std::string("double-spherical-pendulum") ? Assignments{{"start", "spatial"}} : Assignments{};
      const ProblemInstance instance = registry().build(name, set);
      const System* system = instance.model->mechanical();
      if (!system || system->parts().force || system->parts().friction || system->parts().obstacles) continue;
      ran(instance, scheme, "newton", Called::potential_gradient, How::nan, never);
      return instance;
    } catch (const Error& error) {
      BOOST_TEST_MESSAGE(scheme << ", " << name << ": " << error.what());
    }
  }
  return std::nullopt;
}

double scale(const Vector& x) {
  return std::max(1.0, x.norm());
}

void goes_on(const std::string& scheme, const std::string& solver) {
  const auto instance = problem_for(scheme);
  if (!instance) {
    BOOST_TEST_MESSAGE(scheme << ": takes none of these problems");
    return;
  }
  for (const How how : {How::nan, How::throws})
    for (int f = 0; f < static_cast<int>(Called::count); ++f) {
      const auto function = static_cast<Called>(f);
      const Ran sound = ran(*instance, scheme, solver, function, how, never);
      const long stride = std::max(1L, sound.calls / 25);
      for (long call = 1; call <= sound.calls; call += call < 12 ? 1 : stride) {
        BOOST_TEST_CONTEXT(scheme << ", " << solver << ", function " << f << (how == How::nan ? " NaN" : " throws")
                                  << " in call " << call << " of " << sound.calls) {
          const Ran run = ran(*instance, scheme, solver, function, how, call);
          BOOST_TEST((run.q - sound.q).norm() <= 1e-10 * scale(sound.q));
          BOOST_TEST((run.p - sound.p).norm() <= 1e-10 * scale(sound.p));
          BOOST_TEST((run.lambda - sound.lambda).norm() <= 1e-6 * scale(sound.lambda));
          BOOST_TEST(run.energy_error <= std::max(10 * sound.energy_error, 1e-13));
        }
      }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_goes_on) {
  for (const std::string& scheme : registry().schemes()) goes_on(scheme, "newton");
}

BOOST_AUTO_TEST_CASE(every_solver_goes_on) {
  for (const std::string& solver : registry().solvers()) {
    if (solver == "newton") continue;
    try {
      goes_on("energy-momentum", solver);
    } catch (const Error& error) {
      BOOST_TEST(int(error.code()) == int(ErrorCode::refused));
    }
  }
}

BOOST_AUTO_TEST_CASE(contacts_go_on) {
  const ProblemInstance walls = registry().build("walled-pendulum", {});
  constexpr long steps = 36;
  constexpr double h = 0.02;
  for (const How how : {How::nan, How::throws})
    for (const Called function :
         {Called::potential, Called::potential_compensated, Called::potential_gradient, Called::potential_hessian_times,
          Called::constraints, Called::constraint_jacobian, Called::obstacles}) {
      const Ran sound = ran(walls, "energy-momentum", "newton", function, how, never, steps, h);
      BOOST_TEST(sound.events > 0u);
      const long stride = std::max(1L, sound.calls / 60);
      for (long call = 1; call <= sound.calls; call += call < 12 ? 1 : stride) {
        BOOST_TEST_CONTEXT("function " << int(function) << (how == How::nan ? " NaN" : " throws") << " in call " << call
                                       << " of " << sound.calls) {
          const Ran run = ran(walls, "energy-momentum", "newton", function, how, call, steps, h);
          BOOST_TEST(run.events == sound.events);
          BOOST_TEST((run.q - sound.q).norm() <= 1e-8 * scale(sound.q));
          BOOST_TEST((run.p - sound.p).norm() <= 1e-8 * scale(sound.p));
        }
      }
    }
}
