#pragma once
/// \file
/// Derivatives by fourth-order central differences: accurate to about 1e-11 for functions of order one.

#include <boost/test/unit_test.hpp>

#include "gnomon/base/types.hpp"

namespace gnomon::test {

/// d/ds f(s) at s = 0, for f returning a number or a Vector.
template <class F>
auto difference(F f, double step = 1e-3) {
  const auto near = f(step), near_back = f(-step), far = f(2 * step), far_back = f(-2 * step);
  return decltype(near)((8.0 * (near - near_back) - (far - far_back)) / (12 * step));
}

/// d^2/ds^2 f(s) at s = 0.
template <class F>
auto second_difference(F f, double step = 1e-2) {
  return difference([&](double a) { return difference([&](double b) { return f(a + b); }, step); }, step);
}

/// Fails the test unless |a_i - b_i| <= tolerance (1 + |b_i|) for every i.
inline void check_close(const Vector& a, const Vector& b, double tolerance) {
  BOOST_REQUIRE_EQUAL(a.size(), b.size());
  BOOST_TEST(a.allFinite());
  const double error = a.size() == 0 ? 0 : ((a - b).array().abs() / (1 + b.array().abs())).maxCoeff();
  BOOST_TEST(error <= tolerance,
             "differs by " << error << "\n  is       " << a.transpose() << "\n  expected " << b.transpose());
}

}  // namespace gnomon::test
