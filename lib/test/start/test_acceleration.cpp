// Rank of the constraints, and accelerations with their multipliers.
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "gnomon/start/consistency.hpp"
#include "support/differences.hpp"
#include "support/models.hpp"
#include "support/starts.hpp"

using namespace gnomon;
using namespace gnomon::test;
using RodSystem = gnomon::AutodiffSystem<Rods<>>;

namespace {

/// Largest residual of the equations that define accelerations and multipliers, relative to the largest term.
double acceleration_residual(const System& system, double t, const Vector& q, const Vector& v, const Vector& a,
                             const Vector& lambda) {
  const Index n = system.n(), m = system.m();
  Vector ma(n), u(n), force(n), values(system.constraint_pattern().nonzeros()), ga(m), bias(m);
  system.mass().apply(a, ma);
  system.potential_gradient(t, q, u);
  system.constraint_jacobian(t, q, values);
  multiply_transposed(system.constraint_pattern(), values, lambda, force);
  multiply(system.constraint_pattern(), values, a, ga);
  system.constraint_bias(t, q, v, bias);
  const double scale = std::max({1.0, u.cwiseAbs().maxCoeff(), force.cwiseAbs().maxCoeff(), ga.cwiseAbs().maxCoeff()});
  return std::max((ma + u + force).cwiseAbs().maxCoeff(), (ga + bias).cwiseAbs().maxCoeff()) / scale;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(constraint_rank)

BOOST_AUTO_TEST_CASE(full_rank_and_condition) {
  // G = [q_1^T 0; -d d] with |q_1| = 1, |d| = 2 and masses 1.5, 0.5: the scaled rows have the inner product
  // c = -(q_1.d)/m1 / (|q_1|/sqrt(m1) |d| sqrt(1/m1 + 1/m2)), so the condition is sqrt((1 + |c|)/(1 - |c|)).
  const RodSystem system{Rods<>{}};
  const auto rank = gnomon::constraint_rank(system, 0, rods_q());
  BOOST_TEST(rank.rank == 2);
  BOOST_TEST(rank.dependent.empty());
  const double c = 0.6 / std::sqrt(1.5) / std::sqrt(1 / 1.5 + 1 / 0.5);
  BOOST_TEST(rank.condition == std::sqrt((1 + c) / (1 - c)), boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(dependent_rows) {
  const gnomon::AutodiffSystem<Rods<1>> system{Rods<1>{}};
  const auto rank = gnomon::constraint_rank(system, 0, rods_q());
  BOOST_TEST(rank.rank == 2);
  BOOST_TEST((rank.dependent == std::vector<Index>{2}));
}

BOOST_AUTO_TEST_CASE(a_constraint_without_gradient_is_dependent) {
  const RodSystem system{Rods<>{}};
  const auto rank = gnomon::constraint_rank(system, 0, (Vector(4) << 0, 0, 1, 1).finished());
  BOOST_TEST(rank.rank == 1);
  BOOST_TEST((rank.dependent == std::vector<Index>{0}));
}

BOOST_AUTO_TEST_CASE(more_constraints_than_coordinates) {
  // Three points cannot satisfy seven independent conditions.
  std::vector<Truss::Rod> rods{{0, Truss::pivot}, {1, 0}, {2, 1}, {2, 0}, {1, Truss::pivot}, {2, Truss::pivot}, {0, 1}};
  const Truss system(3, rods, unit_mass(6));
  const auto rank = gnomon::constraint_rank(system, 0, (Vector(6) << 1, 0, 0.4, 0.9, -0.7, 0.3).finished());
  BOOST_TEST(rank.rank == 5);  // six rods between four points in the plane: one rotation about the pivot is left
  BOOST_TEST(rank.dependent.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_nearly_singular_loop_is_not_refused) {
  // A parallelogram of unit rods close to the position with all rods collinear, where G loses rank.
  const Truss loop(2, {{0, Truss::pivot}, {1, 0}, {1, Truss::pivot}}, unit_mass(4));
  for (const double angle : {1e-2, 1e-5, 1e-8}) {
    // x_0 = (1, 0), x_1 = (1 + ..., angle): the triangle 0, x_0, x_1 has height `angle`.
    const Vector q = (Vector(4) << 1, 0, 1.5, angle).finished();
    const auto rank = gnomon::constraint_rank(loop, 0, q);
    BOOST_TEST(rank.rank == 3);
    BOOST_TEST(rank.condition * angle > 0.1);
    BOOST_TEST(rank.condition * angle < 10);
  }
  BOOST_TEST(gnomon::constraint_rank(loop, 0, (Vector(4) << 1, 0, 1.5, 0).finished()).rank == 2);
  BOOST_TEST(gnomon::constraint_rank(loop, 0, (Vector(4) << 1, 0, 1.5, 1e-13).finished()).rank == 2);
}

BOOST_AUTO_TEST_CASE(large_systems) {
  const Index links = 3000;
  auto rods = Truss::chain(links);
  const Truss chain = unit_chain(links);
  Vector straight(2 * links);
  for (Index i = 0; i < links; ++i) straight.segment(2 * i, 2) << static_cast<double>(i + 1), 0;
  // The scaled G M^-1 G^T is the tridiagonal matrix (-1/2, 1, -1/2), free at one end: eigenvalues 1 - cos(theta),
  // theta = pi/(2 links) ... pi.
  const auto full = gnomon::constraint_rank(chain, 0, straight);
  BOOST_TEST(full.rank == links);
  BOOST_TEST(full.condition == 4 * static_cast<double>(links) / std::acos(-1.0), boost::test_tools::tolerance(0.05));

  rods.emplace_back(1700, 1699);
  const Truss repeated(links, rods, unit_mass(2 * links));
  const auto rank = gnomon::constraint_rank(repeated, 0, chain_q(links));
  BOOST_TEST(rank.rank == links);
  BOOST_REQUIRE_EQUAL(rank.dependent.size(), 1u);
  BOOST_TEST((rank.dependent[0] == 1700 || rank.dependent[0] == links));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(acceleration)

BOOST_AUTO_TEST_CASE(pendulum) {
  // x'' = -lambda x, y'' = -9.81 - lambda y with x^2 + y^2 = 1: lambda = v^2 - 9.81 y.
  const Truss rod(1, {{0, Truss::pivot}}, unit_mass(2));
  const Vector q = (Vector(2) << 0.6, -0.8).finished(), v = (Vector(2) << 1.6, 1.2).finished();
  Vector a, lambda;
  gnomon::acceleration(rod, 0, q, v, a, lambda);
  BOOST_TEST(lambda[0] == 4 + 9.81 * 0.8, boost::test_tools::tolerance(1e-15));
  check_close(a, (Vector(2) << -lambda[0] * 0.6, -9.81 + lambda[0] * 0.8).finished(), 1e-14);
}

BOOST_AUTO_TEST_CASE(moving_constraints_stay_satisfied) {
  // Along the curve with this acceleration the constraints vanish to second order: g(t + s) = O(s^3).
  Rods<> model;
  model.sway = 0.4;
  const RodSystem system{model};
  Vector q = rods_q(), p = rods_p(system), v(4), a, lambda;
  gnomon::project_start(system, 0.9, q, p);
  system.mass().solve(p, v);
  gnomon::acceleration(system, 0.9, q, v, a, lambda);
  BOOST_TEST(acceleration_residual(system, 0.9, q, v, a, lambda) <= 1e-14);
  const auto along = [&](double s) {
    Vector g(2);
    system.constraints(0.9 + s, q + s * v + s * s / 2 * a, g);
    return g;
  };
  check_close(gnomon::test::second_difference(along, 1e-2), Vector::Zero(2), 1e-7);
}

BOOST_AUTO_TEST_CASE(force_and_dense_mass) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> system{gnomon::test::Nonlinear{}};
  const Vector q = Vector::LinSpaced(4, 0.2, 1.1), v = Vector::LinSpaced(4, -1, 2);
  Vector a, lambda, force(4);
  gnomon::acceleration(system, 0.5, q, v, a, lambda);
  // M a + grad U + G^T lambda = Q
  Vector ma(4), u(4), values(8), reaction(4);
  system.mass().apply(a, ma);
  system.potential_gradient(0.5, q, u);
  system.constraint_jacobian(0.5, q, values);
  multiply_transposed(system.constraint_pattern(), values, lambda, reaction);
  system.parts().force->force(0.5, q, v, force);
  check_close(ma + u + reaction, force, 1e-13);
}

BOOST_AUTO_TEST_CASE(without_constraints) {
  const Truss free(3, {}, Mass::diagonal(Vector::Constant(6, 2)));
  Vector a, lambda;
  gnomon::acceleration(free, 0, Vector::Ones(6), Vector::Ones(6), a, lambda);
  BOOST_TEST(lambda.size() == 0);
  BOOST_TEST(a[1] == -9.81 / 2, boost::test_tools::tolerance(1e-15));
  BOOST_CHECK_NO_THROW(gnomon::check_start(free, 0, Vector::Ones(6), Vector::Ones(6)));
  BOOST_TEST(gnomon::constraint_rank(free, 0, Vector::Ones(6)).rank == 0);
}

BOOST_AUTO_TEST_CASE(close_to_a_singular_position) {
  // A flat triangle with a corner at the pivot swings as a rigid body: a_i = alpha (-y_i, x_i). The condition is 1e6,
  // and an error that grew like its square would leave four digits.
  const Truss loop(2, {{0, Truss::pivot}, {1, 0}, {1, Truss::pivot}}, unit_mass(4));
  const Vector q = (Vector(4) << 1, 0, 1.5, 1e-6).finished();
  Vector a, lambda;
  gnomon::acceleration(loop, 0, q, Vector::Zero(4), a, lambda);
  const double alpha = -9.81 * (q[0] + q[2]) / q.squaredNorm();
  check_close(a, alpha * (Vector(4) << -q[1], q[0], -q[3], q[2]).finished(), 1e-9);
}

BOOST_AUTO_TEST_CASE(dense_and_sparse_factorisations) {
  // n + m is 900 and 1200: on either side of the change.
  for (const Index links : {300, 400})
    for (const bool coupled : {false, true}) {
      const Truss chain = unit_chain(links, coupled);
      Vector q = chain_q(links), v = Vector::Zero(2 * links), p(2 * links), a, lambda;
      for (Index i = 0; i < 2 * links; ++i) p[i] = std::cos(2.0 * static_cast<double>(i));
      gnomon::project_start(chain, 0, q, p);
      chain.mass().solve(p, v);
      gnomon::acceleration(chain, 0, q, v, a, lambda);
      BOOST_TEST(acceleration_residual(chain, 0, q, v, a, lambda) <= 1e-13);
    }
}

/// Rods that are there twice and three times share the force of the one that would do, in equal parts.
BOOST_AUTO_TEST_CASE(dependent_constraints_of_large_systems) {
  const Index links = 600, n = 2 * links;
  auto rods = Truss::chain(links);
  for (const Index k : {200, 400, 400}) rods.push_back(rods[static_cast<std::size_t>(k)]);
  for (const bool coupled : {false, true}) {
    const Mass mass = coupled ? coupled_mass(n) : unit_mass(n);
    const Truss large(links, rods, mass), plain(links, Truss::chain(links), mass);
    Vector q = chain_q(links), p(n), v(n), a, lambda, plain_a, plain_lambda, r(large.m());
    for (Index i = 0; i < n; ++i) p[i] = std::cos(2.0 * static_cast<double>(i));
    q += 1e-3 * p;
    gnomon::project_start(large, 0, q, p);
    large.constraints(0, q, r);
    BOOST_TEST(r.cwiseAbs().maxCoeff() <= 1e-12);
    large.mass().solve(p, v);
    large.constraint_velocity(0, q, v, r);
    BOOST_TEST(r.cwiseAbs().maxCoeff() <= 1e-12);
    const auto rank = gnomon::check_start(large, 0, q, p);
    BOOST_TEST(rank.rank == links);
    BOOST_TEST(rank.dependent.size() == 3u);

    gnomon::acceleration(large, 0, q, v, a, lambda);
    gnomon::acceleration(plain, 0, q, v, plain_a, plain_lambda);
    BOOST_TEST(acceleration_residual(large, 0, q, v, a, lambda) <= 1e-13);
    const double scale = plain_lambda.norm();
    check_close(a, plain_a, 1e-10 * plain_a.norm());
    for (const Index i : {200, 600}) BOOST_TEST(std::abs(lambda[i] - plain_lambda[200] / 2) <= 1e-12 * scale);
    for (const Index i : {400, 601, 602}) BOOST_TEST(std::abs(lambda[i] - plain_lambda[400] / 3) <= 1e-12 * scale);
    BOOST_TEST(std::abs(lambda[300] - plain_lambda[300]) <= 1e-12 * scale);
  }
}

BOOST_AUTO_TEST_CASE(ten_thousand_links_take_well_under_a_second) {
  const Index links = 10000;
  const Truss chain = unit_chain(links);
  const Vector q = chain_q(links), v = Vector::Zero(2 * links);
  Vector a, lambda;
  const auto start = std::chrono::steady_clock::now();
  gnomon::acceleration(chain, 0, q, v, a, lambda);
  BOOST_TEST_MESSAGE("acceleration: " << seconds_since(start) << " s");
  BOOST_TEST(seconds_since(start) < 1.0);
  BOOST_TEST(acceleration_residual(chain, 0, q, v, a, lambda) <= 1e-12);
  const auto checked = std::chrono::steady_clock::now();
  gnomon::check_start(chain, 0, q, v, 1e-8);
  BOOST_TEST_MESSAGE("check_start: " << seconds_since(checked) << " s");
  BOOST_TEST(seconds_since(checked) < 2.0);
}

BOOST_AUTO_TEST_SUITE_END()
