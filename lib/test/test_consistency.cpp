#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>

#include "differences.hpp"
#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "models.hpp"
#include "spoiled.hpp"
#include "truss.hpp"

using gnomon::Error;
using gnomon::ErrorCode;
using gnomon::Index;
using gnomon::Mass;
using gnomon::SparsityPattern;
using gnomon::System;
using gnomon::Vector;
using gnomon::test::check_close;
using gnomon::test::Rods;
using gnomon::test::Spoiled;
using gnomon::test::Truss;
using RodSystem = gnomon::AutodiffSystem<Rods<>>;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Rods folded out to the right and down, moving tangentially.
Vector rods_q() {
  return (Vector(4) << 0.6, -0.8, 2.6, -0.8).finished();
}
Vector rods_p(const System& system) {
  Vector v(4), p(4);
  v << 0.8, 0.6, 0.8, 2.0;
  system.mass().apply(v, p);
  return p;
}

struct Refusal {
  ErrorCode code{};
  std::string sentence;
  bool says(const std::string& part) const {
    const bool found = sentence.find(part) != std::string::npos;
    if (!found) BOOST_TEST_MESSAGE("\"" << sentence << "\" does not say " << part);
    return found;
  }
};

template <class F>
Refusal refusal(F call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  BOOST_ERROR("was not refused");
  return {};
}

/// A horizontal chain, links alternating around the horizontal so that nothing is special.
Vector chain_q(Index links) {
  Vector q(2 * links);
  double x = 0, y = 0;
  for (Index i = 0; i < links; ++i) {
    const double angle = 0.3 * std::sin(1.0 + static_cast<double>(i));
    q[2 * i] = x += std::cos(angle);
    q[2 * i + 1] = y += std::sin(angle);
  }
  return q;
}

Truss unit_chain(Index links) {
  return {links, Truss::chain(links), Mass::diagonal(Vector::Ones(2 * links))};
}

/// Tridiagonal mass, as beams have it.
Mass coupled_mass(Index n) {
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) entries.emplace_back(i, j);
  const auto pattern = SparsityPattern::from_entries(n, n, entries);
  Vector values(pattern.nonzeros());
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      values[k] = pattern.indices[k] == i ? 2 + 0.01 * static_cast<double>(i % 7) : 0.5;
  return Mass::sparse(pattern, values);
}

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

BOOST_AUTO_TEST_SUITE(check_start)

BOOST_AUTO_TEST_CASE(a_consistent_start_passes) {
  const RodSystem system{Rods<>{}};
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, rods_q(), rods_p(system)));
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> other{gnomon::test::Nonlinear{}};
  Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3);
  gnomon::project_start(other, 0.2, q, p);
  BOOST_CHECK_NO_THROW(gnomon::check_start(other, 0.2, q, p));
}

BOOST_AUTO_TEST_CASE(sizes) {
  const RodSystem system{Rods<>{}};
  const Refusal q = refusal([&] { gnomon::check_start(system, 0, Vector::Zero(3), Vector::Zero(4)); });
  BOOST_TEST((q.code == ErrorCode::bad_size));
  BOOST_TEST((q.says("q0") && q.says("3") && q.says("4") && q.says("rods")));
  const Refusal p = refusal([&] { gnomon::check_start(system, 0, rods_q(), Vector::Zero(5)); });
  BOOST_TEST((p.code == ErrorCode::bad_size));
  BOOST_TEST((p.says("p0") && p.says("5")));
  Vector short_q = Vector::Zero(3), long_p = Vector::Zero(4);
  BOOST_TEST((refusal([&] { gnomon::project_start(system, 0, short_q, long_p); }).code == ErrorCode::bad_size));
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q(), p = rods_p(system);
  BOOST_TEST(refusal([&] { gnomon::check_start(system, not_a_number, q, p); }).says("t0"));
  p[1] = -std::numeric_limits<double>::infinity();
  const Refusal momentum = refusal([&] { gnomon::check_start(system, 0, q, p); });
  BOOST_TEST((momentum.says("p0[1]") && momentum.says("inf")));
  q[2] = not_a_number;
  const Refusal position = refusal([&] { gnomon::check_start(system, 0, q, p); });
  BOOST_TEST((position.code == ErrorCode::not_finite));
  BOOST_TEST((position.says("q0[2]") && position.says("nan")));
}

