// Case files: what is read from them, sweeps, and what is wrong with them.
#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "gnomon/base/error.hpp"
#include "report/case_file.hpp"
#include "report/conformance.hpp"
#include "report/run_case.hpp"
#include "support/builtin_registry.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::validation;
using boost::algorithm::contains;

/// A folder with one case file, gone with the object.
class CaseFolder {
 public:
  explicit CaseFolder(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / "gnomon_test_report" / "cases") {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "some.toml") << text;
  }
  ~CaseFolder() { std::filesystem::remove_all(path_.parent_path()); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string refusal_of(const std::string& text) {
  const CaseFolder folder(text);
  try {
    read_case_files(folder.path());
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::bad_file));
    return error.what();
  }
  return "";
}

const std::string head =
    "kind = \"published\"\n[[case]]\nname = \"a\"\ntier = \"quick\"\nmeasure = \"long-run\"\n"
    "problem = \"planar-pendulum\"\nstep = 1e-2\nsteps = 10\n";

}  // namespace

BOOST_AUTO_TEST_CASE(case_file_is_read) {
  const CaseFolder folder(head +
                          "set = { angle = 0.5 }\noptions = {}\nsolver = \"newton\"\ngates.position = { max = 1e-13 }\n"
                          "known-failure.energy = \"because\"\n");
  const CaseFiles files = read_case_files(folder.path());
  BOOST_REQUIRE(files.cases.size() == 1u);
  const Case& c = files.cases.front();
  BOOST_TEST(c.full_name() == "published/a");
  BOOST_TEST((c.tier == Tier::quick));
  BOOST_TEST(c.set.front().first == "angle");
  BOOST_TEST(std::stod(c.set.front().second) == 0.5);
  BOOST_TEST(c.method.solver == "newton");
  BOOST_TEST(c.gates.at("position").max.value() == 1e-13);
  BOOST_TEST(c.known_failures.at("energy").reason == "because");
}

BOOST_AUTO_TEST_CASE(bad_case_files) {
  std::string text = refusal_of(head + "stpe = 3\n");
  for (const char* part : {"some.toml", "\"a\"", "\"stpe\"", "\"step\""}) BOOST_TEST(contains(text, part), text);
  text = refusal_of(head + "until = 3\n");  // belongs to other measures
  BOOST_TEST(contains(text, "until"), text);
  text = refusal_of(head + "gates.position = { mx = 1 }\n");
  BOOST_TEST(contains(text, "\"mx\""), text);
  text = refusal_of(head + "gates.position = {}\n");
  BOOST_TEST(contains(text, "position"), text);
  text = refusal_of(head + "gates.position = { max = 1, better = \"below\" }\n");
  BOOST_TEST(contains(text, "no end on that side"), text);
  text = refusal_of(head + "known-failure.run = \"it stops\"\n");
  BOOST_TEST(contains(text, "\"message\" is missing"), text);
  text = refusal_of(head + "known-failure.position = { reason = \"rounding\", message = \"stops\" }\n");
  BOOST_TEST(contains(text, "belongs to the known failure of a run"), text);
  text = refusal_of(head + "printed.position = \"small\"\n");
  BOOST_TEST(contains(text, "is not a number"), text);
  text = refusal_of("kind = \"publshed\"\n");
  BOOST_TEST(contains(text, "publshed"), text);
  text = refusal_of(
      "kind = \"published\"\n[[case]]\nname = \"b\"\ntier = \"quick\"\nmeasure = \"lng-run\"\nproblem = \"x\"\n");
  BOOST_TEST(contains(text, "long-run"), text);
  text = refusal_of("kind = \n");
  BOOST_TEST(contains(text, "line 1"), text);
  BOOST_CHECK_THROW(read_case_files("/no/such/folder"), Error);
}

const std::string swept =
    "kind = \"published\"\n[[case]]\nname = \"energy/{scheme}/{name}-s={options.s}\"\nformerly = \"003-{name}\"\n"
    "tier = \"quick\"\nmeasure = \"long-run\"\nproblem = \"planar-pendulum\"\nset = { angle = 0.5 }\nstep = 1e-2\n"
    "gates.energy = { near = 0, within = 1e-14 }\ngates.position = { max = 1e-13 }\n";

