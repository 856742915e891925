/// Derivatives of discrete motions: against extrapolated differences of whole runs, closed forms, and what schemes keep
/// of every change.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Setting {
  std::string problem, scheme;
  Assignments options;
  std::vector<std::string> by;
  double h;
  long steps;
};

Integrator integrator_of(const Setting& s, const ProblemInstance& instance) {
  IntegratorOptions options;
  options.project_start = true;
  return registry().integrator(instance, s.scheme, "newton", s.options, {}, options);
}

VariedProblem varied(const Setting& s, const Problem& problem) {
  return VariedProblem(
      problem, {}, [s](const ProblemInstance& instance) { return integrator_of(s, instance); }, s.by);
}

/// A run with its derivatives.
struct Differentiated {
  Integrator run;
  Sensitivities by;
  Differentiated(const Setting& s, const Problem& problem)
      : run(integrator_of(s, problem.build(Options("problem", problem.parameters())))), by([&] {
          const VariedProblem all = varied(s, problem);
          return Sensitivities(run, all.parameters(), all.make());
        }()) {
    BOOST_REQUIRE_MESSAGE(by.observe(run.state(), 0), s.scheme << ": " << by.failure());
    run.add_observer(by);
  }
  void advance(const Setting& s, long steps) {
    const StepReport report = run.advance(steps, s.h);
    BOOST_REQUIRE_MESSAGE(report.success(), s.scheme << ": " << report.message);
    BOOST_REQUIRE_MESSAGE(by.failure().empty(), s.scheme << ": " << by.failure());
  }
  Matrix state() const {
    Matrix out(2 * run.state().q.value().size(), by.positions().cols());
    out << by.positions(), by.momenta();
    return out;
  }
};

Vector end_of(const Setting& s, const VariedProblem& all, std::size_t parameter, double change) {
  const std::unique_ptr<Variant> run = all.make()(parameter, change);
  const StepReport report = run->integrator.advance(s.steps, s.h);
  BOOST_REQUIRE_MESSAGE(report.success(), s.scheme << ": " << report.message);
  const State& z = run->integrator.state();
  Vector end(2 * z.q.value().size());
  end << z.q.value(), z.p.value();
  return end;
}

/// Augmented Lagrange iterations end where g is small enough: what they leave is divided by a change of a thousandth.
double exactness(const std::string& scheme) {
  return scheme.find("augmented") != std::string::npos ? 1e-7 : 1e-9;
}

/// Differences of whole runs, of order six, at several changes: the best of them is exact to a rounding of the runs.
void check_against_runs(const Setting& s) {
  const Problem& problem = registry().problem(s.problem);
  const VariedProblem all = varied(s, problem);
  Differentiated run(s, problem);
  run.advance(s, s.steps);
  const Matrix found = run.state();
  for (std::size_t i = 0; i < s.by.size(); ++i) {
    const double size = all.parameters()[i].size;
    double best = 1;
    for (const double part : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5}) {
      const double d = part * size;
      const auto pair = [&](double k) { return Vector(end_of(s, all, i, k * d) - end_of(s, all, i, -k * d)); };
      const Vector slope = (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * d);
      const double largest = slope.lpNorm<Eigen::Infinity>();
      const double off = (found.col(static_cast<Index>(i)) - slope).lpNorm<Eigen::Infinity>();
      best = std::min(best, off == 0 ? 0 : off / largest);
    }
    BOOST_TEST_MESSAGE(s.problem << " " << s.scheme << " d/d" << s.by[i] << ": " << best << ", left "
                                 << run.by.largest_remainder());
    BOOST_TEST(best < exactness(s.scheme), s.problem << " " << s.scheme << " d/d" << s.by[i] << ": " << best);
  }
}

/// But for a time at which a force jumps: steps see it move by their nodes only.
std::vector<std::string> real_parameters(const Problem& problem) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : problem.parameters())
    if (spec.kind == OptionSpec::Kind::real && spec.name != "torque-until") names.push_back(spec.name);
  return names;
}

