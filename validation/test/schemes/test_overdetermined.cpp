/// Overdetermined DAEs through the whole chain: Small, Jay, problem (4.1).
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/schemes/unit_mass.hpp"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// A mass on q2 = -q1^3 / 3 in a unit field: it would soon leave the surface, where psi < 0, and its friction is NaN
/// there.
struct Overrun : UnitMass<2, 1> {
  OverdeterminedTraits describe() const { return named("overrun"); }
  template <class S>
  void force(const S*, const S*, S* f) const {
    f[0] = S(0.0);
    f[1] = S(-1.0);
  }
  template <class S>
  void multiplier_force(const S* y, const S* z, const S* psi, S* r) const {
    using std::sqrt;
    const S friction = 0.1 * (psi[0] * sqrt(psi[0] + 1e-12));
    r[0] = y[0] * y[0] * psi[0] - friction * z[0];
    r[1] = psi[0] - friction * z[1];
  }
  template <class S>
  void constraints(const S* y, S* g) const {
    g[0] = y[1] + (y[0] * y[0] * y[0]) / 3.0;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(overdetermined)

/// (4.1) with a method, from (1,1,1,1) to t = 1 in steps of h: the errors of y and z in the Euclidean norm.
std::array<double, 2> errors(const Registry& registry, const std::string& name, const Assignments& options, double h) {
  Integrator integrator = registry.integrator(registry.build("odae-test"), name, "kinsol-newton", options);
  const StepReport report = integrator.advance_to(1, h);
  BOOST_REQUIRE_MESSAGE(report.success(), report.message);
  const Vector exact = (Vector(2) << std::exp(2), std::exp(-1)).finished();
  BOOST_TEST(integrator.monitor().position_max() <= 1e-13);
  BOOST_TEST(integrator.monitor().velocity_max() <= 1e-12);
  return {(integrator.state().q.value() - exact).norm(), (integrator.state().p.value() - exact).norm()};
}

/// Small, Jay, Figs. 4.1 and 4.2, against an independent implementation (alpha = 1/2).
BOOST_AUTO_TEST_CASE(example_41_errors) {
  const Registry& r = registry();
  const auto compare = [&](const char* name, double h, double y, double z) {
    const auto [ey, ez] = errors(r, name, {}, h);
    BOOST_TEST(std::abs(ey - y) <= 1e-6 * y, name << " at h = " << h << ": error of y " << ey << ", expected " << y);
    BOOST_TEST(std::abs(ez - z) <= 1e-6 * z, name << " at h = " << h << ": error of z " << ez << ", expected " << z);
  };
  compare("symplectic-euler-true", 1e-1, 3.823520768620, 4.471800031452);
  compare("symplectic-euler-true", 1e-2, 1.818747306717e-1, 2.057080221955e-1);
  compare("symplectic-euler-true", 1e-3, 1.743573122214e-2, 1.969465477312e-2);
  compare("symplectic-euler-natural", 1e-1, 2.956542313453, 4.766270923500);
  compare("symplectic-euler-natural", 1e-2, 5.943494701839e-1, 1.436469185911);
  compare("symplectic-euler-natural", 1e-3, 4.419131061660e-1, 1.224862103884);
}

/// The method and its adjoint are of order 2 together, their triple jump of order 4, although r is nonlinear in psi.
BOOST_AUTO_TEST_CASE(example_41_orders) {
  const Registry& r = registry();
  const auto slope = [&](const Assignments& options, double coarse, double fine) {
    const auto a = errors(r, "composition", options, coarse), b = errors(r, "composition", options, fine);
    return std::array<double, 2>{std::log(a[0] / b[0]) / std::log(coarse / fine),
                                 std::log(a[1] / b[1]) / std::log(coarse / fine)};
  };
  const auto second = slope({{"inner", "symplectic-euler-true"}, {"order", "2"}}, 4e-3, 1e-3);
  BOOST_TEST(std::abs(second[0] - 2) <= 0.1, "order of y: " << second[0]);
  BOOST_TEST(std::abs(second[1] - 2) <= 0.1, "order of z: " << second[1]);
  const auto fourth = slope({{"inner", "symplectic-euler-true"}, {"order", "4"}, {"kind", "yoshida"}}, 1e-2, 2.5e-3);
  BOOST_TEST(std::abs(fourth[0] - 4) <= 0.1, "order of y: " << fourth[0]);
  BOOST_TEST(std::abs(fourth[1] - 4) <= 0.1, "order of z: " << fourth[1]);
}

BOOST_AUTO_TEST_CASE(bad_alpha_and_starts) {
  const Registry& r = registry();
  const auto refused = [](const std::string& part) {
    return [part](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(errors(r, "symplectic-euler-true", {{"alpha", "0"}}, .1), Error, refused("alpha = 0"));
  BOOST_CHECK_EXCEPTION(errors(r, "symplectic-euler-natural", {{"alpha", "1"}}, .1), Error, refused("alpha = 1"));
  BOOST_CHECK_EXCEPTION(errors(r, "energy-momentum", {}, .1), Error, refused("mechanical systems only"));

  const auto model = r.build("odae-test").model;
  const Scheme& scheme = r.scheme("symplectic-euler-true");
  const SolverFactory& solver = r.solver("newton");
  Integrator integrator(model, scheme, Options("scheme", scheme.options()), solver,
                        Options("solver", solver.options()));
  const Vector ones = Vector::Ones(2);
  BOOST_CHECK_EXCEPTION(integrator.start(0, 2 * ones, ones), Error, refused("constraint g(y)[0] = 7"));
  BOOST_CHECK_EXCEPTION(integrator.start(0, ones, Vector::Unit(2, 0)), Error, refused("hidden constraint"));
  BOOST_CHECK_EXCEPTION(integrator.start(0, Vector::Ones(3), ones), Error, refused("3 entries, expected 2"));
}

/// psi is unique only where z is not zero: the start at rest is on the manifold, but has no multiplier.
BOOST_AUTO_TEST_CASE(singular_start) {
  const Registry& r = registry();
  ProblemInstance rest = r.build("odae-test");
  rest.p0.setZero();
  BOOST_CHECK_EXCEPTION(r.integrator(rest, "symplectic-euler-true", "newton"), Error, [](const Error& error) {
    return std::string(error.what()).find("singular") != std::string::npos;
  });
}

/// Friction that is NaN where psi < 0: a step that leads there fails, says so, and leaves the state as it was.
BOOST_AUTO_TEST_CASE(friction_not_a_number) {
  const Registry& r = registry();
  ProblemInstance overrun;
  overrun.model = std::make_shared<AutodiffOverdetermined<Overrun>>(Overrun());
  overrun.q0 = (Vector(2) << 0, 0).finished();
  overrun.p0 = (Vector(2) << 0.5, 0).finished();
  for (const char* solver : {"newton", "kinsol-newton", "kinsol-linesearch"}) {
    Integrator integrator = r.integrator(overrun, "symplectic-euler-true", solver);
    State last;
    StepReport report;
    do {
      last = integrator.state();
      report = integrator.step(1e-2);
    } while (report.success() && integrator.state().t < 20);
    BOOST_TEST(!report.success(), solver);
    BOOST_TEST(report.message.find("step ") == 0, report.message);
    BOOST_TEST(last.t > 0.1);
    BOOST_TEST(integrator.state().t == last.t);
    BOOST_TEST((integrator.state().q.value() - last.q.value()).norm() == 0);
    BOOST_TEST((integrator.state().scheme_data - last.scheme_data).norm() == 0);
    BOOST_TEST(integrator.state().lambda[0] == last.lambda[0]);
    BOOST_TEST_MESSAGE(solver << ": psi = " << last.lambda[0] << "; " << report.message);
  }
}

/// Two momenta, one motion: p(y,z) that depends on y, and not p = z.
BOOST_AUTO_TEST_CASE(momentum_of_the_resting_frame) {
  const Registry& r = registry();
  const auto end = [&](const Assignments& set) {
    Integrator integrator = r.integrator(r.build("rotating-wire-bead", set), "composition", "newton",
                                         {{"inner", "symplectic-euler-true"}, {"order", "4"}, {"kind", "suzuki"}});
    BOOST_REQUIRE(integrator.advance(200, 5e-3).success());
    BOOST_TEST(integrator.model().overdetermined() != nullptr);
    return integrator.state();
  };
  const State kinetic = end({{"m", "2"}}), canonical = end({{"m", "2"}, {"momentum", "canonical"}});
  BOOST_TEST((kinetic.q.value() - canonical.q.value()).norm() <= 1e-8);
  BOOST_TEST((kinetic.scheme_data - canonical.scheme_data).norm() <= 1e-8);
  BOOST_TEST((kinetic.p.value() - 2 * kinetic.scheme_data).norm() <= 1e-12);
  const Vector &y = canonical.q.value(), &z = canonical.scheme_data;
  const Vector expected = 2 * (Vector(3) << z[0] - 4 * y[1], z[1] + 4 * y[0], z[2]).finished();
  BOOST_TEST((canonical.p.value() - expected).norm() <= 1e-12);
  BOOST_TEST(std::abs(static_cast<double>(kinetic.work.total() - canonical.work.total())) <= 1e-8);
  BOOST_TEST(kinetic.work.total() < -1);
}

/// Without friction the error of the energy balance is that of the method: of order 2 here, and no work.
BOOST_AUTO_TEST_CASE(bead_without_friction) {
  const Registry& r = registry();
  const ProblemInstance smooth = r.build("rotating-wire-bead", {{"c_f", "0"}, {"u", "0"}});
  const auto error = [&](double h) {
    Integrator integrator =
        r.integrator(smooth, "composition", "newton", {{"inner", "symplectic-euler-true"}, {"order", "2"}});
    BOOST_REQUIRE(integrator.advance_to(1, h).success());
    BOOST_TEST(static_cast<double>(integrator.state().work.total()) == 0, boost::test_tools::tolerance(1e-12));
    return std::abs(integrator.monitor().energy().last_error());
  };
  BOOST_TEST(std::abs(std::log2(error(4e-3) / error(2e-3)) - 2) <= 0.1);
  Integrator natural = r.integrator(smooth, "symplectic-euler-natural", "newton");
  BOOST_TEST(natural.promises().order == 1);  // r is affine without friction
}

BOOST_AUTO_TEST_CASE(bad_starts_of_the_problems) {
  const Registry& r = registry();
  const auto refused = [](const std::string& part) {
    return [part](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; };
  };
  const auto run = [&](const std::string& problem, const Assignments& set) {
    r.integrator(r.build(problem, set), "symplectic-euler-true", "newton");
  };
  BOOST_CHECK_EXCEPTION(run("rotating-wire-bead", {{"u", "0"}}), Error, refused("has no direction"));
  BOOST_CHECK_NO_THROW(run("cubic-surface", {{"contact", "kept"}, {"u", "0"}}));
  BOOST_CHECK_EXCEPTION(run("cubic-surface", {{"contact", "kept"}, {"lift", "1"}}), Error, refused("lift = 0"));
  BOOST_CHECK_EXCEPTION(run("odae-test", {{"variant", "c"}}), Error, refused("variant"));
  Integrator integrator = r.integrator(r.build("odae-test"), "symplectic-euler-true", "newton");
  BOOST_CHECK_EXCEPTION(integrator.system(), Error, refused("no mechanical system"));
}

BOOST_AUTO_TEST_SUITE_END()
