// LDL^T in a moving front: inertia and solutions of random KKT matrices beside dense eigenvalues, and graded ones.
#include <Eigen/Eigenvalues>
#include <boost/test/unit_test.hpp>
#include <random>

#include "gnomon/solve/symmetric_factors.hpp"
#include "support/sparse_matrix.hpp"

namespace {

using namespace gnomon;

/// [H, G^T; G, 0] with a band H of n rows and m rows of G.
Matrix random_kkt(std::mt19937& random, Index n, Index m, Index width) {
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix a = Matrix::Zero(n + m, n + m);
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < std::min(n, i + width + 1); ++j) a(i, j) = a(j, i) = number(random);
  for (Index k = 0; k < m; ++k)
    for (Index j = k * n / m; j < std::min(n, k * n / m + width + 1); ++j) a(n + k, j) = a(j, n + k) = number(random);
  return a;
}

using Sparse = test::SparseMatrix;

}  // namespace

BOOST_AUTO_TEST_CASE(inertia_is_that_of_the_eigenvalues) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 5 + static_cast<Index>(random() % 60), m = static_cast<Index>(random()) % (n / 2 + 1);
    const Matrix a = random_kkt(random, n, m, 1 + static_cast<Index>(random() % 4));
    const Sparse sparse(a);
    SymmetricFactors factors(sparse.pattern);
    const Inertia inertia = factors.factorise(sparse.values);
    const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(a).eigenvalues();
    // Eigenvalues within the backward error have no sign.
    if (eigenvalues.cwiseAbs().minCoeff() < factors.backward_error()) continue;
    BOOST_TEST(inertia.is((eigenvalues.array() > 0).count(), (eigenvalues.array() < 0).count()), inertia.text());
    const Vector b = Vector::LinSpaced(n + m, -1, 2);
    Vector x = b;
    factors.solve(x);
    BOOST_TEST((a * x - b).norm() <= 1e-13 * (a.norm() * x.norm() + b.norm()));
  }
}

BOOST_AUTO_TEST_CASE(zero_eigenvalues_are_counted) {
  Matrix a = Matrix::Zero(5, 5);
  a.topLeftCorner(2, 2) << 1, 2, 2, 4;
  a.bottomRightCorner(2, 2) << 0, 3, 3, 0;
  const Sparse sparse(a);
  const Inertia inertia = SymmetricFactors(sparse.pattern).factorise(sparse.values);
  BOOST_TEST(inertia.text() == "(2, 1, 2)");
}

BOOST_AUTO_TEST_CASE(a_long_chain_keeps_a_small_front) {
  constexpr Index n = 19999;
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i)
    for (const Index j : {i - 1, i, i + 1})
      if (j >= 0 && j < n) entries.emplace_back(i, j);
  const auto pattern = SparsityPattern::from_entries(n, n, entries);
  Vector values(pattern.nonzeros());
  // Eigenvalues 1 - 2 cos(k pi/(n + 1)) are negative for k < (n + 1)/3.
  for (Index i = 0; i < n; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) values[k] = pattern.indices[k] == i ? 1 : -1;
  SymmetricFactors factors(pattern);
  const Inertia inertia = factors.factorise(values);
  BOOST_TEST(inertia.negative == static_cast<Index>((n + 1) / 3));
  BOOST_TEST(factors.backward_error() < 1e-13);
}
