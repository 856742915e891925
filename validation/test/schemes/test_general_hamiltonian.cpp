/// \file
/// The line-integral kernel for Hamiltonians that are not separable, with a constraint.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "kernels/line_integral/general_line_integral.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;

/// A point on a sphere.
struct Sphere : AutodiffModel<3, 1> {
  SystemTraits describe() const { return polynomial_traits("sphere", 4, 2); }
  Mass mass() const { return Mass::diagonal((Vector(3) << 1, 2, 1).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[2] + 0.25 * q[0] * q[0] * q[0] * q[0];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0);
  }
};

/// H = T + U + coupling (1/2 + q3) (q1 p2 - q2 p1)^2/2: of degree five in (q, p), and with G H_p = G M^-1 p on the
/// sphere.
struct Coupled {
  double coupling = 0.6;

  template <class S>
  S energy(const S* q, const S* p) const {
    const S l = q[0] * p[1] - q[1] * p[0];
    return 0.5 * (p[0] * p[0] + 0.5 * p[1] * p[1] + p[2] * p[2]) + Sphere().potential(S(0.0), q) +
           (coupling * 0.5) * (0.5 + q[2]) * l * l;
  }
  double value(double, const Vector& q, const Vector& p) const { return energy(q.data(), p.data()); }
  template <class S>
  void gradient(double, const VectorOf<S>& q, const VectorOf<S>& p, VectorOf<S>& h_q, VectorOf<S>& h_p) const {
    using D = Dual<S, 6>;
    std::array<D, 6> z;
    for (int j = 0; j < 3; ++j) {
      z[j].value = q[j];
      z[j].grad[j] = S(1.0);
      z[3 + j].value = p[j];
      z[3 + j].grad[3 + j] = S(1.0);
    }
    const D h = energy(z.data(), z.data() + 3);
    for (int j = 0; j < 3; ++j) {
      h_q[j] = h.grad[j];
      h_p[j] = h.grad[3 + j];
    }
  }
};

/// The kernel as a scheme.
class Coupling final : public MechanicalScheme {
 public:
  explicit Coupling(double coupling) : coupling_(coupling) {}
  std::string name() const override { return "coupled"; }
  std::string description() const override { return "line integral for a Hamiltonian that is not separable"; }
  std::string source() const override { return "general_line_integral.hpp"; }
  OptionSpecs options() const override {
    return {OptionSpec::integer("k", 2, 1, 20, "nodes"), OptionSpec::integer("s", 2, 1, 20, "degree"),
            OptionSpec::integer("r", 1, 1, 20, "coefficients of the multiplier")};
  }
  Promises promises() const override { return {}; }
  Binding bind(const System& system, const Options& options) const override {
    return {std::make_unique<kernels::GeneralLineIntegralStep<Coupled>>(
                system, Coupled{coupling_}, options.integer("k"), options.integer("s"), options.integer("r")),
            {}};
  }

 private:
  double coupling_;
};

struct Start {
  Vector q = (Vector(3) << 0.6, 0, 0.8).finished(), p = (Vector(3) << 0.4, 1.6, -0.3).finished();
};

Integrator started(const Scheme& scheme, const Assignments& assigned, const char* solver = "newton") {
  const auto system = std::make_shared<AutodiffSystem<Sphere>>(Sphere());
  const SolverFactory& factory = registry().solver(solver);
  Integrator integrator(system, scheme, Options("scheme " + scheme.name(), scheme.options(), assigned), factory,
                        Options(std::string("solver ") + solver, factory.options()));
  integrator.start(0, Start().q, Start().p);
  return integrator;
}

Assignments degrees(int k, int s, int r) {
  return {{"k", std::to_string(k)}, {"s", std::to_string(s)}, {"r", std::to_string(r)}};
}

Vector end_of(const Assignments& assigned, long steps, double h) {
  Integrator integrator = started(Coupling(0.6), assigned);
  BOOST_REQUIRE(integrator.advance(steps, h).success());
  return integrator.state().q.value();
}

double distance(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(energy_and_constraint_are_exact_with_enough_nodes_only) {
  for (const bool exact : {true, false}) {
    Integrator integrator = started(Coupling(0.6), degrees(exact ? 5 : 2, 2, 1));
    const double first = Coupled().value(0, integrator.state().q.value(), integrator.state().p.value());
    BOOST_REQUIRE(integrator.advance(2000, 0.1).success());
    const State& z = integrator.state();
    const double error = std::abs(Coupled().value(0, z.q.value(), z.p.value()) - first);
    if (exact) {
      BOOST_TEST(integrator.monitor().energy().max_abs_error() < integrator.monitor().energy_gate());
      BOOST_TEST(error < integrator.monitor().energy_gate());
    } else {
      BOOST_TEST(integrator.monitor().energy().max_abs_error() > 1e-6);
    }
    BOOST_TEST(integrator.monitor().position_max() < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(order_of_q_is_four_for_s_two_and_one_multiplier) {
  const double until = 1.6;
  const Vector reference = end_of(degrees(10, 4, 4), 64, until / 64);
  std::vector<double> errors;
  for (const long steps : {8L, 16L, 32L, 64L})
    errors.push_back(distance(end_of(degrees(5, 2, 1), steps, until / static_cast<double>(steps)), reference));
  for (std::size_t i = 1; i + 1 < errors.size(); ++i)
    BOOST_TEST(std::log2(errors[i] / errors[i + 1]) == 4, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(separable_hamiltonians_give_the_steps_of_hbvm) {
  for (const Assignments& assigned : {degrees(2, 1, 1), degrees(4, 2, 1), degrees(6, 3, 2)}) {
    Integrator general = started(Coupling(0), assigned), hbvm = started(registry().scheme("hbvm"), assigned);
    BOOST_REQUIRE(general.advance(20, 0.1).success());
    BOOST_REQUIRE(hbvm.advance(20, 0.1).success());
    BOOST_TEST(distance(general.state().q.value(), hbvm.state().q.value()) < 1e-13);
    BOOST_TEST(distance(general.state().p.value(), hbvm.state().p.value()) < 1e-13);
    BOOST_TEST(distance(general.state().lambda, hbvm.state().lambda) < 1e-11);
  }
}

BOOST_AUTO_TEST_CASE(jacobian_is_that_of_the_residual) {
  Integrator integrator = started(Coupling(0.6), degrees(5, 2, 2));
  BOOST_REQUIRE(integrator.advance(3, 0.1).success());
  StepEquations& step = integrator.equations();
  step.begin(integrator.state(), 0.1);
  ScaledEquations scaled(step.system(0), JacobianSource::analytic);
  Vector x(scaled.size()), xs(scaled.size());
  step.predict(0, x);
  scaled.update_scales();
  scaled.to_scaled(x, xs);
  BOOST_TEST(compare_jacobians(scaled, xs, JacobianSource::analytic, JacobianSource::differences) < 1e-9);
  BOOST_TEST(compare_jacobians(scaled, xs, JacobianSource::analytic, JacobianSource::dual) < 1e-15);
}

BOOST_AUTO_TEST_CASE(negative_steps_go_back) {
  Integrator integrator = started(Coupling(0.6), degrees(5, 2, 1), "kinsol-newton");
  BOOST_REQUIRE(integrator.advance(50, 0.1).success());
  BOOST_REQUIRE(integrator.advance(50, -0.1).success());
  BOOST_TEST(distance(integrator.state().q.value(), Start().q) < 1e-12);
  BOOST_TEST(distance(integrator.state().p.value(), Start().p) < 1e-12);
}
