#include "gnomon/base/quadrature.hpp"

#include <boost/math/special_functions/legendre.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <limits>

namespace gnomon {

namespace {

/// The zeros of L_k on [-1,1], ascending.
std::vector<long double> zeros(Index k) {
  const std::vector<long double> half = boost::math::legendre_p_zeros<long double>(static_cast<int>(k));  // x >= 0
  std::vector<long double> all;
  for (auto x = half.rbegin(); x != half.rend() && *x > 0; ++x) all.push_back(-*x);
  all.insert(all.end(), half.begin(), half.end());
  return all;
}

/// The zeros of L_k - L_below on [0,1], one between any two neighbours of `ends`.
std::vector<long double> zeros_between(const std::vector<long double>& ends, Index k, Index below) {
  const auto f = [k, below](long double c) { return legendre_polynomial(k, c) - legendre_polynomial(below, c); };
  const boost::math::tools::eps_tolerance<long double> close(std::numeric_limits<long double>::digits);
  std::vector<long double> found;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    std::uintmax_t evaluations = 200;
    const auto [low, high] =
        boost::math::tools::toms748_solve(f, (1 + ends[i]) / 2, (1 + ends[i + 1]) / 2, close, evaluations);
    found.push_back((low + high) / 2);
  }
  return found;
}

}  // namespace

long double legendre_polynomial(Index j, long double c) {
  const long double x = 2 * c - 1;
  long double previous = 0, current = 1;
  for (Index i = 0; i < j; ++i) {
    const long double next = boost::math::legendre_next(static_cast<unsigned>(i), x, current, previous);
    previous = current;
    current = next;
  }
  return current;
}

Quadrature gauss_quadrature(Index k) {
  Quadrature rule;
  for (const long double x : zeros(k)) {
    const long double slope = boost::math::legendre_p_prime(static_cast<int>(k), x);
    rule.nodes.push_back(x < 0 ? 1 - (1 - x) / 2 : (1 + x) / 2);  // symmetric to the last bit
    rule.weights.push_back(1 / ((1 - x) * (1 + x) * slope * slope));
  }
  return rule;
}

std::vector<long double> radau_nodes(Index k) {
  std::vector<long double> nodes = zeros_between(zeros(k), k, k - 1);  // where L_k = 0, L_{k-1} changes its sign
  nodes.push_back(1);
  return nodes;
}

std::vector<long double> lobatto_nodes(Index k) {
  std::vector<long double> nodes{0};
  const std::vector<long double> inner = zeros_between(zeros(k - 1), k, k - 2);  // those of the derivative of L_{k-1}
  nodes.insert(nodes.end(), inner.begin(), inner.end());
  nodes.push_back(1);
  return nodes;
}

}  // namespace gnomon