/// It does, and comes to the end.
bool takes(const std::string& scheme, const std::string& problem, long steps, double h) {
  try {
    return registry().integrator(registry().build(problem), scheme, "newton").advance(steps, h).success();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_against_differences_of_runs) {
  for (const std::string problem : {"planar-pendulum", "ellipse-pendulum"})
    for (const std::string& scheme : registry().schemes()) {
      if (!takes(scheme, problem, 20, 0.02)) continue;
      Setting s{problem, scheme, {}, real_parameters(registry().problem(problem)), 0.02, 20};
      if (problem == std::string("planar-pendulum")) s.by.insert(s.by.end(), {"start.bob.x", "start.der(bob.x)"});
      check_against_runs(s);
    }
}

/// Multipliers too, of which the rank of G on the constraints is no matter of the points beside them.
BOOST_AUTO_TEST_CASE(constraints_that_repeat_others) {
  const Problem& problem = registry().problem("bricard-loop");
  for (const std::string scheme : {"energy-momentum-general", "energy-momentum-ggl", "rattle", "hbvm"}) {
    const Setting s{"bricard-loop", scheme, {}, {"length", "gravity", "start.r[4]"}, 0.05, 20};
    check_against_runs(s);
    const VariedProblem all = varied(s, problem);
    Differentiated run(s, problem);
    run.advance(s, s.steps);
    const Matrix found = run.by.motion();
    const Index n = run.run.system().n(), m = run.run.system().m();
    for (std::size_t i = 0; i < s.by.size(); ++i) {
      const auto column = static_cast<Index>(i);
      const double d = 1e-3 * all.parameters()[i].size;
      const auto pair = [&](double k) {
        const std::unique_ptr<Variant> up = all.make()(i, k * d), down = all.make()(i, -k * d);
        BOOST_REQUIRE(up->integrator.advance(s.steps, s.h).success());
        BOOST_REQUIRE(down->integrator.advance(s.steps, s.h).success());
        return Vector(up->integrator.index1_multipliers() - down->integrator.index1_multipliers());
      };
      const Vector slope = (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * d);
      const double off = (found.col(column).segment(2 * n, m) - slope).lpNorm<Eigen::Infinity>();
      BOOST_TEST(off < 1e-7 * slope.lpNorm<Eigen::Infinity>(), scheme << " by " << s.by[i] << ": " << off);
    }
  }
}

/// A change of the model or of the start changes what a scheme conserves once and for all; constraints hold beside the
/// run as in it; and symplectic steps keep the two-form of two changes.
BOOST_AUTO_TEST_CASE(derivatives_keep_what_schemes_keep) {
  const Problem& problem = registry().problem("planar-pendulum");
  for (const std::string& scheme : registry().schemes()) {
    if (!takes(scheme, problem.name(), 2000, 0.02)) continue;
    const Setting s{problem.name(), scheme, {}, {"length", "gravity", "angle", "speed"}, 0.02, 2000};
    Differentiated run(s, problem);
    const Promises& promises = run.run.promises();
    const bool two_step = run.run.equations().discrete_energy_name() != nullptr;
    const auto energy = [&](Variant& of, const State& z, VectorRef out) {
      Measured now;
      of.integrator.model().measure(z.view(), now);
      out[0] = static_cast<double>(two_step && promises.discrete_energy
                                       ? of.integrator.equations().discrete_energy(z)
                                       : now.energy + of.integrator.equations().added_energy(z));
    };
    const auto constraint = [](Variant& of, const State& z, VectorRef out) {
      Vector values(of.integrator.system().constraint_pattern().nonzeros());
      of.integrator.system().constraints_compensated(z.t, z.q.value(), z.q.tail(), out, values);
    };
    const auto two_form = [&] {
      const Matrix half = run.by.positions().transpose() * run.by.momenta();
      return Matrix(half - half.transpose()).bottomRightCorner(2, 2).eval();  // of changes of the start
    };
    run.advance(s, 1);  // two-step schemes begin here
    const Matrix at_first = run.by.derivative(1, energy);
    const Matrix omega = two_form();
    double energy_off = 0, constraint_off = 0, form_off = 0;
    for (int part = 0; part < 10; ++part) {
      run.advance(s, s.steps / 10);
      const double size = run.state().lpNorm<Eigen::Infinity>();
      energy_off = std::max(energy_off, (run.by.derivative(1, energy) - at_first).lpNorm<Eigen::Infinity>() / size);
      constraint_off = std::max(constraint_off, run.by.derivative(1, constraint).lpNorm<Eigen::Infinity>() / size);
      form_off = std::max(form_off, (two_form() - omega).lpNorm<Eigen::Infinity>() / (size * size));
    }
    BOOST_TEST_MESSAGE(scheme << ": energy " << energy_off << ", constraint " << constraint_off << ", two-form "
                              << form_off << ", left " << run.by.largest_remainder());
    if (promises.energy || promises.discrete_energy)
      BOOST_TEST(energy_off < exactness(scheme), scheme << " energy " << energy_off);
    if (promises.position) BOOST_TEST(constraint_off < exactness(scheme), scheme << " constraint " << constraint_off);
    if (promises.symplectic) BOOST_TEST(form_off < 1e-11, scheme << " two-form " << form_off);
  }
}
