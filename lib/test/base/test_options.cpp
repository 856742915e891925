#include <boost/test/unit_test.hpp>

#include "gnomon/base/options.hpp"
#include "support/says.hpp"

using namespace gnomon;

namespace {

gnomon::OptionSpecs specs() {
  return {OptionSpec::real("gravity", 9.81, 0, 1e3, "m/s^2", "acceleration of gravity"),
          OptionSpec::integer("links", 5, 1, 1000000, "number of links"),
          OptionSpec::choice("start", {"collinear", "spatial"}, "initial state")};
}

Options parse(const Assignments& assignments) {
  return Options("problem chain", specs(), assignments);
}

/// The sentence with which an assignment is refused.
std::string refusal(const Assignments& assignments, ErrorCode expected) {
  const test::Refusal refused = test::refusal([&] { parse(assignments); });
  BOOST_TEST((refused.code == expected));
  return refused.sentence;
}

bool names(const std::string& sentence, const std::vector<std::string>& parts) {
  for (const auto& part : parts)
    if (sentence.find(part) == std::string::npos) {
      BOOST_TEST_MESSAGE("\"" << sentence << "\" does not name " << part);
      return false;
    }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(defaults_and_assignments) {
  const Options defaults = parse({});
  BOOST_TEST(defaults.real("gravity") == 9.81);
  BOOST_TEST(defaults.integer("links") == 5);
  BOOST_TEST(defaults.is("start", "collinear"));
  BOOST_TEST(!defaults.assigned("links"));

  const Options set = parse({{"links", "1e3"}, {"gravity", "1.62"}, {"start", "spatial"}, {"links", "12"}});
  BOOST_TEST(set.real("gravity") == 1.62);
  BOOST_TEST(set.integer("links") == 12);
  BOOST_TEST(set.choice("start") == "spatial");
  BOOST_TEST(set.assigned("links"));
}

BOOST_AUTO_TEST_CASE(bounds_are_inclusive) {
  BOOST_TEST(parse({{"gravity", "0"}}).real("gravity") == 0);
  BOOST_TEST(parse({{"gravity", "1000"}}).real("gravity") == 1000);
  BOOST_TEST(names(refusal({{"gravity", "1000.5"}}, ErrorCode::bad_value), {"gravity", "1000.5", "problem chain"}));
  BOOST_TEST(names(refusal({{"gravity", "-1e-9"}}, ErrorCode::bad_value), {"gravity", "-1e-9"}));
}

BOOST_AUTO_TEST_CASE(values_that_are_no_numbers) {
  for (const char* text : {"", "abc", "1.0x", "nan", "inf", "-inf", "1e999", "0x"})
    BOOST_TEST(names(refusal({{"gravity", text}}, ErrorCode::bad_value), {"gravity", text}), text);
  for (const char* text : {"2.5", "0", "1000001", "five"})
    BOOST_TEST(names(refusal({{"links", text}}, ErrorCode::bad_value), {"links", text}), text);
}

BOOST_AUTO_TEST_CASE(unknown_names_and_choices) {
  BOOST_TEST(names(refusal({{"gravty", "1"}}, ErrorCode::unknown_name), {"gravty", "gravity", "problem chain"}));
  BOOST_TEST(names(refusal({{"start", "folded"}}, ErrorCode::bad_value), {"start", "folded", "collinear", "spatial"}));
  BOOST_TEST(names(refusal({{"start", "spacial"}}, ErrorCode::bad_value), {"did you mean \"spatial\"?"}));
  BOOST_TEST(!names(refusal({{"start", "folded"}}, ErrorCode::bad_value), {"did you mean"}));
  BOOST_TEST(names(refusal({{"start", ""}}, ErrorCode::bad_value), {"start"}));
}

BOOST_AUTO_TEST_CASE(reading_as_the_wrong_kind_is_misuse) {
  BOOST_CHECK_THROW(parse({}).real("links"), Error);
  BOOST_CHECK_THROW(parse({}).integer("start"), Error);
  BOOST_CHECK_THROW(parse({}).choice("gravity"), Error);
  BOOST_CHECK_THROW(parse({}).real("nothing"), Error);
}

BOOST_AUTO_TEST_CASE(assignments_are_split_at_the_first_equals_sign) {
  using Pair = std::pair<std::string, std::string>;
  BOOST_TEST((gnomon::parse_assignment("a=b", "--set") == Pair("a", "b")));
  BOOST_TEST((gnomon::parse_assignment("a=b=c", "--set") == Pair("a", "b=c")));
  BOOST_TEST((gnomon::parse_assignment("a=", "--set") == Pair("a", "")));
  for (const char* text : {"a", "=b", ""}) BOOST_CHECK_THROW(gnomon::parse_assignment(text, "--set"), Error);
}

BOOST_AUTO_TEST_CASE(specs_describe_themselves) {
  const auto all = specs();
  BOOST_TEST(std::stod(all[0].default_text()) == 9.81);
  BOOST_TEST(all[2].default_text() == "collinear");
  for (const auto& choice : all[2].choices) BOOST_TEST(all[2].range_text().find(choice) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_of_a_nested_scheme) {
  const gnomon::OptionSpecs wrapper{OptionSpec::scheme("inner", "rattle", "the scheme of the substeps")};
  BOOST_TEST(wrapper[0].default_text() == "rattle");
  BOOST_TEST(names(wrapper[0].range_text(), {"scheme", "inner.option=value"}));
  const Options defaults("scheme wrapper", wrapper);
  BOOST_TEST(defaults.scheme("inner") == "rattle");
  BOOST_TEST(defaults.nested("inner").empty());
  const Options options("scheme wrapper", wrapper, {{"inner.mu", "3"}, {"inner", "other"}, {"inner.inner.mu", "4"}});
  BOOST_TEST(options.scheme("inner") == "other");
  const Assignments expected{{"mu", "3"}, {"inner.mu", "4"}};
  BOOST_TEST((options.nested("inner") == expected));
  BOOST_CHECK_THROW(Options("scheme wrapper", wrapper, {{"outer.mu", "3"}}), Error);
}
