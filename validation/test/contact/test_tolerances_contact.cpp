// Steps of a tolerance with contacts and friction, and with constraints that repeat others.
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <random>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/instance.hpp"

using namespace gnomon;
using gnomon::test::says;

namespace {

struct Setting {
  const char *problem, *scheme;
  double t_end;
  Assignments set = {};
  double restitution = 0, zeno = 1e-8;
};

Integrator integrator(const ProblemInstance& instance, const Setting& setting) {
  IntegratorOptions options;
  options.contact.restitution = setting.restitution;
  options.contact.zeno_speed = setting.zeno;
  return registry().integrator(instance, setting.scheme, "newton", {}, {}, options);
}

Integrator integrator(const Setting& setting) {
  return integrator(registry().build(setting.problem, setting.set), setting);
}

ReferenceReport solution(const ProblemInstance& instance, double t) {
  const Reference& reference = registry().reference("ida-ggl");
  return reference.start(instance, Options("reference ida-ggl", reference.options()))->advance_to(t);
}

double relative_error(const Vector& x, const Vector& y) {
  return (x - y).norm() / y.norm();
}

std::string file_for(const std::string& what) {
  return (std::filesystem::temp_directory_path() / ("gnomon_" + what + "_" + std::to_string(getpid()))).string();
}

/// Every bit of a run.
void require_same(const Integrator& a, const Integrator& b) {
  BOOST_TEST(a.state().t == b.state().t);
  BOOST_TEST(a.state().t_tail == b.state().t_tail);
  BOOST_TEST((a.state().q.value() == b.state().q.value()));
  BOOST_TEST((a.state().q.tail() == b.state().q.tail()));
  BOOST_TEST((a.state().p.value() == b.state().p.value()));
  BOOST_TEST((a.state().p.tail() == b.state().p.tail()));
  BOOST_TEST((a.state().lambda == b.state().lambda));
  BOOST_TEST((a.state().closed == b.state().closed));
  BOOST_TEST((a.state().slip == b.state().slip));
  BOOST_TEST((a.state().work.total() == b.state().work.total()));
  BOOST_TEST(a.energy_book().impact == b.energy_book().impact);
  BOOST_TEST(a.energy_book().defect == b.energy_book().defect);
  BOOST_TEST(a.deepest_penetration() == b.deepest_penetration());
  BOOST_TEST_REQUIRE(a.events().size() == b.events().size());
  for (std::size_t k = 0; k < a.events().size(); ++k) {
    BOOST_TEST(a.events()[k].t == b.events()[k].t);
    BOOST_TEST((a.events()[k].kind == b.events()[k].kind));
    BOOST_TEST(a.events()[k].energy_change == b.events()[k].energy_change);
  }
  BOOST_TEST(a.step_estimates().next == b.step_estimates().next);
}

/// A bead in a bowl with dry friction: it swings to and fro, friction turns with it, until it stays.
struct Bowl : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 9.81 * q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* force) const {
    using std::pow;
    using std::sqrt;
    const S size = 0.08 * pow(lambda[0] * lambda[0], 0.45), speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int j = 0; j < 2; ++j) force[j] = -1.0 * (size * v[j] / speed);
  }
};

ProblemInstance bowl() {
  return test::instance_of(Bowl(), (Vector(2) << std::sin(0.9), -std::cos(0.9)).finished(),
                           (Vector(2) << 0.2 * std::cos(0.9), 0.2 * std::sin(0.9)).finished());
}

/// The same pushed to and fro: it rests whenever friction holds it.
struct PushedBowl : Bowl {
  template <class S>
  void force(const S& t, const S*, const S*, S* f) const {
    using std::sin;
    f[0] = 1.5 * sin(3.0 * t);
  }
};

/// Where a force just reaches what friction holds, rounding may make it rest and turn once more at the same time.
std::vector<ContactEvent> distinct(const std::vector<ContactEvent>& events) {
  const auto of_motion = [](EventKind kind) { return kind == EventKind::rest || kind == EventKind::turning; };
  std::vector<ContactEvent> result;
  for (const ContactEvent& event : events)
    if (result.empty() || !of_motion(event.kind) || !of_motion(result.back().kind) ||
        std::abs(event.t - result.back().t) > 1e-10)
      result.push_back(event);
  return result;
}

