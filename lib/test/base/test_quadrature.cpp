// Nodes and weights against their definitions, in extended precision.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/base/quadrature.hpp"

namespace {

using namespace gnomon;

constexpr long double epsilon = std::numeric_limits<long double>::epsilon();

/// |sum_l b_l c_l^degree - 1/(degree + 1)|
long double defect(const Quadrature& rule, int degree) {
  long double sum = 0;
  for (std::size_t l = 0; l < rule.nodes.size(); ++l) sum += rule.weights[l] * std::pow(rule.nodes[l], degree);
  return std::abs(sum - 1.0L / (degree + 1));
}

}  // namespace

BOOST_AUTO_TEST_CASE(gauss_is_exact_up_to_its_degree) {
  for (int k = 1; k <= 40; ++k) {
    const Quadrature rule = gauss_quadrature(k);
    BOOST_REQUIRE(rule.nodes.size() == static_cast<std::size_t>(k));
    for (int degree = 0; degree < 2 * k; ++degree)
      BOOST_TEST(defect(rule, degree) <= 8 * epsilon, "k = " << k << ", degree " << degree);
    if (k <= 8) BOOST_TEST(defect(rule, 2 * k) > 1e-12L);
    for (std::size_t l = 1; l < rule.nodes.size(); ++l) BOOST_TEST(rule.nodes[l - 1] < rule.nodes[l]);
    for (std::size_t l = 0, last = rule.nodes.size() - 1; l <= last; ++l) {
      BOOST_TEST(rule.nodes[l] == 1 - rule.nodes[last - l]);
      BOOST_TEST(rule.weights[l] == rule.weights[last - l]);
    }
  }
}

BOOST_AUTO_TEST_CASE(three_nodes_are_known) {
  const Quadrature gauss = gauss_quadrature(3);
  BOOST_TEST(std::abs(gauss.nodes[0] - (0.5L - std::sqrt(15.0L) / 10)) <= epsilon);
  BOOST_TEST(gauss.nodes[1] == 0.5L);
  BOOST_TEST(std::abs(gauss.weights[1] - 4.0L / 9) <= epsilon);
  const std::vector<long double> radau = radau_nodes(3), lobatto = lobatto_nodes(4);
  BOOST_TEST(std::abs(radau[0] - (4 - std::sqrt(6.0L)) / 10) <= epsilon);
  BOOST_TEST(std::abs(radau[1] - (4 + std::sqrt(6.0L)) / 10) <= epsilon);
  BOOST_TEST(radau[2] == 1.0L);
  BOOST_TEST(lobatto[0] == 0.0L);
  BOOST_TEST(std::abs(lobatto[1] - (0.5L - std::sqrt(5.0L) / 10)) <= epsilon);
  BOOST_TEST(lobatto[3] == 1.0L);
  BOOST_TEST(radau_nodes(1).size() == 1u);
  BOOST_TEST(lobatto_nodes(2).size() == 2u);
}

BOOST_AUTO_TEST_CASE(radau_and_lobatto_nodes_are_zeros) {
  for (int k = 2; k <= 20; ++k) {
    const std::vector<long double> radau = radau_nodes(k), lobatto = lobatto_nodes(k);
    BOOST_REQUIRE(radau.size() == static_cast<std::size_t>(k));
    BOOST_REQUIRE(lobatto.size() == static_cast<std::size_t>(k));
    for (std::size_t l = 0; l < radau.size(); ++l) {
      const long double r = radau[l], b = lobatto[l], most = 16 * epsilon * k * k;
      BOOST_TEST(std::abs(legendre_polynomial(k, r) - legendre_polynomial(k - 1, r)) <= most);
      BOOST_TEST(std::abs(legendre_polynomial(k, b) - legendre_polynomial(k - 2, b)) <= most);
    }
  }
}

BOOST_AUTO_TEST_CASE(polynomials_go_on_beyond_the_interval) {
  for (const long double c : {-0.5L, 0.0L, 0.3L, 1.0L, 1.5L, 2.0L}) {
    const long double x = 2 * c - 1;
    BOOST_TEST(legendre_polynomial(0, c) == 1.0L);
    BOOST_TEST(legendre_polynomial(1, c) == x);
    BOOST_TEST(std::abs(legendre_polynomial(3, c) - (5 * x * x * x - 3 * x) / 2) <= 64 * epsilon);
  }
}
