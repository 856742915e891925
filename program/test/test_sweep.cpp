// gnomon sweep: tables, threads and processes, going on, shards, sweep files, and what is refused.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>

#include "support/json_text.hpp"
#include "support/scratch.hpp"
#include "tables/table.hpp"

using namespace gnomon;
using namespace gnomon::test;

namespace {

const std::string many =
    "sweep double-spherical-pendulum --vary 'start.bob1.x=normal(0,1e-2)' --vary 'gravity=list(9.81,1.62)' "
    "--vary 'scheme=list(energy-momentum,rattle)' --runs 20 --step 1e-2 --steps 20 --seed 7 --keep "
    "'max_energy_error,steps,max(bob2.z)' ";
const std::string few = "sweep planar-pendulum --vary 'angle=grid(0,1,5)' --step 1e-2 --steps 10 ";

void good(const Scratch& scratch, const std::string& arguments) {
  const Outcome outcome = scratch.gnomon(arguments);
  BOOST_TEST_CONTEXT("gnomon " << arguments << "\n" << outcome.out << outcome.err) BOOST_TEST(outcome.status == 0);
}

std::string bytes(const Scratch& scratch, const std::string& name) {
  return read(scratch.work / name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_with_everything) {
  const Scratch scratch;
  const Outcome outcome = scratch.gnomon(many + "--output a.h5 --json");
  BOOST_TEST_CONTEXT(outcome.err) BOOST_REQUIRE(outcome.status == 0);
  const Json::Value json = parse(outcome.out);
  BOOST_TEST(json["status"].asString() == "complete");
  BOOST_TEST(json["counts"]["success"].asInt() == 80);
  BOOST_TEST(json["figures"]["steps"]["median"].asDouble() == 20);
  BOOST_TEST(json["worst"].isMember("command"));

  const tables::Table table = tables::read_table((scratch.work / "a.h5").string());
  BOOST_TEST(table.rows() == 80);
  std::vector<std::string> names;
  for (const tables::Column& column : table.head.columns) names.push_back(column.name);
  BOOST_TEST(names == (std::vector<std::string>{"run", "start.bob1.x", "gravity", "scheme", "status",
                                                "max_energy_error", "steps", "max(bob2.z)"}),
             boost::test_tools::per_element());
  for (Index i = 0; i < table.rows(); ++i) {
    BOOST_TEST(table.column(0)[i] == static_cast<double>(i));
    BOOST_TEST(table.column(2)[i] == (i / 40 == 0 ? 9.81 : 1.62));
    BOOST_TEST(table.column(3)[i] == static_cast<double>(i / 20 % 2));
    BOOST_TEST(table.column(1)[i] == table.column(1)[i % 20]);
    BOOST_TEST(table.column(4)[i] == 0);
    BOOST_TEST((table.column(3)[i] == 1 || table.column(5)[i] < 1e-13));
  }
  const Json::Value& from = table.head.provenance;
  BOOST_TEST(from["problem"].asString() == "double-spherical-pendulum");
  BOOST_TEST(from["words"]["scheme"][1].asString() == "rattle");
  BOOST_TEST(from["vary"][0].asString() == "start.bob1.x=normal(0,1e-2)");
  BOOST_TEST(from["seed"].asInt() == 7);
  BOOST_TEST(from["counts"]["success"].asInt() == 80);
  for (const char* name : {"program", "commit", "sundials", "columns", "statuses"})
    BOOST_TEST(from.isMember(name), name);

  // The run that is said to be the worst is found again.
  std::string command = json["worst"]["command"].asString();
  BOOST_REQUIRE(command.rfind("gnomon sweep ", 0) == 0u);
  good(scratch, command.substr(7) + " --keep max_energy_error");
  const tables::Table one = tables::read_table((scratch.work / "one.h5").string());
  BOOST_TEST(one.column(one.head.find("max_energy_error"))[0] == json["figures"]["max_energy_error"]["max"].asDouble());
}

BOOST_AUTO_TEST_CASE(the_same_bits_by_any_number_of_threads) {
  const Scratch scratch;
  for (const char* threads : {"1", "2", "4"})
    good(scratch, many + "--threads " + threads + " --output " + threads + ".h5");
  BOOST_TEST((bytes(scratch, "1.h5") == bytes(scratch, "2.h5")));
  BOOST_TEST((bytes(scratch, "1.h5") == bytes(scratch, "4.h5")));
  for (const char* end : {".csv", ".jsonl"}) {
    good(scratch, many + "--threads 1 --output 1" + end);
    good(scratch, many + "--threads 2 --output 2" + end);
    BOOST_TEST((bytes(scratch, std::string("1") + end) == bytes(scratch, std::string("2") + end)));
  }
}

#ifdef GNOMON_MPIEXEC
namespace {

/// Two processes, where MPI can start them here. What MPI keeps is in modules that it has unloaded when a sanitizer
/// looks, so that it cannot be told from leaks.
Outcome two(const Scratch& scratch, const std::string& arguments) {
  const std::string command =
      "cd '" + scratch.work.string() +
      "' && ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 300 '" GNOMON_MPIEXEC "' " GNOMON_MPIEXEC_COUNT " 2 '" GNOMON_PROGRAM
      "' " +
      arguments + " >'" + (scratch.root / "out").string() + "' 2>'" + (scratch.root / "err").string() + "' </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(scratch.root / "out"), read(scratch.root / "err")};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_same_bits_by_two_processes) {
  const Scratch scratch;
  good(scratch, many + "--output one.h5");
  for (const char* threads : {"1", "2"}) {
    const Outcome outcome = two(scratch, many + "--threads " + threads + " --output two" + threads + ".h5");
    BOOST_TEST_CONTEXT(outcome.out << outcome.err) BOOST_TEST(outcome.status == 0);
    BOOST_TEST(contains(outcome.out, "in each of 2 processes"));
    BOOST_TEST((bytes(scratch, "one.h5") == bytes(scratch, std::string("two") + threads + ".h5")));
  }
  // What is wrong is said once.
  const Outcome outcome = two(scratch, many + "--output one.h5");
  BOOST_TEST(outcome.status == 2);
  BOOST_TEST(outcome.err.find("gnomon: ") == outcome.err.rfind("gnomon: "));
  BOOST_TEST(contains(outcome.err, "output file \"one.h5\" exists"));
}
#endif

BOOST_AUTO_TEST_CASE(runs_that_do_not_succeed) {
  const Scratch scratch;
  const Outcome outcome = scratch.gnomon(
      "sweep planar-pendulum --vary 'length=list(1,2,-1,3)' --step 1e-2 --steps 10 --keep steps --output a.h5");
  BOOST_TEST_CONTEXT(outcome.out << outcome.err) BOOST_TEST(outcome.status == 3);
  BOOST_TEST(contains(outcome.out, "3 success, 1 refused"));
  BOOST_TEST(contains(outcome.out, "run 2, refused"));
  BOOST_TEST(contains(outcome.out, "gnomon run planar-pendulum --set length=-1"));
  const tables::Table table = tables::read_table((scratch.work / "a.h5").string());
  BOOST_TEST(table.head.provenance["failures"].size() == 1u);
  BOOST_TEST(table.head.provenance["failures"][0]["run"].asInt() == 2);
  BOOST_TEST(contains(table.head.provenance["failures"][0]["message"].asString(), "length"));
  BOOST_TEST(table.column(table.head.find("steps"))[3] == 10);
}

BOOST_AUTO_TEST_CASE(going_on) {
  const Scratch scratch;
  good(scratch, few + "--resume --output a.h5");
  const std::string before = bytes(scratch, "a.h5");
  good(scratch, few + "--resume --output a.h5");
  for (const std::string& other : {few, few + "--resume --seed 2 ", few + "--resume --scheme rattle "}) {
    const Outcome outcome = scratch.gnomon(other + "--output a.h5");
    BOOST_TEST(outcome.status == 2);
    BOOST_TEST(contains(outcome.err, "a.h5"));
  }
  BOOST_TEST((bytes(scratch, "a.h5") == before));
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.work), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_CASE(shards) {
  const Scratch scratch;
  good(scratch, many + "--output whole.h5");
  for (const char* k : {"1", "2", "3"}) good(scratch, many + "--shard " + k + "/3 --output " + k + ".h5");
  good(scratch, "sweep merge all.h5 2.h5 3.h5 1.h5");
  BOOST_TEST((bytes(scratch, "all.h5") == bytes(scratch, "whole.h5")));
  const Outcome outcome = scratch.gnomon("sweep merge more.h5 1.h5 3.h5");
  BOOST_TEST(outcome.status == 2);
  BOOST_TEST(contains(outcome.err, "shard 2/3 is missing"));
}

BOOST_AUTO_TEST_CASE(sweep_files) {
  const Scratch scratch;
  fs::create_directory(scratch.work / "models");
  std::ofstream(scratch.work / "models" / "spring.toml") << R"(format = 1
coordinates = ["x"]
mass = ["1"]
potential = "k*x^2/2"
[parameters]
k = 1.0
[start]
position = { x = 1 }
[run]
step = 0.01
until = 1.0
)";
  std::ofstream(scratch.work / "models" / "sweep.toml") << R"toml(model = "spring.toml"
runs = 8
seed = 3
sampling = "sobol"
keep = ["max_energy_error", "x"]
[vary]
k = "uniform(1,9)"
"start.x" = "list(1,2)"
)toml";
  good(scratch, "sweep models/sweep.toml --output a.h5");
  const tables::Table table = tables::read_table((scratch.work / "a.h5").string());
  BOOST_TEST(table.rows() == 16);
  BOOST_TEST(table.head.columns[1].name == "k");
  BOOST_TEST(contains(table.head.provenance["model"].asString(), "k*x^2/2"));
  for (Index i = 0; i < table.rows(); ++i) {
    const double k = table.column(1)[i], x0 = table.column(2)[i];
    BOOST_TEST(std::abs(table.column(table.head.find("x"))[i] - x0 * std::cos(std::sqrt(k))) < 1e-2);
  }
  const Outcome other =
      scratch.gnomon("sweep models/sweep.toml --runs 1 --vary 'k=list(4)' --keep steps --step 0.1 --output b.csv");
  BOOST_TEST_CONTEXT(other.err) BOOST_TEST(other.status == 0);
  BOOST_TEST(contains(bytes(scratch, "b.csv"), "run,k,start.x,status,steps\n0,4,1,0,10\n1,4,2,0,10\n"));
  std::ofstream(scratch.work / "models" / "sweep.toml", std::ios::app) << "[sett]\na = 1\n";
  const Outcome wrong = scratch.gnomon("sweep models/sweep.toml --output c.h5");
  BOOST_TEST(wrong.status == 2);
  BOOST_TEST(contains(wrong.err, "\"sett\" is not known here; did you mean \"set\""));
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
  const Scratch scratch;
  const std::string out = " --output x.h5";
  scratch.misuse(few, {"--output"});
  scratch.misuse("sweep planar-pendulum --step 1e-2 --steps 10" + out, {"--vary"});
  scratch.misuse("sweep" + out + " --vary 'a=list(1)'", {"PROBLEM"});
  scratch.misuse("sweep planar-pendulm --vary 'angle=list(1)' --step 1e-2 --steps 10" + out, {"\"planar-pendulum\""});
  scratch.misuse(few + "--vary 'lenth=list(1)'" + out, {"lenth", "\"length\""});
  scratch.misuse(few + "--vary 'angle=list(1)'" + out, {"angle", "twice"});
  scratch.misuse(few + "--vary 'length=uniform(2,1)'" + out, {"length", "uniform(2,1)"});
  scratch.misuse(few + "--vary 'length=list()'" + out, {"length", "list()"});
  scratch.misuse(few + "--vary 'length=grid(1,2,0)'" + out, {"length", "grid(1,2,0)"});
  scratch.misuse(few + "--vary 'length=unifrm(1,2)'" + out, {"unifrm"});
  scratch.misuse(few + "--vary length" + out, {"--vary", "length"});
  scratch.misuse(few + "--vary 'start.angel=list(1)'" + out, {"angel", "bob.x"});
  scratch.misuse(few + "--vary 'length=uniform(1,2)' --runs 1e9" + out, {"1e9"});
  scratch.misuse(few + "--runs 10" + out, {"10"});
  scratch.misuse(few + "--runs 0" + out, {"--runs"});
  scratch.misuse(few + "--vary 'length=uniform(1,2)'" + out, {"--runs is missing", "length"});
  scratch.misuse(few + "--keep max_enrgy_error" + out, {"max_enrgy_error", "\"max_energy_error\""});
  scratch.misuse(few + "--keep steps,steps" + out, {"steps"});
  scratch.misuse(few + "--sampling sobl" + out, {"sobl", "\"sobol\""});
  scratch.misuse(few + "--seed 1.5" + out, {"--seed"});
  scratch.misuse(few + "--threads 0" + out, {"--threads"});
  scratch.misuse(few + "--time-limit -1" + out, {"--time-limit"});
  for (const char* shard : {"0/3", "4/3", "1", "a/b", "1/0"})
    scratch.misuse(few + "--shard " + shard + out, {"--shard", shard});
  scratch.misuse(few + "--shard 7/7" + out, {"shard"});
  scratch.misuse(few + "--vary 'step=list(1,2)'" + out, {"step", "--vary"});
  scratch.misuse(few + "--vary 'scheme=list(ratle)'" + out, {"\"rattle\""});
  scratch.misuse(few + "--output x.xml", {".xml"});
  scratch.misuse(few + "--output no/x.h5", {"no/x.h5"});
  scratch.misuse(few + "more.h5" + out, {"more.h5"});
  scratch.misuse("sweep merge", {"merge"});
  scratch.misuse("sweep merge x.h5 none.h5", {"none.h5"});
}
