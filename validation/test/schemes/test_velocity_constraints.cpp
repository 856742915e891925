/// \file
/// Constraints of velocities, A(q,t) v + b(q,t) = 0: alone, beside g, driven, and with M(q), in model files and in C++.
#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/solve/equilibrium.hpp"
#include "gnomon/start/verify.hpp"
#include "kernels/runge_kutta/frozen_projection.hpp"
#include "kernels/runge_kutta/manifold_projection.hpp"
#include "kernels/runge_kutta/rk_stages.hpp"
#include "mechanism/built_models.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "test/instance.hpp"

using namespace gnomon;
using gnomon::test::build;
using gnomon::test::refusal;
using gnomon::test::with;

namespace {

const std::string knife_edge = R"toml(
format = 1
coordinates = ["x", "y", "a"]
mass = [1, 1, 0.5]
potential = "-3*x"
constraints.blade = "der(x)*sin(a) - der(y)*cos(a)"
[start]
position = { a = 0.5 }
velocity = { a = 2 }
)toml";
/// V. I. Arnold's example z' = y x' in a field that is not quadratic.
const std::string particle = R"toml(
format = 1
coordinates = ["x", "y", "z"]
mass = 1
potential = "(x^2 + 2*y^2 + 3*z^2)/2 + x^4/4"
constraints.c = "der(z) - y*der(x)"
[start]
position = { x = 1, y = 0.5, z = 0.2 }
velocity = { x = 0.3, y = 0.7, z = 0.15 }
)toml";
/// A blade on a table that turns and shakes.
const std::string turntable = R"toml(
format = 1
coordinates = ["x", "y", "a"]
mass = [1, 1, 0.5]
potential = "(x^2 + y^2)/2"
constraints.blade = "(der(x) + 0.7*y*cos(t))*sin(a) - (der(y) - 0.7*x)*cos(a + 0.1*t)"
[start]
position = { x = 1, y = 0.5, a = 0.5 }
velocity = { a = 2 }
project = true
)toml";
/// The constraint of velocities stands before that of positions, and counts behind it.
const std::string surface = R"toml(
format = 1
coordinates = ["x", "y", "z"]
mass = [1, 2, 1]
potential = "9.81*z + x*y"
[constraints]
c = "der(x)*sin(3*y) + der(y)*cos(x) - 0.2*der(z)"
s = "x^2 + y^2 + z^2 + 0.1*x^4 - 1"
[start]
position = { x = 0.8, y = 0.3, z = 0.4 }
velocity = { x = 0.3, y = 0.7, z = 0.15 }
project = true
)toml";
const std::string changing_mass = R"toml(
format = 1
coordinates = ["x", "a", "b"]
potential = "9.81*cos(a) + x^2/2 + b^2"
mass = { x = "3", a = "1 + 0.3*sin(b)^2", b = "1", "x, a" = "0.5*cos(a)" }
constraints.c = "der(x)*cos(b) - (1 + a^2)*der(b) + 0.3*der(a)"
force.a = "-0.1*der(a)"
[start]
position = { x = 0.8, a = 0.3, b = 0.4 }
velocity = { x = 0.3, a = 0.7, b = 0.15 }
project = true
)toml";
/// Both kinds of constraints are driven.
const std::string driven = R"toml(
format = 1
coordinates = ["x", "a", "b"]
potential = "9.81*cos(a) + x^2/2 + b^2"
mass = { x = "3", a = "1 + 0.3*sin(b)^2", b = "1", "x, a" = "0.5*cos(a)" }
[constraints]
c = "der(x)*cos(b + t) - (1 + a^2)*der(b) + 0.3*der(a) + 0.2*sin(t)*x"
d = "x^2 + a - 0.6*b - 0.2*sin(2*t) - 0.7"
[start]
position = { x = 0.8, a = 0.3, b = 0.4 }
velocity = { x = 0.3, a = 0.7, b = 0.15 }
project = true
)toml";
const std::array<std::string, 6> models{knife_edge, particle, turntable, surface, changing_mass, driven};

