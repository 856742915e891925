#pragma once
/// \file
/// Every function of two systems of one model, of different patterns.

#include <boost/test/unit_test.hpp>

#include "gnomon/model/system_at.hpp"
#include "support/differences.hpp"

namespace gnomon::test {

inline Vector flat(const SparsityPattern& pattern, const Vector& values) {
  const Matrix dense = to_dense(pattern, values);
  return Eigen::Map<const Vector>(dense.data(), dense.size());
}

/// Every function of two systems of one model, of different patterns.
inline void compare(const System& a, const System& b, double t, const Vector& q, double tolerance) {
  const Index n = a.n(), m = a.m();
  const Vector v = Vector::LinSpaced(n, -0.7, 1.1), w = Vector::LinSpaced(n, 0.9, -0.4);
  const Vector lambda = Vector::LinSpaced(m, 1.3, -0.8), tail = 4e-17 * w;
  BOOST_TEST(a.traits().potential_degree == b.traits().potential_degree);
  BOOST_TEST(a.traits().constraint_degree == b.traits().constraint_degree);
  BOOST_TEST((a.parts().time_dependence == nullptr) == (b.parts().time_dependence == nullptr));
  BOOST_TEST(a.parts().n_obstacles() == b.parts().n_obstacles());
  BOOST_TEST(a.parts().n_invariants() == b.parts().n_invariants());
  // f(system, out) for both.
  const auto vectors = [&](Index size, const auto& f) {
    Vector x(size), y(size);
    f(a, x);
    f(b, y);
    check_close(x, y, tolerance);
  };
  const auto values = [&](const auto& pattern, const auto& f) {
    Vector x(pattern(a).nonzeros()), y(pattern(b).nonzeros());
    f(a, x);
    f(b, y);
    check_close(flat(pattern(a), x), flat(pattern(b), y), tolerance);
  };
  const auto jacobian = [](const System& s) -> const SparsityPattern& { return s.constraint_pattern(); };
  const auto hessian = [](const System& s) -> const SparsityPattern& { return s.hessian_pattern(); };

  BOOST_TEST(a.potential(t, q) == b.potential(t, q), boost::test_tools::tolerance(1e-14));
  Vector scratch(n), more(n * (m + 1));
  BOOST_TEST(static_cast<double>(a.potential_compensated(t, q, tail, scratch) -
                                 b.potential_compensated(t, q, tail, scratch)) == 0,
             boost::test_tools::tolerance(1e-17));
  vectors(n, [&](const System& s, Vector& out) { s.potential_gradient(t, q, out); });
  vectors(n, [&](const System& s, Vector& out) { s.potential_hessian_times(t, q, w, out); });
  vectors(m, [&](const System& s, Vector& out) { s.constraints(t, q, out); });
  vectors(m, [&](const System& s, Vector& out) {
    Vector g(s.constraint_pattern().nonzeros());
    s.constraints_compensated(t, q, tail, out, g);
  });
  vectors(n, [&](const System& s, Vector& out) { s.constraint_hessian_times(t, q, lambda, w, out); });
  vectors(m, [&](const System& s, Vector& out) { s.constraint_velocity(t, q, v, out); });
  vectors(m, [&](const System& s, Vector& out) { s.constraint_bias(t, q, v, out); });
  values(jacobian, [&](const System& s, Vector& out) { s.constraint_jacobian(t, q, out); });
  values(jacobian, [&](const System& s, Vector& out) { s.constraint_jacobian_derivative(t, q, v, out); });
  values(jacobian, [&](const System& s, Vector& out) { s.constraint_third(t, q, v, w, out); });
  if (a.parts().time_dependence)
    BOOST_TEST(a.parts().time_dependence->potential_rate(t, q) == b.parts().time_dependence->potential_rate(t, q),
               boost::test_tools::tolerance(1e-13));
  if (a.parts().time_dependence)
    values(jacobian,
           [&](const System& s, Vector& out) { s.parts().time_dependence->constraint_rate_jacobian(t, q, out); });
  if (a.parts().time_dependence)
    values(hessian, [&](const System& s, Vector& out) {
      s.parts().time_dependence->constraint_rate_hessian(t, q, lambda, out);
    });
  values(hessian, [&](const System& s, Vector& out) { s.lagrangian_hessian(t, q, lambda, out); });
  if (a.parts().force) {
    vectors(n, [&](const System& s, Vector& out) { s.parts().force->force(t, q, v, out); });
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
      values([&](const System& s) -> const SparsityPattern& { return s.parts().force->force_pattern(by); },
             [&](const System& s, Vector& out) { s.parts().force->force_jacobian(by, t, q, v, out); });
  }
  if (a.parts().friction) {
    const Vector psi = Vector::LinSpaced(m + a.parts().n_obstacles(), 1.3, 0.8);
    vectors(n, [&](const System& s, Vector& out) { s.parts().friction->friction(q, v, psi, out); });
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v, ForceArgument::lambda})
      values([&](const System& s) -> const SparsityPattern& { return s.parts().friction->friction_pattern(by); },
             [&](const System& s, Vector& out) { s.parts().friction->friction_jacobian(by, q, v, psi, out); });
  }
  if (a.parts().n_obstacles() > 0)
    vectors(a.parts().n_obstacles(), [&](const System& s, Vector& out) { s.parts().obstacles->obstacles(q, out); });
  if (const Index k = a.parts().n_invariants(); k > 0) {
    const Vector c = Vector::LinSpaced(k, 0.4, -2.1);
    vectors(k, [&](const System& s, Vector& out) { s.parts().split->invariants(q, out); });
    vectors(n, [&](const System& s, Vector& out) { s.parts().split->regular_potential_gradient(t, q, out); });
    values([](const System& s) -> const SparsityPattern& { return s.parts().split->invariant_pattern(); },
           [&](const System& s, Vector& out) { s.parts().split->invariant_jacobian(q, out); });
    values(hessian, [&](const System& s, Vector& out) { s.parts().split->split_hessian(t, q, c, lambda, out); });
    BOOST_TEST(a.parts().split->invariant_potential(0, 2.0) == b.parts().split->invariant_potential(0, 2.0),
               boost::test_tools::per_element());
  }
  if (a.parts().mass) {
    Vector other(n);
    const Vector p = Vector::LinSpaced(n, 0.3, -1.2);
    Matrix ma(n, n), mb(n, n);
    a.parts().mass->mass_matrix(q, ma);
    b.parts().mass->mass_matrix(q, mb);
    BOOST_TEST((ma == mb));
    BOOST_TEST(a.parts().mass->kinetic_energy(q, p) == b.parts().mass->kinetic_energy(q, p),
               boost::test_tools::tolerance(1e-14));
    BOOST_TEST(static_cast<double>(a.parts().mass->kinetic_compensated(q, tail, p, tail, scratch, other) -
                                   b.parts().mass->kinetic_compensated(q, tail, p, tail, scratch, other)) == 0);
    vectors(2 * n, [&](const System& s, Vector& out) {
      const VectorOf<Extended> wide = q.cast<Extended>() + tail.cast<Extended>();
      const VectorOf<Extended> wide_p = p.cast<Extended>();
      VectorOf<Extended> t_q(n), t_p(n);
      SystemAt(s).kinetic_gradient(wide, wide_p, t_q, t_p);
      out << t_q.cast<double>(), t_p.cast<double>();
    });
    vectors(2 * n,
            [&](const System& s, Vector& out) { s.parts().mass->kinetic_gradient(q, p, out.head(n), out.tail(n)); });
    vectors(2 * n, [&](const System& s, Vector& out) {
      s.parts().mass->kinetic_hessian_times(q, p, w, v, out.head(n), out.tail(n));
    });
    vectors(2 * n, [&](const System& s, Vector& out) {
      s.parts().mass->kinetic_third(q, p, w, v, v, w, out.head(n), out.tail(n));
    });
    // All columns in one call, in closed form, against the columns of the tape.
    vectors(4 * n * n, [&](const System& s, Vector& out) {
      Matrix columns(2 * n, 2 * n);
      Vector space(3 * n);
      s.parts().mass->kinetic_hessian(q, p, space, columns);
      out = columns.reshaped();
    });
    vectors(4 * n * n, [&](const System& s, Vector& out) {
      Matrix columns(2 * n, 2 * n);
      Vector space(3 * n);
      s.parts().mass->velocity_hessian(q, p, v, space, columns);
      out = columns.reshaped();
    });
  }
}

const Vector q4 = (Vector(4) << 0.8, -0.5, 0.3, 1.1).finished();

}  // namespace gnomon::test
