/// The symplectic Euler family: the exact derivative of its step maps, its adjoints, and what it says where it fails.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include "gnomon/gnomon.hpp"
#include "kernels/odae_test_model.hpp"
#include "support/builtin_registry.hpp"
#include "test/schemes/unit_mass.hpp"

using namespace gnomon;
using namespace gnomon::test;
using Example41 = gnomon::problems::OdaeTestModel;

namespace {

const std::vector<std::string> family{"symplectic-euler-natural", "symplectic-euler-true",
                                      "symplectic-euler-conjugate-natural", "symplectic-euler-conjugate-true",
                                      "symplectic-euler-true-adjoint"};

/// (4.1) with a momentum that depends on y and is nonlinear in z.
struct WithMomentum : Example41 {
  template <class S>
  void momentum(const S* y, const S* z, S* p) const {
    p[0] = z[0] + 0.1 * (z[0] * z[0] * z[0]) + 0.2 * y[1];
    p[1] = (1.0 + 0.3 * (y[0] * y[0])) * z[1];
  }
};

/// Mass on y2 = y1^3/100 with the friction c psi^0.85, which is NaN where the surface would have to pull.
struct SlidingMass : UnitMass<2, 1> {
  OverdeterminedTraits describe() const { return named("sliding mass"); }
  template <class S>
  void force(const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-9.81);
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    using std::pow;
    using std::sqrt;
    const S slope = 0.03 * (y[0] * y[0]);
    const S size = 0.1 * pow(sqrt(1.0 + slope * slope) * psi[0], 0.85) / sqrt(z[0] * z[0] + z[1] * z[1]);
    r[0] = -1.0 * (slope * psi[0]) - size * z[0];
    r[1] = psi[0] - size * z[1];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[1] - 0.01 * (y[0] * y[0] * y[0]);
  }
};

/// Goes along y1 at unit speed; the multiplier keeps y2 = y1^2/10 with a force that ends at y1 = reach, and that moves
/// y3.
struct EndOfReach : UnitMass<3, 1> {
  double reach = 1;
  OverdeterminedTraits describe() const { return named("end of reach"); }
  template <class S>
  void force(const S*, const S*, S* f) const {
    f[0] = f[2] = S(0.0);
    f[1] = S(-1.0);
  }
  template <class S>
  void multiplier_force(const S* y, const S*, const S* psi, S* r) const {
    const S left = reach - y[0];
    r[0] = S(0.0);
    r[1] = left > S(0.0) ? left * psi[0] : S(0.0) * psi[0];
    r[2] = psi[0];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[1] - 0.1 * (y[0] * y[0]);
  }
};

template <class Model>
Integrator integrator_of(const Model& model, const std::string& name, const Assignments& options = {},
                         const std::string& solver_name = "kinsol-newton") {
  const Scheme& scheme = registry().scheme(name);
  const SolverFactory& solver = registry().solver(solver_name);
  return Integrator(std::make_shared<AutodiffOverdetermined<Model>>(model), scheme,
                    Options("scheme " + name, scheme.options(), options), solver, Options("solver", solver.options()));
}

void advance(Integrator& integrator, long steps, double h) {
  const StepReport report = integrator.advance(steps, h);
  BOOST_REQUIRE_MESSAGE(report.success(), report.message);
}

Vector point(const State& z) {
  Vector x(z.q.value().size() + z.p.value().size());
  x << z.q.value(), z.p.value();
  return x;
}

/// One step from `from` displaced by `change`, [dq; dp] after it.
Vector image(Integrator& integrator, const State& from, const Vector& change, double h) {
  State moved = from;
  const Index n = from.q.value().size();
  moved.q.set(from.q.value() + change.head(n));
  moved.p.set(from.p.value() + change.tail(change.size() - n));
  integrator.restart(moved);
  advance(integrator, 1, h);
  return point(integrator.state());
}