/// A scheme that holds them, and its order.
struct Method {
  std::string scheme;
  Assignments options;
  int order;
  friend std::ostream& operator<<(std::ostream& out, const Method& method) {
    out << method.scheme;
    for (const auto& [name, value] : method.options) out << " " << name << "=" << value;
    return out;
  }
};
const std::vector<Method> methods{
    {"projected-rk", {{"projection", "pve"}, {"stages", "1"}}, 2},
    {"projected-rk", {{"projection", "pve"}, {"stages", "2"}}, 4},
    {"projected-rk", {{"projection", "pve"}, {"stages", "2"}, {"directions", "frozen"}}, 4},
    {"projected-rk", {{"projection", "pve"}, {"stages", "3"}}, 6},
    {"projected-rk", {{"projection", "pve"}, {"stages", "2"}, {"metric", "euclidean"}}, 4},
    {"projected-rk", {{"projection", "pve"}, {"stages", "2"}, {"tableau", "radau-iia"}}, 3},
    {"projected-rk", {{"projection", "pve"}, {"stages", "3"}, {"tableau", "lobatto-iiic"}}, 4},
    {"projected-rk", {{"projection", "pvae-0"}, {"stages", "2"}}, 4},
    {"energy-momentum-ggl", {}, 2},
    {"energy-momentum-ggl", {{"derivative", "zorb"}}, 2},
    {"composition", {{"inner", "energy-momentum-ggl"}, {"order", "4"}}, 4},
    {"line-integral-ggl", {{"s", "1"}}, 2},
    {"line-integral-ggl", {{"s", "2"}}, 4},
    {"line-integral-ggl", {{"s", "3"}, {"k", "8"}}, 6},
};

Integrator started(const ProblemInstance& instance, const Method& method) {
  Integrator run = registry().integrator(instance, method.scheme, "newton", method.options);
  run.start(instance.t0, instance.q0, instance.p0);
  return run;
}
Integrator projected(const ProblemInstance& instance, Assignments options) {
  options.emplace_back("projection", "pve");
  return started(instance, {"projected-rk", options, 0});
}

Vector end_of(Integrator run, double until, long steps) {
  const StepReport report = run.advance(steps, until / static_cast<double>(steps));
  BOOST_TEST_REQUIRE(report.success(), report.message);
  BOOST_TEST(run.broken_promises().empty());
  return run.state().q.value();
}

/// The same as the knife edge, in C++.
struct Blade : AutodiffModel<3, 0> {
  Vector mass() const { return Vector::Constant(3, 1) - Vector::Unit(3, 2) / 2; }
  template <class S>
  S potential(const S* q) const {
    return -3.0 * q[0];
  }
  template <class S>
  void velocity_constraints(const S* q, const S* v, S* psi) const {
    using std::cos, std::sin;
    psi[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]);
  }
};

/// dF/dx as it is assembled, against dual numbers, at x and in its units.
void check_jacobian(NonlinearEquations& equations, const Vector& x) {
  Vector values(equations.pattern().nonzeros()), unit = Vector::Zero(x.size()), column(x.size());
  equations.jacobian(x, values);
  const Matrix matrix = to_dense(equations.pattern(), values);
  Matrix duals(x.size(), x.size());
  for (Index j = 0; j < x.size(); ++j) {
    unit[j] = 1;
    equations.tangent(x, unit, column);
    duals.col(j) = column;
    unit[j] = 0;
  }
  // The bias of driven constraints has a difference quotient in it.
  BOOST_TEST((matrix - duals).lpNorm<Eigen::Infinity>() < 1e-7 * duals.lpNorm<Eigen::Infinity>());
}

template <class Inertia>
void check_jacobians(const ProblemInstance& instance) {
  using namespace gnomon::kernels;
  const System& system = *instance.model->mechanical();
  State z;
  z.q.set(instance.q0);
  z.p.set(instance.p0);
  const double h = 0.1;
  StepScales scales(system);
  scales.update(z, h);
  Vector v(system.n()), scratch(system.n());
  system.velocity(instance.q0, instance.p0, scratch, v);
  const auto generic = [](Index size, double scale) {
    Vector x(size);
    for (Index j = 0; j < size; ++j) x[j] = scale * std::sin(1.0 + 2.3 * static_cast<double>(j));
    return x;
  };
  RkStages<Inertia> stages(system, gauss_tableau(2), true, scales);
  stages.begin(z, v, h);
  check_jacobian(stages, generic(stages.size(), 1));
  const Vector dq = h * v + generic(system.n(), 1e-2), d = generic(system.n(), 1e-2);
  ManifoldProjection<Inertia> stacked(system, {true, true, true}, scales);
  FrozenProjection<Inertia> frozen(system, {true, true, true}, scales);
  for (EndProjection* projection : std::initializer_list<EndProjection*>{&stacked, &frozen}) {
    projection->begin(z, dq, d, h, 1e-3);
    check_jacobian(projection->equations(), generic(projection->equations().size(), 1e-2));
  }
}