/// The largest errors of the run at t_end and of its events, over rtol.
struct Ratios {
  double q, events;
};
Ratios ratios(const ProblemInstance& instance, const Setting& setting, const ReferenceReport& expected, double rtol) {
  Integrator run = integrator(instance, setting);
  run.set_tolerances(Tolerances(rtol));
  const StepReport report = run.advance_to(setting.t_end);
  BOOST_TEST_REQUIRE(report.success(), report.message);
  BOOST_TEST(run.state().t == setting.t_end);
  const std::string name = instance.model->name() + ", " + setting.scheme + ", rtol " + std::to_string(rtol);
  const std::vector<ContactEvent> mine = distinct(run.events()), theirs = distinct(expected.events);
  BOOST_TEST_REQUIRE(mine.size() == theirs.size(), name);
  Ratios ratio{relative_error(run.state().q.value(), expected.q) / rtol, 0};
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    BOOST_TEST((mine[k].kind == theirs[k].kind));
    ratio.events = std::max(ratio.events, std::abs(mine[k].t - theirs[k].t) / rtol);
  }
  const StepEstimates& sizes = run.step_estimates();
  const RunCounters& counters = run.counters();
  BOOST_TEST_MESSAGE(name << ": error/rtol " << ratio.q << ", of events " << ratio.events << "; " << report.steps
                          << " steps, " << counters.error_test_failures << " rejected, " << counters.refused_steps
                          << " refused, h " << sizes.smallest << " .. " << sizes.largest << ", defect "
                          << run.energy_book().defect);
  // A landing just behind the start of a step, or just before its end, leaves the size of steps what it is.
  BOOST_TEST(sizes.smallest > 1e-4 * setting.t_end / static_cast<double>(report.steps), name);
  BOOST_TEST(counters.error_test_failures <= 12 + report.steps / 10, name);
  BOOST_TEST(counters.refused_steps <= 10,
             name);  // under friction, where the velocity vanishes and it has no direction
  if (std::string(setting.scheme) == "energy-momentum-ggl")
    BOOST_TEST(std::abs(run.energy_book().defect) <= run.monitor().energy_gate(), name);
  BOOST_TEST(run.check_promises().empty(), name);
  BOOST_TEST(!run.promises().symmetric);
  return ratio;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tolerances_contact)

// The error at the end and of the times of events is proportional to rtol: impacts without and with constraints, with
// M(q), at corners, contacts that slide, stick and come to rest, friction nonlinear in the multiplier.
BOOST_AUTO_TEST_CASE(achieved_error) {
  for (const Setting& setting :
       {Setting{"box-on-floor", "energy-momentum-ggl", 2.5}, Setting{"box-on-floor", "line-integral-ggl", 2.5},
        Setting{"wall-pendulum", "energy-momentum-ggl", 2.5}, Setting{"wall-pendulum", "line-integral-ggl", 2.5},
        Setting{"wall-pendulum", "projected-rk", 2.5}, Setting{"walled-pendulum", "energy-momentum-ggl", 2.5},
        Setting{"walled-pendulum", "line-integral-ggl", 2.5}, Setting{"walled-pendulum", "projected-rk", 2.5},
        Setting{"cubic-surface", "energy-momentum-ggl", 2.5}, Setting{"cubic-surface", "line-integral-ggl", 2.5},
        Setting{"cubic-surface", "line-integral-ggl", 4.2, {{"x", "-3"}, {"u", "15"}}}}) {
    const ProblemInstance instance = registry().build(setting.problem, setting.set);
    const ReferenceReport expected = solution(instance, setting.t_end);
    BOOST_TEST_REQUIRE(expected.success, expected.message);
    const bool second_order = std::string(setting.scheme) == "energy-momentum-ggl";
    const Ratios loose = ratios(instance, setting, expected, 1e-4);
    const Ratios tight = ratios(instance, setting, expected, second_order ? 1e-6 : 1e-7);
    for (const Ratios& ratio : {loose, tight}) {
      BOOST_TEST(ratio.q <= 10);
      BOOST_TEST(ratio.events <= 30);
    }
    BOOST_TEST(tight.q <= 10 * loose.q, setting.problem << ", " << setting.scheme);
    BOOST_TEST(tight.q >= loose.q / 10, setting.problem << ", " << setting.scheme);
  }
}

