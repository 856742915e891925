#include <boost/test/unit_test.hpp>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/model/mass.hpp"
#include "support/differences.hpp"
#include "support/sparse_matrix.hpp"

using gnomon::Error;
using gnomon::ErrorCode;
using gnomon::Index;
using gnomon::Mass;
using gnomon::Matrix;
using gnomon::SparsityPattern;
using gnomon::Vector;

namespace {

/// Symmetric positive definite, with zeros that the sparse kind leaves out.
Matrix arrow(Index n) {
  Matrix m = Matrix::Identity(n, n) * 4;
  for (Index i = 1; i < n; ++i) m(0, i) = m(i, 0) = 1.0 / static_cast<double>(i + 1);
  return m;
}

Mass sparse_of(const Matrix& matrix) {
  const gnomon::test::SparseMatrix sparse(matrix);
  return Mass::sparse(sparse.pattern, sparse.values);
}

void check_is(const Mass& mass, const Matrix& matrix) {
  const Index n = matrix.rows();
  BOOST_TEST(mass.size() == n);
  const Vector x = Vector::Random(n);
  Vector mx(n), back(n);
  mass.apply(x, mx);
  mass.solve(mx, back);
  gnomon::test::check_close(mx, matrix * x, 1e-14);
  gnomon::test::check_close(back, x, 1e-13);
  BOOST_TEST((to_dense(mass.pattern(), mass.values()) - matrix).norm() == 0);
  gnomon::test::check_close(mass.diagonal_entries(), matrix.diagonal(), 0);
}

template <class F>
std::string refusal(F make) {
  try {
    make();
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::bad_value));
    return error.what();
  }
  BOOST_ERROR("was not refused");
  return {};
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

BOOST_AUTO_TEST_CASE(three_kinds) {
  const Vector entries = Vector::LinSpaced(6, 0.5, 3);
  check_is(Mass::diagonal(entries), entries.asDiagonal());
  check_is(Mass::dense(arrow(6)), arrow(6));
  check_is(sparse_of(arrow(40)), arrow(40));
  BOOST_TEST(Mass::diagonal(entries).is_diagonal());
  BOOST_TEST(!Mass::dense(arrow(6)).is_diagonal());
  BOOST_TEST(!sparse_of(arrow(6)).is_diagonal());
}

BOOST_AUTO_TEST_CASE(copies_stay_usable) {
  auto original = std::make_unique<Mass>(sparse_of(arrow(8)));
  const Mass copy = *original;
  original.reset();
  check_is(copy, arrow(8));
}

BOOST_AUTO_TEST_CASE(bad_diagonals) {
  const std::string zero = refusal([] { Mass::diagonal((Vector(3) << 1, 0, 1).finished()); });
  BOOST_TEST(zero.find("1") != std::string::npos);
  refusal([] { Mass::diagonal((Vector(2) << 1, -2).finished()); });
  refusal([] { Mass::diagonal((Vector(2) << 1, not_a_number).finished()); });
  refusal([] { Mass::diagonal((Vector(2) << infinity, 1).finished()); });
}

BOOST_AUTO_TEST_CASE(bad_dense_matrices) {
  refusal([] { Mass::dense(Matrix::Ones(2, 3)); });
  refusal([] { Mass::dense((Matrix(2, 2) << 1, 0.5, 0.4, 1).finished()); });
  refusal([] { Mass::dense((Matrix(2, 2) << 1, 2, 2, 1).finished()); });  // eigenvalues 3 and -1
  refusal([] { Mass::dense((Matrix(2, 2) << 1, not_a_number, not_a_number, 1).finished()); });
}

BOOST_AUTO_TEST_CASE(bad_sparse_matrices) {
  refusal([] { sparse_of((Matrix(2, 2) << 1, 0.5, 0.4, 1).finished()); });
  refusal([] { sparse_of((Matrix(2, 2) << 1, 0.5, 0, 1).finished()); });
  refusal([] { sparse_of((Matrix(2, 2) << 1, 2, 2, 1).finished()); });
  refusal([] { sparse_of((Matrix(2, 2) << 1, 0, 0, infinity).finished()); });
  refusal([] { sparse_of((Matrix(2, 2) << 1, 0, 0, 0).finished()); });  // row 1 is empty
  refusal([] { Mass::sparse(SparsityPattern::diagonal(3), Vector::Ones(2)); });
  refusal([] { Mass::sparse(SparsityPattern::dense(2, 3), Vector::Ones(6)); });
}