/// The derivative against central differences along every coordinate, on and off the manifold.
void check_derivative(Integrator& integrator, const std::string& what, double h) {
  const State from = integrator.state();
  const Index size = point(from).size();
  Matrix exact = Matrix::Identity(size, size);
  BOOST_REQUIRE(integrator.equations().differentiate(&exact));
  integrator.restart(from);
  advance(integrator, 1, h);
  integrator.equations().differentiate(nullptr);
  const Matrix kept = exact;
  // Off the manifold by d the first multiplier changes by d/h^2: small against that.
  const double step = 2e-3 * h * h;
  double worst = 0;
  for (Index j = 0; j < size; ++j) {
    // Fourth order.
    const Vector d = step * Vector::Unit(size, j);
    const Vector slope = (8 * (image(integrator, from, d, h) - image(integrator, from, -d, h)) -
                          (image(integrator, from, 2 * d, h) - image(integrator, from, -2 * d, h))) /
                         (12 * step);
    worst = std::max(worst, (slope - exact.col(j)).lpNorm<Eigen::Infinity>() / slope.lpNorm<Eigen::Infinity>());
  }
  BOOST_TEST(worst <= 1e-6, what << ": the derivative of the step map is off by " << worst);
  BOOST_TEST((kept - exact).norm() == 0, what << ": it must be left alone when it is no longer asked for");
  BOOST_TEST((exact - Matrix::Identity(size, size)).norm() >= 0.1 * std::abs(h), what);
}

double distance(const State& a, const State& b) {
  return (point(a) - point(b)).norm() / point(b).norm();
}

/// Largest relative distance from the start after a step of `name` over h and one of `back` over -h.
double return_error(Integrator& forth, Integrator& back, const Vector& y0, const Vector& z0, double h) {
  forth.start(0, y0, z0);
  back.start(0, y0, z0);
  double worst = 0;
  for (int visit = 0; visit < 5; ++visit) {
    const State before = forth.state();
    advance(forth, 1, h);
    back.restart(forth.state());
    advance(back, 1, -h);
    worst = std::max(worst, distance(back.state(), before));
    advance(forth, 4, h);
  }
  return worst;
}

bool same(const State& a, const State& b) {
  return a.t == b.t && a.t_tail == b.t_tail && a.q.value() == b.q.value() && a.q.tail() == b.q.tail() &&
         a.p.value() == b.p.value() && a.p.tail() == b.p.tail() && a.lambda == b.lambda &&
         a.scheme_data == b.scheme_data && a.last_h == b.last_h && a.work.force == b.work.force &&
         a.history.count() == b.history.count() && a.history.at(0) == b.history.at(0) &&
         a.history.at(1) == b.history.at(1);
}

const Vector ones2 = Vector::Ones(2);

}  // namespace

BOOST_AUTO_TEST_SUITE(euler_family)

BOOST_AUTO_TEST_CASE(derivative_of_the_step_map) {
  std::vector<std::pair<std::string, Assignments>> methods;
  for (const std::string& name : family) methods.push_back({name, {{"alpha", "0.3"}}});
  methods.push_back({"composition", {{"inner", "symplectic-euler-true"}, {"order", "4"}, {"kind", "yoshida"}}});
  for (const auto& [name, options] : methods) {
    Integrator plain = integrator_of(Example41(), name, options);
    plain.start(0, ones2, ones2);
    advance(plain, 3, 0.02);
    check_derivative(plain, name + " on (4.1)", 0.02);
    Integrator with_momentum = integrator_of(WithMomentum(), name, options);
    with_momentum.start(0, ones2, ones2);
    advance(with_momentum, 2, 0.01);
    check_derivative(with_momentum, name + " on (4.1) with p(y,z)", 0.01);
    Integrator pendulum = registry().integrator(registry().build("double-spherical-pendulum", {{"start", "spatial"}}),
                                                name, "kinsol-newton", options);
    advance(pendulum, 3, 0.01);
    check_derivative(pendulum, name + " on the double pendulum", 0.01);
    check_derivative(pendulum, name + " on the double pendulum, backwards", -0.01);
  }
}

BOOST_AUTO_TEST_CASE(derivative_of_rattle) {
  const Assignments fourth{{"inner", "rattle"}, {"order", "4"}, {"kind", "yoshida"}};
  for (const auto& [problem, start] :
       {std::pair("double-spherical-pendulum", "spatial"), {"modified-pendulum", "later"}})
    for (const char* name : {"rattle", "composition"}) {
      Integrator integrator =
          registry().integrator(registry().build(problem, {{"start", start}}), name, "kinsol-newton",
                                name == std::string("rattle") ? Assignments() : fourth);
      advance(integrator, 3, 0.01);
      check_derivative(integrator, name + std::string(" on ") + problem, 0.01);
    }
  for (const auto& [problem, set] :  // a mass that depends on q
       {std::pair("double-compound-pendulum", Assignments()), {"ellipse-pendulum", {{"torque", "0"}}}})
    for (const double h : {0.01, -0.01}) {
      Integrator integrator = registry().integrator(registry().build(problem, set), "rattle", "kinsol-newton");
      advance(integrator, 3, h);
      check_derivative(integrator, problem, h);
    }
}

