// What `gnomon validate` prints and writes of a small folder of cases with failures in it.
#include <boost/test/unit_test.hpp>

#include "support/json_text.hpp"
#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;

const std::string cases = R"(kind = "published"
source = "A paper of 1995"
tier = "quick"
measure = "long-run"
problem = "planar-pendulum"

[[case]]
name = "good"
step = 1e-2
steps = 10
gates.position = { max = 1e-12 }
printed.position = 0.00123
note = "A note for whom reads the report"

[[case]]
name = "failed-{options.stages}"
scheme = "projected-rk"
step = 1e-2
steps = 10
gates.position = { max = -1 }
gates.velocity = { max = -2 }
sweep = [{ options.stages = 2 }, { options.stages = 3 }]

[[case]]
name = "passes"
step = 1e-2
steps = 10
gates.position = { max = 1e-12 }
known-failure.position = "rounding has improved"

[[case]]
name = "few"
step = 1e-2
steps = 10
gates.iterations = { near = 40, within = 1, better = "below" }
better.iterations = "Newton's method is fast"

[[case]]
name = "stops-{name}"
problem = "double-spherical-pendulum"
solver-options = { max-iterations = 3 }
step = 10
steps = 10
sweep = [
  { name = "as-known", known-failure.run = { reason = "such a step has no solution", message = "MAXITER_REACHED" } },
  { name = "otherwise", known-failure.run = { reason = "such a step has no solution", message = "singular" } },
]

[[case]]
name = "twice-{name}"
step = 1e-2
steps = 10
gates.position = { max = -1 }
known-failure.position = "below nothing"
sweep = [{ name = "here" }, { name = "there" }]
)";

/// The folder of cases, and what the program made of it.
struct Validated {
  Scratch scratch;
  std::string folder = (scratch.root / "cases").string();
  Validated() {
    fs::create_directories(folder);
    std::ofstream(folder + "/mine.toml") << cases;
  }
  Outcome operator()(const std::string& more) const {
    return scratch.gnomon("validate published --cases '" + folder + "' " + more);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(failures_notes_and_reasons_are_printed) {
  const Validated validate;
  const Outcome outcome = validate("");
  BOOST_TEST(outcome.status == 1);
  BOOST_TEST(outcome.out.rfind("FAILED: 6 of ", 0) == 0u, outcome.out);
  for (const char* part :
       {"FAIL published/failed-2 position", "FAIL published/failed-2 velocity", "FAIL published/failed-3 position",
        "FAIL published/failed-3 velocity", "FAIL published/passes position", "rounding has improved",
        "FAIL published/stops-otherwise run", "another message: \"singular\"", "2 rows: below nothing",
        "published/twice-here position; published/twice-there position", "1 row: such a step has no solution",
        "1 row: Newton's method is fast", "A paper of 1995", "0.00123", "A note for whom reads the report"})
    BOOST_TEST(contains(outcome.out, part), part << " in\n" << outcome.out);
  // Every row only when asked for.
  BOOST_TEST(!contains(outcome.out, "energy-slope"));
  const Outcome verbose = validate("--verbose");
  BOOST_TEST(contains(verbose.out, "energy-slope"));
  BOOST_TEST(contains(verbose.out, "FAILED: 6 of "));
}

BOOST_AUTO_TEST_CASE(json_has_printed_numbers_notes_and_verdicts) {
  const Validated validate;
  const Outcome outcome = validate("--json rows.json");
  const Json::Value report = parse(read(validate.scratch.work / "rows.json"));
  BOOST_TEST(report["counts"]["better"].asInt() == 1);
  BOOST_TEST(report["counts"]["known_failure"].asInt() == 3);
  int seen = 0;
  for (const Json::Value& row : report["rows"]) {
    const std::string name = row["case"].asString() + " " + row["quantity"].asString();
    if (name == "published/good position") {
      BOOST_TEST(row["printed"].asDouble() == 0.00123);
      BOOST_TEST(row["case_note"].asString() == "A note for whom reads the report");
      BOOST_TEST(row["source"].asString() == "A paper of 1995");
      BOOST_TEST(row["verdict"].asString() == "pass");
      ++seen;
    }
    if (name == "published/few iterations") {
      BOOST_TEST(row["verdict"].asString() == "better than promised");
      BOOST_TEST(row["gate"]["better"].asString() == "below");
      ++seen;
    }
  }
  BOOST_TEST(seen == 2);

  // The same summary from the file.
  const Outcome again = validate.scratch.gnomon("validate --from rows.json");
  BOOST_TEST(again.status == 1);
  BOOST_TEST(again.out == outcome.out);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_report) {
  const Scratch scratch;
  std::ofstream(scratch.root / "other.json") << "{\"rows\": [{\"case\": \"a\", \"verdict\": \"perhaps\"}]}";
  for (const std::string file : {"no.json", "../other.json"}) scratch.misuse("validate --from " + file, {file});
  scratch.misuse("validate rattle --from no.json", {"--from"});
}
