#define BOOST_TEST_MODULE least_squares
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/fit/least_squares.hpp"
#include "gnomon/fit/units.hpp"
#include "support/says.hpp"

namespace gnomon {

namespace {

constexpr double any = std::numeric_limits<double>::infinity();

const LeastSquares* ceres() {
  try {
    return &ceres_least_squares();
  } catch (const Error& error) {
    BOOST_TEST(test::says("libceres-dev")(error));
    return nullptr;
  }
}

/// y = a exp(-b t) at t = 0, 1/4, ..., 2 for a = 3, b = 1/2; without a value for b > 2.
LeastSquaresProblem decay(double a, double b) {
  LeastSquaresProblem problem;
  problem.start = Vector(2);
  problem.start << a, b;
  problem.lower = Vector::Constant(2, -any);
  problem.upper = Vector::Constant(2, any);
  problem.residuals = 9;
  problem.evaluate = [](const Vector& x, Vector& r, Matrix* jacobian) {
    if (x[1] > 2) return false;
    r.resize(9);
    if (jacobian) jacobian->resize(9, 2);
    for (Index i = 0; i < 9; ++i) {
      const double t = 0.25 * static_cast<double>(i), decayed = std::exp(-x[1] * t);
      r[i] = x[0] * decayed - 3 * std::exp(-0.5 * t);
      if (jacobian) jacobian->row(i) << decayed, -t * x[0] * decayed;
    }
    return true;
  };
  return problem;
}

}  // namespace

BOOST_AUTO_TEST_CASE(exact_data) {
  const LeastSquares* const by = ceres();
  if (!by) return;
  const LeastSquaresSolution found = by->minimise(decay(1, 1.9));  // the first steps have no value
  BOOST_TEST(found.converged);
  BOOST_TEST(std::abs(found.x[0] - 3) < 1e-12);
  BOOST_TEST(std::abs(found.x[1] - 0.5) < 1e-12);
}

BOOST_AUTO_TEST_CASE(bounds_and_the_end_of_a_search) {
  const LeastSquares* const by = ceres();
  if (!by) return;
  LeastSquaresProblem problem = decay(1, 1);
  problem.lower[1] = 0.75;
  problem.upper[0] = 10;
  const LeastSquaresSolution found = by->minimise(problem);
  BOOST_TEST(found.converged);
  BOOST_TEST(found.x[1] == 0.75);
  problem = decay(1, 1);
  problem.stop = [] { return true; };
  BOOST_TEST(!by->minimise(problem).converged);
}

BOOST_AUTO_TEST_CASE(units) {
  const auto factor = [](const char* from, const char* to) { return unit_factor(from, to, "column x"); };
  BOOST_TEST(factor("mm", "m") == 0.001);
  BOOST_TEST(factor("mm", "cm") == 0.1, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(factor("deg", "") == std::acos(-1) / 180, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(factor("rpm", "rad/s") == std::acos(-1) / 30, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(factor("kN*mm", "N*m") == 1, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(factor("kg*m/s^2", "N") == 1);
  BOOST_TEST(factor("1/min", "Hz") == 1. / 60, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(factor("furlong", "furlong") == 1);
  BOOST_TEST(factor("", "m") == 1);
  BOOST_CHECK_EXCEPTION(factor("furlong", "m"), Error, test::says("column x has the unit \"furlong\""));
  BOOST_CHECK_EXCEPTION(factor("m^", "m"), Error, test::says("\"m^\""));
  BOOST_CHECK_EXCEPTION(factor("s", "m"), Error,
                        test::says("column x is in s, expected a unit like that of the model"));
}

}  // namespace gnomon
