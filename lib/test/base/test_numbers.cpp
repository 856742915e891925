// Numbers from text and to text, in a program whose locale writes a comma too.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/options.hpp"
#include "support/comma_locale.hpp"

namespace {

using gnomon::number_text;
using gnomon::read_number;

void texts_and_numbers() {
  for (const auto& [text, expected] : {std::pair{"1.5", 1.5}, std::pair{"+2", 2.0}, std::pair{"-1e-3", -1e-3},
                                       std::pair{".25", .25}, std::pair{"1e-320", 1e-320}}) {
    double value = 0;
    BOOST_TEST(read_number(text, value), text);
    BOOST_TEST(value == expected, text);
  }
  for (const char* text : {"", " 1", "1 ", "1,5", "1.5x", "x", "+-1", "++1", "1e400", "0x10", "--1"}) {
    double value = 7;
    BOOST_TEST(!read_number(text, value), text);
    BOOST_TEST(value == 7);
  }
  double value = 0;
  BOOST_TEST((read_number("inf", value) && std::isinf(value)));
  BOOST_TEST((read_number("nan", value) && std::isnan(value)));

  for (const auto& [text, expected] : {std::pair{"12", 12L}, std::pair{"+2", 2L}, std::pair{"-3", -3L}}) {
    long count = 0;
    BOOST_TEST(read_number(text, count), text);
    BOOST_TEST(count == expected, text);
  }
  for (const char* text : {"", "1.5", "1e3", "1 ", "+-1", "99999999999999999999"}) {
    long count = 7;
    BOOST_TEST(!read_number(text, count), text);
    BOOST_TEST(count == 7);
  }

  BOOST_TEST(number_text(0.1, 17) == "0.10000000000000001");
  BOOST_TEST(number_text(1234567.5, 9) == "1234567.5");
  BOOST_TEST(number_text(-1e-300, 9) == "-1e-300");
  BOOST_TEST(gnomon::number_text(std::numeric_limits<double>::infinity()) == "inf");

  const gnomon::Options options("an owner", {gnomon::OptionSpec::real("x", 1, 0, 2, "", "")}, {{"x", "0.5"}});
  BOOST_TEST(options.real("x") == 0.5);
  BOOST_TEST(options.to_text() == "x=0.5");
}

}  // namespace

BOOST_AUTO_TEST_CASE(with_the_usual_locale) {
  texts_and_numbers();
}

BOOST_AUTO_TEST_CASE(with_a_comma) {
  const gnomon::test::CommaLocale locale;
  if (!locale.made()) BOOST_TEST_MESSAGE("no locale with a comma could be made");
  texts_and_numbers();
}
