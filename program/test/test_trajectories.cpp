// run --output, --times and --snapshots NAME.pvd, and compare of two tables, through the real program.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>

#include "support/json_text.hpp"
#include "support/scratch.hpp"
#include "tables/table.hpp"

namespace {

using namespace gnomon::test;
using gnomon::tables::read_table;
using gnomon::tables::Table;

const std::string pendulum = "run double-spherical-pendulum --step 1e-2 --until 2";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

BOOST_AUTO_TEST_CASE(times_do_not_disturb) {
  const Scratch scratch;
  for (const std::string& run : {pendulum, std::string("run double-spherical-pendulum --rtol 1e-8 --until 2"),
                                 std::string("run walled-pendulum --step 1e-2 --until 2"),
                                 std::string("run chain --scheme alpha --step 1e-2 --until 2")}) {
    const Json::Value plain = parse(scratch.gnomon(run + " --json").out);
    const Outcome outcome = scratch.gnomon(run + " --json --output a.h5 --times 0:0.0373:1");
    BOOST_TEST_REQUIRE(outcome.status == 0, outcome.err);
    const Json::Value beside = parse(outcome.out);
    for (const char* part : {"state", "energy", "steps", "constraints", "iterations_a_step"})
      BOOST_TEST((plain[part] == beside[part]), run << ": " << part);
    const Table table = read_table((scratch.work / "a.h5").string());
    BOOST_REQUIRE_EQUAL(table.rows(), 27);
    for (gnomon::Index i = 0; i < table.rows(); ++i) BOOST_TEST(table.values(i, 0) == static_cast<double>(i) * 0.0373);
    BOOST_TEST(table.head.provenance["times"].asString() == "0:0.0373:1");
    BOOST_TEST(!table.head.provenance["between_steps"].asString().empty());
  }
  // The energy between the steps is the scheme's.
  BOOST_TEST(scratch.gnomon(pendulum + " --output a.jsonl --times 0.005,0.0123,1.9999").status == 0);
  const Table table = read_table((scratch.work / "a.jsonl").string());
  BOOST_TEST(table.rows() == 3);
  BOOST_TEST(table.column(table.head.find("energy_error")).cwiseAbs().maxCoeff() < 1e-14);
  BOOST_TEST(table.column(table.head.find("position_max")).cwiseAbs().maxCoeff() < 1e-14);
}

BOOST_AUTO_TEST_CASE(bad_times) {
  const Scratch scratch;
  const auto misuse = [&](const std::string& times, const std::vector<std::string>& parts) {
    scratch.misuse(pendulum + " --output a.csv --times=" + times, parts);
  };
  misuse("0:0:1", {"--times = 0:0:1", "interval 0", "above zero"});
  misuse("0:1", {"FIRST:INTERVAL:LAST"});
  misuse("1:0.1:0", {"last time, 0", "first, 1"});
  misuse("1,0.5", {"0.5 is not after", "1"});
  misuse("0:0.1:5", {"5 is after the end of the run, t = 2"});
  misuse("-1,1", {"-1 is before the start of the run, t = 0"});
  misuse("0,x", {"--times", "\"x\""});
  misuse("0:1e-12:1", {"1e+12 times"});
  scratch.misuse(pendulum + " --times 0:1:2", {"--times", "--output"});
  scratch.misuse(pendulum + " --output a.csv --times 0:1:2 --every 3", {"--times", "--every"});
  scratch.misuse(pendulum + " --output a.txt", {"a.txt", ".csv, .h5 and .jsonl"});
  scratch.misuse(pendulum + " --output - --json", {"--output -", "--json"});
}

BOOST_AUTO_TEST_CASE(json_lines_to_standard_output) {
  const Scratch scratch;
  const Outcome outcome = scratch.gnomon(pendulum + " --output - --times 0,1");
  BOOST_TEST(outcome.status == 0);
  BOOST_TEST(count(outcome.out, "\n") == 3u);
  BOOST_TEST(contains(outcome.out, "\n{\"t\":1,\"bob1.x\":"));
  BOOST_TEST(contains(outcome.err, "promises"));
  BOOST_TEST(scratch.empty());
}

// Every format, where the disk is full and where the run is interrupted or killed.
BOOST_AUTO_TEST_CASE(whole_files) {
  const Scratch scratch;
  for (const std::string& end : {std::string(".csv"), std::string(".h5"), std::string(".jsonl")}) {
    const auto ended_by = [&](const std::string& signal) {
      const std::string script =
          "cd '" + scratch.work.string() +
          "'\n'" GNOMON_PROGRAM
          "' run planar-pendulum --step 1e-4 --steps 1000000000 --every 10 --checkpoint begun --output a" +
          end + " >/dev/null 2>&1 &\nwhile [ ! -e begun ]; do sleep 0.05; done\nsleep 0.2\nkill -" + signal +
          " $!\nwait $!\nrm begun\n";
      std::ofstream(scratch.root / "script") << script;
      std::system(("sh '" + (scratch.root / "script").string() + "' >/dev/null 2>&1").c_str());
    };
    ended_by("TERM");
    const Table table = read_table((scratch.work / ("a" + end)).string());
    BOOST_TEST(table.rows() > 1);
    BOOST_TEST(table.values(table.rows() - 1, 0) > 0);
    fs::remove(scratch.work / ("a" + end));
    ended_by("KILL");
    BOOST_TEST(scratch.empty(), end);
    // As much as a file may hold.
    const std::string limited = "cd '" + scratch.work.string() +
                                "' && ulimit -f 40 && trap '' XFSZ && '" GNOMON_PROGRAM
                                "' run planar-pendulum --step 1e-3 --steps 20000 --output a" +
                                end + " >'" + (scratch.root / "out").string() + "' 2>'" +
                                (scratch.root / "err").string() + "'";
    const int status = std::system(("sh -c \"" + limited + "\"").c_str());
    BOOST_TEST(WEXITSTATUS(status) == 2, end);
    BOOST_TEST(contains(read(scratch.root / "err"), "not everything could be stored"), end);
    BOOST_TEST(scratch.empty(), end);
  }
}

BOOST_AUTO_TEST_CASE(tables_compared) {
  const Scratch scratch;
  const std::string at = " --times 0:0.1:2 --output ";
  BOOST_TEST(scratch.gnomon(pendulum + at + "a.h5").status == 0);
  BOOST_TEST(scratch.gnomon("run double-spherical-pendulum --rtol 1e-9 --until 2" + at + "b.csv").status == 0);
  const Outcome text = scratch.gnomon("compare a.h5 b.csv");
  BOOST_TEST(text.status == 0, text.err);
  for (const char* part : {"times that both have: 21", "bob1.x [m]", "invariants of a", "energy_error [J]: at most"})
    BOOST_TEST(contains(text.out, part), text.out);
  const Json::Value report = parse(scratch.gnomon("compare a.h5 b.csv --json").out);
  BOOST_TEST(report["common_times"].asInt() == 21);
  BOOST_TEST(report["columns"][0]["name"].asString() == "bob1.x [m]");
  const double apart = report["columns"][0]["max_abs_difference"].asDouble();
  BOOST_TEST((apart > 1e-7 && apart < 1e-2));
  BOOST_TEST(report["a"]["provenance"]["step"].asString() == "1e-2");
  BOOST_TEST(report["b"]["invariants"].size() >= 3u);
  const Json::Value same = parse(scratch.gnomon("compare a.h5 a.h5 --json").out);
  for (const Json::Value& column : same["columns"]) BOOST_TEST(column["max_abs_difference"].asDouble() == 0);

  BOOST_TEST(scratch.gnomon("compare a.h5 b.csv --report ab.html --plot ab.svg").status == 0);
  const std::string page = read(scratch.work / "ab.html"), picture = read(scratch.work / "ab.svg");
  for (const char* part : {"Difference of a and b over time", "energy_error [J]", "b: b.csv", "Program and machine"})
    BOOST_TEST(contains(page, part), part);
  for (const char* part : {"</svg>", "Difference of a and b over time", "energy_error [J]", "b: b.csv"})
    BOOST_TEST(contains(picture, part), part);

  const auto wrong = [&](const std::string& arguments, const std::vector<std::string>& parts) {
    const Outcome outcome = scratch.gnomon(arguments);
    BOOST_TEST(outcome.status == 2, arguments);
    BOOST_TEST(outcome.out == "");
    BOOST_TEST(count(outcome.err, "\n") == 1u);
    for (const std::string& part : parts) BOOST_TEST(contains(outcome.err, part), outcome.err);
  };
  BOOST_TEST(scratch.gnomon(pendulum + " --times 0.05,0.15 --output c.jsonl").status == 0);
  wrong("compare a.h5 c.jsonl", {"no time in common", "--times"});
  wrong("compare a.h5", {"a.h5", "second one"});
  wrong("compare a.h5 b.csv --plot ab.gif", {"ab.gif", ".svg"});
  wrong("compare a.h5 none.csv", {"none.csv", "cannot be read"});
  std::ofstream(scratch.work / "d.csv") << "x\n1\n";
  wrong("compare a.h5 d.csv", {"d.csv", "\"t\""});
  std::ofstream(scratch.work / "e.csv") << "t,other\n0,1\n0.1,2\n";
  wrong("compare a.h5 e.csv", {"no column in common but \"t\""});
  std::ofstream(scratch.work / "f.csv") << "t,other\n5,1\n6,2\n";
  wrong("compare e.csv f.csv", {"no time in common", "one ends at t = 0.1", "the other begins at t = 5"});
  BOOST_TEST(scratch.gnomon("compare planar-pendulum --step 1e-2 --steps 3").status == 0);
}

BOOST_AUTO_TEST_CASE(a_vtk_series) {
  const Scratch scratch;
  BOOST_TEST(scratch.gnomon("run chain --step 1e-2 --until 1 --snapshots s.pvd --snapshot-every 0.25").status == 0);
  const std::string list = read(scratch.work / "s.pvd");
  BOOST_TEST(count(list, "<DataSet ") == 5u);
  BOOST_TEST(contains(list, "timestep=\"0.25\" part=\"0\" file=\"s_0001.vtp\""), list);
  BOOST_TEST(contains(read(scratch.work / "s_0004.vtp"), "NumberOfVerts=\""));
  BOOST_TEST(!fs::exists(scratch.work / "s_0005.vtp"));
}

BOOST_AUTO_TEST_CASE(a_vtk_series_is_whole) {
  const Scratch scratch;
  fs::create_directories(scratch.work / "s_0003.vtp");
  const Outcome outcome = scratch.gnomon("run chain --step 1e-2 --until 1 --snapshots s.pvd --snapshot-every 0.25");
  BOOST_TEST(outcome.status == 2);
  BOOST_TEST(contains(outcome.err, "s_0003.vtp"));
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.work), fs::directory_iterator()) == 1);
}