BOOST_AUTO_TEST_CASE(sweep_makes_cases) {
  const CaseFolder folder(swept + R"(
[[case.sweep]]
name = "short"
scheme = "hbvm"
options = { s = 2 }
steps = 10

[[case.sweep]]
name = "long"
scheme = "line-integral-ggl"
options = { s = 3, r = 1 }
gates.energy = { max = 1e-12 }
set = { mass = 2 }
steps = 100
)");
  const std::vector<Case> cases = read_case_files(folder.path()).cases;
  BOOST_REQUIRE(cases.size() == 2u);
  BOOST_TEST(cases[0].full_name() == "published/energy/hbvm/short-s=2");
  BOOST_TEST(cases[0].former_name() == "published/003-short");
  BOOST_TEST(cases[0].steps == 10);
  BOOST_TEST(cases[0].gates.at("energy").near.value() == 0);
  BOOST_TEST(cases[0].set.size() == 1u);
  BOOST_TEST(cases[1].full_name() == "published/energy/line-integral-ggl/long-s=3");
  BOOST_TEST(cases[1].method.options.size() == 2u);
  BOOST_TEST(cases[1].steps == 100);
  // A table is overridden key by key, a gate as a whole.
  BOOST_TEST(cases[1].set.size() == 2u);
  BOOST_TEST(cases[1].gates.at("position").max.value() == 1e-13);
  BOOST_TEST(cases[1].gates.at("energy").max.value() == 1e-12);
  BOOST_TEST(!cases[1].gates.at("energy").near.has_value());

  // An old name goes on selecting the case, and belongs to its rows.
  BOOST_TEST(select_cases(cases, Tier::quick, "published/003-").size() == 2u);
  BOOST_TEST(select_cases(cases, Tier::quick, "003-long").size() == 1u);
  BOOST_TEST(select_cases(cases, Tier::quick, "energy/hbvm").size() == 1u);
  BOOST_TEST(run_case(registry(), cases[0]).front().former_name == "published/003-short");
}

BOOST_AUTO_TEST_CASE(the_head_speaks_for_all_cases_and_a_key_for_several_quantities) {
  const CaseFolder folder(R"(kind = "published"
tier = "standard"
measure = "long-run"
problem = "planar-pendulum"
scheme = "hbvm"

[[case]]
name = "one"
step = 1e-2
steps = 10
gates."{energy,position}" = { max = 1e-13 }
known-failure.energy = "because"

[[case]]
name = "{scheme}"
tier = "quick"
step = 1e-2
steps = 10
gates."{energy,position}" = { max = 1e-13 }
sweep = [
  { scheme = "rattle", gates.energy = { max = 1 } },
  { scheme = "alpha", gates."{energy,velocity}" = { max = 2 } },
]
)");
  const std::vector<Case> cases = read_case_files(folder.path()).cases;
  BOOST_REQUIRE(cases.size() == 3u);
  for (const Case& c : cases) {
    BOOST_TEST(c.problem == "planar-pendulum");
    BOOST_TEST(c.measure == "long-run");
    BOOST_TEST(c.gates.at("position").max.value() == 1e-13);
  }
  BOOST_TEST((cases[0].tier == Tier::standard && cases[1].tier == Tier::quick));
  BOOST_TEST(cases[0].method.scheme == "hbvm");
  BOOST_TEST(cases[0].gates.at("energy").max.value() == 1e-13);
  BOOST_TEST(cases[1].method.scheme == "rattle");
  BOOST_TEST(cases[1].gates.at("energy").max.value() == 1);
  BOOST_TEST(cases[2].gates.at("energy").max.value() == 2);
  BOOST_TEST(cases[2].gates.at("velocity").max.value() == 2);
  const std::string twice = "gates.\"order-{q,p}\" = { max = 1 }\ngates.order-p = { max = 2 }\n";
  BOOST_TEST(contains(refusal_of(head + twice), "\"gates.order-p\" is there twice"));
}

