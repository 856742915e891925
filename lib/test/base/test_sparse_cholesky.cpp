// L D L^T of sparse positive definite matrices, and of products Y X^T: solutions beside dense ones, fill, lost rank.
#include <Eigen/Cholesky>
#include <boost/test/unit_test.hpp>
#include <random>

#include "gnomon/base/gram_cholesky.hpp"
#include "support/sparse_matrix.hpp"

namespace {

using namespace gnomon;

using Sparse = test::SparseMatrix;

/// m rows of full rank with about three more entries each.
Matrix random_rows(std::mt19937& random, Index m, Index n) {
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix x = Matrix::Zero(m, n);
  for (Index i = 0; i < m; ++i) {
    x(i, i) = 4;
    for (int k = 0; k < 3; ++k) x(i, static_cast<Index>(random()) % n) += number(random);
  }
  return x;
}

}  // namespace

BOOST_AUTO_TEST_CASE(solutions_with_a_product_are_those_of_the_dense_matrix) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Index m = 1 + static_cast<Index>(random() % 50), n = m + static_cast<Index>(random() % 20);
    const Matrix x = random_rows(random, m, n);
    const Vector weights = (Vector::Random(n) * 3).array().exp();
    const Matrix y = x * weights.asDiagonal(), a = y * x.transpose();
    const Sparse sparse_x(x), sparse_y(y);
    GramCholesky factors(sparse_y.pattern, sparse_x.pattern);
    const Vector b = Vector::LinSpaced(m, -1, 2);
    Vector solution = b;
    BOOST_TEST(factors.factorise(sparse_y.values, sparse_x.values));
    factors.solve(solution);
    BOOST_TEST((a * solution - b).norm() <= 1e-14 * (a.norm() * solution.norm() + b.norm()));
  }
}

BOOST_AUTO_TEST_CASE(a_full_matrix_has_the_factors_of_eigen) {
  std::mt19937 random(4);
  const Index n = 30;
  const Matrix x = random_rows(random, n, n) + Matrix::Random(n, n) / 10, a = x * x.transpose();
  const Sparse sparse(a);
  SparseCholesky factors(sparse.pattern);
  BOOST_TEST(factors.nonzeros() == n * (n - 1) / 2);
  BOOST_TEST(factors.factorise(sparse.values));
  const Vector b = Vector::LinSpaced(n, -1, 2), expected = Eigen::LLT<Matrix>(a).solve(b);
  Vector solution = b;
  factors.solve(solution);
  BOOST_TEST((solution - expected).norm() <= 1e-12 * expected.norm());
}

BOOST_AUTO_TEST_CASE(a_star_has_no_fill) {
  const Index n = 200;
  Matrix a = Matrix::Identity(n, n) * n;
  a.row(0).setConstant(1);
  a.col(0).setConstant(1);
  a(0, 0) = n;
  const Sparse sparse(a);
  SparseCholesky factors(sparse.pattern);
  BOOST_TEST(factors.nonzeros() == n - 1);
  BOOST_TEST(factors.factorise(sparse.values));
  Vector x = a * Vector::Ones(n);
  factors.solve(x);
  BOOST_TEST((x - Vector::Ones(n)).norm() <= 1e-13);
}

BOOST_AUTO_TEST_CASE(lost_rank_is_seen_and_forgotten) {
  std::mt19937 random(5);
  const Index m = 20;
  Matrix x = random_rows(random, m, 30);
  const Sparse regular(x);
  GramCholesky factors(regular.pattern, regular.pattern);
  Vector repeated = regular.values;
  const SparsityPattern& p = regular.pattern;
  for (Index e = p.offsets[7]; e < p.offsets[8]; ++e) repeated[e] = 0;
  BOOST_TEST(!factors.factorise(repeated, repeated, 1e-12));
  repeated.setConstant(std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(!factors.factorise(repeated, repeated, 1e-12));
  BOOST_TEST(factors.factorise(regular.values, regular.values, 1e-12));
  Vector solution = Vector::Ones(m);
  factors.solve(solution);
  BOOST_TEST((x * (x.transpose() * solution) - Vector::Ones(m)).norm() <= 1e-12);
}