// VTK's own reader, where there is one.
BOOST_AUTO_TEST_CASE(vtk_opens_the_series) {
  const Scratch scratch;
  if (std::system("/usr/bin/python3 -c 'import vtk' 2>/dev/null") != 0) return;
  BOOST_TEST(scratch.gnomon("run chain --set links=3 --step 1e-2 --until 1 --snapshots s.pvd").status == 0);
  std::ofstream(scratch.root / "look.py") << R"py(
import xml.etree.ElementTree as xml
import vtk
sets = xml.parse("s.pvd").getroot().findall(".//DataSet")
assert len(sets) == 51, len(sets)
for one in sets:
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(one.attrib["file"])
    reader.Update()
    assert reader.GetErrorCode() == 0
    data = reader.GetOutput()
    assert data.GetNumberOfPoints() == data.GetPointData().GetVectors("velocity").GetNumberOfTuples() > 3
    assert data.GetNumberOfCells() == data.GetCellData().GetArray("curve").GetNumberOfTuples()
    time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
    assert abs(time - float(one.attrib["timestep"])) == 0
assert data.GetPointData().GetVectors("velocity").GetMaxNorm() > 0.1
)py";
  const std::string look = "cd '" + scratch.work.string() + "' && /usr/bin/python3 ../look.py";
  BOOST_TEST(std::system(look.c_str()) == 0);
}