BOOST_AUTO_TEST_CASE(sweeps_are_combined) {
  const CaseFolder folder(R"(kind = "published"
tier = "quick"
measure = "long-run"
problem = "planar-pendulum"

[[case]]
name = "{name}/{scheme}"
steps = 10
sweep = [
  [
    { name = "small", step = 1e-3, set.angle = 1, gates."{energy,position}" = { max = 1 } },
    { name = "large", step = 1e-1 },
  ],
  [
    { scheme = "hbvm", steps = 20, set.mass = 2 },
    { name = "kept", scheme = "rattle", gates.energy = { max = 2 } },
  ],
]
)");
  const std::vector<Case> cases = read_case_files(folder.path()).cases;
  BOOST_REQUIRE(cases.size() == 4u);
  const char* names[] = {"small/hbvm", "small-kept/rattle", "large/hbvm", "large-kept/rattle"};
  for (std::size_t k = 0; k < 4; ++k) {
    BOOST_TEST(cases[k].name == names[k]);
    BOOST_TEST(cases[k].step.front() == (k < 2 ? 1e-3 : 1e-1));
    BOOST_TEST(cases[k].steps == (k % 2 == 0 ? 20 : 10));
  }
  BOOST_TEST(cases[0].set.size() == 2u);
  BOOST_TEST(cases[1].set.size() == 1u);
  BOOST_TEST(cases[0].gates.at("energy").max.value() == 1);
  BOOST_TEST(cases[1].gates.at("energy").max.value() == 2);
  BOOST_TEST(cases[1].gates.at("position").max.value() == 1);
}

BOOST_AUTO_TEST_CASE(bad_sweeps) {
  const auto says = [](const std::string& text, const std::vector<std::string>& parts) {
    const std::string refusal = refusal_of(text);
    for (const auto& part : parts) BOOST_TEST(contains(refusal, part), part << " in: " << refusal);
  };
  const std::string where = "some.toml, case \"energy/{scheme}/{name}-s={options.s}\"";
  const std::string good = "{ name = \"x\", scheme = \"hbvm\", options.s = 1, steps = 10 }";
  says(swept + "sweep = 3\n", {where, "\"sweep\" is not a list of tables"});
  says(swept + "sweep = []\n", {where, "\"sweep\" is not a list of tables"});
  says(swept + "sweep = [[" + good + "], 3]\n", {where, "\"sweep\" is not a list of tables"});
  says(swept + "sweep = [" + good + ", { name = \"y\", scheme = \"hbvm\", steps = 10 }]\n",
       {where + ", member 2 of its sweep", "\"options.s\" is missing", "{options.s}"});
  says(swept + "sweep = [{ name = \"x\", scheme = \"hbvm\", options.s = 0.5, steps = 10 }]\n",
       {"member 1", "\"options.s\" is not a text or a whole number"});
  says(swept + "sweep = [{ name = \"x\", scheme = \"hbvm\", options.s = 1, steps = 10, sweep = [] }]\n",
       {"member 1", "\"sweep\" belongs to the case"});
  says(swept + "sweep = [{ name = \"x\", scheme = \"hbvm\", options.s = 1, stpes = 10 }]\n",
       {"some.toml, case \"energy/hbvm/x-s=1\"", "\"steps\""});
  says(swept + "steps = 10\n", {where, "\"name\" has a {key}, but the case has no sweep"});
  says(head + "sweep = [{ scheme = \"hbvm\" }]\n", {"some.toml, case \"a\"", "\"name\" has no {key}"});
  std::string unused = head;
  unused.replace(unused.find("\"a\""), 3, "\"{scheme}\"");
  says(unused + "sweep = [{ name = \"x\", scheme = \"hbvm\" }]\n", {"member 1", "\"name\" is not used"});
}

BOOST_AUTO_TEST_CASE(case_files_in_folders) {
  const CaseFolder folder(head);
  const std::filesystem::path root = folder.path(), inner = root / "published" / "some-paper";
  std::filesystem::create_directories(inner);
  std::filesystem::create_directories(root.parent_path() / "data");
  std::string text = head;
  std::ofstream(inner / "figures.toml") << text.replace(text.find("\"a\""), 3, "\"b\"");
  for (const std::string& given : {root.string(), root.string() + "/"}) {
    const std::vector<Case> cases = read_case_files(given).cases;
    BOOST_REQUIRE(cases.size() == 2u);
    BOOST_TEST(cases[0].file == "published/some-paper/figures.toml");
    BOOST_TEST(cases[1].file == "some.toml");
    for (const Case& c : cases) BOOST_TEST(c.data_folder == (root.parent_path() / "data").string());
  }
  // A folder inside finds the same data.
  BOOST_TEST(read_case_files(inner.string()).cases.front().data_folder == (root.parent_path() / "data").string());
}
