// Text of models and tables as it is printed.
#include <boost/test/unit_test.hpp>
#include <random>

#include "gnomon/base/visible_text.hpp"

using gnomon::visible;
using gnomon::visible_lines;

BOOST_AUTO_TEST_CASE(what_a_terminal_obeys_is_shown) {
  for (const char* plain : {"", "bob1.x [m]", "L'", "a\\nb", "é 中文 🜚", "\"$(x)`y`;\""})
    BOOST_TEST(visible(plain) == plain);
  BOOST_TEST(visible("a\nb\r\tc") == "a\\nb\\r\\tc");
  BOOST_TEST(visible("\033[31m\007\177") == "\\u001b[31m\\u0007\\u007f");
  BOOST_TEST(visible("\u009b31m\u202ex\u2028\u2066") == "\\u009b31m\\u202ex\\u2028\\u2066");
  // No UTF-8: a byte too many, one too few, a character of too many bytes, half of a pair, one beyond the last.
  BOOST_TEST(visible("\x80x\xc3") == "\\u0080x\\u00c3");
  BOOST_TEST(visible("\xc0\x8a") == "\\u00c0\\u008a");
  BOOST_TEST(visible("\xe0\x80\x8a") == "\\u00e0\\u0080\\u008a");
  BOOST_TEST(visible("\xed\xa0\x80") == "\\u00ed\\u00a0\\u0080");
  BOOST_TEST(visible("\xf4\x90\x80\x80") == "\\u00f4\\u0090\\u0080\\u0080");
  BOOST_TEST(visible_lines("a\033\nb\n") == "a\\u001b\nb\n");
}

BOOST_AUTO_TEST_CASE(drawn_bytes_are_shown) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 0x30 : random() % 0x100);
    const std::string shown = visible(text);
    BOOST_REQUIRE(shown.find_first_of("\n\r\t\033\177") == std::string::npos);
    BOOST_REQUIRE(visible(shown) == shown);
  }
}
