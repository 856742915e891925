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

  using Moved = std::pair<Vector, Vector>;  // x and dx

  /// Compares f(x..., out) at duals, out of this size, with differences of f(x + s dx..., out) at double.
  template <class F, class... Arguments>
  static void check_lift(Index size, const F& f, const Arguments&... moved) {
    Duals lifted(size);
    f(lift(moved.first, moved.second)..., lifted);
    Vector value(size), tangent(size);
    for (Index i = 0; i < size; ++i) {
      value[i] = lifted[i].value;
      tangent[i] = lifted[i].grad[0];
    }
    const auto along = [&](double s) {
      Vector out(size);
      f(Vector(moved.first + s * moved.second)..., out);
      return out;
    };
    check_close(value, along(0.0), 1e-14);
    check_close(tangent, difference(along), 1e-9);
  }
  const Moved on_q{q, dq}, on_v{v, dv}, on_lambda{lambda, dlambda}, on_c{c, dc};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(system_at, Fixture)

BOOST_AUTO_TEST_CASE(potential) {
  const Dual1 u = at.potential(t, lift(q, dq));
  BOOST_TEST(u.value == at.potential(t, q));
  const double expected = difference([&](double s) { return at.potential(t, Vector(q + s * dq)); });
  BOOST_TEST(std::abs(u.grad[0] - expected) <= 1e-9);
}

// A function of the system at t, or of no time.
#define CHECK_LIFT(function, size, ...)                                 \
  BOOST_AUTO_TEST_CASE(function) {                                      \
    check_lift(                                                         \
        size, [&](auto&&... x) { at.function(t, x...); }, __VA_ARGS__); \
  }
#define CHECK_TIMELESS_LIFT(function, size, ...)                     \
  BOOST_AUTO_TEST_CASE(function) {                                   \
    check_lift(                                                      \
        size, [&](auto&&... x) { at.function(x...); }, __VA_ARGS__); \
  }
CHECK_LIFT(potential_gradient, 4, on_q)
CHECK_LIFT(constraints, 2, on_q)
CHECK_LIFT(constraint_force, 4, on_q, on_lambda)
CHECK_LIFT(constraint_jacobian_times, 2, on_q, on_v)
CHECK_LIFT(constraint_hessian_times, 4, on_q, on_lambda, on_v)
CHECK_LIFT(constraint_curvature, 2, on_q, on_v, Moved(dv, v))
CHECK_TIMELESS_LIFT(mass_times, 4, on_v)
CHECK_LIFT(regular_potential_gradient, 4, on_q)
CHECK_TIMELESS_LIFT(invariants, 2, on_q)
CHECK_TIMELESS_LIFT(invariant_force, 4, on_q, on_c)

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
