#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "gnomon/base/sparsity.hpp"
#include "support/differences.hpp"

using namespace gnomon;

namespace {

SparsityPattern random_pattern(Index rows, Index cols, double density, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (uniform(random) < density) entries.emplace_back(i, j);
  std::shuffle(entries.begin(), entries.end(), random);
  return SparsityPattern::from_entries(rows, cols, entries);
}

Vector some_values(Index size) {
  return Vector::LinSpaced(size, 1, static_cast<double>(size) + 1);
}

void check_is_valid(const SparsityPattern& pattern) {
  BOOST_REQUIRE_EQUAL(static_cast<Index>(pattern.offsets.size()), pattern.rows + 1);
  BOOST_REQUIRE_EQUAL(pattern.offsets.back(), pattern.nonzeros());
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      BOOST_TEST((pattern.indices[k] >= 0 && pattern.indices[k] < pattern.cols));
      if (k > pattern.offsets[i]) BOOST_TEST(pattern.indices[k - 1] < pattern.indices[k]);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(patterns) {
  const auto pattern = SparsityPattern::from_entries(3, 4, {{2, 1}, {0, 3}, {0, 0}, {2, 1}, {0, 3}});
  check_is_valid(pattern);
  BOOST_TEST(pattern.nonzeros() == 3);
  BOOST_TEST(pattern.find(0, 0) == 0);
  BOOST_TEST(pattern.find(0, 3) == 1);
  BOOST_TEST(pattern.find(2, 1) == 2);
  BOOST_TEST(pattern.find(1, 1) == -1);
  BOOST_TEST(pattern.find(0, 2) == -1);

  const auto dense = SparsityPattern::dense(2, 3);
  check_is_valid(dense);
  BOOST_TEST(dense.is_dense());
  BOOST_TEST(dense.find(1, 2) == 5);
  check_is_valid(SparsityPattern::diagonal(4));
  BOOST_TEST(SparsityPattern::diagonal(4).find(2, 2) == 2);
  check_is_valid(SparsityPattern::from_entries(0, 0, {}));
  check_is_valid(SparsityPattern::dense(0, 5));
}

BOOST_AUTO_TEST_CASE(random_patterns_hold_their_entries) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto pattern = random_pattern(7 + seed, 5 + 2 * seed, 0.2, seed);
    check_is_valid(pattern);
    const Matrix full = to_dense(pattern, some_values(pattern.nonzeros()));
    Index found = 0;
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index j = 0; j < pattern.cols; ++j) {
        const Index at = pattern.find(i, j);
        BOOST_TEST((at >= 0) == (full(i, j) != 0));
        if (at >= 0) ++found;
      }
    BOOST_TEST(found == pattern.nonzeros());
  }
}

BOOST_AUTO_TEST_CASE(products_agree_with_dense_ones) {
  const auto pattern = random_pattern(9, 6, 0.4, 3);
  const Vector values = some_values(pattern.nonzeros()), x = Vector::Random(6), y = Vector::Random(9);
  const Matrix full = to_dense(pattern, values);
  Vector ax(9), aty(6);
  multiply(pattern, values, x, ax);
  multiply_transposed(pattern, values, y, aty);
  gnomon::test::check_close(ax, full * x, 1e-14);
  gnomon::test::check_close(aty, full.transpose() * y, 1e-14);
}

BOOST_AUTO_TEST_CASE(blocks_land_where_they_were_placed) {
  const auto block = random_pattern(3, 4, 0.5, 1), other = random_pattern(4, 4, 0.5, 2);
  gnomon::PatternBuilder builder(8, 9);
  builder.add(block, 1, 2);
  builder.add(block, 4, 5, true);
  builder.add(other, 0, 2);  // overlaps the first
  builder.add(7, 8);
  const auto whole = builder.build();
  check_is_valid(whole);

  const Vector a = some_values(block.nonzeros()), b = some_values(other.nonzeros());
  Vector values = Vector::Zero(whole.nonzeros());
  BlockMap(whole, block, 1, 2).add(values, a, 2.0);
  BlockMap(whole, block, 4, 5, true).add(values, a, -1.0);
  BlockMap(whole, other, 0, 2).add(values, b, 0.5);

  Matrix expected = Matrix::Zero(8, 9);
  expected.block(1, 2, 3, 4) += 2 * to_dense(block, a);
  expected.block(4, 5, 4, 3) -= to_dense(block, a).transpose();
  expected.block(0, 2, 4, 4) += 0.5 * to_dense(other, b);
  BOOST_TEST((to_dense(whole, values) - expected).norm() == 0);
}

BOOST_AUTO_TEST_CASE(colourings_are_valid) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const auto pattern = random_pattern(10 + seed, 12 + seed, 0.02 + 0.02 * (seed % 6), seed);
    const auto colouring = colour_columns(pattern);
    BOOST_TEST(static_cast<Index>(colouring.columns.size()) == colouring.colours);
    // Every column has one colour, and is listed under it.
    std::set<Index> listed;
    for (Index c = 0; c < colouring.colours; ++c)
      for (const Index j : colouring.columns[c]) {
        BOOST_TEST(colouring.colour_of[j] == c);
        BOOST_TEST(listed.insert(j).second);
      }
    BOOST_TEST(static_cast<Index>(listed.size()) == pattern.cols);
    // No row meets a colour twice.
    for (Index i = 0; i < pattern.rows; ++i) {
      std::set<Index> seen;
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        BOOST_TEST(seen.insert(colouring.colour_of[pattern.indices[k]]).second);
    }
  }
}

BOOST_AUTO_TEST_CASE(colouring_is_economical) {
  BOOST_TEST(colour_columns(SparsityPattern::diagonal(50)).colours == 1);
  BOOST_TEST(colour_columns(SparsityPattern::dense(3, 6)).colours == 6);
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < 100; ++i)
    for (Index j = std::max<Index>(0, i - 1); j <= std::min<Index>(99, i + 1); ++j) entries.emplace_back(i, j);
  BOOST_TEST(colour_columns(SparsityPattern::from_entries(100, 100, entries)).colours == 3);
}
