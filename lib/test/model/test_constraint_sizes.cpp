/// Residuals of constraints, and changes of multipliers, count the same in every unit.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/model/constraint_sizes.hpp"

namespace {

using namespace gnomon;

struct Rows {
  SparsityPattern pattern = SparsityPattern::from_entries(2, 3, {{0, 0}, {0, 1}, {1, 2}});
  Vector jacobian = (Vector(3) << 2, -3, 5).finished(), mass = (Vector(3) << 1, 4, 16).finished(),
         x = (Vector(3) << 0.5, 1, 0).finished();

  Vector sizes() const {
    Vector out(2);
    constraint_sizes(pattern, jacobian, mass, x, out);
    return out;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(constraint_sizes_of_rows)

BOOST_AUTO_TEST_CASE(are_terms_and_a_hundredth_of_the_longest_coordinate) {
  // m^1/2 |x| is 1/2, 2 and 0; A_ii is 4 + 9/4 and 25/16.
  const Vector sizes = Rows().sizes();
  BOOST_TEST(sizes[0] == 4 + 1e-2 * std::sqrt(6.25) * 2, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(sizes[1] == 1e-2 * 1.25 * 2, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(scale_with_units_to_the_bit) {
  const Rows given;
  for (const int k : {-20, -3, 7, 20}) {
    const double unit = std::ldexp(1.0, 2 * k);
    Rows other = given;
    other.jacobian *= unit;  // rows of g in another unit
    BOOST_TEST((other.sizes() == unit * given.sizes()));
    other = given;
    other.mass *= unit;
    BOOST_TEST((other.sizes() == given.sizes()));
    other = given;
    other.x *= unit;  // lengths, and those that g is made of
    other.jacobian /= unit;
    BOOST_TEST((other.sizes() == given.sizes()));
  }
}

BOOST_AUTO_TEST_CASE(multipliers_count_by_their_forces) {
  const Vector lengths = (Vector(3) << 2, 1, 4).finished(), lambda = (Vector(3) << 3, -8, 0).finished();
  Vector sizes(3);
  multiplier_sizes(lengths, lambda, sizes);
  BOOST_TEST((sizes == (Vector(3) << 4, 8, 2).finished()));
  BOOST_TEST(largest_part((Vector(3) << 7, 0, 1).finished(), lambda, sizes) == 1);
  multiplier_sizes(lengths, Vector::Zero(3), sizes);
  BOOST_TEST((sizes == Vector::Ones(3)));
}

BOOST_AUTO_TEST_CASE(nothing_is_no_part_of_anything) {
  BOOST_TEST(part_of(0, 0) == 0);
  BOOST_TEST(part_of(3, 4) == 0.75);
  BOOST_TEST(std::isinf(part_of(1, 0)));
}

BOOST_AUTO_TEST_SUITE_END()
