// What `gnomon validate --quick` prints, of the rows that the tests of the quick tier wrote.
#include <boost/test/unit_test.hpp>

#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_quick_tier_is_a_page_that_can_be_read) {
  const Scratch scratch;
  std::string files;
  for (const char* kind :
       {"conformance_1", "conformance_2", "conformance_3", "conformance_4", "published", "reference", "solver"})
    files += " '" GNOMON_ROWS_FOLDER "/" + std::string(kind) + ".json'";
  const Outcome outcome = scratch.gnomon("validate --from" + files);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.status == 0);
  const std::vector<std::string> lines = lines_of(outcome.out);
  BOOST_REQUIRE(lines.size() > 40u);
  BOOST_TEST(lines.size() <= 300u);
  for (const std::string& line : lines) BOOST_TEST(line.size() <= 100u, line);
  BOOST_TEST(lines.front().rfind("PASSED: all ", 0) == 0u, lines.front());

  // A stranger reads the result, what the verdicts mean and the schemes first.
  std::string beginning;
  for (std::size_t i = 0; i < 40; ++i) beginning += lines[i] + "\n";
  for (const char* part : {"known failure", "better than promised", "information", "1. Schemes",
                           "relative energy error", "energy-momentum ", "rattle "})
    BOOST_TEST(contains(beginning, part), part);
  for (const char* part : {"2. Published results", "table-1/s=1", "ASC Report 3/2018", "ours", "3. What did not pass",
                           "No row failed.", "Known failures, by reason", "Better than promised"})
    BOOST_TEST(contains(outcome.out, part), part);
}
