// Tables of numbers that cases compare with.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "gnomon/base/error.hpp"
#include "measures/table_file.hpp"

namespace {

using gnomon::Error;
using gnomon::validation::TableFile;

const std::string path =
    (std::filesystem::temp_directory_path() / ("gnomon_table_" + std::to_string(getpid()) + ".csv")).string();

struct Written {
  explicit Written(const std::string& text) { std::ofstream(path) << text; }
  ~Written() { std::filesystem::remove(path); }
};

std::string refusal(const std::string& text, std::size_t column) {
  const Written file(text);
  try {
    for (const TableFile::Row& row : TableFile(path)) row.number(column);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_below_the_names) {
  const Written file("# a comment\nname,h,error\n\nfirst,0.1,1e-3\n# another\nsecond,,2.5e-00\n");
  const TableFile table(path);
  BOOST_TEST(table.names().text(2) == "error");
  BOOST_TEST(std::distance(table.begin(), table.end()) == 2);
  BOOST_TEST(table.begin()->text(0) == "first");
  BOOST_TEST(table.begin()->number(1) == 0.1);
  const TableFile::Row& second = *(table.begin() + 1);
  BOOST_TEST(second.size() == 3u);
  BOOST_TEST(second.text(1) == "");
  BOOST_TEST(second.number(2) == 2.5);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_named) {
  BOOST_TEST(refusal("a,b\n1,2\n", 1) == "");
  for (const char* row : {"1", "1,", "1,2x", "1,x", "1, 2"})
    BOOST_TEST(refusal("a,b\n" + std::string(row) + "\n", 1) ==
               "table \"" + path + "\" has the unreadable row \"" + row + "\"");
  BOOST_CHECK_THROW(TableFile("/no/such/table.csv"), Error);
  const Written empty("# nothing else\n");
  BOOST_CHECK_THROW(TableFile{path}, Error);
}