/// The Newton matrices of a step from a state in motion, whose multipliers of both levels do not vanish.
void check_jacobian_of_step(const ProblemInstance& instance, const Method& method) {
  const Scheme& scheme = registry().scheme(method.scheme);
  const Binding binding = scheme.bind(*instance.model, Options(method.scheme, scheme.options(), method.options));
  State z;
  z.q.set(instance.q0);
  z.p.set(instance.p0);
  z.lambda = Vector::LinSpaced(instance.model->m(), 0.5, 1);
  binding.equations->prepare(z);
  binding.equations->begin(z, 0.1);
  NonlinearEquations& equations = binding.equations->system(0);
  Vector x(equations.size()), columns(equations.size()), rows(equations.size());
  binding.equations->predict(0, x);
  equations.scales(columns, rows);
  for (Index j = 0; j < x.size(); ++j) x[j] += 0.2 * columns[j] * std::sin(1.0 + 2.3 * static_cast<double>(j));
  check_jacobian(equations, x);
}

}  // namespace

BOOST_DATA_TEST_CASE(functions_agree_with_their_differences, models, text) {
  for (const ModelCheck& check : verify(build(text)))
    BOOST_TEST(check.passed(), check.name << " " << check.value << ": " << check.note);
}

// A disc on a line rolls by a position; two rows of a coin close on what they allow, and are no derivatives; with one
// freedom, on the surface, everything is.
BOOST_AUTO_TEST_CASE(what_could_be_positions_is_found) {
  const auto found = [](const ProblemInstance& instance) {
    double count = 0;
    for (const ModelCheck& check : verify(instance))
      if (check.name == "velocity-integrable") count = check.value;
    return count;
  };
  BOOST_TEST(found(build(knife_edge)) == 0);
  BOOST_TEST(found(build(particle)) == 0);
  BOOST_TEST(found(build(surface)) == 1);
  const std::string disc = with(knife_edge, "der(x)*sin(a) - der(y)*cos(a)", "der(x) + 0.5*der(a)");
  BOOST_TEST(found(build(with(disc, "{ a = 2 }", "{ a = 2, x = -1 }"))) == 1);
  const std::string coin =
      with(knife_edge, "constraints.blade = \"der(x)*sin(a) - der(y)*cos(a)\"",
           "constraints.one = \"der(x) - der(b)*cos(a)\"\nconstraints.two = \"der(y) - der(b)*sin(a)\"");
  BOOST_TEST(found(build(with(with(coin, "\"a\"]", "\"a\", \"b\"]"), "0.5]", "0.5, 1]"))) == 0);
}

BOOST_DATA_TEST_CASE(matrices_agree_with_dual_numbers, models, text) {
  const ProblemInstance instance = build(text);
  if (instance.model->mechanical()->parts().mass)
    check_jacobians<kernels::ConfigurationRkInertia>(instance);
  else
    check_jacobians<kernels::ConstantRkInertia>(instance);
  for (const Method& method : methods) BOOST_TEST_CONTEXT(method) {
      check_jacobian_of_step(instance, method);
    }
}

BOOST_AUTO_TEST_CASE(the_knife_edge_meets_its_closed_form) {
  const double c = 3, w = 2, a0 = 0.5, t = 5, a = a0 + w * t, s = std::sin(a) - std::sin(a0);
  const double x = c / (2 * w * w) * s * s;
  const double y =
      c / (w * w) *
      ((a - a0) / 2 - (std::sin(2 * a) - std::sin(2 * a0)) / 4 + std::sin(a0) * (std::cos(a) - std::cos(a0)));
  BOOST_TEST(std::abs(x - 0.6927040141) < 1e-10);
  for (const bool in_cpp : {false, true}) {
    ProblemInstance instance = build(knife_edge);
    if (in_cpp) instance = test::instance_of(Blade{}, instance.q0, instance.p0);
    const Vector q = end_of(projected(instance, {{"stages", "5"}}), t, 40);
    BOOST_TEST(std::abs(q[0] - x) < 1e-12);
    BOOST_TEST(std::abs(q[1] - y) < 1e-12);
  }
}

