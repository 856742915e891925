/// \file
/// hbvm where no built-in problem goes: without constraints, with a dense mass, backwards, with options that do not
/// fit; and its Legendre tables.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "kernels/line_integral/legendre.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

namespace {

using namespace gnomon;

/// Henon and Heiles: U = (x^2 + y^2)/2 + x^2 y - y^3/3, with a coupled mass.
struct HenonHeiles : AutodiffModel<2, 0> {
  SystemTraits describe() const { return polynomial_traits("henon-heiles", 3, 0); }
  Mass mass() const { return Mass::dense((Matrix(2, 2) << 2, 0.5, 0.5, 1).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 0.5 * (q[0] * q[0] + q[1] * q[1]) + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  }
};

ProblemInstance henon_heiles() {
  return test::instance_of(HenonHeiles(), (Vector(2) << 0.1, 0.3).finished(), (Vector(2) << 0.3, -0.1).finished());
}

Vector end_of(const Assignments& options, long steps, double h) {
  Integrator integrator = registry().integrator(henon_heiles(), "hbvm", "kinsol-newton", options);
  integrator.start(0, henon_heiles().q0, henon_heiles().p0);
  BOOST_REQUIRE(integrator.advance(steps, h).success());
  Vector z(4);
  z << integrator.state().q.value(), integrator.state().p.value();
  return z;
}

bool bad_value(const Error& error) {
  return error.code() == ErrorCode::bad_value;
}

BOOST_AUTO_TEST_CASE(unconstrained_energy_is_exact_with_enough_nodes_only) {
  for (const bool exact : {true, false}) {
    Integrator integrator =
        registry().integrator(henon_heiles(), "hbvm", "kinsol-newton", {{"s", "2"}, {"k", exact ? "3" : "2"}});
    integrator.start(0, henon_heiles().q0, henon_heiles().p0);
    BOOST_TEST(integrator.promises().energy == exact);
    BOOST_TEST(integrator.promises().symplectic == !exact);
    BOOST_REQUIRE(integrator.advance(1000, 0.2).success());
    const double error = integrator.monitor().energy().max_abs_error();
    if (exact)
      BOOST_TEST(error < 1e-15);
    else
      BOOST_TEST(error > 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(unconstrained_order_is_2s_in_q_and_p) {
  for (const int s : {1, 2, 3}) {
    const Assignments options{{"s", std::to_string(s)}};
    const Vector reference = end_of({{"s", "6"}}, 40, 0.1);
    const double coarse = (end_of(options, 10, 0.4) - reference).norm();
    const double fine = (end_of(options, 20, 0.2) - reference).norm();
    BOOST_TEST(std::log2(coarse / fine) == 2 * s, boost::test_tools::tolerance(0.1));
  }
}

// Without constraints line-integral-ggl is the same method in other unknowns, and every iteration reaches its step.
BOOST_AUTO_TEST_CASE(unconstrained_both_line_integral_schemes_agree_with_every_solver) {
  const Vector expected = end_of({{"s", "2"}, {"k", "3"}}, 20, 0.2);
  for (const char* scheme : {"hbvm", "line-integral-ggl"})
    for (const char* solver : {"newton", "newton-simplified", "kinsol-picard"}) {
      Integrator integrator = registry().integrator(henon_heiles(), scheme, solver, {{"s", "2"}, {"k", "3"}});
      integrator.start(0, henon_heiles().q0, henon_heiles().p0);
      BOOST_REQUIRE(integrator.advance(20, 0.2).success());
      Vector z(4);
      z << integrator.state().q.value(), integrator.state().p.value();
      BOOST_TEST((z - expected).lpNorm<Eigen::Infinity>() < 1e-14, scheme << " with " << solver);
    }
}

BOOST_AUTO_TEST_CASE(negative_steps_go_back) {
  Integrator integrator = registry().integrator(henon_heiles(), "hbvm", "newton", {{"s", "3"}});
  integrator.start(0, henon_heiles().q0, henon_heiles().p0);
  BOOST_REQUIRE(integrator.advance(50, 0.2).success());
  BOOST_REQUIRE(integrator.advance(50, -0.2).success());
  BOOST_TEST((integrator.state().q.value() - henon_heiles().q0).norm() < 1e-13);
  BOOST_TEST((integrator.state().p.value() - henon_heiles().p0).norm() < 1e-13);
}

// The state's p is the projection of the scheme's own, which goes on unprojected: the two runs share q to the last
// place, and a step back undoes a step.
BOOST_AUTO_TEST_CASE(projected_output_leaves_the_scheme_as_it_is) {
  const ProblemInstance instance = registry().build("modified-pendulum", {{"start", "later"}});
  const auto started = [&](const char* output) {
    Integrator integrator = registry().integrator(instance, "hbvm", "kinsol-newton", {{"output", output}});
    integrator.start(instance.t0, instance.q0, instance.p0);
    return integrator;
  };
  Integrator raw = started("raw"), projected = started("projected");
  const System& system = *instance.model->mechanical();
  Vector v(3), hidden(1), g(system.constraint_pattern().nonzeros());
  for (int i = 0; i < 50; ++i) {
    BOOST_REQUIRE(raw.step(0.1).success());
    BOOST_REQUIRE(projected.step(0.1).success());
    const State &a = raw.state(), &b = projected.state();
    BOOST_TEST((a.q.value() - b.q.value()).lpNorm<Eigen::Infinity>() < 1e-14);
    BOOST_TEST((b.scheme_data.head(3) - a.p.value()).lpNorm<Eigen::Infinity>() < 1e-14);
    system.mass().solve(b.p.value(), v);
    system.constraint_velocity(b.t, b.q.value(), v, hidden);
    BOOST_TEST(std::abs(hidden[0]) < 1e-14);
    // what was taken away is normal to the surface
    system.constraint_jacobian(b.t, b.q.value(), g);
    const Vector taken = b.scheme_data.head(3) - b.p.value();
    BOOST_TEST((taken - g * (g.dot(taken) / g.squaredNorm())).norm() < 1e-14);
  }
  BOOST_TEST(raw.monitor().velocity_max() > 1e-3);
  BOOST_TEST(projected.monitor().velocity_max() < 1e-14);
  BOOST_TEST(projected.monitor().energy().max_abs_error() < 1e-15);
  BOOST_REQUIRE(projected.advance(50, -0.1).success());
  BOOST_TEST((projected.state().q.value() - instance.q0).norm() < 1e-13);
  BOOST_TEST((projected.state().p.value() - instance.p0).norm() < 1e-13);
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_are_refused) {
  const auto bind = [](const Assignments& options) {
    registry().integrator(henon_heiles(), "hbvm", "newton", options);
  };
  BOOST_CHECK_EXCEPTION(bind({{"k", "2"}, {"s", "3"}}), Error, bad_value);
  BOOST_CHECK_EXCEPTION(bind({{"s", "2"}, {"r", "3"}}), Error, bad_value);
  for (const char* name : {"k", "s", "r"})
    for (const char* value : {"21", "-1", "2.5", "two"}) BOOST_CHECK_EXCEPTION(bind({{name, value}}), Error, bad_value);
  BOOST_CHECK_EXCEPTION(bind({{"s", "0"}}), Error, bad_value);
}

BOOST_AUTO_TEST_CASE(the_multiplier_has_an_odd_number_of_coefficients_unless_told) {
  const ProblemInstance pendulum = registry().build("planar-pendulum");
  const auto unknowns = [&](const Assignments& options) {
    return registry().integrator(pendulum, "hbvm", "newton", options).equations().system(0).size();
  };
  for (const auto& [s, r] : {std::pair{"1", "1"}, {"2", "1"}, {"3", "3"}, {"4", "3"}})
    BOOST_TEST(unknowns({{"s", s}}) == unknowns({{"s", s}, {"r", r}}), "s = " << s);
}

BOOST_AUTO_TEST_CASE(legendre_tables_are_accurate_to_rounding) {
  double quadrature = 0, orthonormal = 0, integrals = 0, spread = 0;
  for (Index k = 1; k <= 20; ++k) {
    const kernels::LegendreTable table(k, k);
    for (Index degree = 0; degree < 2 * k; ++degree) {
      long double sum = 0;
      for (Index l = 0; l < k; ++l) sum += table.b[l] * std::pow(static_cast<long double>(table.c[l]), degree);
      quadrature = std::max(quadrature, static_cast<double>(std::abs(sum - 1.0L / (degree + 1))));
    }
    const Matrix weighted = table.P.transpose() * table.b.asDiagonal();
    orthonormal = std::max(orthonormal, (weighted * table.P - Matrix::Identity(k, k)).cwiseAbs().maxCoeff());
    integrals = std::max(integrals, (weighted * table.I - table.X).cwiseAbs().maxCoeff());
    spread = std::max(spread, (table.I - table.P * table.X).rightCols(1).cwiseAbs().maxCoeff());
  }
  BOOST_TEST(quadrature < 2e-16);
  BOOST_TEST(orthonormal < 1e-15);
  BOOST_TEST(integrals < 1e-15);
  BOOST_TEST(spread < 1e-15);  // I = P X, for k = s only
}

}  // namespace