BOOST_AUTO_TEST_CASE(every_callback_is_tried) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> sound{gnomon::test::Nonlinear{}};
  Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3);
  gnomon::project_start(sound, 0.2, q, p);
  for (int f = 0; f < static_cast<int>(Spoiled::Function::count); ++f) {
    const auto function = static_cast<Spoiled::Function>(f);
    BOOST_TEST_CONTEXT("function " << f) {
      const Spoiled throwing(sound, function, Spoiled::How::throws);
      const Refusal thrown = refusal([&] { gnomon::check_start(throwing, 0.2, q, p); });
      BOOST_TEST((thrown.code == ErrorCode::callback_failed));
      BOOST_TEST((thrown.says("nonlinear") && thrown.says("spoiled on purpose")));

      const Spoiled undefined(sound, function, Spoiled::How::nan);
      const Refusal not_finite = refusal([&] { gnomon::check_start(undefined, 0.2, q, p); });
      BOOST_TEST((not_finite.code == ErrorCode::not_finite));
      BOOST_TEST((not_finite.says("nan") && not_finite.says("at the start")));
    }
  }
  // The sentences name the function.
  const auto sentence = [&](Spoiled::Function function) {
    const Spoiled spoiled(sound, function, Spoiled::How::nan);
    return refusal([&] { gnomon::check_start(spoiled, 0.2, q, p); });
  };
  BOOST_TEST(sentence(Spoiled::Function::potential).says("potential U is nan at the start"));
  BOOST_TEST(sentence(Spoiled::Function::potential_gradient).says("grad U"));
  BOOST_TEST(sentence(Spoiled::Function::constraints).says("constraint g"));
  BOOST_TEST(sentence(Spoiled::Function::constraint_jacobian).says("Jacobian G"));
  BOOST_TEST(sentence(Spoiled::Function::force).says("force Q"));
}

BOOST_AUTO_TEST_CASE(an_inconsistent_position_names_the_constraint) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q();
  q[3] += 0.01;  // the lower rod only: it lies along x, so g = 0.01^2/2
  const Refusal lower = refusal([&] { gnomon::check_start(system, 0, q, Vector::Zero(4)); });
  BOOST_TEST((lower.code == ErrorCode::inconsistent_start));
  BOOST_TEST(
      (lower.says("lower rod") && lower.says("5e-05") && lower.says("project_start") && lower.says("--project-start")));
  BOOST_TEST(!lower.says("upper rod"));
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4), 1e-3));
}

BOOST_AUTO_TEST_CASE(an_inconsistent_momentum_names_the_constraint) {
  const RodSystem system{Rods<>{}};
  Vector p = rods_p(system);
  p[0] += 1.5 * 1e-6;  // v_x of the upper mass, along both rods
  p[2] += 0.5 * 1e-6;
  const Refusal upper = refusal([&] { gnomon::check_start(system, 0, rods_q(), p); });
  BOOST_TEST((upper.code == ErrorCode::inconsistent_start));
  BOOST_TEST((upper.says("upper rod") && upper.says("G v") && upper.says("6e-07") && upper.says("--project-start")));
}

BOOST_AUTO_TEST_CASE(the_tolerance_scales_with_the_coordinates) {
  // Rods of 1e6 m: g is rounding of 1e12, far above an absolute 1e-10.
  Rods<> far;
  far.length1 = 1e6;
  far.length2 = 2e6;
  const RodSystem system{far};
  Vector q = 1e6 * (Vector(4) << std::cos(0.3), std::sin(0.3), std::cos(0.3) + 2 * std::cos(1.1),
                    std::sin(0.3) + 2 * std::sin(1.1))
                       .finished();
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4)));
  q[0] += 1e-2;
  BOOST_CHECK_THROW(gnomon::check_start(system, 0, q, Vector::Zero(4)), Error);
}

BOOST_AUTO_TEST_CASE(dependent_constraints_are_named) {
  const gnomon::AutodiffSystem<Rods<2>> system{Rods<2>{}};
  const Refusal both = refusal([&] { gnomon::check_start(system, 0, rods_q(), Vector::Zero(4)); });
  BOOST_TEST((both.code == ErrorCode::rank_deficient));
  BOOST_TEST((both.says("g[2]") && both.says("g[3]") && both.says("rank 2")));
  BOOST_TEST(!both.says("upper rod"));
}

