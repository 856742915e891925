/// \file
/// projected-rk on systems with known work: a bead whose powers are polynomials of degree 5 in t, which three Gauss
/// stages integrate exactly; and the derivatives of the bias of moving constraints.

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "kernels/runge_kutta/stage_bias.hpp"
#include "support/builtin_registry.hpp"
#include "test/instance.hpp"

namespace {

using namespace gnomon;

/// Free along q2: q2 = t.
struct Bead : AutodiffModel<2, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
};

/// Q1 = t^2: v1 = t^3/3, and the power Q1 v1 = t^5/3
struct Pushed : Bead {
  template <class S>
  void force(const S& t, const S*, const S*, S* f) const {
    f[0] = t * t;
  }
};

/// U = -t^2 q1: q1 = t^4/12, and the power U_t = -t^5/6
struct Tilted : Bead {
  template <class S>
  S potential(const S& t, const S* q) const {
    return -t * t * q[0];
  }
};

/// q1 = t^3, q2 = t: lambda = -6 t, and the power lambda g_t = 18 t^3
struct Carried : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    g[0] = q[0] - t * t * t;
  }
};

/// g_1 = q1^a cos 2t + t^3 q2, g_2 = q2^2 sin 3t + q3^a/2, a = 2 or 3
template <int exponent>
struct Moving : AutodiffModel<3, 2> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(3)); }
  template <class S>
  S potential(const S&, const S*) const {
    return S(0.0);
  }
  template <class S>
  static S power(const S& x) {
    return exponent == 2 ? x * x : x * x * x;
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::cos;
    using std::sin;
    g[0] = power(q[0]) * cos(2 * t) + t * t * t * q[1];
    g[1] = q[1] * q[1] * sin(3 * t) + 0.5 * power(q[2]);
  }
  /// d/dq and d/dv of v^T (Hess g) v + 2 G_t v + g_tt
  static void derivatives(double t, const Vector& q, const Vector& v, Matrix& by_q, Matrix& by_v) {
    constexpr int a = exponent;
    const auto rate = [](double x, int order) {  // derivatives of x^a
      return order == 1 ? a * std::pow(x, a - 1) : order == 2 ? a * (a - 1) * std::pow(x, a - 2) : a == 3 ? 6. : 0.;
    };
    const double c = std::cos(2 * t), s = std::sin(2 * t), c3 = std::cos(3 * t), s3 = std::sin(3 * t);
    by_q.setZero(2, 3);
    by_v.setZero(2, 3);
    by_q(0, 0) = rate(q[0], 3) * v[0] * v[0] * c - 4 * rate(q[0], 2) * v[0] * s - 4 * rate(q[0], 1) * c;
    by_q(0, 1) = 6 * t;
    by_v(0, 0) = 2 * rate(q[0], 2) * v[0] * c - 4 * rate(q[0], 1) * s;
    by_v(0, 1) = 6 * t * t;
    by_q(1, 1) = 12 * v[1] * c3 - 18 * q[1] * s3;
    by_q(1, 2) = 0.5 * rate(q[2], 3) * v[2] * v[2];
    by_v(1, 1) = 4 * v[1] * s3 + 12 * q[1] * c3;
    by_v(1, 2) = rate(q[2], 2) * v[2];
  }
};