BOOST_AUTO_TEST_CASE(derivative_not_offered) {
  const ProblemInstance pendulum = registry().build("planar-pendulum");
  Matrix changes = Matrix::Identity(4, 4);
  Integrator plain = registry().integrator(pendulum, "energy-momentum", "kinsol-newton");
  BOOST_TEST(!plain.equations().differentiate(&changes));
  Integrator composed = registry().integrator(pendulum, "composition", "kinsol-newton", {{"inner", "energy-momentum"}});
  BOOST_TEST(!composed.equations().differentiate(&changes));
}

/// Errata of the paper: the adjoint of natural(a) is conjugate-natural(1-a) for every r; that of true is one coupled
/// system, and *not* conjugate-true where r is nonlinear in the multiplier.
BOOST_AUTO_TEST_CASE(adjoints) {
  const auto natural = "symplectic-euler-natural", conjugate = "symplectic-euler-conjugate-natural",
             consistent = "symplectic-euler-true", adjoint = "symplectic-euler-true-adjoint",
             conjugate_true = "symplectic-euler-conjugate-true";
  const ProblemInstance surface = registry().build("cubic-surface", {{"contact", "kept"}});
  const auto on_41 = [&](const char* a, const char* b, const char* alpha, const char* beta) {
    Integrator forth = integrator_of(Example41(), a, {{"alpha", alpha}});
    Integrator back = integrator_of(Example41(), b, {{"alpha", beta}});
    return return_error(forth, back, ones2, ones2, 0.01);
  };
  const auto on_42 = [&](const char* a, const char* b, const char* alpha, const char* beta) {
    Integrator forth = registry().integrator(surface, a, "kinsol-newton", {{"alpha", alpha}});
    Integrator back = registry().integrator(surface, b, "kinsol-newton", {{"alpha", beta}});
    return return_error(forth, back, surface.q0, surface.p0, 0.01);
  };
  const auto undone = [&](const char* a, const char* b, const char* alpha, const char* beta) {
    const double first = on_41(a, b, alpha, beta), second = on_42(a, b, alpha, beta);
    BOOST_TEST(first <= 1e-13, a << " then " << b << " backwards on (4.1): " << first);
    BOOST_TEST(second <= 1e-13, a << " then " << b << " backwards on (4.2): " << second);
  };
  for (const auto& [alpha, beta] : {std::pair("0.5", "0.5"), std::pair("0.3", "0.7")}) {
    undone(natural, conjugate, alpha, beta);
    undone(conjugate, natural, alpha, beta);
    undone(consistent, adjoint, alpha, alpha);
    undone(adjoint, consistent, alpha, alpha);
  }
  BOOST_TEST(on_41(natural, conjugate, "0.3", "0.3") >= 1e-6, "with the same alpha it is not the adjoint");
  BOOST_TEST(on_41(consistent, conjugate_true, "0.5", "0.5") >= 1e-6, "(3.8) is not the adjoint of (3.5)");
  BOOST_TEST(on_42(consistent, conjugate_true, "0.5", "0.5") >= 1e-9, "(3.8) is not the adjoint of (3.5)");
}