BOOST_AUTO_TEST_SUITE_END()

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
  const Truss system(3, rods, Mass::diagonal(Vector::Ones(6)));
  const auto rank = gnomon::constraint_rank(system, 0, (Vector(6) << 1, 0, 0.4, 0.9, -0.7, 0.3).finished());
  BOOST_TEST(rank.rank == 5);  // six rods between four points in the plane: one rotation about the pivot is left
  BOOST_TEST(rank.dependent.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_nearly_singular_loop_is_not_refused) {
  // A parallelogram of unit rods close to the position with all rods collinear, where G loses rank.
  const Truss loop(2, {{0, Truss::pivot}, {1, 0}, {1, Truss::pivot}}, Mass::diagonal(Vector::Ones(4)));
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
  const Truss repeated(links, rods, Mass::diagonal(Vector::Ones(2 * links)));
  const auto rank = gnomon::constraint_rank(repeated, 0, chain_q(links));
  BOOST_TEST(rank.rank == links);
  BOOST_REQUIRE_EQUAL(rank.dependent.size(), 1u);
  BOOST_TEST((rank.dependent[0] == 1700 || rank.dependent[0] == links));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(project_start)

BOOST_AUTO_TEST_CASE(repairs_to_rounding) {
  Rods<> model;
  model.sway = 0.4;
  const RodSystem system{model};
  const double t = 0.9;
  Vector q = rods_q() + (Vector(4) << 0.1, -0.05, 0.2, 0.15).finished(), p = rods_p(system);
  const Vector p_before = p;
  gnomon::project_start(system, t, q, p);
  Vector g(2), gv(2), v(4), values(8);
  system.constraints(t, q, g);
  system.mass().solve(p, v);
  system.constraint_velocity(t, q, v, gv);
  BOOST_TEST(g.cwiseAbs().maxCoeff() <= 1e-15);
  BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 2e-15);
  BOOST_CHECK_NO_THROW(gnomon::check_start(system, t, q, p));

  // In the mass metric p changes only along the constraint forces: p - p_before = G^T nu.
  system.constraint_jacobian(t, q, values);
  const gnomon::Matrix gt = to_dense(system.constraint_pattern(), values).transpose();
  const Vector nu = gt.colPivHouseholderQr().solve(p - p_before);
  check_close(gt * nu, p - p_before, 1e-13);
}

BOOST_AUTO_TEST_CASE(the_position_moves_by_the_inverse_mass) {
  // One Newton step at a time, q moves along M^-1 G^T: for one rod that is radial, and exact for two equal masses.
  const Truss rod(1, {{0, Truss::pivot}}, Mass::diagonal((Vector(2) << 3, 3).finished()));
  Vector q = (Vector(2) << 1.2, 1.6).finished(), p = Vector::Zero(2);
  gnomon::project_start(rod, 0, q, p);
  check_close(q, (Vector(2) << 0.6, 0.8).finished(), 1e-15);
  // A heavy direction moves less.
  const Truss heavy(1, {{0, Truss::pivot}}, Mass::diagonal((Vector(2) << 1, 1e8).finished()));
  q << 0.9, 0.3;
  gnomon::project_start(heavy, 0, q, p);
  check_close(q, (Vector(2) << std::sqrt(1 - 0.09), 0.3).finished(), 1e-8);
}

BOOST_AUTO_TEST_CASE(a_consistent_start_is_left_alone) {
  const RodSystem system{Rods<>{}};
  Vector q = rods_q(), p = rods_p(system);
  gnomon::project_start(system, 0, q, p);
  check_close(q, rods_q(), 1e-15);
  check_close(p, rods_p(system), 1e-15);
}

BOOST_AUTO_TEST_CASE(dense_masses_and_masses_that_depend_on_q) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> dense{gnomon::test::Nonlinear{}};
  const Spoiled varying(dense);
  for (const System* system : {static_cast<const System*>(&dense), static_cast<const System*>(&varying)}) {
    Vector q = Vector::Constant(4, 0.7), p = Vector::Constant(4, 0.3), g(2), gv(2), v(4);
    gnomon::project_start(*system, 0.2, q, p);
    system->constraints(0.2, q, g);
    BOOST_TEST(g.cwiseAbs().maxCoeff() <= 1e-15);
    gnomon::Matrix m(4, 4);
    if (system->traits().constant_mass)
      m = to_dense(system->mass().pattern(), system->mass().values());
    else
      system->mass_matrix(q, m);
    v = m.ldlt().solve(p);
    system->constraint_velocity(0.2, q, v, gv);
    BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 2e-15);
    BOOST_CHECK_NO_THROW(gnomon::check_start(*system, 0.2, q, p));
  }
}