// With the blade at r = (along, turning), along' = a turning^2: the gudermannian of k(t - t0).
BOOST_AUTO_TEST_CASE(the_sleigh_meets_its_closed_form) {
  const ProblemInstance instance = registry().build(GNOMON_MODELS_FOLDER "/gallery/chaplygin-sleigh.toml");
  const double m = 1, j = 0.1, a = 0.3, along = -1, turning = 1.5, t = 8;
  const double inertia = j + m * a * a, speed = std::hypot(along, std::sqrt(inertia / m) * turning);
  const double k = m * a * speed / inertia, t0 = -std::atanh(along / speed) / k;
  const auto heading = [&](double s) { return 2 * std::atan(std::tanh(k * (s - t0) / 2)); };
  const double turned = speed * std::sqrt(m / inertia) / k * (heading(t) - heading(0));
  for (const Method& method : methods) {
    if (method.order < 4) continue;
    Integrator run = started(instance, method);
    BOOST_TEST_REQUIRE(run.advance(800, 0.01).success());
    BOOST_TEST(std::abs(run.state().q.value()[2] - turned) < 1e-7, method << " " << run.state().q.value()[2] - turned);
    const double v = run.state().p.value()[0] / m * std::cos(turned) + run.state().p.value()[1] / m * std::sin(turned);
    BOOST_TEST(std::abs(v - speed * std::tanh(k * (t - t0))) < 1e-7);
  }
}

// A rattleback that is turned the wrong way comes back as fast.
BOOST_AUTO_TEST_CASE(the_rattleback_turns_back) {
  const ProblemInstance instance = registry().build(GNOMON_MODELS_FOLDER "/gallery/rattleback.toml");
  Integrator run = registry().integrator(instance, "energy-momentum-ggl", "newton");
  run.start(instance.t0, instance.q0, instance.p0);
  BOOST_TEST_REQUIRE(run.advance(4000, 1e-3).success());
  BOOST_TEST(run.broken_promises().empty());
  const System& system = *instance.model->mechanical();
  Vector v(system.n()), scratch(system.n());
  system.velocity(run.state().q.value(), run.state().p.value(), scratch, v);
  const auto q = run.state().q.value();
  BOOST_TEST(std::abs(q[3] * v[4] - q[4] * v[3] + 5) < 0.02);  // d1 x d1' about the vertical: the turning
}

BOOST_DATA_TEST_CASE(orders, models, text) {
  const ProblemInstance instance = build(text);
  const Vector reference = end_of(projected(instance, {{"stages", "5"}}), 1, 64);
  for (const Method& method : methods) {
    const auto error = [&](long steps) { return (end_of(started(instance, method), 1, steps) - reference).norm(); };
    const long steps = method.order > 3 ? 20 : 80;
    const double coarse = error(steps), fine = error(2 * steps);
    BOOST_TEST(std::log2(coarse / fine) > method.order - 0.35, method << ": errors " << coarse << " and " << fine);
    BOOST_TEST(started(instance, method).promises().order == method.order, method);
  }
}

// At small, practical and large steps: the constraints, and the energy less the work that drives and forces have done.
// A line integral keeps the latter two as far as its nodes integrate the model.
BOOST_DATA_TEST_CASE(energy_and_constraints_hold_at_any_step, models* boost::unit_test::data::make(methods), text,
                     method) {
  const ProblemInstance instance = build(text);
  for (const auto& [h, steps] : {std::pair{1e-4, 500L}, {1e-2, 1000L}, {0.1, 100L}}) {
    Integrator run = started(instance, method);
    const StepReport report = run.advance(steps, h);
    BOOST_TEST_REQUIRE(report.success(), report.message);
    BOOST_TEST(run.broken_promises().empty());
    const double scale = std::max(1.0, static_cast<double>(run.state().energy_scale));
    const bool exact = method.scheme != "line-integral-ggl";
    BOOST_TEST(run.monitor().energy().max_abs_error() < (exact || h < 0.1 ? 1e-14 : 1e-7) * scale, "h = " << h);
    BOOST_TEST(run.monitor().velocity_max() < 1e-13 * std::max(1.0, run.state().p.value().norm()));
    BOOST_TEST(run.monitor().position_max() < 1e-14);
    const bool works = instance.model->mechanical()->parts().time_dependence != nullptr;
    BOOST_TEST((run.state().work.position != 0) == works);
  }
}

