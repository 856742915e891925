#include <boost/test/unit_test.hpp>
#include <functional>

#include "gnomon/formula/dual.hpp"
#include "support/differences.hpp"

using gnomon::Dual;
using gnomon::Dual1;
using D2 = Dual<Dual<double, 1>, 1>;
using D3 = Dual<D2, 1>;

namespace {

/// A function of one variable as double and as its third nested dual.
struct Function {
  const char* name;
  std::function<double(double)> value;
  std::function<D3(const D3&)> nested;
  std::function<double(double)> third;  // closed form of f'''
};

D3 seed(double x) {
  D3 s;
  s.value.value.value = x;
  s.value.value.grad[0] = s.value.grad[0].value = s.grad[0].value.value = 1;
  return s;
}

/// (x^x)'''
double power_of_itself(double x) {
  const double slope = std::log(x) + 1;
  return std::pow(x, x) * (slope * slope * slope + 3 * slope / x - 1 / (x * x));
}

#define FUNCTION(expression, third_derivative)                     \
  Function {                                                       \
#expression,                                                     \
        [](double x) {                                               \
          using namespace std;                                       \
          return expression;                                         \
        },                                                           \
        [](const D3& x) -> D3 {                                      \
          return expression;                                         \
        },                                                           \
        [](double x) { return third_derivative; } \
  }

std::vector<Function> functions() {
  using std::cos, std::exp, std::pow, std::sin, std::tan;
  return {
      FUNCTION(sqrt(x), 0.375 * std::pow(x, -2.5)),
      FUNCTION(exp(x), std::exp(x)),
      FUNCTION(log(x), 2 / (x * x * x)),
      FUNCTION(sin(x), -std::cos(x)),
      FUNCTION(cos(x), std::sin(x)),
      FUNCTION(tan(x), 2 * (1 + std::pow(std::tan(x), 2)) * (1 + 3 * std::pow(std::tan(x), 2))),
      FUNCTION(pow(x, 2.5), 1.875 * std::pow(x, -0.5)),
      FUNCTION(pow(x, -1.0), -6 * std::pow(x, -4)),
      FUNCTION(abs(-1.0 * x * x * x), 6 + 0 * x),
      FUNCTION(atan2(x, 1.0 + 0.0 * x), (6 * x * x - 2) / std::pow(1 + x * x, 3)),
      FUNCTION(atan2(1.0 + 0.0 * x, x), -(6 * x * x - 2) / std::pow(1 + x * x, 3)),
      FUNCTION(pow(x, 2), 0 * x),
      FUNCTION(pow(x, 3), 6 + 0 * x),
      FUNCTION(pow(x - 2.0, 3), 6 + 0 * x),
      FUNCTION(pow(x, 2.0 + 0.0 * x), 0 * x),
      FUNCTION(pow(2.0, x), std::pow(std::log(2.0), 3) * std::pow(2, x)),
      FUNCTION(pow(x, x), power_of_itself(x)),
      FUNCTION(sinh(x), std::cosh(x)),
      FUNCTION(cosh(x), std::sinh(x)),
      FUNCTION(tanh(x), (4 * std::pow(std::sinh(x), 2) - 2) / std::pow(std::cosh(x), 4)),
      FUNCTION(asin(x / 2.0), (1 + x * x / 2) / 8 / std::pow(1 - x * x / 4, 2.5)),
      FUNCTION(acos(x / 2.0), -(1 + x * x / 2) / 8 / std::pow(1 - x * x / 4, 2.5)),
      FUNCTION(atan(x), (6 * x * x - 2) / std::pow(1 + x * x, 3)),
      FUNCTION(cbrt(x), 10.0 / 27 * std::pow(x, -8.0 / 3)),
      FUNCTION(log1p(x), 2 / std::pow(1 + x, 3)),
      FUNCTION(expm1(x), std::exp(x)),
      FUNCTION(erf(x), (4 * x * x - 2) * 1.1283791670955126 * std::exp(-x * x)),
      FUNCTION(hypot(x, 2.0 + 0.0 * x), -12 * x / std::pow(4 + x * x, 2.5)),
      FUNCTION(hypot(x, 2.0), -12 * x / std::pow(4 + x * x, 2.5)),
      FUNCTION(atan2(x, 1.0), (6 * x * x - 2) / std::pow(1 + x * x, 3)),
      FUNCTION(max(x * x * x, -x), 6 + 0 * x),
      FUNCTION(min(x * x * x, 5.0), 6 + 0 * x),
      FUNCTION(x * x * x - 2.0 * x, 6 + 0 * x),
      FUNCTION(1.0 / x - x / 2.0, -6 / std::pow(x, 4)),
      FUNCTION((x - 3.0) / (x + 1.0), 24 / std::pow(x + 1, 4)),
      FUNCTION(-(x * x) * x + 5.0, -6 + 0 * x),
      FUNCTION(3.0 - x * (2.0 - x) * x, 6 + 0 * x),
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_and_nested_derivatives) {
  for (const auto& f : functions())
    for (const double x : {0.3, 0.9, 1.2}) {
      BOOST_TEST_CONTEXT(f.name << " at " << x) {
        const D3 y = f.nested(seed(x));
        const auto along = [&](double s) { return f.value(x + s); };
        BOOST_TEST(gnomon::value_of(y) == f.value(x), boost::test_tools::tolerance(1e-14));
        const double first = gnomon::test::difference(along), second = gnomon::test::second_difference(along, 2e-3);
        BOOST_TEST(std::abs(y.value.value.grad[0] - first) <= 1e-9 * (1 + std::abs(first)));
        BOOST_TEST(std::abs(y.value.grad[0].grad[0] - second) <= 1e-6 * (1 + std::abs(second)));
        // Each mixed derivative of a lower order appears once for every choice of directions.
        BOOST_TEST(y.grad[0].value.value == y.value.value.grad[0], boost::test_tools::tolerance(1e-13));
        BOOST_TEST(y.grad[0].value.grad[0] == y.value.grad[0].grad[0], boost::test_tools::tolerance(1e-13));
        const double third = f.third(x);
        BOOST_TEST(std::abs(y.grad[0].grad[0].grad[0] - third) <= 1e-12 * (1 + std::abs(third)));
      }
    }
}

BOOST_AUTO_TEST_CASE(whole_powers_at_zero) {
  for (const double x : {0.0, -0.0}) {
    const D3 square = pow(seed(x), 2), cube = pow(seed(x), 3), same = pow(seed(x), D3(2.0));
    BOOST_TEST(square.value.grad[0].grad[0] == 2);
    BOOST_TEST(square.grad[0].grad[0].grad[0] == 0);
    BOOST_TEST(cube.value.grad[0].grad[0] == 0);
    BOOST_TEST(cube.grad[0].grad[0].grad[0] == 6);
    BOOST_TEST(same.value.grad[0].grad[0] == 2);
    BOOST_TEST(same.grad[0].grad[0].grad[0] == 0);
    BOOST_TEST(pow(seed(x), 0).value.value.value == 1);
  }
}

BOOST_AUTO_TEST_CASE(long_double_factors_keep_their_digits) {
  using Long = Dual<long double, 1>;
  const long double third = 1.0L / 3;
  Long x(1.0L);
  x.grad[0] = 1;
  BOOST_TEST((third * x).value == third);
  BOOST_TEST((x * third).grad[0] == third);
  BOOST_TEST((x + third).value == 1 + third);
  BOOST_TEST(pow(Long(2.0L), third).value == std::pow(2.0L, third));
  const Dual<Long, 1> nested(third);
  BOOST_TEST((nested * 1.0L).value.value == third);
}

BOOST_AUTO_TEST_CASE(several_directions) {
  Dual<double, 3> x(0.5), y(1.5);
  x.grad = {1, 0, 2};
  y.grad = {0, 1, -1};
  const auto z = x * y + exp(x) / y;
  const double dx = 1.5 + std::exp(0.5) / 1.5, dy = 0.5 - std::exp(0.5) / 2.25;
  BOOST_TEST(z.grad[0] == dx, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(z.grad[1] == dy, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(z.grad[2] == 2 * dx - dy, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(compound_assignment_may_alias) {
  Dual1 x(3.0);
  x.grad[0] = 1;
  Dual1 square = x;
  const Dual1& same_square = square;
  square *= same_square;
  BOOST_TEST(square.value == 9);
  BOOST_TEST(square.grad[0] == 6);
  Dual1 one = x;
  const Dual1& same_one = one;
  one /= same_one;
  BOOST_TEST(one.value == 1, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(std::abs(one.grad[0]) <= 1e-15);
  Dual1 zero = x;
  const Dual1& same_zero = zero;
  zero -= same_zero;
  BOOST_TEST(zero.grad[0] == 0);
}

BOOST_AUTO_TEST_CASE(comparisons_look_at_the_value) {
  Dual1 a(1.0), b(2.0);
  a.grad[0] = 100;
  BOOST_TEST((a < b && b > a && a <= b && b >= a && a != b && !(a == b)));
  BOOST_TEST((a == Dual1(1.0)));
  BOOST_TEST((a < 1.5 && 1.5 < b));
}

BOOST_AUTO_TEST_CASE(eigen_expressions) {
  Eigen::Matrix<Dual1, 2, 1> x;
  x[0] = 3.0;
  x[0].grad[0] = 1;
  x[1] = 4.0;
  const Dual1 square = x.dot(x);
  BOOST_TEST(square.value == 25);
  BOOST_TEST(square.grad[0] == 6);
  const Eigen::Matrix<Dual1, 2, 1> scaled = 2.0 * x - x * 0.5;
  BOOST_TEST(scaled[0].value == 4.5);
  BOOST_TEST(scaled[0].grad[0] == 1.5);
}