// Friction that turns with the velocity, and stops it in the end.
BOOST_AUTO_TEST_CASE(friction_that_reverses) {
  const ProblemInstance instance = bowl();
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"}) {
    Setting setting{"bowl", scheme, 2};
    Integrator fine = integrator(instance, {"bowl", "line-integral-ggl", 2});
    BOOST_TEST_REQUIRE(fine.advance_to(2, 1e-3).success());
    ReferenceReport expected;
    expected.q = fine.state().q.value();
    expected.events = fine.events();
    BOOST_TEST(expected.events.size() >= 2u);
    for (const double rtol : {1e-3, 1e-5}) {
      const Ratios ratio = ratios(instance, setting, expected, rtol);
      BOOST_TEST(ratio.q <= 10);
      BOOST_TEST(ratio.events <= 30);
    }
    Integrator run = integrator(instance, setting);
    run.set_tolerances(Tolerances(1e-4));
    BOOST_TEST_REQUIRE(run.advance_to(40).success());
    BOOST_TEST((run.events().back().kind == EventKind::rest));
    BOOST_TEST(run.state().p.value().norm() == 0);
    // At rest, where nothing is wrong, steps grow.
    BOOST_TEST(run.step_estimates().largest > 1);
  }
}

// At rest steps are as short as the motion that the force would make asks for, and find where it overcomes friction.
BOOST_AUTO_TEST_CASE(rest_under_forces_that_change) {
  const ProblemInstance instance = test::instance_of(PushedBowl(), -Vector::Unit(2, 1), Vector::Zero(2));
  Integrator fine = integrator(instance, {"pushed-bowl", "line-integral-ggl", 6});
  BOOST_TEST_REQUIRE(fine.advance_to(6, 1e-3).success());
  ReferenceReport expected;
  expected.q = fine.state().q.value();
  expected.events = fine.events();
  BOOST_TEST(expected.events.size() >= 6u);
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"})
    for (const double rtol : {1e-3, 1e-5}) {
      const Ratios ratio = ratios(instance, {"pushed-bowl", scheme, 6}, expected, rtol);
      BOOST_TEST(ratio.q <= 10);
      BOOST_TEST(ratio.events <= 30);
    }
}

// Rebounds that become ever shorter, in one step and over many.
BOOST_AUTO_TEST_CASE(sequences_of_rebounds) {
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"})
    for (const double rtol : {1e-3, 1e-5}) {
      const Setting setting{"box-on-floor", scheme, 2, {}, 0.3, 1e-4};
      Integrator run = integrator(setting);
      run.set_tolerances(Tolerances(rtol));
      const StepReport report = run.advance_to(setting.t_end);
      BOOST_TEST_REQUIRE(report.success(), report.message);
      BOOST_TEST(run.events().size() > 20u);
      BOOST_TEST(run.counters().refused_steps == 0);
      BOOST_TEST(run.step_estimates().smallest > 1e-4 * setting.t_end / static_cast<double>(report.steps));
      Integrator fixed = integrator(setting);
      BOOST_TEST_REQUIRE(fixed.advance_to(setting.t_end, 1e-3).success());
      BOOST_TEST_MESSAGE(scheme << " rtol " << rtol << ": " << report.steps << " steps, "
                                << run.counters().error_test_failures << " rejected, " << run.events().size()
                                << " events, fixed steps " << fixed.events().size() << ", error/rtol "
                                << relative_error(run.state().q.value(), fixed.state().q.value()) / rtol);
      BOOST_TEST(run.counters().error_test_failures <= 20 + report.steps / 10);
      BOOST_TEST(relative_error(run.state().q.value(), fixed.state().q.value()) <= 30 * rtol);
    }
}

