// The dual lifts of SystemAt against differences of their double versions.
#include <boost/test/unit_test.hpp>

#include "gnomon/model/system_at.hpp"
#include "support/differences.hpp"
#include "support/models.hpp"

using gnomon::Dual1;
using gnomon::Index;
using gnomon::Vector;
using gnomon::test::check_close;
using gnomon::test::difference;
using Duals = gnomon::VectorOf<Dual1>;

namespace {

struct Fixture {
  gnomon::AutodiffSystem<gnomon::test::Nonlinear> system{gnomon::test::Nonlinear{}};
  gnomon::SystemAt at{system};
  double t = 0.7;
  Vector q = (Vector(4) << 0.8, -0.5, 0.3, 1.1).finished(), dq = (Vector(4) << 0.6, 0.2, -1.3, 0.5).finished();
  Vector v = (Vector(4) << -0.4, 1.2, 0.9, -0.7).finished(), dv = (Vector(4) << 1.1, -0.3, 0.4, 0.8).finished();
  Vector lambda = (Vector(2) << 1.7, -0.6).finished(), dlambda = (Vector(2) << -0.2, 0.9).finished();
  Vector c = (Vector(2) << 0.4, -2.1).finished(), dc = (Vector(2) << 1.3, 0.7).finished();

  static Duals lift(const Vector& value, const Vector& tangent) {
    Duals x(value.size());
    for (Index i = 0; i < value.size(); ++i) {
      x[i].value = value[i];
      x[i].grad[0] = tangent[i];
    }
    return x;
  }

  /// Compares a lift with f(s), the double version along the tangents.
  template <class F>
  static void check_lift(const Duals& lifted, F f) {
    Vector value(lifted.size()), tangent(lifted.size());
    for (Index i = 0; i < lifted.size(); ++i) {
      value[i] = lifted[i].value;
      tangent[i] = lifted[i].grad[0];
    }
    check_close(value, f(0.0), 1e-14);
    check_close(tangent, difference(f), 1e-9);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(system_at, Fixture)

BOOST_AUTO_TEST_CASE(potential) {
  const Dual1 u = at.potential(t, lift(q, dq));
  BOOST_TEST(u.value == at.potential(t, q));
  const double expected = difference([&](double s) { return at.potential(t, Vector(q + s * dq)); });
  BOOST_TEST(std::abs(u.grad[0] - expected) <= 1e-9);
}

BOOST_AUTO_TEST_CASE(potential_gradient) {
  Duals out(4);
  at.potential_gradient(t, lift(q, dq), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.potential_gradient(t, Vector(q + s * dq), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(constraints) {
  Duals out(2);
  at.constraints(t, lift(q, dq), out);
  check_lift(out, [&](double s) {
    Vector f(2);
    at.constraints(t, Vector(q + s * dq), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(constraint_force) {
  Duals out(4);
  at.constraint_force(t, lift(q, dq), lift(lambda, dlambda), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.constraint_force(t, Vector(q + s * dq), Vector(lambda + s * dlambda), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(constraint_jacobian_times) {
  Duals out(2);
  at.constraint_jacobian_times(t, lift(q, dq), lift(v, dv), out);
  check_lift(out, [&](double s) {
    Vector f(2);
    at.constraint_jacobian_times(t, Vector(q + s * dq), Vector(v + s * dv), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(constraint_hessian_times) {
  Duals out(4);
  at.constraint_hessian_times(t, lift(q, dq), lift(lambda, dlambda), lift(v, dv), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.constraint_hessian_times(t, Vector(q + s * dq), Vector(lambda + s * dlambda), Vector(v + s * dv), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(constraint_curvature) {
  Duals out(2);
  at.constraint_curvature(t, lift(q, dq), lift(v, dv), lift(dv, v), out);
  check_lift(out, [&](double s) {
    Vector f(2);
    at.constraint_curvature(t, Vector(q + s * dq), Vector(v + s * dv), Vector(dv + s * v), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(mass_times) {
  Duals out(4);
  at.mass_times(lift(v, dv), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.mass_times(Vector(v + s * dv), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(regular_potential_gradient) {
  Duals out(4);
  at.regular_potential_gradient(t, lift(q, dq), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.regular_potential_gradient(t, Vector(q + s * dq), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(invariants) {
  Duals out(2);
  at.invariants(lift(q, dq), out);
  check_lift(out, [&](double s) {
    Vector f(2);
    at.invariants(Vector(q + s * dq), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(invariant_force) {
  Duals out(4);
  at.invariant_force(lift(q, dq), lift(c, dc), out);
  check_lift(out, [&](double s) {
    Vector f(4);
    at.invariant_force(Vector(q + s * dq), Vector(c + s * dc), f);
    return f;
  });
}

BOOST_AUTO_TEST_CASE(evaluations_do_not_disturb_each_other) {
  // The scratch is shared: the same call before and after all the others gives the same bits.
  Duals before(4), after(4), other(4), small(2);
  at.constraint_force(t, lift(q, dq), lift(lambda, dlambda), before);
  at.invariant_force(lift(v, dv), lift(c, dc), other);
  at.regular_potential_gradient(t, lift(v, dv), other);
  at.constraint_jacobian_times(t, lift(v, dv), lift(q, dq), small);
  at.constraint_force(t, lift(q, dq), lift(lambda, dlambda), after);
  for (Index i = 0; i < 4; ++i) {
    BOOST_TEST(before[i].value == after[i].value);
    BOOST_TEST(before[i].grad[0] == after[i].grad[0]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(systems_without_invariants_and_constraints) {
  gnomon::AutodiffSystem<gnomon::test::Rods<>> rods{gnomon::test::Rods<>{}};
  gnomon::SystemAt at(rods);
  Duals q(4), out(4);
  for (Index i = 0; i < 4; ++i) q[i] = 0.1 * static_cast<double>(i);
  at.potential_gradient(0, q, out);
  BOOST_TEST(out[1].value == 9.81 * 1.5, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(out[1].grad[0] == 0);
}
