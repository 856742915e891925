// Derivatives from tapes, at most quadratic or not, and of functions that branch, against forward duals and
// differences.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <vector>

#include "gnomon/formula/chunked_function.hpp"
#include "gnomon/formula/quadratic_function.hpp"
#include "gnomon/formula/recorded.hpp"
#include "support/differences.hpp"

using gnomon::Function;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::Recorded;
using gnomon::Tape;
using gnomon::Vector;
using gnomon::test::check_close;
using gnomon::test::difference;
using gnomon::test::second_difference;

namespace {

constexpr double first = 1e-9, second = 1e-7;  // tolerances of first and second differences
constexpr Index n = 6;

/// Every operation, time, and no branch.
struct Everything {
  static constexpr Index outputs = 4;
  Index scratch() const { return 0; }
  template <class S>
  void operator()(const S& t, const std::array<const S*, 3>& x, S* out, S*) const {
    using std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::erf, std::exp, std::expm1,
        std::hypot, std::log, std::log1p, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    const S* q = x[0];
    out[0] = sqrt(q[0] * q[0] + 2.0) * sin(q[1]) - exp(0.3 * q[2]) / (3.0 + cos(t) * q[0]) + tan(0.4 * q[1]);
    out[1] = pow(q[3], 3) - pow(q[4] + 2.0, 1.5) + log(2.0 + q[3]) * atan2(q[4], q[5] + 2.0) + tanh(q[3] * t);
    out[2] = hypot(q[0] + 1.0, q[5]) + cbrt(q[1] + 3.0) - sinh(0.5 * q[5]) * cosh(q[0]) + pow(q[0] + 2.0, q[1]) + q[2];
    out[3] =
        asin(0.3 * q[2]) * acos(0.2 * q[2]) + atan(q[4]) * erf(q[4]) + expm1(0.2 * q[4]) - log1p(q[2] * q[2]) + t * t;
  }
};
/// At most quadratic; time in terms without x.
struct Quadratic {
  static constexpr Index outputs = 3;
  Index scratch() const { return 0; }
  template <class S>
  void operator()(const S& t, const std::array<const S*, 3>& x, S* out, S*) const {
    using std::pow, std::sin;
    const S* q = x[0];
    out[0] = 0.5 * ((q[0] - q[3]) * (q[0] - q[3]) - 1.0) + sin(t);
    out[1] = pow(q[1], 2) / 3.0 - 2.0 * q[1] + q[4];
    out[2] = (q[2] + 2.0 * q[5] - 1.0) * (q[1] - q[2]);
  }
};
/// The same with a branch that changes nothing near the point of the tests.
template <class F>
struct Branching : F {
  template <class S>
  void operator()(const S& t, const std::array<const S*, 3>& x, S* out, S* scratch) const {
    F::operator()(t, x, out, scratch);
    if (x[0][0] > 100.0) out[0] = S(0.0);
  }
};

template <class F>
Tape tape_of(const F& f) {
  return gnomon::record(
      {n, 0, 0}, F::outputs, gnomon::ordinary_point(n),
      [&](const Recorded& t, const auto& x, Recorded* out) { f(t, x, out, static_cast<Recorded*>(nullptr)); });
}

struct Fixture {
  double t = 0.7;
  Vector q = (Vector(n) << 0.8, -0.5, 0.3, 1.1, 0.25, -0.9).finished();
  Vector v = (Vector(n) << -0.4, 1.2, 0.9, -0.7, 0.35, 0.6).finished();
  Vector w = (Vector(n) << 0.6, 0.2, -1.3, 0.5, -0.8, 0.15).finished();
  static Function::Blocks at(const Vector& x) { return {x.data(), nullptr, nullptr}; }

