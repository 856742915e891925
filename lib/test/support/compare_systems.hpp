#pragma once
/// \file
/// Two systems of one model, of different patterns, beside each other.

#include <boost/test/unit_test.hpp>

#include "gnomon/model/system_at.hpp"
#include "support/differences.hpp"

namespace gnomon::test {

inline Vector flat(const SparsityPattern& pattern, const Vector& values) {
  const Matrix dense = to_dense(pattern, values);
  return Eigen::Map<const Vector>(dense.data(), dense.size());
}

/// Two systems of one model, of different patterns, and the arguments at which their functions are compared.
class SystemComparison {
 public:
  SystemComparison(const System& a, const System& b, double t, const Vector& q, double tolerance)
      : a_(a), b_(b), t_(t), q_(q), tolerance_(tolerance), n_(a.n()), m_(a.m()) {}

  void core() const {
    vectors(n_, [&](const System& s, Vector& out) { s.potential_gradient(t_, q_, out); });
    vectors(n_, [&](const System& s, Vector& out) { s.potential_hessian_times(t_, q_, w_, out); });
    vectors(m_, [&](const System& s, Vector& out) { s.constraints(t_, q_, out); });
    vectors(m_, [&](const System& s, Vector& out) {
      Vector g(s.constraint_pattern().nonzeros());
      s.constraints_compensated(t_, q_, tail_, out, g);
    });
    vectors(n_, [&](const System& s, Vector& out) { s.constraint_hessian_times(t_, q_, lambda_, w_, out); });
    vectors(m_, [&](const System& s, Vector& out) { s.constraint_velocity(t_, q_, v_, out); });
    vectors(m_, [&](const System& s, Vector& out) { s.constraint_bias(t_, q_, v_, out); });
    values(jacobian, [&](const System& s, Vector& out) { s.constraint_jacobian(t_, q_, out); });
    values(jacobian, [&](const System& s, Vector& out) { s.constraint_jacobian_derivative(t_, q_, v_, out); });
    values(jacobian, [&](const System& s, Vector& out) { s.constraint_third(t_, q_, v_, w_, out); });
    values(hessian, [&](const System& s, Vector& out) { s.lagrangian_hessian(t_, q_, lambda_, out); });
    const double apart = a_.traits().energy_constant - b_.traits().energy_constant;
    BOOST_TEST(a_.potential(t_, q_) + apart == b_.potential(t_, q_), boost::test_tools::tolerance(1e-14));
    Vector scratch(n_);
    BOOST_TEST(static_cast<double>(a_.potential_compensated(t_, q_, tail_, scratch) + apart -
                                   b_.potential_compensated(t_, q_, tail_, scratch)) == 0,
               boost::test_tools::tolerance(1e-17));
  }

  void time_dependence() const {
    const auto part = [](const System& s) { return s.parts().time_dependence; };
    BOOST_TEST(part(a_)->potential_rate(t_, q_) == part(b_)->potential_rate(t_, q_),
               boost::test_tools::tolerance(1e-13));
    values(jacobian, [&](const System& s, Vector& out) { part(s)->constraint_rate_jacobian(t_, q_, out); });
    values(hessian, [&](const System& s, Vector& out) { part(s)->constraint_rate_hessian(t_, q_, lambda_, out); });
  }

  void force() const {
    vectors(n_, [&](const System& s, Vector& out) { s.parts().force->force(t_, q_, v_, out); });
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
      values([&](const System& s) -> const SparsityPattern& { return s.parts().force->force_pattern(by); },
             [&](const System& s, Vector& out) { s.parts().force->force_jacobian(by, t_, q_, v_, out); });
  }