BOOST_AUTO_TEST_CASE(large_systems) {
  const Index links = 2000;
  for (const bool coupled : {false, true}) {
    const Truss chain(links, Truss::chain(links),
                      coupled ? coupled_mass(2 * links) : Mass::diagonal(Vector::Ones(2 * links)));
    Vector q = chain_q(links), p(2 * links);
    for (Index i = 0; i < 2 * links; ++i) {
      q[i] += 1e-3 * std::sin(3.0 * static_cast<double>(i));
      p[i] = std::cos(2.0 * static_cast<double>(i));
    }
    gnomon::project_start(chain, 0, q, p);
    Vector g(links), gv(links), v(2 * links);
    chain.constraints(0, q, g);
    chain.mass().solve(p, v);
    chain.constraint_velocity(0, q, v, gv);
    const double ulp_of_coordinates = 2.2e-16 * static_cast<double>(links);
    BOOST_TEST(g.cwiseAbs().maxCoeff() <= 2 * ulp_of_coordinates);
    BOOST_TEST(gv.cwiseAbs().maxCoeff() <= 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(constraints_that_cannot_be_met) {
  const Truss impossible(1, {{0, Truss::pivot}, {0, Truss::pivot}}, Mass::diagonal(Vector::Ones(2)));
  Vector q = (Vector(2) << 2, 1).finished(), p = Vector::Zero(2);
  BOOST_TEST((refusal([&] { gnomon::project_start(impossible, 0, q, p); }).code == ErrorCode::rank_deficient));

  gnomon::AutodiffSystem<gnomon::test::NoSolution> none{gnomon::test::NoSolution{}};
  Vector x = Vector::Constant(1, 0.5), px = Vector::Zero(1);
  const Refusal refused = refusal([&] { gnomon::project_start(none, 0, x, px); });
  BOOST_TEST((refused.code == ErrorCode::inconsistent_start));
  BOOST_TEST((refused.says("no-solution") && refused.says("g[0]") && refused.says("converge")));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(acceleration)

BOOST_AUTO_TEST_CASE(pendulum) {
  // x'' = -lambda x, y'' = -9.81 - lambda y with x^2 + y^2 = 1: lambda = v^2 - 9.81 y.
  const Truss rod(1, {{0, Truss::pivot}}, Mass::diagonal(Vector::Ones(2)));
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
  system.force(0.5, q, v, force);
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
  const Truss loop(2, {{0, Truss::pivot}, {1, 0}, {1, Truss::pivot}}, Mass::diagonal(Vector::Ones(4)));
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
      const Truss chain(links, Truss::chain(links),
                        coupled ? coupled_mass(2 * links) : Mass::diagonal(Vector::Ones(2 * links)));
      Vector q = chain_q(links), v = Vector::Zero(2 * links), p(2 * links), a, lambda;
      for (Index i = 0; i < 2 * links; ++i) p[i] = std::cos(2.0 * static_cast<double>(i));
      gnomon::project_start(chain, 0, q, p);
      chain.mass().solve(p, v);
      gnomon::acceleration(chain, 0, q, v, a, lambda);
      BOOST_TEST(acceleration_residual(chain, 0, q, v, a, lambda) <= 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(dependent_constraints_are_refused) {
  const gnomon::AutodiffSystem<Rods<1>> small{Rods<1>{}};
  Vector a, lambda;
  const Refusal refused = refusal([&] { gnomon::acceleration(small, 0, rods_q(), Vector::Zero(4), a, lambda); });
  BOOST_TEST((refused.code == ErrorCode::rank_deficient));
  BOOST_TEST(refused.says("g[2]"));

  const Index links = 600;
  auto rods = Truss::chain(links);
  rods.emplace_back(200, 199);
  const Truss large(links, rods, Mass::diagonal(Vector::Ones(2 * links)));
  const Refusal sparse =
      refusal([&] { gnomon::acceleration(large, 0, chain_q(links), Vector::Zero(2 * links), a, lambda); });
  BOOST_TEST((sparse.code == ErrorCode::rank_deficient));
  BOOST_TEST((sparse.says("g[200]") || sparse.says("g[600]")));
}

BOOST_AUTO_TEST_CASE(a_mass_that_depends_on_q_is_refused) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> sound{gnomon::test::Nonlinear{}};
  const Spoiled varying(sound);
  Vector a, lambda;
  const Refusal refused =
      refusal([&] { gnomon::acceleration(varying, 0, Vector::Ones(4), Vector::Ones(4), a, lambda); });
  BOOST_TEST((refused.code == ErrorCode::refused));
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
