// The HTML of pages: escaping, numbers that are none, sizes, misuse.
#include <json/json.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <stdexcept>

#include "pages/arrays.hpp"
#include "pages/encode.hpp"
#include "test/every_block.hpp"

namespace {

using namespace gnomon::pages;
using gnomon::test::infinity;
using gnomon::test::no_number;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Json::Value data_of(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  std::istringstream in(html.substr(from, html.find("</script>", from) - from));
  Json::Value data;
  in >> data;
  return data;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_in_a_text_is_read_as_html) {
  const std::string html = gnomon::test::every_block().html();
  BOOST_TEST(count(html, "</script>") == 4u);
  BOOST_TEST(count(html, "<script>alert") == 0u);
  BOOST_TEST(count(html, "<b>block") == 0u);
  BOOST_TEST(count(html, "<title>Every &lt;b&gt;block&lt;/b&gt; &amp; one &quot;title&quot;</title>") == 1u);
  const Json::Value data = data_of(html);
  const Json::Value& facts = data["blocks"][1]["rows"];
  BOOST_TEST(facts[2][0].asString() == "</script>");
  BOOST_TEST(facts[2][1][0].asString() == "<i>\xce\xbb</i> & \xef\xbf\xbd");  // what was no UTF-8 is U+FFFD
}

BOOST_AUTO_TEST_CASE(it_asks_for_no_other_file) {
  const std::string html = gnomon::test::every_block().html();
  for (const char* part : {"<link", "<img", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "eval("})
    BOOST_TEST(count(html, part) == 0u, "the page has " << part);
  BOOST_TEST(count(html, "default-src 'none'") == 1u);
  BOOST_TEST(count(html, "Permission is hereby granted") == 2u);
  Page plain("plain", "");
  plain.add(gnomon::test::arm(3));
  BOOST_TEST(count(plain.html(), "Permission is hereby granted") == 1u);  // three.js is for surfaces
  BOOST_TEST(html.size() - plain.html().size() < 1100000u);
}

BOOST_AUTO_TEST_CASE(arrays_in_base64) {
  BOOST_TEST(base64("") == "");
  BOOST_TEST(base64("M") == "TQ==");
  BOOST_TEST(base64("Ma") == "TWE=");
  BOOST_TEST(base64("Man") == "TWFu");
  Arrays arrays;
  // 1 as a double is 00 00 00 00 00 00 f0 3f.
  BOOST_TEST(arrays.add({1.0}, Precision::exact)["t"].asString() == "f8");
  BOOST_TEST(arrays.json()[0].asString() == "AAAAAAAA8D8=");
  BOOST_TEST(arrays.add({1.0}, Precision::exact)["i"].asUInt() == 0u);
  BOOST_TEST(arrays.add({1.0}, Precision::relative)["t"].asString() == "f4");
  BOOST_TEST(arrays.json().size() == 2u);
  BOOST_TEST(arrays.add(std::vector<std::size_t>{65535})["t"].asString() == "u2");
  BOOST_TEST(arrays.add(std::vector<std::size_t>{65536})["t"].asString() == "u4");
}

BOOST_AUTO_TEST_CASE(a_float_is_taken_where_it_changes_nothing_that_is_seen) {
  Arrays arrays;
  const auto type = [&arrays](std::vector<double> numbers, Precision precision) {
    return arrays.add(numbers, precision)["t"].asString();
  };
  BOOST_TEST(type({0, 1, 2}, Precision::range) == "f4");
  BOOST_TEST(type({1, 1 + 1e-9}, Precision::range) == "f8");
  BOOST_TEST(type({1e-60, 1}, Precision::relative) == "f8");
  BOOST_TEST(type({1e60, 1}, Precision::relative) == "f8");
  BOOST_TEST(type({no_number, infinity, -infinity, 0, 1}, Precision::range) == "f4");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none) {
  Page page("none", "");
  page.add(Chart{"none",
                 "",
                 {"t"},
                 {"y", "", true},
                 {{"all", {0, no_number, 2}, {no_number, infinity, -infinity}}, {"empty", {}, {}}}});
  const Json::Value data = data_of(page.html());
  BOOST_TEST(data["blocks"][0]["series"].size() == 2u);
}

BOOST_AUTO_TEST_CASE(thinned_series_keep_their_ends_extremes_and_gaps) {
  Series series{"long", {}, {}};
  const std::size_t n = 1000000;
  for (std::size_t k = 0; k < n; ++k) {
    series.x.push_back(static_cast<double>(k));
    series.y.push_back(k == 12345 ? 7 : k == 54321 ? -7 : k == 333333 ? no_number : std::sin(static_cast<double>(k)));
  }
  thin(series, most_points);
  BOOST_TEST(series.x.size() <= most_points + 2);
  BOOST_TEST(series.x.size() == series.y.size());
  BOOST_TEST(series.x.front() == 0);
  BOOST_TEST(series.x.back() == static_cast<double>(n - 1));
  const auto has = [&series](double x) { return std::find(series.x.begin(), series.x.end(), x) != series.x.end(); };
  BOOST_TEST(has(12345));
  BOOST_TEST(has(54321));
  BOOST_TEST(has(333333));
  BOOST_TEST(std::is_sorted(series.x.begin(), series.x.end()));
}

BOOST_AUTO_TEST_CASE(large_tables_are_stored_column_by_column) {
  Table table{"rows", "", {"name", "verdict", "short row"}, {}};
  for (int k = 0; k < 35000; ++k)
    table.rows.push_back(
        {"conformance/a-scheme-with-a-long-name/a-problem-with-one-" + std::to_string(k % 100), "pass"});
  Page page("large", "");
  page.add(table);
  const std::string html = page.html();
  BOOST_TEST(html.size() < 700000u);
  const Json::Value data = data_of(html), columns = data["blocks"][0]["data"];
  BOOST_TEST(columns[0]["cells"].size() == 100u);
  BOOST_TEST(columns[1]["cells"].size() == 1u);
  BOOST_TEST(columns[2]["cells"][0].asString() == "");
}

BOOST_AUTO_TEST_CASE(equal_arrays_are_stored_once) {
  Page page("times", "");
  Chart chart{"chart", "", {"t"}, {"y"}, {}};
  for (int k = 0; k < 3; ++k) chart.series.push_back({"s", {1, 2, 3}, {1.0 * k, 2, 4}});
  page.add(chart);
  BOOST_TEST(data_of(page.html())["arrays"].size() == 4u);
}

BOOST_AUTO_TEST_CASE(blocks_that_do_not_fit_together) {
  Page page("misuse", "");
  const auto says = [&page](const Block& block, const std::string& part) {
    BOOST_CHECK_EXCEPTION(page.add(block), std::invalid_argument, [&part](const std::exception& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  says(Chart{"energy", "", {"t"}, {"y"}, {{"own", {1, 2}, {1}}}}, "\"own\" has 2 abscissae and 1 ordinates");
  says(Matrix{"m", "", {"a"}, {"b"}, {{"1", "2"}}}, "a row of 2 cells, 1 were expected");
  Motion motion = gnomon::test::arm(2);
  motion.runs[0].points.pop_back();
  says(motion, "coordinates, 2412 were expected");
  motion = gnomon::test::arm(2);
  motion.times[3] = motion.times[2];
  says(motion, "increasing times were expected");
  motion = gnomon::test::turning_box();
  motion.runs[0].poses.pop_back();
  says(motion, "numbers of poses, 2727 were expected");
  motion = gnomon::test::turning_box();
  motion.solids[0].triangles[0] = 8;
  says(motion, "\"box\" has a corner 8 and 24 coordinates");
  motion = gnomon::test::turning_box();
  std::swap(motion.events[1], motion.events[2]);
  says(motion, "event 2 is at 0.501, finite times in their order were expected");
  Quantities quantities = gnomon::test::of_the_box();
  quantities.all[1].values.pop_back();
  says(quantities, "\"hinge.force.x\" has 50 values at 51 times");
  motion.dimension = 4;
  says(motion, "2 or 3 was expected");
}