  void friction() const {
    const Vector psi = Vector::LinSpaced(m_ + a_.parts().n_obstacles(), 1.3, 0.8);
    vectors(n_, [&](const System& s, Vector& out) { s.parts().friction->friction(q_, v_, psi, out); });
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v, ForceArgument::lambda})
      values([&](const System& s) -> const SparsityPattern& { return s.parts().friction->friction_pattern(by); },
             [&](const System& s, Vector& out) { s.parts().friction->friction_jacobian(by, q_, v_, psi, out); });
  }

  void obstacles() const {
    vectors(a_.parts().n_obstacles(), [&](const System& s, Vector& out) { s.parts().obstacles->obstacles(q_, out); });
  }

  void split_potential() const {
    const auto part = [](const System& s) { return s.parts().split; };
    const Index k = a_.parts().n_invariants();
    const Vector c = Vector::LinSpaced(k, 0.4, -2.1);
    vectors(k, [&](const System& s, Vector& out) { part(s)->invariants(q_, out); });
    vectors(n_, [&](const System& s, Vector& out) { part(s)->regular_potential_gradient(t_, q_, out); });
    values([&](const System& s) -> const SparsityPattern& { return part(s)->invariant_pattern(); },
           [&](const System& s, Vector& out) { part(s)->invariant_jacobian(q_, out); });
    values(hessian, [&](const System& s, Vector& out) { part(s)->split_hessian(t_, q_, c, lambda_, out); });
    BOOST_TEST(part(a_)->invariant_potential(0, 2.0) == part(b_)->invariant_potential(0, 2.0),
               boost::test_tools::per_element());
  }

  void mass() const {
    const auto part = [](const System& s) { return s.parts().mass; };
    Vector one(n_), other(n_);
    const Vector p = Vector::LinSpaced(n_, 0.3, -1.2);
    Matrix ma(n_, n_), mb(n_, n_);
    part(a_)->mass_matrix(q_, ma);
    part(b_)->mass_matrix(q_, mb);
    BOOST_TEST((ma == mb));
    BOOST_TEST(part(a_)->kinetic_energy(q_, p) == part(b_)->kinetic_energy(q_, p), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(static_cast<double>(part(a_)->kinetic_compensated(q_, tail_, p, tail_, one, other) -
                                   part(b_)->kinetic_compensated(q_, tail_, p, tail_, one, other)) == 0);
    vectors(2 * n_, [&](const System& s, Vector& out) {
      const VectorOf<Extended> wide = q_.cast<Extended>() + tail_.cast<Extended>(), wide_p = p.cast<Extended>();
      VectorOf<Extended> t_q(n_), t_p(n_);
      SystemAt(s).kinetic_gradient(wide, wide_p, t_q, t_p);
      out << t_q.cast<double>(), t_p.cast<double>();
    });
    // f(part, head of out, tail of out)
    const auto halves = [&](const auto& f) {
      vectors(2 * n_, [&](const System& s, Vector& out) { f(*part(s), out.head(n_), out.tail(n_)); });
    };
    halves([&](const auto& at, auto q, auto v) { at.kinetic_gradient(q_, p, q, v); });
    halves([&](const auto& at, auto q, auto v) { at.kinetic_hessian_times(q_, p, w_, v_, q, v); });
    halves([&](const auto& at, auto q, auto v) { at.kinetic_third(q_, p, w_, v_, v_, w_, q, v); });
    // All columns in one call, in closed form, against the columns of the tape.
    const auto columns = [&](const auto& f) {
      vectors(4 * n_ * n_, [&](const System& s, Vector& out) {
        Matrix all(2 * n_, 2 * n_);
        Vector space(3 * n_);
        f(*part(s), space, all);
        out = all.reshaped();
      });
    };
    columns([&](const auto& at, Vector& space, Matrix& all) { at.kinetic_hessian(q_, p, space, all); });
    columns([&](const auto& at, Vector& space, Matrix& all) { at.velocity_hessian(q_, p, v_, space, all); });
  }

 private:
  static const SparsityPattern& jacobian(const System& s) { return s.constraint_pattern(); }
  static const SparsityPattern& hessian(const System& s) { return s.hessian_pattern(); }
  /// f(system, out) for both.
  template <class F>
  void vectors(Index size, const F& f) const {
    Vector x(size), y(size);
    f(a_, x);
    f(b_, y);
    check_close(x, y, tolerance_);
  }
  template <class Pattern, class F>
  void values(const Pattern& pattern, const F& f) const {
    Vector x(pattern(a_).nonzeros()), y(pattern(b_).nonzeros());
    f(a_, x);
    f(b_, y);
    check_close(flat(pattern(a_), x), flat(pattern(b_), y), tolerance_);
  }

  const System &a_, &b_;
  const double t_;
  const Vector q_;
  const double tolerance_;
  const Index n_, m_;
  const Vector v_ = Vector::LinSpaced(n_, -0.7, 1.1), w_ = Vector::LinSpaced(n_, 0.9, -0.4);
  const Vector lambda_ = Vector::LinSpaced(m_, 1.3, -0.8), tail_ = 4e-17 * w_;
};

/// Every function of two systems of one model, of different patterns.
inline void compare(const System& a, const System& b, double t, const Vector& q, double tolerance) {
  BOOST_TEST(a.traits().potential_degree == b.traits().potential_degree);
  BOOST_TEST(a.traits().constraint_degree == b.traits().constraint_degree);
  BOOST_TEST((a.parts().time_dependence == nullptr) == (b.parts().time_dependence == nullptr));
  BOOST_TEST(a.parts().n_obstacles() == b.parts().n_obstacles());
  BOOST_TEST(a.parts().n_invariants() == b.parts().n_invariants());
  const SystemComparison both(a, b, t, q, tolerance);
  both.core();
  if (a.parts().time_dependence) both.time_dependence();
  if (a.parts().force) both.force();
  if (a.parts().friction) both.friction();
  if (a.parts().n_obstacles() > 0) both.obstacles();
  if (a.parts().n_invariants() > 0) both.split_potential();
  if (a.parts().mass) both.mass();
}

const Vector q4 = (Vector(4) << 0.8, -0.5, 0.3, 1.1).finished();

}  // namespace gnomon::test
