// Systems from tapes against systems from forward duals of the same models.
#include <boost/test/unit_test.hpp>

#include "gnomon/model/system_at.hpp"
#include "model/chain_model.hpp"
#include "support/differences.hpp"
#include "support/models.hpp"

using gnomon::AutodiffModel;
using gnomon::Dynamic;
using gnomon::ForceArgument;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::SparsityPattern;
using gnomon::System;
using gnomon::Vector;
using gnomon::test::check_close;

namespace {

Vector flat(const SparsityPattern& pattern, const Vector& values) {
  const Matrix dense = to_dense(pattern, values);
  return Eigen::Map<const Vector>(dense.data(), dense.size());
}

/// Every function of two systems of one model, of different patterns.
void compare(const System& a, const System& b, double t, const Vector& q, double tolerance) {
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
      const gnomon::VectorOf<gnomon::Extended> wide = q.cast<gnomon::Extended>() + tail.cast<gnomon::Extended>();
      const gnomon::VectorOf<gnomon::Extended> wide_p = p.cast<gnomon::Extended>();
      gnomon::VectorOf<gnomon::Extended> t_q(n), t_p(n);
      gnomon::SystemAt(s).kinetic_gradient(wide, wide_p, t_q, t_p);
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

/// Two angles, M = [a, b cos(q1 - q0); ., c], friction that grows with the multiplier.
struct Angles : AutodiffModel<2, 1> {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    m[0] = 1.4;
    m[1] = m[2] = 0.5 * cos(q[1] - q[0]);
    m[3] = 0.35;
  }
  template <class S>
  S potential(const S* q) const {
    using std::cos;
    return -2.0 * cos(q[0]) - cos(q[1]);
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    using std::cos;
    g[0] = cos(q[0]) + 0.5 * cos(q[1]) - 1.0;
  }
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f) const {
    using std::sqrt;
    for (int j = 0; j < 2; ++j) f[j] = -0.1 * v[j] * sqrt(1.0 + lambda[0] * lambda[0]) / (1.0 + q[j] * q[j]);
  }
};
/// A chain of ten angles: more than the second derivatives of M that forward duals take at a time.
struct ManyAngles : AutodiffModel<10, 1> {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    using std::sin;
    for (int i = 0; i < 10; ++i) m[11 * i] = 2.0 + 0.3 * sin(q[i]);
    for (int i = 0; i < 9; ++i) m[10 * i + i + 1] = m[10 * (i + 1) + i] = 0.4 * cos(q[i] - q[i + 1]);
  }
  template <class S>
  S potential(const S* q) const {
    using std::cos;
    return -cos(q[0]) - q[9] * q[9] * q[4];
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    using std::sin;
    g[0] = sin(q[2]) * q[3];
  }
};
/// Angles with a branch in everything, on a value that the test does not cross.
struct BranchingAngles : Angles {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    Angles::mass_matrix(q, m);
    if (q[0] > 50.0) m[0] = 2.0;
  }
  template <class S>
  S potential(const S* q) const {
    using std::abs;
    return Angles::potential(q) + abs(q[0] + 50.0);
  }
};
struct PlainAngles : Angles {
  template <class S>
  S potential(const S* q) const {
    return Angles::potential(q) + (q[0] + 50.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_parts_as_with_forward_duals) {
  const gnomon::model::ForwardSystem<gnomon::test::Nonlinear> forward{gnomon::test::Nonlinear()};
  const gnomon::model::RecordedSystem<gnomon::test::Nonlinear> recorded{gnomon::test::Nonlinear()};
  compare(forward, recorded, 0.7, q4, 1e-13);
  BOOST_TEST(recorded.parts().force->force_depends_on_time());
  BOOST_TEST(recorded.symmetry_name(0) == "turn");
  const auto forward_closed = forward.with_obstacles_closed(), recorded_closed = recorded.with_obstacles_closed();
  BOOST_TEST(recorded_closed->m() == 3);
  compare(*forward_closed, *recorded_closed, 0.7, q4, 1e-13);
}

BOOST_AUTO_TEST_CASE(quadratic_constraints_as_with_forward_duals) {
  gnomon::test::Rods<> model;
  for (const double sway : {0.0, 0.3}) {
    model.sway = sway;
    const gnomon::model::ForwardSystem<gnomon::test::Rods<>> forward{model};
    const gnomon::model::RecordedSystem<gnomon::test::Rods<>> recorded{model};
    BOOST_TEST((recorded.parts().time_dependence != nullptr) == (sway != 0));
    BOOST_TEST(recorded.constraint_pattern().nonzeros() == 6);
    compare(forward, recorded, 0.7, q4, 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(a_mass_that_depends_on_q_and_friction) {
  const Vector q = (Vector(2) << 0.4, 1.3).finished();
  const gnomon::model::ForwardSystem<Angles> forward{Angles(), q};
  const gnomon::model::RecordedSystem<Angles> recorded{Angles(), q};
  BOOST_TEST(forward.parts().mass);
  BOOST_TEST(forward.parts().friction);
  BOOST_TEST(forward.traits().name == "Angles");
  compare(forward, recorded, 0, q, 1e-13);
  // mass() is M at the start
  Matrix at_start(2, 2);
  recorded.mass_matrix(q, at_start);
  BOOST_TEST((to_dense(recorded.mass().pattern(), recorded.mass().values()) == at_start));
  BOOST_TEST((to_dense(forward.mass().pattern(), forward.mass().values()) == at_start));
  const Vector v = (Vector(2) << 0.7, -0.2).finished();
  BOOST_TEST((momenta(recorded, q, v) - at_start * v).norm() == 0);
}

BOOST_AUTO_TEST_CASE(a_mass_of_many_angles) {
  const Vector q = Vector::LinSpaced(10, 0.4, 1.9);
  const gnomon::model::ForwardSystem<ManyAngles> forward{ManyAngles(), q};
  const gnomon::model::RecordedSystem<ManyAngles> recorded{ManyAngles(), q};
  BOOST_TEST(forward.parts().mass);
  compare(forward, recorded, 0, q, 1e-12);
}

BOOST_AUTO_TEST_CASE(branches_take_forward_duals_in_chunks) {
  const Vector q = (Vector(2) << 0.4, 1.3).finished();
  const gnomon::model::RecordedSystem<BranchingAngles> branching{BranchingAngles(), q};
  const gnomon::model::RecordedSystem<PlainAngles> plain{PlainAngles(), q};
  BOOST_TEST(branching.traits().branches == "potential: abs; mass_matrix: >");
  BOOST_TEST(plain.traits().branches == "");
  BOOST_TEST(branching.traits().potential_degree == gnomon::SystemTraits::not_polynomial);
  compare(plain, branching, 0, q, 1e-13);
}

BOOST_AUTO_TEST_CASE(a_chain_of_any_length_is_sparse) {
  const Index links = 50;
  const gnomon::AutodiffSystem<gnomon::test::ChainModel> system{
      gnomon::test::ChainModel(std::vector<double>(links, 1.0 / links))};
  BOOST_TEST(system.n() == 3 * links);
  BOOST_TEST(system.m() == links);
  BOOST_TEST(system.traits().potential_degree == 1);
  BOOST_TEST(system.traits().constraint_degree == 2);
  BOOST_TEST(!system.parts().time_dependence);
  BOOST_TEST(system.constraint_pattern().nonzeros() == 6 * links - 3);
  BOOST_TEST(system.hessian_pattern().nonzeros() == 9 * links - 6);
  BOOST_TEST(system.mass().is_diagonal());
}