// Forth and back over the same steps.
BOOST_DATA_TEST_CASE(symmetric_schemes_return, models, text) {
  const ProblemInstance instance = build(text);
  for (const Method& method : methods) {
    Integrator run = started(instance, method);
    if (!run.promises().symmetric) continue;
    BOOST_TEST_REQUIRE(run.advance(10, 0.05).success());
    BOOST_TEST_REQUIRE(run.advance(10, -0.05).success());
    BOOST_TEST((run.state().q.value() - instance.q0).norm() < 1e-11, method);
    BOOST_TEST((run.state().p.value() - instance.p0).norm() < 1e-11 * std::max(1.0, instance.p0.norm()), method);
  }
}

// A row times a factor is the same constraint.
BOOST_AUTO_TEST_CASE(rows_may_be_multiplied) {
  const std::string other = with(surface, "c = \"der(x)*sin(3*y) + der(y)*cos(x) - 0.2*der(z)\"",
                                 "c = \"-1e6*(der(x)*sin(3*y) + der(y)*cos(x) - 0.2*der(z))\"");
  const Vector a = end_of(projected(build(surface), {}), 0.5, 50), b = end_of(projected(build(other), {}), 0.5, 50);
  BOOST_TEST((a - b).norm() < 1e-13);
}

BOOST_DATA_TEST_CASE(references_agree, models, text) {
  const ProblemInstance instance = build(text);
  const Vector end = end_of(projected(instance, {{"stages", "4"}}), 1, 40);
  for (const char* name : {"ida-index1", "ida-ggl", "cvode-projection"}) {
    const Reference& reference = registry().reference(name);
    if (instance.model->mechanical()->parts().mass && name == std::string("cvode-projection")) continue;
    const auto solution = reference.start(instance, Options(name, reference.options()));
    const ReferenceReport report = solution->advance_to(1);
    BOOST_TEST_REQUIRE(report.success, name << ": " << report.message);
    BOOST_TEST((report.q - end).norm() < 1e-7, name << " is " << (report.q - end).norm() << " away");
  }
}

BOOST_AUTO_TEST_CASE(a_tolerance_alone_takes_them_and_keeps_it) {
  for (const std::string& text : models) {
    const ProblemInstance instance = build(text);
    const Vector reference = end_of(projected(instance, {{"stages", "5"}}), 2, 200);
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      const SolverFactory& solver = registry().solver("newton");
      const SchemeChoice choice =
          suited_scheme(registry(), {instance, tolerance, &solver, Options("newton", solver.options()), {}});
      BOOST_TEST(choice.scheme == "projected-rk");
      Integrator run = registry().integrator(instance, choice.scheme, "newton", choice.options);
      run.set_tolerances(Tolerances(tolerance));
      run.start(instance.t0, instance.q0, instance.p0);
      BOOST_TEST_REQUIRE(run.advance_to(2).success());
      BOOST_TEST(run.broken_promises().empty());
      BOOST_TEST((run.state().q.value() - reference).norm() < 50 * tolerance);
    }
  }
}

// The start is moved in the rows G and A together, positions by g alone.
BOOST_AUTO_TEST_CASE(starts_are_projected) {
  const ProblemInstance beside = build(with(surface, "x = 0.8", "x = 0.9"));
  const System& system = *beside.model->mechanical();
  Vector g(2), psi(2), v(3), scratch(3);
  system.constraints(0, beside.q0, g);
  system.velocity(beside.q0, beside.p0, scratch, v);
  system.constraint_velocity(0, beside.q0, v, psi);
  BOOST_TEST(g.norm() < 1e-14);
  BOOST_TEST(psi.norm() < 1e-14);
  BOOST_TEST(refusal([] {
               registry().integrator(build(with(knife_edge, "{ a = 2 }", "{ a = 2, y = 1 }")), "projected-rk",
                                     "newton");
             }).says("the start violates constraint \"blade\""));
}

