/// Overdetermined DAEs through the whole chain: Small, Jay, problem (4.1).
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "example_41.hpp"
#include "gnomon/gnomon.hpp"

using namespace gnomon;
using gnomon::test::Example41;

BOOST_AUTO_TEST_SUITE(overdetermined)

/// (4.1) with a method, from (1,1,1,1) to t = 1 in steps of h: the errors of y and z in the Euclidean norm.
std::array<double, 2> errors(const Registry& registry, const std::string& name, const Assignments& options, double h) {
  const auto system = std::make_shared<AutodiffOverdetermined<Example41>>(Example41());
  const Scheme& scheme = registry.scheme(name);
  const SolverFactory& solver = registry.solver("kinsol-newton");
  Integrator integrator(system, scheme, Options("scheme " + name, scheme.options(), options), solver,
                        Options("solver", solver.options()));
  integrator.start(0, Vector::Ones(2), Vector::Ones(2));
  const StepReport report = integrator.advance_to(1, h);
  BOOST_REQUIRE_MESSAGE(report.success(), report.message);
  const Vector exact = (Vector(2) << std::exp(2), std::exp(-1)).finished();
  BOOST_TEST(integrator.monitor().position_max() <= 1e-13);
  BOOST_TEST(integrator.monitor().velocity_max() <= 1e-12);
  return {(integrator.state().q.value() - exact).norm(), (integrator.state().p.value() - exact).norm()};
}

Registry registry() {
  Registry r;
  register_builtin(r);
  return r;
}

/// Small, Jay, Figs. 4.1 and 4.2, against an independent implementation (alpha = 1/2).
BOOST_AUTO_TEST_CASE(example_41_errors) {
  const Registry r = registry();
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
  const Registry r = registry();
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
  const Registry r = registry();
  const auto refused = [](const std::string& part) {
    return [part](const Error& error) { return std::string(error.what()).find(part) != std::string::npos; };
  };
  BOOST_CHECK_EXCEPTION(errors(r, "symplectic-euler-true", {{"alpha", "0"}}, .1), Error, refused("alpha = 0"));
  BOOST_CHECK_EXCEPTION(errors(r, "symplectic-euler-natural", {{"alpha", "1"}}, .1), Error, refused("alpha = 1"));
  BOOST_CHECK_EXCEPTION(errors(r, "energy-momentum", {}, .1), Error, refused("mechanical systems only"));

  const auto system = std::make_shared<AutodiffOverdetermined<Example41>>(Example41());
  const Scheme& scheme = r.scheme("symplectic-euler-true");
  const SolverFactory& solver = r.solver("newton");
  Integrator integrator(system, scheme, Options("scheme", scheme.options()), solver,
                        Options("solver", solver.options()));
  const Vector ones = Vector::Ones(2);
  BOOST_CHECK_EXCEPTION(integrator.start(0, 2 * ones, ones), Error, refused("constraint g(y)[0] = 7"));
  BOOST_CHECK_EXCEPTION(integrator.start(0, ones, Vector::Unit(2, 0)), Error, refused("hidden constraint"));
  BOOST_CHECK_EXCEPTION(integrator.start(0, Vector::Ones(3), ones), Error, refused("3 entries, expected 2"));
}

BOOST_AUTO_TEST_SUITE_END()
