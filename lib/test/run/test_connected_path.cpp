// The parts of a step that its continuation takes: doubts, theta by its limit, are given here as functions of the part.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "run/connected_root.hpp"

using namespace gnomon;
using Path = ConnectedRoot::Path;

// Beside a fold doubts may stay as they are in parts however short: they do not become shorter for that.
BOOST_AUTO_TEST_CASE(a_path_that_turns_back_ends) {
  for (const double beside : {0., .8, 1.}) {
    Path path;
    path.begin();
    for (bool goes_on = true; goes_on && !path.at_end() && !path.tired();)
      if (path.next() < .6)
        path.accept(beside);
      else
        goes_on = path.shorten();
    BOOST_TEST(!path.at_end());
    BOOST_TEST(!path.tired(), beside);
    BOOST_TEST(std::abs(path.reached() - .6) < 1e-5, beside << ": " << path.reached());
  }
}

BOOST_AUTO_TEST_CASE(where_nothing_is_solved_it_has_not_begun) {
  Path path;
  int tries = 1;
  for (path.begin(); path.shorten(); ++tries)
    ;
  BOOST_TEST(!path.began());
  BOOST_TEST(tries < 20, tries);
}

BOOST_AUTO_TEST_CASE(a_path_has_begun_where_its_solutions_go_beyond_the_smallest_parts) {
  Path path;
  path.begin();
  while (path.next() > 1e-7) BOOST_TEST_REQUIRE(path.shorten());
  path.accept(0);
  BOOST_TEST(!path.began());
  while (path.next() < 1e-4) path.accept(0);
  path.accept(0);
  BOOST_TEST(path.began());
}