BOOST_AUTO_TEST_CASE(what_does_not_hold_them_refuses) {
  const ProblemInstance instance = build(knife_edge);
  for (const std::string& scheme : registry().schemes()) {
    if (std::any_of(methods.begin(), methods.end(), [&](const Method& m) { return m.scheme == scheme; }) &&
        scheme != "composition")  // whose inner scheme is energy-momentum by itself
      continue;
    const auto refused = refusal([&] { registry().integrator(instance, scheme, "newton"); });
    BOOST_TEST((refused.code == ErrorCode::refused));
    BOOST_TEST(refused.says("it has constraints of velocities, "), scheme);
    BOOST_TEST(refused.says("it is taken by energy-momentum-ggl, line-integral-ggl and projected-rk"), scheme);
  }
  for (const Assignments& options : {Assignments{{"index", "3"}}, {{"projection", "symmetric"}}})
    BOOST_TEST(refusal([&] {
                 registry().integrator(instance, "projected-rk", "newton", options);
               }).says("expected index = 1 and a projection other than symmetric"));
  BOOST_TEST(refusal([&] {
               EquilibriumEquations(*instance.model->mechanical(), 0, instance.q0, EquilibriumEquations::Method::exact,
                                    1);
             }).says("has constraints of velocities"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  const auto said = [](const std::string& from, const std::string& to) {
    return test::complaint(with(knife_edge, from, to));
  };
  BOOST_TEST(said("der(x)*sin(a)", "der(x)^2*sin(a)").find("constraint \"blade\" is not linear in the velocities") !=
             std::string::npos);
  BOOST_TEST(said("der(x)*sin(a)", "abs(x)*der(x)").find("they have switches") != std::string::npos);
}

// A blade that is rubbed by the force that keeps it: with lambda = m v a' the speed is v0 exp(-c a0' t).
BOOST_AUTO_TEST_CASE(friction_by_their_multipliers) {
  const ProblemInstance instance = build(with(with(with(knife_edge, "-3*x", "0"), "{ a = 2 }", "{ x = 1, a = 2 }"),
                                              "[start]\nposition = { a = 0.5 }",
                                              "[friction]\n"
                                              "x = \"-0.3*abs(lambda.blade)*der(x)/hypot(der(x), der(y))\"\n"
                                              "y = \"-0.3*abs(lambda.blade)*der(y)/hypot(der(x), der(y))\"\n[start]"));
  for (const Method& method : methods) {
    if (method.scheme == "projected-rk") continue;
    const auto error = [&](long steps) {
      Integrator run = started(instance, method);
      const StepReport report = run.advance(steps, 1.0 / static_cast<double>(steps));
      BOOST_TEST_REQUIRE(report.success(), report.message);
      BOOST_TEST(run.broken_promises().empty());
      BOOST_TEST(run.monitor().velocity_max() < 1e-13);
      return std::abs(run.state().p.value().head(2).norm() - std::exp(-0.6));
    };
    const double coarse = error(10), fine = error(20);
    BOOST_TEST(std::log2(coarse / fine) > method.order - 0.35, method << ": errors " << coarse << " and " << fine);
  }
}

// Nonlinear in both multipliers, beside g and with M(q), against IDA in both forms.
BOOST_AUTO_TEST_CASE(references_agree_under_friction) {
  const std::string rub = "*sqrt(1 + lambda.s^2 + 0.2*lambda.c^2)\"\n";
  const std::string on_surface =
      with(surface, "[start]",
           "[friction]\nx = \"-0.3*der(x)" + rub + "y = \"-0.3*der(y)" + rub + "z = \"-0.3*der(z)" + rub + "[start]");
  const std::string of_mass =
      with(changing_mass, "[start]", "friction.a = \"-0.1*der(a)*sqrt(1 + lambda.c^2)\"\n[start]");
  for (const std::string& text : {on_surface, of_mass}) {
    const ProblemInstance instance = build(text);
    const Vector end = end_of(started(instance, {"line-integral-ggl", {{"s", "3"}, {"k", "8"}}, 6}), 1, 100);
    for (const char* name : {"ida-index1", "ida-ggl"}) {
      const Reference& reference = registry().reference(name);
      const ReferenceReport report = reference.start(instance, Options(name, reference.options()))->advance_to(1);
      BOOST_TEST_REQUIRE(report.success, name << ": " << report.message);
      BOOST_TEST((report.q - end).norm() < 1e-8, name << " is " << (report.q - end).norm() << " away");
    }
  }
}

// The same with a wall, which turns v to -e v: the friction goes on against it.
BOOST_AUTO_TEST_CASE(friction_by_their_multipliers_and_a_wall) {
  const ProblemInstance instance = build(with(with(with(knife_edge, "-3*x", "0"), "{ a = 2 }", "{ x = 1, a = 2 }"),
                                              "[start]\nposition = { a = 0.5 }",
                                              "[obstacles]\nwall = { formula = \"0.2 - x\", restitution = 0.5 }\n"
                                              "[friction]\n"
                                              "x = \"-0.3*abs(lambda.blade)*der(x)/hypot(der(x), der(y))\"\n"
                                              "y = \"-0.3*abs(lambda.blade)*der(y)/hypot(der(x), der(y))\"\n[start]"));
  for (const char* scheme : {"energy-momentum-ggl", "line-integral-ggl"}) BOOST_TEST_CONTEXT(scheme) {
      Integrator run = registry().integrator(instance, scheme, "newton", {});
      const StepReport report = run.advance(800, 1e-3);
      BOOST_TEST_REQUIRE(report.success(), report.message);
      BOOST_TEST(run.broken_promises().empty());
      BOOST_TEST(std::abs(run.state().p.value().head(2).norm() - 0.5 * std::exp(-0.48)) < 1e-6);
      BOOST_REQUIRE(run.events().size() == 1u);
      // x = int exp(-.6 t) cos(2 t) dt, whose antiderivative is that of exp((-.6 + 2i) t).
      const double t = run.events().front().t;
      const std::complex<double> rate(-0.6, 2);
      BOOST_TEST(std::abs(((std::exp(rate * t) - 1.0) / rate).real() - 0.2) < 1e-6);
    }
}

// Two wheels of an axle say the same: the motion is that of one, and the multipliers are those of least norm. What
// constraints of positions say already changes nothing.
BOOST_AUTO_TEST_CASE(rows_may_repeat_others) {
  const ProblemInstance one = build(knife_edge);
  const ProblemInstance two =
      build(with(knife_edge, "[start]", "constraints.again = \"2*der(y)*cos(a) - 2*der(x)*sin(a)\"\n[start]"));
  for (const Method& method : methods) BOOST_TEST_CONTEXT(method) {
      Integrator single = started(one, method), twice = started(two, method);
      BOOST_TEST_REQUIRE(single.advance(20, 0.05).success());
      BOOST_TEST_REQUIRE(twice.advance(20, 0.05).success());
      BOOST_TEST(twice.broken_promises().empty());
      BOOST_TEST((twice.state().q.value().head(3) - single.state().q.value()).norm() < 1e-12);
      const Vector least = twice.state().lambda;
      BOOST_TEST(std::abs(least[0] - single.state().lambda[0] / 2) < 1e-10);
      BOOST_TEST(std::abs(least[1] + single.state().lambda[0] / 4) < 1e-10);
    }
  // Where they agree at the start, and no longer.
  const ProblemInstance parting =
      build(with(knife_edge, "[start]", "constraints.again = \"der(x)*sin(a) - der(y)*cos(a) - 0.3*t\"\n[start]"));
  for (const Method& method : methods) {
    const StepReport report = started(parting, method).advance(5, 0.01);
    BOOST_TEST(!report.success(), method);
    BOOST_TEST(report.message.find("that repeat others contradict them") != std::string::npos, report.message);
  }
  const ProblemInstance mixed =
      build(with(surface, "s = \"", "again = \"(2*x + 0.4*x^3)*der(x) + 2*y*der(y) + 2*z*der(z)\"\ns = \""));
  const ProblemInstance without = build(surface);
  for (const Method& method : methods) BOOST_TEST_CONTEXT(method) {
      Integrator once = started(without, method), twice = started(mixed, method);
      BOOST_TEST_REQUIRE(once.advance(100, 0.01).success());
      const StepReport report = twice.advance(100, 0.01);
      BOOST_TEST_REQUIRE(report.success(), report.message);
      BOOST_TEST(twice.broken_promises().empty());
      BOOST_TEST((twice.state().q.value() - once.state().q.value()).norm() < 1e-11);
    }
}

// A model file of it reads back as the same model.
BOOST_AUTO_TEST_CASE(they_are_written) {
  for (const std::string& text : models) {
    const ProblemInstance instance = build(text), again = build(model_text(instance, "again"));
    const Vector a = end_of(projected(instance, {}), 0.5, 20), b = end_of(projected(again, {}), 0.5, 20);
    BOOST_TEST((a - b).norm() < 1e-13);
  }
}
