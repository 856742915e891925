// Every function of a System that AutodiffSystem derives, against differences of the functions it comes from.
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/start/consistency.hpp"
#include "support/differences.hpp"
#include "support/models.hpp"

using gnomon::Index;
using gnomon::Matrix;
using gnomon::Vector;
using gnomon::test::check_close;
using gnomon::test::difference;
using gnomon::test::second_difference;

namespace {

constexpr double first = 1e-9, second = 1e-7;  // tolerances of first and second differences

struct Fixture {
  gnomon::AutodiffSystem<gnomon::test::Nonlinear> system{gnomon::test::Nonlinear{}};
  double t = 0.7;
  Vector q = (Vector(4) << 0.8, -0.5, 0.3, 1.1).finished();
  Vector v = (Vector(4) << -0.4, 1.2, 0.9, -0.7).finished();
  Vector w = (Vector(4) << 0.6, 0.2, -1.3, 0.5).finished();
  Vector lambda = (Vector(2) << 1.7, -0.6).finished();

  Vector gradient(double time, const Vector& x) const {
    Vector out(4);
    system.potential_gradient(time, x, out);
    return out;
  }
  Vector g(double time, const Vector& x) const {
    Vector out(2);
    system.constraints(time, x, out);
    return out;
  }
  Matrix jacobian(const Vector& x) const {
    Vector values(8);
    system.constraint_jacobian(t, x, values);
    return to_dense(system.constraint_pattern(), values);
  }
  /// Columns d f(q + s e_j)/ds.
  template <class F>
  Matrix derivative(F f) const {
    Matrix out(f(q).size(), 4);
    for (Index j = 0; j < 4; ++j) out.col(j) = difference([&](double s) { return Vector(f(q + s * unit(j))); });
    return out;
  }
  static Vector unit(Index j) { return Vector::Unit(4, j); }
};

Vector flat(const Matrix& m) {
  return Eigen::Map<const Vector>(m.data(), m.size());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(autodiff_system, Fixture)

BOOST_AUTO_TEST_CASE(traits_are_filled_in) {
  BOOST_TEST(system.n() == 4);
  BOOST_TEST(system.m() == 2);
  BOOST_TEST(system.parts().n_invariants() == 2);
  BOOST_TEST(system.parts().n_symmetries() == 1);
  BOOST_TEST(system.parts().n_obstacles() == 1);
  BOOST_TEST(system.parts().force);
  BOOST_TEST(system.parts().time_dependence);
}

BOOST_AUTO_TEST_CASE(potential_is_the_sum_of_both_parts) {
  const auto& model = system.model();
  double pi[2];
  model.invariants(q.data(), pi);
  const double expected =
      model.potential(t, q.data()) + model.invariant_potential(0, pi[0]) + model.invariant_potential(1, pi[1]);
  BOOST_TEST(system.potential(t, q) == expected, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(potential_derivatives) {
  Vector expected(4);
  for (Index j = 0; j < 4; ++j)
    expected[j] = difference([&](double s) { return system.potential(t, q + s * unit(j)); });
  check_close(gradient(t, q), expected, first);

  Vector product(4);
  system.potential_hessian_times(t, q, w, product);
  check_close(product, difference([&](double s) { return gradient(t, q + s * w); }), first);
}

BOOST_AUTO_TEST_CASE(compensated_evaluations_see_the_tail) {
  // On the constraint g is rounding, so that G tail, |tail| <= ulp(q)/2, is not lost in it.
  Vector p = Vector::Zero(4), scratch(4), values(8), g_tail(2), gt(2), by_default(2);
  gnomon::project_start(system, t, q, p);
  const Vector tail = 5e-17 * w;
  system.constraints_compensated(t, q, Vector::Zero(4), gt, values);
  system.constraints_compensated(t, q, tail, g_tail, values);
  check_close((g_tail - gt) / 5e-17, jacobian(q) * w, 2e-2);
  system.constraints_to_first_order(t, q, tail, by_default, values);
  BOOST_TEST((by_default - g_tail).cwiseAbs().maxCoeff() <= 1e-15);
  const long double u = system.potential_compensated(t, q, Vector::Zero(4), scratch);
  const long double u_tail = system.potential_compensated(t, q, tail, scratch);
  BOOST_TEST(static_cast<double>((u_tail - u) / 5e-17L) == gradient(t, q).dot(w), boost::test_tools::tolerance(2e-2));
  BOOST_TEST(static_cast<double>(u) == system.potential(t, q), boost::test_tools::tolerance(1e-15));
  const long double u_default = system.potential_to_first_order(t, q, tail, scratch);
  BOOST_TEST(static_cast<double>(u_default) == static_cast<double>(u_tail), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(constraint_first_derivatives) {
  check_close(flat(jacobian(q)), flat(derivative([&](const Vector& x) { return g(t, x); })), first);
}

BOOST_AUTO_TEST_CASE(constraint_second_derivatives) {
  Vector product(4), values(8);
  system.constraint_hessian_times(t, q, lambda, w, product);
  check_close(product, difference([&](double s) { return Vector(jacobian(q + s * w).transpose() * lambda); }), first);

  system.constraint_jacobian_derivative(t, q, v, values);
  check_close(flat(to_dense(system.constraint_pattern(), values)),
              flat(derivative([&](const Vector& x) { return Vector(jacobian(x) * v); })), first);
}

BOOST_AUTO_TEST_CASE(constraint_third_derivative) {
  Vector values(8);
  system.constraint_third(t, q, v, w, values);
  // row i = d(v^T (Hess g_i) w)/dq = d/ds of row i of d(G v)/dq along w
  const auto rows = [&](double s) {
    Vector at(8);
    system.constraint_jacobian_derivative(t, q + s * w, v, at);
    return at;
  };
  check_close(values, difference(rows), first);
}

BOOST_AUTO_TEST_CASE(constraints_along_a_curve) {
  const auto along = [&](double s) { return g(t + s, q + s * v); };
  Vector velocity(2), bias(2);
  system.constraint_velocity(t, q, v, velocity);
  check_close(velocity, difference(along), first);
  system.constraint_bias(t, q, v, bias);
  check_close(bias, second_difference(along), second);
}

BOOST_AUTO_TEST_CASE(lagrangian_hessian) {
  Vector values(16);
  system.lagrangian_hessian(t, q, lambda, values);
  const auto force = [&](const Vector& x) { return Vector(gradient(t, x) + jacobian(x).transpose() * lambda); };
  check_close(flat(to_dense(system.hessian_pattern(), values)), flat(derivative(force)), first);
}

BOOST_AUTO_TEST_CASE(force_obstacles_and_symmetries_come_from_the_model) {
  Vector out(4), c(1);
  system.parts().force->force(t, q, v, out);
  check_close(out, t * q - 0.1 * v, 1e-15);
  system.parts().obstacles->obstacles(q, c);
  BOOST_TEST(c[0] == 1.7);
  system.parts().symmetries->symmetry_generator(0, q, out);
  check_close(out, (Vector(4) << 0.5, 0.8, 0, 0).finished(), 1e-15);
  BOOST_TEST(system.parts().symmetries->symmetry_name(0) == "turn");
}

BOOST_AUTO_TEST_CASE(quadratic_invariants) {
  const auto pi = [&](const Vector& x) {
    Vector out(2);
    system.parts().split->invariants(x, out);
    return out;
  };
  Vector values(8);
  system.parts().split->invariant_jacobian(q, values);
  check_close(flat(to_dense(system.parts().split->invariant_pattern(), values)), flat(derivative(pi)), first);

  // V_0 = pi^{3/2}/2 and V_1 = exp(-0.3 pi), four derivatives each.
  const auto v0 = system.parts().split->invariant_potential(0, 2.0),
             v1 = system.parts().split->invariant_potential(1, 2.0);
  const double root = std::sqrt(2.0), e = std::exp(-0.6);
  const double expected0[] = {root, 0.75 * root, 0.375 / root, -0.1875 / (2 * root)};
  const double expected1[] = {e, -0.3 * e, 0.09 * e, -0.027 * e};
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(v0[i] == expected0[i], boost::test_tools::tolerance(1e-14));
    BOOST_TEST(v1[i] == expected1[i], boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(split_form_adds_up_to_the_potential) {
  Vector regular(4), pi(2), values(8), force(4), c(2);
  system.parts().split->regular_potential_gradient(t, q, regular);
  system.parts().split->invariants(q, pi);
  system.parts().split->invariant_jacobian(q, values);
  for (Index k = 0; k < 2; ++k) c[k] = system.parts().split->invariant_potential(k, pi[k])[1];
  multiply_transposed(system.parts().split->invariant_pattern(), values, c, force);
  check_close(regular + force, gradient(t, q), 1e-13);
}

BOOST_AUTO_TEST_CASE(split_hessian) {
  const Vector c = (Vector(2) << 0.4, -2.1).finished();
  Vector values(16);
  system.parts().split->split_hessian(t, q, c, lambda, values);
  const auto force = [&](const Vector& x) {
    Vector regular(4), jacobian_values(8), split(4);
    system.parts().split->regular_potential_gradient(t, x, regular);
    system.parts().split->invariant_jacobian(x, jacobian_values);
    multiply_transposed(system.parts().split->invariant_pattern(), jacobian_values, c, split);
    return Vector(regular + split + jacobian(x).transpose() * lambda);
  };
  check_close(flat(to_dense(system.hessian_pattern(), values)), flat(derivative(force)), first);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {
struct WrongMass : gnomon::AutodiffModel<3, 0> {
  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "wrong-mass";
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[0];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_mass_of_the_wrong_size_is_refused) {
  try {
    gnomon::AutodiffSystem<WrongMass> system{WrongMass{}};
    BOOST_ERROR("was not refused");
  } catch (const gnomon::Error& error) {
    BOOST_TEST((error.code() == gnomon::ErrorCode::bad_size));
    BOOST_TEST(std::string(error.what()).find("wrong-mass") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(parts_that_a_model_does_not_have_are_null) {
  const gnomon::AutodiffSystem<gnomon::test::Rods<>> rods{gnomon::test::Rods<>{}};
  const gnomon::Parts& parts = rods.parts();
  BOOST_TEST((!parts.mass && !parts.time_dependence && !parts.force && !parts.friction && !parts.obstacles));
  BOOST_TEST((!parts.symmetries && !parts.integrals && !parts.split && !parts.penalty));
  BOOST_TEST(parts.n_obstacles() + parts.n_symmetries() + parts.n_integrals() + parts.n_invariants() == 0);
  BOOST_TEST(parts.extended != nullptr);
  gnomon::test::Rods<> swayed;
  swayed.sway = 1;
  BOOST_TEST(gnomon::AutodiffSystem<gnomon::test::Rods<>>(swayed).parts().time_dependence != nullptr);
  const gnomon::AutodiffSystem<gnomon::test::NonlinearMass> varying{gnomon::test::NonlinearMass{}};
  BOOST_TEST(varying.parts().mass != nullptr);
}

namespace {
/// A part of its own against the functions of System, at double and at Extended.
void check_point_derivatives(const gnomon::System& system, double t, const Vector& q, const Vector& v) {
  using gnomon::Extended;
  const gnomon::PointDerivatives* point = system.parts().point;
  BOOST_REQUIRE(point != nullptr);
  const Index n = q.size(), nonzeros = system.constraint_pattern().nonzeros();
  Vector gradient(n), jacobian(nonzeros), turn(nonzeros), of_system(n), g(nonzeros), of_v(nonzeros);
  point->point_derivatives(t, q.data(), v.data(), gradient.data(), jacobian.data(), turn.data());
  system.potential_gradient(t, q, of_system);
  system.constraint_jacobian(t, q, g);
  system.constraint_jacobian_derivative(t, q, v, of_v);
  BOOST_TEST((gradient - of_system).norm() <= 1e-15 * of_system.norm());
  BOOST_TEST((jacobian - g).norm() <= 1e-15 * g.norm());
  BOOST_TEST((turn - of_v).norm() <= 1e-15 * of_v.norm());

  const gnomon::VectorOf<Extended> q_wide = q.cast<Extended>() / 3, v_wide = v.cast<Extended>() / 7;
  gnomon::VectorOf<Extended> wide_gradient(n), wide_jacobian(nonzeros), wide_turn(nonzeros), expected(n),
      g_wide(nonzeros);
  point->point_derivatives(t, q_wide.data(), v_wide.data(), wide_gradient.data(), wide_jacobian.data(),
                           wide_turn.data());
  const Vector value = q_wide.cast<double>(), tail = (q_wide - value.cast<Extended>()).cast<double>();
  BOOST_REQUIRE(system.parts().extended->extended_gradient(t, value, tail, expected));
  BOOST_REQUIRE(system.parts().extended->extended_jacobian(t, value, tail, g_wide));
  BOOST_TEST(static_cast<double>((wide_gradient - expected).norm()) <= 1e-18 * of_system.norm());
  BOOST_TEST(static_cast<double>((wide_jacobian - g_wide).norm()) <= 1e-18 * g.norm());
  system.constraint_jacobian_derivative(t, value, v_wide.cast<double>(), of_v);
  BOOST_TEST((wide_turn.cast<double>() - of_v).norm() <= 1e-15 * of_v.norm());
}
}  // namespace

BOOST_FIXTURE_TEST_CASE(derivatives_at_a_point_in_one_call, Fixture) {
  check_point_derivatives(system, t, q, v);
  check_point_derivatives(gnomon::AutodiffSystem<gnomon::test::Rods<>>{gnomon::test::Rods<>{}}, t, q, v);
  gnomon::test::Rods<> swayed;
  swayed.sway = 1;
  check_point_derivatives(gnomon::AutodiffSystem<gnomon::test::Rods<>>{swayed}, t, q, v);
}

namespace {
/// Two angles, M = [a, b cos(q1 - q0); ., c].
struct Angles : gnomon::AutodiffModel<2, 1> {
  static constexpr bool constant_mass = false;
  gnomon::SystemTraits describe() const { return gnomon::polynomial_traits("angles", -1, -1); }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal((Vector(2) << 1.4, 0.35).finished()); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    m[0] = S(1.4);
    m[1] = m[2] = 0.5 * cos(q[1] - q[0]);
    m[3] = S(0.35);
  }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::cos;
    return -2.0 * cos(q[0]) - cos(q[1]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    using std::cos;
    g[0] = cos(q[0]) + 0.5 * cos(q[1]) - 1.0;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(kinetic_energy_with_a_mass_that_depends_on_q) {
  const gnomon::AutodiffSystem<Angles> system{Angles{}};
  const Vector q = (Vector(2) << 0.4, 1.3).finished(), p = (Vector(2) << 0.7, -0.2).finished();
  const Vector wq = (Vector(2) << 0.3, -0.8).finished(), wp = (Vector(2) << -0.5, 0.6).finished();
  gnomon::Matrix m(2, 2);
  system.parts().mass->mass_matrix(q, m);
  const Vector v = m.inverse() * p;
  Vector tq(2), tp(2), hq(2), hp(2);
  system.parts().mass->kinetic_gradient(q, p, tq, tp);
  system.parts().mass->kinetic_hessian_times(q, p, wq, wp, hq, hp);
  BOOST_TEST((tp - v).norm() < 1e-15);
  BOOST_TEST(std::abs(system.parts().mass->kinetic_energy(q, p) - 0.5 * p.dot(v)) < 1e-15);
  // T_q = -v^T (dM/dq) v / 2
  const double slope = 0.5 * std::sin(q[1] - q[0]) * v[0] * v[1];
  BOOST_TEST((tq - (Vector(2) << -slope, slope).finished()).norm() < 1e-15);
  // differences of order 4 for the Hessian
  const double e = 1e-3;
  Vector sum_q = Vector::Zero(2), sum_p = Vector::Zero(2), a(2), b(2);
  for (const auto& [at, weight] : {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    system.parts().mass->kinetic_gradient(q + at * e * wq, p + at * e * wp, a, b);
    sum_q += weight * a / (12 * e);
    sum_p += weight * b / (12 * e);
  }
  BOOST_TEST((hq - sum_q).norm() < 1e-10);
  BOOST_TEST((hp - sum_p).norm() < 1e-10);
  // a tail below the last place of q and p is seen
  const Vector zero = Vector::Zero(2), tail = Vector::Constant(2, 4e-17);
  const long double with = system.parts().mass->kinetic_compensated(q, tail, p, tail, a, b);
  const long double without = system.parts().mass->kinetic_compensated(q, zero, p, zero, a, b);
  BOOST_TEST(std::abs(static_cast<double>(with - without) / ((tq + tp).sum() * 4e-17) - 1) < 1e-2);

  // The index-1 acceleration keeps G v' + bias = 0 and M v' = p' - (dM/dt) v.
  Vector acceleration(2), lambda(1), bias(1), values(2), gradient(2);
  gnomon::acceleration(system, 0, q, v, acceleration, lambda);
  system.constraint_bias(0, q, v, bias);
  system.constraint_jacobian(0, q, values);
  BOOST_TEST(std::abs(values.dot(acceleration) + bias[0]) < 1e-14);
  system.potential_gradient(0, q, gradient);
  const double change = -0.5 * std::sin(q[1] - q[0]) * (v[1] - v[0]);
  const gnomon::Matrix rate = (gnomon::Matrix(2, 2) << 0, change, change, 0).finished();
  BOOST_TEST((m * acceleration + rate * v + tq + gradient + values * lambda[0]).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(rates_of_constraints_that_depend_on_time) {
  const gnomon::AutodiffSystem<gnomon::test::Nonlinear> system{gnomon::test::Nonlinear{}};
  const double t = 0.3, e = 1e-3;
  const Vector q = (Vector(4) << 0.7, 0.4, -0.5, 0.9).finished(), lambda = (Vector(2) << 0.8, -1.1).finished();
  const auto slope = [&](const auto& f) {
    return Vector((8 * (f(t + e) - f(t - e)) - (f(t + 2 * e) - f(t - 2 * e))) / (12 * e));
  };
  Vector rate(system.constraint_pattern().nonzeros()), curved(system.hessian_pattern().nonzeros());
  system.parts().time_dependence->constraint_rate_jacobian(t, q, rate);
  system.parts().time_dependence->constraint_rate_hessian(t, q, lambda, curved);
  const Vector jacobian_slope = slope([&](double at) {
    Vector values(rate.size());
    system.constraint_jacobian(at, q, values);
    return values;
  });
  const Vector hessian_slope = slope([&](double at) {
    Vector with(curved.size()), without(curved.size());
    system.lagrangian_hessian(at, q, lambda, with);
    system.lagrangian_hessian(at, q, Vector::Zero(2), without);
    return Vector(with - without);
  });
  BOOST_TEST(jacobian_slope.norm() > 1e-3);
  BOOST_TEST(hessian_slope.norm() > 1e-3);
  BOOST_TEST((rate - jacobian_slope).norm() < 1e-9);
  BOOST_TEST((curved - hessian_slope).norm() < 1e-9);
}