/// Neither linear nor quadratic in q: g = q1 + (1 + sin(3 t)/2) q2^3 - sin t
struct Bent : AutodiffModel<2, 1> {
  Mass mass() const { return Mass::diagonal(Eigen::Vector2d(1, 2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[0] * q[0] + q[1];
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    g[0] = q[0] + (1 + 0.5 * sin(3 * t)) * q[1] * q[1] * q[1] - sin(t);
  }
};

template <class Model>
Integrator started(const Assignments& options) {
  const ProblemInstance instance = test::instance_of(Model(), Vector::Zero(2), Vector::Unit(2, 1));
  return registry().integrator(instance, "projected-rk", "newton", options);
}

/// Of the analytic derivatives, and of those along a direction by dual numbers.
template <int exponent>
void check_bias(double tolerance) {
  using Model = Moving<exponent>;
  const AutodiffSystem<Model> system{Model()};
  kernels::StageBias bias(system);
  const double t = 0.7;
  const Vector q = Eigen::Vector3d(0.4, -1.1, 0.8), v = Eigen::Vector3d(1.5, 0.3, -0.9);
  const Vector dq = Eigen::Vector3d(0.2, 0.7, -0.4), dv = Eigen::Vector3d(-0.6, 0.1, 0.5);
  Matrix by_q, by_v;
  Model::derivatives(t, q, v, by_q, by_v);
  bias.linearise(t, q, v);
  BOOST_TEST((to_dense(system.constraint_pattern(), bias.by_q()) - by_q).norm() < tolerance);
  BOOST_TEST((to_dense(system.constraint_pattern(), bias.by_v()) - by_v).norm() < 1e-13);
  VectorOf<Dual1> q_dual(3), v_dual(3), out(2);
  for (Index j = 0; j < 3; ++j) {
    q_dual[j].value = q[j];
    q_dual[j].grad[0] = dq[j];
    v_dual[j].value = v[j];
    v_dual[j].grad[0] = dv[j];
  }
  bias(t, q_dual, v_dual, out);
  const Vector expected = by_q * dq + by_v * dv;
  for (Index i = 0; i < 2; ++i) BOOST_TEST(std::abs(out[i].grad[0] - expected[i]) < tolerance);
}

const Assignments ways[] = {{},
                            {{"projection", "pve"}},
                            {{"projection", "pvae-0"}, {"directions", "frozen"}},
                            {{"projection", "symmetric"}},
                            {{"index", "3"}, {"projection", "pvae-0"}}};

}  // namespace

BOOST_AUTO_TEST_CASE(the_work_of_a_force_is_its_integral) {
  for (const Assignments& options : ways) {
    Integrator integrator = started<Pushed>(options);
    BOOST_REQUIRE(integrator.advance(4, 0.5).success());
    const State& z = integrator.state();
    BOOST_TEST(std::abs(z.p.value()[0] - 8. / 3) < 1e-14);
    BOOST_TEST(std::abs(static_cast<double>(z.work.force) - 64. / 18) < 1e-13);
    BOOST_TEST(static_cast<double>(z.work.total() - z.work.force) == 0);
    BOOST_TEST(integrator.monitor().energy().max_abs_error() < 1e-13);
  }
}

/// U is quadratic in t: a difference of it has no error but rounding.
BOOST_AUTO_TEST_CASE(the_work_of_a_potential_is_its_integral) {
  for (const Assignments& options : ways) {
    Integrator integrator = started<Tilted>(options);
    BOOST_REQUIRE(integrator.advance(4, 0.5).success());
    const State& z = integrator.state();
    BOOST_TEST(std::abs(z.q.value()[0] - 16. / 12) < 1e-10);
    BOOST_TEST(std::abs(static_cast<double>(z.work.potential) + 64. / 36) < 1e-10);
    BOOST_TEST(static_cast<double>(z.work.total() - z.work.potential) == 0);
    BOOST_TEST(integrator.monitor().energy().max_abs_error() < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(the_work_of_a_support_is_its_integral) {
  for (const Assignments& options : ways) {
    Integrator integrator = started<Carried>(options);
    BOOST_REQUIRE(integrator.advance(4, 0.5).success());
    const State& z = integrator.state();
    BOOST_TEST(std::abs(z.q.value()[0] - 8) < 1e-14);
    BOOST_TEST(std::abs(z.p.value()[0] - 12) < 1e-13);
    BOOST_TEST(std::abs(z.p.value()[1] - 1) < 1e-13);
    BOOST_TEST(std::abs(z.lambda[0] + 12) < 1e-12);
    BOOST_TEST(std::abs(static_cast<double>(z.work.position) - 72) < 1e-12);
    BOOST_TEST(static_cast<double>(z.work.total() - z.work.position) == 0);
    BOOST_TEST(integrator.monitor().energy().max_abs_error() < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(the_bias_of_moving_constraints_has_exact_derivatives_where_g_is_quadratic) {
  check_bias<2>(1e-13);
  check_bias<3>(1e-8);
}

BOOST_AUTO_TEST_CASE(moving_constraints_of_any_degree_keep_the_order) {
  // g' = v1 + 3 v2 + 3/2 - 1
  const ProblemInstance instance = test::instance_of(Bent(), Eigen::Vector2d(-1, 1), Eigen::Vector2d(-0.5, 0));
  std::vector<Vector> ends;
  for (const double h : {0.05, 0.025, 0.0125}) {
    Integrator integrator =
        registry().integrator(instance, "projected-rk", "newton", {{"stages", "2"}}, {{"matrix", "full"}});
    const long steps = std::lround(0.5 / h);
    BOOST_REQUIRE(integrator.advance(steps, h).success());
    BOOST_TEST(integrator.monitor().position_max() < 1e-15);
    BOOST_TEST(integrator.monitor().velocity_max() < 1e-14);
    BOOST_TEST(integrator.counters().iterations < 12 * steps);  // of two solves a step and a linear one
    ends.push_back(integrator.state().q.value());
  }
  const double order = std::log2((ends[1] - ends[0]).norm() / (ends[2] - ends[1]).norm());
  BOOST_TEST(std::abs(order - 4) < 0.2, order);
}

/// Promises of energy and order stay; momentum maps and phase volume are not kept.
BOOST_AUTO_TEST_CASE(what_is_promised_with_a_force) {
  const Promises promises = started<Pushed>({{"projection", "pve"}}).promises();
  BOOST_TEST((promises.energy && promises.position && promises.hidden && promises.order == 6));
  BOOST_TEST((!promises.momentum && !promises.symplectic));
}