  static Vector value(const Function& f, double time, const Vector& x) {
    Vector out(f.outputs());
    f.value(time, at(x), out.data());
    return out;
  }
  static Matrix jacobian(const Function& f, double time, const Vector& x) {
    Vector values(f.pattern().nonzeros());
    f.jacobian(0, time, at(x), values.data());
    return to_dense(f.pattern(), values);
  }
  static Matrix hessian(const Function& f, double time, const Vector& x, const Vector& mu) {
    const Index count = f.hessian_pattern().nonzeros();
    std::vector<Index> places;
    for (Index k = 0; k < count; ++k) places.push_back(k);
    Vector values = Vector::Zero(count);
    f.add_hessian(time, at(x), mu.data(), places.data(), values.data());
    return to_dense(f.hessian_pattern(), values);
  }
  static Vector flat(const Matrix& a) { return Eigen::Map<const Vector>(a.data(), a.size()); }

  /// Every derivative of f against differences of the one before.
  void check(const Function& f) const {
    const Index m = f.outputs();
    const Vector mu = Vector::LinSpaced(m, -0.6, 1.7);
    Matrix g(m, n);
    for (Index j = 0; j < n; ++j)
      g.col(j) = difference([&](double s) { return value(f, t, q + s * Vector::Unit(n, j)); });
    check_close(flat(jacobian(f, t, q)), flat(g), first);

    Vector values(f.pattern().nonzeros());
    f.jacobian_derivative(t, at(q), v.data(), values.data());
    check_close(flat(to_dense(f.pattern(), values)),
                difference([&](double s) { return flat(jacobian(f, t, q + s * v)); }), first);
    f.third(t, at(q), v.data(), w.data(), values.data());
    const auto along_v = [&](const Vector& x) {
      Vector at_x(f.pattern().nonzeros());
      f.jacobian_derivative(t, at(x), v.data(), at_x.data());
      return at_x;
    };
    check_close(values, difference([&](double s) { return along_v(q + s * w); }), first);
    f.rate_jacobian(t, at(q), values.data());
    check_close(flat(to_dense(f.pattern(), values)), difference([&](double s) { return flat(jacobian(f, t + s, q)); }),
                first);

    Vector velocity(m), bias(m), out(n);
    f.along(t, at(q), v.data(), velocity.data(), bias.data());
    const auto curve = [&](double s) { return value(f, t + s, q + s * v); };
    check_close(velocity, difference(curve), first);
    check_close(bias, second_difference(curve), second);

    f.product(t, at(q), mu.data(), at(w), {out.data(), nullptr, nullptr});
    check_close(out, difference([&](double s) { return Vector(jacobian(f, t, q + s * w).transpose() * mu); }), first);
    const Matrix h = hessian(f, t, q, mu);
    check_close(h * w, out, 1e-12);
    check_close(flat(h), flat(h.transpose()), 1e-12);
    const Index count = f.hessian_pattern().nonzeros();
    std::vector<Index> places;
    for (Index k = 0; k < count; ++k) places.push_back(count - 1 - k);
    Vector rate = Vector::Constant(count, 0.5), ordered(count);  // added, and where the places say
    f.add_rate_hessian(t, at(q), mu.data(), places.data(), rate.data());
    for (Index k = 0; k < count; ++k) ordered[k] = rate[count - 1 - k] - 0.5;
    check_close(flat(to_dense(f.hessian_pattern(), ordered)),
                difference([&](double s) { return flat(hessian(f, t + s, q, mu)); }), first);
    rate.setConstant(0.5);
    f.add_hessian_derivative(t, at(q), mu.data(), v.data(), places.data(), rate.data());
    for (Index k = 0; k < count; ++k) ordered[k] = rate[count - 1 - k] - 0.5;
    check_close(flat(to_dense(f.hessian_pattern(), ordered)),
                difference([&](double s) { return flat(hessian(f, t, q + s * v, mu)); }), first);

    const Vector one = Vector::Unit(m, 0);
    f.gradient(t, at(q), {out.data(), nullptr, nullptr});
    check_close(out, jacobian(f, t, q).row(0).transpose(), 1e-13);
    f.third_product(t, at(q), at(v), at(w), {out.data(), nullptr, nullptr});
    check_close(out, difference([&](double s) { return Vector(hessian(f, t, q + s * w, one) * v); }), first);

    // A tail below the last place is seen.
    const Vector tail = 4e-17 * w, zero = Vector::Zero(n);
    std::vector<long double> with(static_cast<std::size_t>(m)), without(with);
    f.extended(t, at(q), at(tail), with.data());
    f.extended(t, at(q), at(zero), without.data());
    Vector slope(m), rounded(m);
    for (Index i = 0; i < m; ++i)
      slope[i] =
          static_cast<double>((with[static_cast<std::size_t>(i)] - without[static_cast<std::size_t>(i)]) / 4e-17L);
    check_close(slope, jacobian(f, t, q) * w, 2e-2);
    f.compensated(t, at(q), at(tail), rounded.data());
    for (Index i = 0; i < m; ++i) BOOST_TEST(rounded[i] == static_cast<double>(with[static_cast<std::size_t>(i)]));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tape_function, Fixture)

BOOST_AUTO_TEST_CASE(general) {
  const auto f = gnomon::make_function(tape_of(Everything()));
  BOOST_TEST(dynamic_cast<const gnomon::QuadraticFunction*>(f.get()) == nullptr);
  BOOST_TEST(!f->pattern().is_dense());
  check(*f);
}

BOOST_AUTO_TEST_CASE(quadratic_and_the_general_way_to_the_same) {
  const auto f = gnomon::make_function(tape_of(Quadratic()));
  BOOST_TEST(dynamic_cast<const gnomon::QuadraticFunction*>(f.get()) != nullptr);
  check(*f);
  const gnomon::TapeFunction general(tape_of(Quadratic()));
  check(general);
  check_close(flat(jacobian(*f, t, q)), flat(jacobian(general, t, q)), 1e-15);
  BOOST_TEST((value(*f, t, q) == value(general, t, q)));
}

// Monomials that stand in several terms, and factors that double does not hold: the central difference of a quadratic
// value is its derivative, at long double as well.
BOOST_AUTO_TEST_CASE(extended_jacobian_is_the_derivative_of_the_extended_value) {
  const auto surfaces = [](const Recorded&, const auto& x, Recorded* out) {
    const Recorded &a = x[0][0], &b = x[0][1], &c = x[0][2];
    out[0] = 0.37 * ((0.7 * a + 0.1 * c) * (0.7 * a + 0.1 * c) / 1.1 - 1.1 * (1.0 - 1.3 * (b * b) - 0.9 * (c * c)));
    out[1] = a * a / 3.0 + 0.1 * (a * a) + b * c / 7.0 + 0.3 * b / 11.0 + 0.2 * b;
  };
  const Tape tape = gnomon::record({3, 0, 0}, 2, gnomon::ordinary_point(3), surfaces);
  const gnomon::QuadraticFunction quadratic(tape);
  const gnomon::TapeFunction general(tape);
  const Vector x(Eigen::Vector3d(0.625, -0.375, 1.25)), tail(Eigen::Vector3d(-1e-17, 2e-17, 3e-17));
  const Index entries = quadratic.pattern().nonzeros();
  BOOST_REQUIRE(general.pattern().nonzeros() == entries);
  std::vector<long double> found(static_cast<std::size_t>(entries)), swept(found);
  BOOST_REQUIRE(quadratic.extended_jacobian(0, at(x), at(tail), found.data()));
  BOOST_REQUIRE(general.extended_jacobian(0, at(x), at(tail), swept.data()));
  for (Index i = 0; i < 2; ++i)
    for (Index k = quadratic.pattern().offsets[i]; k < quadratic.pattern().offsets[i + 1]; ++k) {
      const Vector e = Vector::Unit(3, quadratic.pattern().indices[k]);
      std::array<long double, 2> above{}, below{};
      quadratic.extended(0, at(x + e), at(tail), above.data());
      quadratic.extended(0, at(x - e), at(tail), below.data());
      const auto at_i = static_cast<std::size_t>(i), at_k = static_cast<std::size_t>(k);
      const long double slope = (above[at_i] - below[at_i]) / 2;
      BOOST_TEST(std::abs(static_cast<double>(found[at_k] - slope)) < 1e-18);
      BOOST_TEST(std::abs(static_cast<double>(swept[at_k] - slope)) < 1e-18);
    }
}

BOOST_AUTO_TEST_CASE(branching) {
  BOOST_TEST(tape_of(Branching<Everything>()).branch == ">");
  const gnomon::ChunkedFunction<Branching<Everything>> f({}, {n, 0, 0}, Everything::outputs);
  check(f);
  const auto tape = gnomon::make_function(tape_of(Everything()));
  const Vector mu = Vector::LinSpaced(Everything::outputs, -0.6, 1.7);
  check_close(flat(jacobian(f, t, q)), flat(jacobian(*tape, t, q)), 1e-14);
  check_close(flat(hessian(f, t, q, mu)), flat(hessian(*tape, t, q, mu)), 1e-13);
  BOOST_TEST((value(f, t, q) == value(*tape, t, q)));
}

BOOST_AUTO_TEST_CASE(rows_or_columns_whichever_are_fewer) {
  // One column in every row, one row through every column: forward sweeps serve the first, reverse sweeps the second.
  for (const bool shared_column : {true, false}) {
    const gnomon::TapeFunction f(gnomon::record({40, 0, 0}, shared_column ? 39 : 2, gnomon::ordinary_point(40),
                                                [&](const Recorded&, const auto& x, Recorded* out) {
                                                  for (Index i = 0; i < 39; ++i) {
                                                    const Recorded term = sin(x[0][i + 1]) * x[0][0];
                                                    out[shared_column ? i : i % 2] += term;
                                                  }
                                                }));
    const Vector x = gnomon::ordinary_point(40).x;
    Matrix expected = Matrix::Zero(f.outputs(), 40);
    for (Index i = 0; i < 39; ++i) {
      const Index row = shared_column ? i : i % 2;
      expected(row, i + 1) = std::cos(x[i + 1]) * x[0];
      expected(row, 0) += std::sin(x[i + 1]);
    }
    check_close(flat(jacobian(f, 0, x)), flat(expected), 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(several_blocks) {
  const gnomon::TapeFunction f(
      gnomon::record({2, 2, 1}, 2, gnomon::ordinary_point(5), [](const Recorded&, const auto& x, Recorded* out) {
        out[0] = sin(x[0][0]) * x[1][1] - x[2][0] * x[2][0];
        out[1] = x[0][1] * x[2][0];
      }));
  const Vector a = (Vector(2) << 0.3, 0.7).finished(), b = (Vector(2) << -1.1, 2.0).finished();
  const Vector c = Vector::Constant(1, 1.5);
  const Function::Blocks x{a.data(), b.data(), c.data()};
  Vector by_a(2), by_b(1), by_c(2);
  f.jacobian(0, 0, x, by_a.data());
  f.jacobian(1, 0, x, by_b.data());
  f.jacobian(2, 0, x, by_c.data());
  check_close(by_a, (Vector(2) << std::cos(0.3) * 2, 1.5).finished(), 1e-15);
  check_close(by_b, Vector::Constant(1, std::sin(0.3)), 1e-15);
  check_close(by_c, (Vector(2) << -3.0, 0.7).finished(), 1e-15);
  Vector ga(2), gb(2), gc(1);
  f.gradient(0, x, {ga.data(), gb.data(), gc.data()});
  check_close(ga, (Vector(2) << std::cos(0.3) * 2, 0).finished(), 1e-15);
  check_close(gb, (Vector(2) << 0, std::sin(0.3)).finished(), 1e-15);
  check_close(gc, Vector::Constant(1, -3), 1e-15);
}

BOOST_AUTO_TEST_SUITE_END()
