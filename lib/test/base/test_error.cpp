#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/base/names.hpp"

using namespace gnomon;

namespace {
const std::vector<std::string> known{"energy-momentum", "energy-momentum-general", "rattle", "kinsol-newton"};
}

BOOST_AUTO_TEST_CASE(nearest_name_finds_typing_errors) {
  BOOST_TEST(nearest_name("energy-momentun", known) == "energy-momentum");
  BOOST_TEST(nearest_name("ratle", known) == "rattle");
  BOOST_TEST(nearest_name("rattel", known) == "rattle");
  BOOST_TEST(nearest_name("kinsol_newton", known) == "kinsol-newton");
  BOOST_TEST(nearest_name("energy-momentum-generl", known) == "energy-momentum-general");
}

BOOST_AUTO_TEST_CASE(nearest_name_completes_a_beginning) {
  BOOST_TEST(nearest_name("kinsol", known) == "kinsol-newton");
  BOOST_TEST(nearest_name("energy", known) == "energy-momentum");
}

BOOST_AUTO_TEST_CASE(nearest_name_does_not_guess_wildly) {
  BOOST_TEST(nearest_name("hbvm", known).empty());
  BOOST_TEST(nearest_name("completely-different", known).empty());
  BOOST_TEST(nearest_name("rattle", {}).empty());
}

BOOST_AUTO_TEST_CASE(near_names_match_words) {
  using Names = std::vector<std::string>;
  const Names problems{"double-compound-pendulum",
                       "double-spherical-pendulum",
                       "driven-double-pendulum",
                       "heavy-top",
                       "planar-pendulum",
                       "ida-ggl",
                       "ida-index1",
                       "wall-pendulum"};
  const auto near = [&](const char* name) { return gnomon::near_names(name, problems); };
  const Names doubles{"double-compound-pendulum", "double-spherical-pendulum", "driven-double-pendulum"};
  BOOST_TEST(near("doble-pendulum") == doubles, boost::test_tools::per_element());
  BOOST_TEST(near("Double Pendulum") == doubles, boost::test_tools::per_element());
  BOOST_TEST(near("pendulum_planar") == Names{"planar-pendulum"}, boost::test_tools::per_element());
  BOOST_TEST(near("ida_ggl") == Names{"ida-ggl"}, boost::test_tools::per_element());
  BOOST_TEST(near("ida") == (Names{"ida-ggl", "ida-index1"}), boost::test_tools::per_element());
  BOOST_TEST(near("heavy-tpo") == Names{"heavy-top"}, boost::test_tools::per_element());
  BOOST_TEST(near("").empty());
  BOOST_TEST(near("-").empty());
  BOOST_TEST(gnomon::did_you_mean("ida", problems) == "; did you mean \"ida-ggl\" or \"ida-index1\"?");
  BOOST_TEST(
      gnomon::did_you_mean("doble-pendulum", problems) ==
      "; did you mean \"double-compound-pendulum\", \"double-spherical-pendulum\" or \"driven-double-pendulum\"?");
  BOOST_TEST(gnomon::did_you_mean("zzzzzz", problems).empty());
}

BOOST_AUTO_TEST_CASE(unknown_name_says_kind_name_and_a_way_on) {
  const Error near = gnomon::unknown_name("scheme", "ratle", known);
  BOOST_TEST((near.code() == ErrorCode::unknown_name));
  const std::string near_text = near.what();
  for (const char* part : {"scheme", "ratle", "rattle"}) BOOST_TEST(near_text.find(part) != std::string::npos, part);

  const std::string far_text = gnomon::unknown_name("scheme", "zzzzzz", known).what();
  for (const auto& name : known) BOOST_TEST(far_text.find(name) != std::string::npos, name);

  BOOST_TEST(std::string(gnomon::unknown_name("scheme", "x", {}).what()).find("x") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_code_has_its_own_text) {
  std::vector<std::string> texts;
  for (int code = static_cast<int>(ErrorCode::bad_file); code <= static_cast<int>(ErrorCode::unknown_name); ++code) {
    const std::string text = gnomon::to_string(static_cast<ErrorCode>(code));
    BOOST_TEST(!text.empty());
    for (const auto& other : texts) BOOST_TEST(text != other);
    texts.push_back(text);
  }
  BOOST_TEST(texts.size() == 10u);
}

BOOST_AUTO_TEST_CASE(number_text_round_trips_short_numbers) {
  for (const double value : {0.1, 1e-10, -2.5, 123456789.0, 9.81})
    BOOST_TEST(std::stod(gnomon::number_text(value)) == value);
}
