// Tables: what is written is read back, of a run and of a reference; names; files that are whole or not there.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "tables/crc32.hpp"
#include "tables/state_columns.hpp"

namespace fs = std::filesystem;
using namespace gnomon;
using namespace gnomon::tables;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Folder {
  fs::path path = fs::temp_directory_path() / ("gnomon_test_tables_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

Head head() {
  Head out;
  out.columns = {{"t", "s", Kind::time},
                 {"pair[0,1]", "", Kind::other},
                 {"a/b \"c\"", "m/s", Kind::output},
                 {"energy", "J", Kind::energy}};
  out.provenance["problem"] = "chain";
  out.provenance["set"].append("links=3");
  return out;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

Column column(const StateColumns& columns, const std::string& name) {
  for (const Column& one : columns.columns())
    if (one.name == name) return one;
  BOOST_TEST_REQUIRE(false, "there is no column " << name);
  return {};
}

double value(const StateColumns& columns, const std::vector<double>& row, const std::string& name) {
  for (std::size_t j = 0; j < row.size(); ++j)
    if (columns.columns()[j].name == name) return row[j];
  BOOST_TEST_REQUIRE(false, "there is no column " << name);
  return none;
}

ProblemInstance build(const std::string& name, const Assignments& parameters = {}) {
  return registry().build(name, parameters);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const Folder folder;
  for (const std::string name : {"a.csv", "a.h5", "a.jsonl"}) {
    const std::string file = folder.file(name);
    const auto entry = [](int i, int j) {
      return j == 0 ? i / 7.0 : j == 1 && i % 3 == 0 ? none : std::sin(i + 1e5 * j);
    };
    {
      const auto table = open_table(file, head());
      for (int i = 0; i < 1300; ++i) {
        const double row[] = {entry(i, 0), entry(i, 1), entry(i, 2), entry(i, 3)};
        table->row(row);
      }
      BOOST_TEST(!fs::exists(file));
      table->commit();
    }
    const Table table = read_table(file);
    BOOST_REQUIRE_EQUAL(table.rows(), 1300);
    BOOST_REQUIRE_EQUAL(table.head.columns.size(), 4u);
    bool all = true;
    for (int i = 0; i < 1300; ++i)
      for (int j = 0; j < 4; ++j) all = all && same(table.values(i, j), entry(i, j));
    BOOST_TEST(all, name);
    for (std::size_t j = 0; j < 4; ++j) {
      BOOST_TEST(table.head.columns[j].name == head().columns[j].name);
      BOOST_TEST(table.head.columns[j].unit == head().columns[j].unit);
    }
    if (name == "a.csv") continue;
    BOOST_TEST((table.head.columns[2].kind == Kind::output));
    BOOST_TEST((table.head.provenance == head().provenance), name);
  }
}

BOOST_AUTO_TEST_CASE(whole_or_not_there) {
  const Folder folder;
  for (const std::string name : {"a.csv", "a.h5", "a.jsonl"}) {
    folder.write(name, "precious");
    { open_table(folder.file(name), head()); }  // never committed
    std::ifstream in(folder.path / name);
    std::string text;
    std::getline(in, text);
    BOOST_TEST(text == "precious");
    // No row at all is a table too.
    open_table(folder.file(name), head())->commit();
    BOOST_TEST(read_table(folder.file(name)).rows() == 0);
  }
  BOOST_TEST(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 3);
}

BOOST_AUTO_TEST_CASE(bad_tables) {
  const Folder folder;
  const auto refuses = [&](const std::string& name, const std::string& text, const char* part) {
    folder.write(name, text);
    BOOST_CHECK_EXCEPTION(read_table(folder.file(name)), Error, test::says(part));
  };
  refuses("a.csv", "", "line 1");
  refuses("a.csv", "t,\"x\n1,2\n", "quotation mark");
  refuses("a.csv", "t,x\n1,2\n1\n", "line 3: has 1 entries, expected 2");
  refuses("a.csv", "t,x\n1,two\n", "\"two\" is not a number");
  refuses("a.jsonl", "", "head");
  refuses("a.jsonl", "{}\n", "no list \"columns\"");
  refuses("a.jsonl", "[1\n", "is no JSON object");
  refuses("a.jsonl", "{\"columns\":[{\"name\":\"t\"}]}\n{\"x\":1}\n", "line 2: \"t\" is missing");
  refuses("a.h5", "not HDF5", "is no HDF5 file");
  BOOST_CHECK_EXCEPTION(read_table(folder.file("none.h5")), Error, test::says("none.h5"));
  for (const char* name : {"folder", "folder.csv", "folder.h5", "folder.jsonl"}) {
    fs::create_directory(folder.path / name);
    BOOST_CHECK_EXCEPTION(read_table(folder.file(name)), Error, test::says("cannot be read: it is a folder"));
  }
  BOOST_CHECK_EXCEPTION(open_table(folder.file("a.txt"), head()), Error,
                        test::says("ends in none of .csv, .h5 and .jsonl"));
  BOOST_CHECK_EXCEPTION(open_table(folder.file("no/a.h5"), head()), Error, test::says("no/a.h5"));
  BOOST_CHECK_EXCEPTION(open_table("/dev/full.h5/a.h5", head()), Error, test::says("cannot be written"));
  Head twice = head();
  twice.columns[3].name = "t";
  BOOST_CHECK_EXCEPTION(open_table(folder.file("b.csv"), twice), Error, test::says("two columns \"t\""));
}

// A spreadsheet's line ends.
BOOST_AUTO_TEST_CASE(csv_of_others) {
  const Folder folder;
  folder.write("a.csv", "t [s],\"x, y\",z\r\n1,2,3e-5\r\n\r\n4,nan,inf\r\n");
  const Table table = read_table(folder.file("a.csv"));
  BOOST_REQUIRE_EQUAL(table.rows(), 2);
  BOOST_TEST(table.head.columns[0].unit == "s");
  BOOST_TEST(table.head.columns[1].name == "x, y");
  BOOST_TEST(table.values(0, 2) == 3e-5);
  BOOST_TEST(std::isinf(table.values(1, 2)));
}

BOOST_AUTO_TEST_CASE(names_and_units) {
  const StateColumns chain(build("chain", {{"links", "3"}}));
  BOOST_TEST(chain.columns()[0].title() == "t [s]");
  BOOST_TEST(chain.columns()[4].title() == "bob2.x [m]");
  BOOST_TEST(column(chain, "der(bob3.z)").unit == "m/s");
  BOOST_TEST((column(chain, "lambda.rod2").kind == Kind::multiplier));
  BOOST_TEST((column(chain, "energy_error").kind == Kind::energy_error));
  // Angles are no points, directors have no unit.
  const StateColumns angles(build("double-compound-pendulum"));
  BOOST_TEST(angles.columns()[1].title() == "theta1");
  BOOST_TEST(column(StateColumns(build("heavy-top")), "d1.x").unit == "");
  const StateColumns dae(build("odae-test"));
  for (const char* name : {"y[0]", "z[1]", "p[0]"}) column(dae, name);
  for (const Column& one : dae.columns()) BOOST_TEST((one.kind != Kind::energy));
}

BOOST_AUTO_TEST_CASE(no_two_columns_are_equal) {
  for (const std::string& name : registry().problems()) {
    const StateColumns columns(build(name));
    std::set<std::string> names;
    for (const Column& one : columns.columns()) BOOST_TEST(names.insert(one.name).second, name << ": " << one.name);
  }
}

// A row of a reference has the columns of a row of a scheme, and near the same numbers.
BOOST_AUTO_TEST_CASE(runs_and_references) {
  struct Pair {
    const char *problem, *scheme, *reference;
  };
  for (const Pair& one : {Pair{"double-spherical-pendulum", "energy-momentum-ggl", "ida-ggl"},
                          Pair{"rotating-wire-bead", "symplectic-euler-true", "ida-ggl"},
                          Pair{"driven-double-pendulum", "energy-momentum-ggl", "ida-ggl"}}) {
    const ProblemInstance instance = build(one.problem);
    StateColumns columns(instance);
    Integrator run = registry().integrator(instance, one.scheme, "newton", {}, {});
    const Reference& reference = registry().reference(one.reference);
    const auto other = reference.start(instance, Options("reference", reference.options(), {}));
    std::vector<double> a(columns.size()), b(columns.size());
    BOOST_REQUIRE(run.advance_to(instance.t0 + 0.01, 1e-4).success());
    columns.fill(run, a.data());
    const ReferenceReport report = other->advance_to(instance.t0 + 0.01);
    BOOST_REQUIRE(report.success);
    columns.fill(report, b.data());
    for (std::size_t j = 0; j < a.size(); ++j) {
      const Kind kind = columns.columns()[j].kind;
      const double within = kind == Kind::multiplier ? 1e-1 : 1e-3;
      if (!std::isnan(b[j]))
        BOOST_TEST(std::abs(a[j] - b[j]) <= within * (1 + std::abs(a[j])),
                   one.problem << ", " << columns.columns()[j].name << ": " << a[j] << " and " << b[j]);
    }
  }
}

// Where a force does work, H - H0 is no error.
BOOST_AUTO_TEST_CASE(work_of_a_reference) {
  const ProblemInstance instance = build("driven-double-pendulum");
  StateColumns columns(instance);
  const Reference& reference = registry().reference("ida-ggl");
  const auto solution = reference.start(instance, Options("reference", reference.options(), {}));
  std::vector<double> row(columns.size());
  columns.fill(solution->advance_to(instance.t0 + 0.1), row.data());
  BOOST_TEST(std::isnan(value(columns, row, "energy_error")));
  BOOST_TEST(std::isfinite(value(columns, row, "energy")));
}

BOOST_AUTO_TEST_CASE(checksums_are_those_of_zlib) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Crc32 sum;
    sum.add(text.data(), cut);
    sum.add(text.data() + cut, text.size() - cut);
    BOOST_TEST(sum.value() == 0x414fa339U);
  }
  BOOST_TEST(Crc32().value() == 0U);
}

BOOST_AUTO_TEST_CASE(csv_entries_with_line_ends) {
  const Folder folder;
  const std::string path = folder.file("a.csv");
  const std::string name = "a\r\n\"b\",\n", second = "c\r";
  const auto writer = open_table(path, {{{"t", ""}, {name, "m"}, {second, ""}}, {}, 0});
  const double row[] = {0, 1, 2};
  writer->row(row);
  writer->commit();
  const Table table = read_table(path);
  BOOST_TEST(table.head.columns[1].name == name);
  BOOST_TEST(table.head.columns[2].name == second);
  BOOST_TEST(table.values(0, 2) == 2);
}
