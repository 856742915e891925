/// Gradients backwards against derivatives forwards: every scheme, states between steps, bounded memory, inputs that
/// act for a part of the time, switches, and refusals.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"

using namespace gnomon;

namespace {

struct Setting {
  std::string scheme;
  std::vector<std::string> by;
  double h;
  long steps;
  Assignments options = {};
  std::vector<double> times = {};
  Index states = 1000;
  Index most_directions = 16;
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

Matrix random_weights(Index rows, Index columns) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  return Matrix::NullaryExpr(rows, columns, [&] { return number(random); });
}

struct Gradient {
  Vector values;
  Matrix motion;
  std::vector<double> times;
  long repeated;
};

/// The gradient of a sum of all positions, velocities, multipliers and outputs with random weights.
Gradient backwards(const Setting& s, const Problem& problem) {
  const VariedProblem all = varied(s, problem);
  Integrator run = integrator_of(s, all.instance(0, 0));
  const Index size = size_of_motion(*all.make()(0, 0));
  Adjoint adjoint(run, all.parameters(), all.make_together(),
                  {s.times, size, measure_motion, s.states, true, s.most_directions});
  adjoint.observe(run.state(), 0);
  run.add_observer(adjoint);
  const StepReport report = run.advance(s.steps, s.h);
  BOOST_REQUIRE_MESSAGE(report.success(), s.scheme << ": " << report.message);
  Gradient found{{}, adjoint.values(), adjoint.times(), 0};
  const bool is = adjoint.gradient(random_weights(size, found.motion.cols()), found.values);
  BOOST_CHECK_MESSAGE(is, s.scheme << ": " << adjoint.failure());
  if (!is) found.values.setZero(static_cast<Index>(s.by.size()));
  found.repeated = adjoint.repeated();
  return found;
}

/// The same by derivatives of the motion.
class Forwards final : public Observer {
 public:
  Forwards(const Setting& s, Sensitivities& by, Index size, std::size_t count)
      : s_(s), by_(by), weights_(random_weights(size, static_cast<Index>(count))) {}
  bool observe(const State& z, long step) override {
    const auto here = [&] {
      const Matrix motion = by_.motion();
      const auto weights = weights_.col(next_++);
      sum += Eigen::Map<const Matrix>(motion.data(), weights.size(), sum.size()).transpose() * weights;
    };
    if (s_.times.empty()) here();
    while (!s_.times.empty() && next_ < static_cast<Index>(s_.times.size()) &&
           s_.times[static_cast<std::size_t>(next_)] <= z.t * (1 + 1e-13)) {
      const double t = s_.times[static_cast<std::size_t>(next_)];
      if (step > 0 && std::abs(t - z.t) > 1e-10) BOOST_REQUIRE_MESSAGE(by_.at(t), by_.failure());
      if (step > 0 && std::abs(t - z.t) <= 1e-10) BOOST_REQUIRE_MESSAGE(by_.at(z.t), by_.failure());
      here();
    }
    return true;
  }
  Vector sum;

