// How many parts of a step its continuation takes: doubts, theta by its limit, are given here as functions of the part.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "run/connected_root.hpp"

using namespace gnomon;
using Path = ConnectedRoot::Path;

namespace {

/// Follows a path on which doubt(s, last s) is that of the solution at s; how often one was tried.
template <class Doubt>
int tries_of(Path& path, const Doubt& doubt) {
  int tries = 0;
  path.begin();
  for (bool goes_on = true; goes_on && !path.at_end() && !path.tired(); ++tries) {
    const double found = doubt(path.next(), path.reached());
    if (found <= 1)
      path.accept(found);
    else
      goes_on = path.shorten(found);
  }
  return tries;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_far_start_value_is_left_at_once) {
  // The multipliers of a motion that begins are not those of the step before.
  for (const double far : {1e2, 1e4, 1e6}) {
    Path path;
    const int tries = tries_of(path, [far](double s, double last) {
      return last == 0 ? far * std::pow(8 * s, 2) : 1e-3 * std::pow(s - last, 4);
    });
    BOOST_TEST(path.at_end(), far);
    BOOST_TEST(tries <= 4 + std::log2(std::sqrt(far)) + 3, far << ": " << tries);
  }
}

BOOST_AUTO_TEST_CASE(parts_are_as_long_as_doubts_allow) {
  Path path;
  const int tries = tries_of(path, [](double s, double last) { return std::pow((s - last) / .06, 4); });
  BOOST_TEST(path.at_end());
  BOOST_TEST(tries < 5 + 1 / (.7 * .06), tries);
}

// Beside a fold doubts may stay as they are in parts however short: they do not become shorter for that.
BOOST_AUTO_TEST_CASE(a_path_that_turns_back_ends) {
  for (const double beside : {0., .8, 1.}) {
    Path path;
    const int tries = tries_of(path, [beside](double s, double) { return s < .6 ? beside : 1.5; });
    BOOST_TEST(!path.at_end());
    BOOST_TEST(!path.tired(), beside << ": " << tries);
    BOOST_TEST(std::abs(path.reached() - .6) < 1e-5, beside << ": " << path.reached());
  }
}

BOOST_AUTO_TEST_CASE(where_nothing_is_solved_it_ends_at_once) {
  Path path;
  int tries = 1;
  for (path.begin(); path.shorten(0); ++tries)
    ;
  BOOST_TEST(!path.began());
  BOOST_TEST(tries <= 13, tries);
}
