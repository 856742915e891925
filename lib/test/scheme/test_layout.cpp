#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/equations.hpp"

using namespace gnomon;

namespace {

/// x = [a (2) | b (0) | c (3)], F = [f (3) | g (2)], dF = [S + 1, D] in f, [1, 0 | transposed] in g.
struct Example {
  Layout layout;
  SparsityPattern sparse = SparsityPattern::from_entries(3, 2, {{0, 0}, {1, 1}, {2, 0}});
  Block a = layout.unknown("a", 2), b = layout.unknown("b", 0), c = layout.unknown("c", 3);
  Block f = layout.rows(3), g = layout.rows(2);
  BlockMap in_f, diagonal, in_g;

  Example() {
    layout.place(in_f, f, a, sparse);
    layout.place(diagonal, f, c, SparsityPattern::diagonal(3));
    layout.place(in_g, g, c, sparse, Layout::transposed);
    layout.place(g, a, SparsityPattern::diagonal(2));
    layout.finish();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_have_names_offsets_and_parts) {
  const Example e;
  BOOST_TEST(e.layout.size() == 5);
  BOOST_REQUIRE(e.layout.blocks().size() == 2u);  // none of size zero
  BOOST_TEST(e.layout.blocks()[1].name == "c");
  BOOST_TEST(e.c.offset == 2);
  BOOST_TEST(e.g.offset == 3);
  Vector x = Vector::LinSpaced(5, 0, 4);
  BOOST_TEST(e.c(x)[1] == 3);
  e.a(x) *= 2;
  BOOST_TEST(x[1] == 2);
  BOOST_TEST(e.c.part(2, 1).offset == 4);
}

BOOST_AUTO_TEST_CASE(the_pattern_is_that_of_all_parts) {
  const Example e;
  PatternBuilder builder(5, 5);
  builder.add(e.sparse, 0, 0);
  builder.add(SparsityPattern::diagonal(3), 0, 2);
  builder.add(e.sparse, 3, 2, true);
  builder.add(SparsityPattern::diagonal(2), 3, 0);
  const SparsityPattern expected = builder.build();
  BOOST_TEST(e.layout.pattern().offsets == expected.offsets, boost::test_tools::per_element());
  BOOST_TEST(e.layout.pattern().indices == expected.indices, boost::test_tools::per_element());
  BOOST_TEST(e.layout.entry(e.g, e.c, 1, 1) == expected.find(4, 3));
  BOOST_TEST(e.layout.entry(e.g, e.c, 1, 0) == -1);
}

BOOST_AUTO_TEST_CASE(maps_place_values) {
  const Example e;
  const Vector part = (Vector(3) << 1, 2, 3).finished();
  Vector values = Vector::Zero(e.layout.pattern().nonzeros());
  e.in_f.add(values, part, 1);
  e.in_f.add(values, part, 1);
  e.diagonal.add(values, 0.5);
  e.in_g.set(values, part, 10);
  e.in_g.set(values, part, -1);
  Matrix expected = Matrix::Zero(5, 5);
  const Matrix s = to_dense(e.sparse, part);
  expected.topLeftCorner(3, 2) = 2 * s;
  expected.block(0, 2, 3, 3).diagonal().setConstant(0.5);
  expected.block(3, 2, 2, 3) = -s.transpose();
  BOOST_TEST((to_dense(e.layout.pattern(), values) - expected).norm() == 0);
}

BOOST_AUTO_TEST_CASE(dense_rows_depend_on_every_unknown) {
  Layout layout;
  layout.unknown("x", 3);
  layout.place_dense(layout.rows(1));
  layout.rows(2);
  layout.finish();
  BOOST_TEST(layout.pattern().nonzeros() == 3);
  BOOST_TEST(layout.pattern().offsets[1] == 3);
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_are_refused) {
  Layout layout;
  const Block x = layout.unknown("x", 3), rows = layout.rows(2);
  BOOST_CHECK_EXCEPTION(layout.place(rows, x, SparsityPattern::diagonal(3)), gnomon::Error,
                        [](const gnomon::Error& e) { return e.code() == gnomon::ErrorCode::bad_size; });
  BOOST_CHECK_EXCEPTION(layout.finish(), gnomon::Error,
                        [](const gnomon::Error& e) { return e.code() == gnomon::ErrorCode::bad_size; });
}