 private:
  const Setting& s_;
  Sensitivities& by_;
  Matrix weights_;
  Index next_ = 0;
};

Vector forwards(const Setting& s, const Problem& problem, std::size_t count) {
  const VariedProblem all = varied(s, problem);
  Integrator run = integrator_of(s, all.instance(0, 0));
  Sensitivities by(run, all.parameters(), all.make());
  BOOST_REQUIRE_MESSAGE(by.observe(run.state(), 0), by.failure());
  Forwards sum(s, by, size_of_motion(*all.make()(0, 0)), count);
  sum.sum.setZero(static_cast<Index>(s.by.size()));
  sum.observe(run.state(), 0);
  run.add_observer(by);
  run.add_observer(sum);
  const StepReport report = run.advance(s.steps, s.h);
  BOOST_REQUIRE_MESSAGE(report.success() && by.failure().empty(), s.scheme << ": " << report.message << by.failure());
  return sum.sum;
}

void check(Setting s, const Problem& problem) {
  std::size_t times = s.times.size();
  if (times == 0) times = static_cast<std::size_t>(s.steps) + 1;
  const Vector expected = forwards(s, problem, times);
  const auto is = [&s](const char* name) { return s.scheme.find(name) != std::string::npos; };
  // Augmented Lagrange iterations end where g is small enough. Where schemes do not keep G v = 0, changes of p that do
  // not either are directions, and multipliers have ten times their error, 1e-10.
  const double exact = is("augmented") ? 1e-7 : is("penalty") || is("hbvm") ? 1e-8 : 1e-9;
  for (const Index most : {1000, 0}) {  // by directions, and by transposed equations
    s.most_directions = most;
    const Gradient found = backwards(s, problem);
    const double off = (found.values - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>();
    BOOST_TEST_MESSAGE(problem.name() << " " << s.scheme << " " << most << ": " << off);
    BOOST_TEST(off < exact, problem.name() << " " << s.scheme << " " << most << ": " << off << ", "
                                           << found.values.transpose() << " instead of " << expected.transpose());
  }
}

/// It takes the problem, and comes to the end.
bool takes(const std::string& scheme, const std::string& problem, long steps, double h) {
  try {
    return registry().integrator(registry().build(problem), scheme, "newton").advance(steps, h).success();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_scheme_backwards_as_forwards) {
  for (const std::string problem : {"planar-pendulum", "ellipse-pendulum"})
    for (const std::string& scheme : registry().schemes()) {
      if (!takes(scheme, problem, 12, 0.03)) continue;
      std::vector<std::string> by;
      for (const OptionSpec& spec : registry().problem(problem).parameters())
        if (spec.kind == OptionSpec::Kind::real && spec.name != "torque-until") by.push_back(spec.name);
      check({scheme, by, 0.03, 12}, registry().problem(problem));
      if (scheme == "projected-rk") check({scheme, by, 0.03, 12, {{"projection", "pve"}}}, registry().problem(problem));
    }
}

BOOST_AUTO_TEST_CASE(times_between_steps) {
  const Problem& problem = registry().problem("double-spherical-pendulum");
  Setting s{"energy-momentum-ggl", {"mass1", "length2", "gravity"}, 0.02, 10};
  s.times = {0, 0.005, 0.02, 0.031, 0.039, 0.1, 0.1999, 0.2};
  check(s, problem);
}

/// The border that holds them is found anew from time to time.
BOOST_AUTO_TEST_CASE(constraints_that_repeat_others) {
  const Problem& problem = registry().problem("bricard-loop");
  for (const std::string scheme : {"energy-momentum", "energy-momentum-general", "rattle", "hbvm"}) {
    const Setting s{scheme, {"length", "mass"}, 0.05, 20};
    Integrator run = integrator_of(s, problem.build(Options("problem bricard-loop", problem.parameters())));
    const Vector at_start = run.state().border;
    BOOST_REQUIRE(run.advance(s.steps, s.h).success());
    BOOST_TEST(at_start.size() == run.system().n() + 1);
    BOOST_TEST((run.state().border - at_start).norm() > 0.1, scheme);
    check(s, problem);
  }
}

/// A gradient needs all states; with few of them kept it is the same one.
BOOST_AUTO_TEST_CASE(bounded_memory) {
  const Problem& problem = registry().problem("planar-pendulum");
  Setting s{"energy-momentum-ggl", {"length", "gravity"}, 0.02, 100};
  const Gradient all = backwards(s, problem);
  BOOST_TEST(all.repeated == 0);
  for (const Index states : {2, 3, 10, 64}) {
    s.states = states;
    const Gradient few = backwards(s, problem);
    BOOST_TEST((few.values - all.values).lpNorm<Eigen::Infinity>() < 1e-11 * all.values.lpNorm<Eigen::Infinity>());
    const double levels = std::ceil(std::log(100.0) / std::log(static_cast<double>(states)));
    BOOST_TEST(few.repeated > 0);
    BOOST_TEST(static_cast<double>(few.repeated) <= 100 * levels, states << ": " << few.repeated);
  }
}

namespace {

std::unique_ptr<const Problem> model_of(const std::string& text) {
  return read_model_text("format = 1\n" + text, "test.toml");
}

const char* const driven = R"toml(
coordinates = ["x", "y", "a"]
mass = [2, 2, "m"]
potential = "9.81*2*y + 0.5*k*(a - x)^2"
constraints = { rod = "x^2 + y^2 - l^2" }
force = { x = "u", y = "c", a = "w - 0.1*der(a)" }
[parameters]
k = 3
l = 1.2
m = 0.5
[inputs]
u = { from = 0, every = 0.1, count = 10, value = 0.4 }
w = { times = [0.05, 0.3, 0.7], values = [1, -2, "k"], hold = "linear" }
c = { times = [0.1, 0.2, 0.5, 0.6, 0.9], values = [1, 2, -1, 0, 0.5], hold = "cubic" }
[start]
position = { x = "l*sin(0.4)", y = "-l*cos(0.4)", a = 0.1 }
[outputs]
height = "y + 0.1*a^2 + 0.05*u"
pull = "lambda.rod"
)toml";

}  // namespace

/// Values of inputs act for a part of the time; switches of the model, which inputs have, are events of a step.
BOOST_AUTO_TEST_CASE(inputs_act_for_a_part_of_the_time) {
  const std::unique_ptr<const Problem> problem = model_of(driven);
  for (const std::string scheme : {"energy-momentum-ggl", "energy-momentum"}) {
    Setting s{scheme, {"k", "l", "m", "w[0]", "w[1]", "w[2]", "start.a", "start.der(x)"}, 0.04, 22};
    for (int k = 0; k < 10; ++k) s.by.push_back("u[" + std::to_string(k) + "]");
    for (int k = 0; k < 5; ++k) s.by.push_back("c[" + std::to_string(k) + "]");
    check(s, *problem);
    s.times = {0, 0.11, 0.2, 0.5, 0.61};
    check(s, *problem);
  }
}

BOOST_AUTO_TEST_CASE(parameters_know_when_they_act) {
  const std::unique_ptr<const Problem> problem = model_of(driven);
  BOOST_TEST(!std::isfinite(problem->acts("k").from));
  BOOST_TEST(problem->acts("u[3]").from == 3 * 0.1);
  BOOST_TEST(problem->acts("u[3]").until == 4 * 0.1);
  BOOST_TEST(!std::isfinite(problem->acts("u[0]").from));
  BOOST_TEST(!std::isfinite(problem->acts("u[9]").until));
  BOOST_TEST(problem->acts("w[1]").from == 0.05);
  BOOST_TEST(problem->acts("w[1]").until == 0.7);
  BOOST_TEST(problem->acts("c[1]").from == 0.1);
  BOOST_TEST(problem->acts("c[2]").from == 0.1);
  BOOST_TEST(problem->acts("c[2]").until == 0.9);
  BOOST_TEST(problem->acts("c[3]").from == 0.2);
}

BOOST_AUTO_TEST_CASE(moving_constraints) {
  const std::unique_ptr<const Problem> moving = model_of(R"toml(
coordinates = ["x", "y", "z"]
mass = 1.5
potential = "9.81*y + 0.5*k*z^2"
constraints = { rod = "x^2 + y^2 - (l + 0.1*sin(w*t))^2" }
[parameters]
k = 3
l = 1.2
w = 2
[start]
position = { x = "l*sin(0.4)", y = "-l*cos(0.4)", z = 0.1 }
velocity = { x = "0.1*w*sin(0.4)", y = "-0.1*w*cos(0.4)" }
)toml");
  check({"energy-momentum-ggl", {"k", "l", "w", "start.z"}, 0.03, 20}, *moving);
}

BOOST_AUTO_TEST_CASE(what_has_no_gradient_backwards_says_why) {
  const std::unique_ptr<const Problem> ball = model_of(R"toml(
coordinates = ["y"]
mass = 1
potential = "9.81*y"
obstacles = { floor = "y" }
[parameters]
g = 1
[start]
position = { y = 1 }
)toml");
  BOOST_CHECK_EXCEPTION(backwards({"energy-momentum", {"g"}, 0.1, 2}, *ball), Error, [](const Error& error) {
    return std::string(error.what()).find("has obstacles, whose events bind") != std::string::npos;
  });
  const Problem& pendulum = registry().problem("planar-pendulum");
  const Setting s{"energy-momentum", {"length"}, 0.02, 4};
  const VariedProblem all = varied(s, pendulum);
  Integrator run = integrator_of(s, all.instance(0, 0));
  const Quantities x(all.instance(0, 0), {"bob.x"});
  const auto measure = [&x](Variant& of, const State& z, VectorRef out) { x.measure(of, z, out); };
  Adjoint adjoint(run, all.parameters(), all.make_together(), {{}, x.size(), measure});
  adjoint.observe(run.state(), 0);
  run.add_observer(adjoint);
  run.advance(4, 0.02);
  Vector out;
  BOOST_CHECK_EXCEPTION(adjoint.gradient(Matrix::Zero(1, 3), out), Error, [](const Error& error) {
    return std::string(error.what()).find("expected 1 x 5") != std::string::npos;
  });
  BOOST_TEST(!adjoint.gradient(Matrix::Ones(1, 5), out, [] { return false; }));
  BOOST_TEST(adjoint.failure() == "it was interrupted");
}