// What a rejected step did is taken back to the last bit, its events too.
BOOST_AUTO_TEST_CASE(a_rejected_step_leaves_no_trace) {
  const std::string file = file_for("rejected");
  for (const Setting& setting :
       {Setting{"wall-pendulum", "line-integral-ggl", 1.45}, Setting{"walled-pendulum", "projected-rk", 0.59},
        Setting{"box-on-floor", "energy-momentum-ggl", 0.95}, Setting{"box-on-floor", "line-integral-ggl", 1.65},
        Setting{"cubic-surface", "energy-momentum-ggl", 1}}) {
    Integrator run = integrator(setting), twin = integrator(setting);
    run.set_tolerances(Tolerances(1e-5));
    BOOST_TEST_REQUIRE(run.advance_to(setting.t_end).success());
    run.save(file);
    twin.load(file);
    run.set_tolerances(Tolerances(1e-5), {0, 0.5, 0, 0});
    const StepReport failed = run.step_to(setting.t_end + 3);
    BOOST_TEST((failed.status == SolveStatus::step_too_small), failed.message);
    // By its error, or by a solver that does not follow so long a step.
    const auto tries = [](const Integrator& of) {
      return of.counters().error_test_failures + of.counters().refused_steps;
    };
    BOOST_TEST(tries(run) > tries(twin));
    run.set_tolerances(Tolerances(1e-5));
    require_same(run, twin);
    for (Integrator* one : {&run, &twin}) BOOST_TEST_REQUIRE(one->advance_to(setting.t_end + 0.5).success());
    BOOST_TEST(run.events().size() > 0u);
    require_same(run, twin);
  }
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(checkpoints_are_bit_identical) {
  const std::string file = file_for("tolerance_contact");
  for (const Setting& setting : {Setting{"box-on-floor", "energy-momentum-ggl", 2.2},
                                 Setting{"box-on-floor", "line-integral-ggl", 2.2, {}, 0.3, 1e-3},
                                 Setting{"walled-pendulum", "projected-rk", 1.5},
                                 Setting{"wall-pendulum", "line-integral-ggl", 2.2, {}, 0.5, 1e-3},
                                 Setting{"cubic-surface", "line-integral-ggl", 4.2, {{"x", "-3"}, {"u", "15"}}},
                                 Setting{"cubic-surface", "energy-momentum-ggl", 2}}) {
    Integrator whole = integrator(setting);
    whole.set_tolerances(Tolerances(1e-4));
    BOOST_TEST_REQUIRE(whole.advance_to(setting.t_end).success());
    const long steps = whole.counters().steps;
    for (int part = 1; part <= 5; ++part) {
      Integrator run = integrator(setting), other = integrator(setting);
      run.set_tolerances(Tolerances(1e-4));
      for (long k = 0; k < steps * part / 6; ++k) BOOST_TEST_REQUIRE(run.step_to(setting.t_end).success());
      run.save(file);
      other.load(file);
      BOOST_TEST(!other.promises().symmetric);
      BOOST_TEST_REQUIRE(other.advance_to(setting.t_end).success());
      require_same(whole, other);
      BOOST_TEST(whole.counters().steps == other.counters().steps);
      BOOST_TEST(whole.counters().iterations == other.counters().iterations);
      BOOST_TEST(whole.counters().error_test_failures == other.counters().error_test_failures);
    }
  }
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(tolerances_that_change_within_a_run) {
  for (const Setting& setting :
       {Setting{"box-on-floor", "energy-momentum-ggl", 2.2}, Setting{"walled-pendulum", "line-integral-ggl", 2},
        Setting{"wall-pendulum", "energy-momentum-ggl", 2.2}, Setting{"cubic-surface", "energy-momentum-ggl", 2}}) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> digits(-6, -2), uniform(0, 1);
    Integrator run = integrator(setting);
    BOOST_TEST_REQUIRE(run.advance(5, 1e-3).success());  // a run of fixed steps goes on with a tolerance
    while (run.state().t < setting.t_end) {
      StepLimits limits;
      if (uniform(random) < 0.2) limits.largest = 0.01;
      run.set_tolerances({std::pow(10, digits(random)), std::pow(10, digits(random))}, limits);
      StepReport report;
      for (int k = 0; k < 7 && report.success(); ++k) report = run.step_to(setting.t_end);
      BOOST_TEST_REQUIRE(report.success(), report.message);
      if (uniform(random) < 0.1) BOOST_TEST_REQUIRE(run.step(1e-3).success());
    }
    BOOST_TEST(std::abs(run.energy_book().defect) <= run.monitor().energy_gate());
    BOOST_TEST(run.check_promises().empty());
    BOOST_TEST(!run.events().empty());
  }
}

// Twenty-four constraints of rank twenty-three. Steps of projected-rk above .05, which tolerances above 1e-7 would
// take, do not converge, of a fixed size neither: off the manifold the constraints contradict each other.
BOOST_AUTO_TEST_CASE(dependent_constraints) {
  const ProblemInstance ring = registry().build("bricard-loop");
  Integrator fine = registry().integrator(ring, "projected-rk", "newton");
  BOOST_TEST_REQUIRE(fine.advance_to(0.5, 5e-3).success());
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl", "projected-rk"}) {
    double last = 0;
    const double smallest = std::string(scheme) == "projected-rk" ? 1e-9 : 1e-5;
    for (double rtol = 100 * smallest; rtol > 0.5 * smallest; rtol /= 10) {
      Integrator run = registry().integrator(ring, scheme, "newton");
      run.set_tolerances(Tolerances(rtol));
      const StepReport report = run.advance_to(0.5);
      BOOST_TEST_REQUIRE(report.success(), report.message);
      const double ratio = relative_error(run.state().q.value(), fine.state().q.value()) / rtol;
      BOOST_TEST_MESSAGE(scheme << " rtol " << rtol << ": error/rtol " << ratio << ", " << report.steps << " steps, "
                                << run.counters().error_test_failures << " rejected, " << run.counters().refused_steps
                                << " refused");
      BOOST_TEST(ratio <= 10);
      if (last > 0) BOOST_TEST((ratio <= 20 * last && ratio >= last / 20));
      last = ratio;
      BOOST_TEST(run.counters().error_test_failures <= 10);
      BOOST_TEST(run.monitor().position_max() <= 1e-13);
      BOOST_TEST(run.monitor().velocity_max() <= 1e-12);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const auto sentence = [](const Setting& setting, ContactMode mode, double rtol, const char* part) {
    IntegratorOptions options;
    options.contact.mode = mode;
    Integrator run = registry().integrator(registry().build(setting.problem, setting.set), setting.scheme, "newton", {},
                                           {}, options);
    BOOST_CHECK_EXCEPTION(run.set_tolerances(Tolerances(rtol)), Error, says(part));
    BOOST_TEST(!run.tolerances());
    BOOST_TEST(run.advance(3, 1e-3).success());
  };
  constexpr auto located = ContactMode::event_driven;
  sentence({"walled-pendulum", "energy-momentum-ggl", 0}, ContactMode::time_stepping, 1e-4, "mode=time-stepping");
  // Who takes a tolerance for this model.
  sentence(
      {"walled-pendulum", "rattle", 0}, located, 1e-4,
      "no estimate of its local error; it is taken by energy-momentum-ggl, line-integral-ggl and projected-rk with");
  sentence({"cubic-surface", "hbvm", 0}, located, 1e-4, "taken by energy-momentum-ggl and line-integral-ggl with");
  // Below rounding.
  sentence({"walled-pendulum", "energy-momentum-ggl", 0}, located, 1e-14, "1e-14 is below what rounding lets");
  sentence({"planar-pendulum", "energy-momentum-ggl", 0}, located, 1e-11, "steps of order 2 meet: expected at least");
  sentence({"planar-pendulum", "line-integral-ggl", 0}, located, 1e-13, "steps of order 4 meet");
  sentence({"planar-pendulum", "projected-rk", 0}, located, 1e-14, "steps of order 6 meet");
  for (const auto& [scheme, rtol] : {std::pair("energy-momentum-ggl", 1e-10), std::pair("line-integral-ggl", 1e-12),
                                     std::pair("projected-rk", 1e-13)}) {
    Integrator run = integrator({"planar-pendulum", scheme, 0});
    run.set_tolerances(Tolerances(rtol));
    for (int k = 0; k < 50; ++k) BOOST_TEST_REQUIRE(run.step_to(1e-1).success());
    BOOST_TEST(run.counters().error_test_failures <= 5);
    // In a run under way, too: it keeps the tolerance that it has.
    BOOST_CHECK_EXCEPTION(run.set_tolerances(Tolerances(1e-15)), Error, says("1e-15 is below"));
    BOOST_TEST((*run.tolerances() == Tolerances(rtol)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