namespace {

template <class F>
std::string sentence(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_CASE(alphas_that_leave_a_multiplier_without_force) {
  for (const std::string& name : family) {
    const auto with = [&](const char* alpha) {
      return sentence([&] { integrator_of(Example41(), name, {{"alpha", alpha}}); });
    };
    BOOST_TEST(with("0") == "scheme " + name +
                                ": alpha = 0, expected a number other than 0: the first multiplier would have no "
                                "force");
    const bool one_excluded = name.find("natural") != std::string::npos;
    BOOST_TEST(with("1") == (one_excluded ? "scheme " + name +
                                                ": alpha = 1, expected a number other than 1: the second multiplier "
                                                "would have no force"
                                          : "no error"));
    BOOST_TEST(with("-0.5") == "no error");
  }
}

BOOST_AUTO_TEST_CASE(starts_that_are_refused) {
  Integrator integrator = integrator_of(Example41(), "symplectic-euler-true");
  integrator.start(0, ones2, ones2);
  advance(integrator, 3, 0.01);
  const State before = integrator.state();
  const auto start = [&](const Vector& y, const Vector& z) { return sentence([&] { integrator.start(0, y, z); }); };
  BOOST_TEST(
      start(2 * ones2, ones2) ==
      "system odae-test: the start is off the manifold: the constraint g(y)[0] = 7, expected at most 2.41788854e-09 in "
      "size");
  BOOST_TEST(start(ones2, Vector::Unit(2, 0)) ==
             "system odae-test: the start is off the manifold: the hidden constraint g_y v[0] = 2, expected at most "
             "2.02828427e-10 "
             "in size");
  BOOST_TEST(same(integrator.state(), before));
  advance(integrator, 1, 0.01);

  EndOfReach model;
  for (const double reach : {0.0, 1e-14}) {
    model.reach = reach;
    Integrator fixed = integrator_of(model, "symplectic-euler-true");
    const std::string said = sentence([&] { fixed.start(0, Vector::Zero(3), Vector::Unit(3, 0)); });
    BOOST_TEST(said == "system end of reach: g_y v_z p_z^-1 r_psi is singular at the start, its condition number is " +
                           std::string(reach == 0 ? "inf" : "1e+14") +
                           "; expected multiplier forces that move the constraints independently, or no multiplier is "
                           "determined");
  }
}

namespace {

/// The message of the step that fails; the state must be bitwise that before it, and steps back must still work.
std::string failure(Integrator& integrator, double h, long most) {
  for (long k = 0; k < most; ++k) {
    const State before = integrator.state();
    const StepReport report = integrator.step(h);
    if (report.success()) continue;
    BOOST_TEST(same(integrator.state(), before));
    advance(integrator, 2, -h);
    return report.message;
  }
  return "no failure";
}

void check_contains(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" does not contain \"" << part << "\"");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_multiplier_without_effect_during_a_run) {
  for (const char* solver : {"kinsol-newton", "kinsol-linesearch", "newton"})
    for (const std::string& name : family) {
      Integrator integrator = integrator_of(EndOfReach(), name, {}, solver);
      integrator.start(0, Vector::Zero(3), Vector::Unit(3, 0));
      const std::string said = failure(integrator, 0.3, 10);
      check_contains(said, "step 4 from t = 0.9 over h = 0.3: ");
      check_contains(
          said,
          "; g_y v_z p_z^-1 r_psi, which determines the multipliers, is singular at the end of the step: its "
          "condition number is inf");
    }
}

BOOST_AUTO_TEST_CASE(friction_that_is_not_a_number) {
  // Where the surface bends away the mass would have to be pulled: psi < 0 already at the start.
  Integrator pulled = integrator_of(SlidingMass(), family[1]);
  const std::string start =
      sentence([&] { pulled.start(0, (Vector(2) << -5, -1.25).finished(), (Vector(2) << -16, -12).finished()); });
  const std::string expected =
      "system sliding mass: at the start the multiplier force r(y,z,psi) is not finite at psi = -";
  BOOST_TEST(start.substr(0, expected.size()) == expected);

  const std::regex sentence_of_a_step(
      R"(step \d+ from t = [\d.]+ over h = 0\.01: evaluation failed: residual: a value is not finite; the )"
      R"(multiplier force r\(y,z,psi\) is not finite at y = \([-\d.]+, [-\d.]+\), z = \([-\d.]+, [-\d.]+\) and )"
      R"(the (first|second) multiplier psi = -[\d.]+)");
  const Vector y0 = (Vector(2) << 10, 10).finished(), z0 = (Vector(2) << -3.6, -10.8).finished();
  for (const char* solver : {"kinsol-newton", "kinsol-linesearch", "newton"})
    for (const std::string& name : family) {
      Integrator integrator = integrator_of(SlidingMass(), name, {}, solver);
      integrator.start(0, y0, z0);
      const std::string said = failure(integrator, 1e-2, 300);
      BOOST_TEST(std::regex_match(said, sentence_of_a_step), said);
      if (name == "symplectic-euler-true") check_contains(said, "step 107 from t = 1.06 ");  // launch at t = 1.0645
    }
}

BOOST_AUTO_TEST_SUITE_END()
