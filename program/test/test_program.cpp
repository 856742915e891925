// The real program: every bad input of its contract, exit statuses, output files, JSON.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "support/json_text.hpp"
#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  std::string part;
  while (std::getline(in, part, at)) parts.push_back(part);
  return parts;
}

const std::string good = "run planar-pendulum --step 1e-2 --steps 10 --output out.csv";
const std::string defects = "--plugin " GNOMON_TEST_MODULES "/bad_problems.so ";

}  // namespace

BOOST_AUTO_TEST_CASE(unknown_names) {
  const Scratch scratch;
  scratch.misuse("run planar-pendulm --step 1e-2 --steps 10 --output out.csv",
                 {"planar-pendulm", "\"planar-pendulum\""});
  scratch.misuse(good + " --scheme enegy-momentum", {"enegy-momentum", "\"energy-momentum\""});
  scratch.misuse(good + " --solver kinsol-newtn", {"kinsol-newtn", "\"kinsol-newton\""});
  scratch.misuse(good + " --reference ida-glg", {"ida-glg", "\"ida-ggl\""});
  scratch.misuse(good + " --reference ''", {"unknown reference"});
  scratch.misuse(good + " --scheme ida-ggl", {"ida-ggl", "--step"});
  scratch.misuse(good + " --jacobian analytc", {"analytc", "\"analytic\""});
  scratch.misuse(good + " --set angel=1", {"angel", "\"angle\""});
  scratch.misuse(good + " --option wieght=mass", {"wieght"});
  scratch.misuse(good + " --solver-option max-iteration=3", {"max-iteration", "\"max-iterations\""});
  scratch.misuse(good + " --reference ida-ggl --reference-option rtoll=1e-3", {"rtoll", "\"rtol\""});
  scratch.misuse("describe planar-pendulm", {"planar-pendulm", "\"planar-pendulum\""});
  scratch.misuse("check planar-pendulm", {"planar-pendulm", "\"planar-pendulum\""});
  scratch.misuse("list schems", {"schems", "\"schemes\""});
  scratch.misuse("validate nothing-has-this-name", {"nothing-has-this-name", "a filter is published, ", "SCHEME"});
  scratch.misuse("validate --tier quik", {"quik", "\"quick\""});
  scratch.misuse("validate --tier ''", {"tier"});
  scratch.misuse("validate --quick --full", {"--standard", "exclude each other"});
  scratch.misuse("rum planar-pendulum", {"rum", "\"run\""});
  scratch.misuse(good + " --stpe 3", {"--stpe", "\"--step\""});
  scratch.misuse("", {"command"});
  scratch.misuse("run", {"PROBLEM"});
  scratch.misuse(good + " surplus", {"surplus"});
  scratch.misuse(good + " --step 1e-3", {"--step", "more than once"});
  scratch.misuse("run planar-pendulum --steps 10 --step", {"--step", "value"});
  scratch.misuse(good + " --set angle=1 --set angle=2", {"angle", "twice", "\"1\"", "\"2\""});
}

BOOST_AUTO_TEST_CASE(bad_numbers) {
  const Scratch scratch;
  const std::string start = "run planar-pendulum --output out.csv ";
  for (const char* step : {"0", "-1e-2", "nan", "inf", "1e400", "abc", "1e-2x", "''"})
    scratch.misuse(start + "--steps 10 --step=" + step, {"--step"});
  scratch.misuse(start + "--steps 10", {"--step"});
  scratch.misuse(start + "--step 1e-2", {"--until", "--steps"});
  scratch.misuse(start + "--step 1e-2 --until 1 --steps 10", {"--until", "--steps"});
  for (const char* steps : {"0", "-5", "1.5", "many", "1e20", "nan"})
    scratch.misuse(start + "--step 1e-2 --steps=" + steps, {"--steps", steps});
  for (const char* until : {"0", "-1", "nan", "inf", "late", "1e-320", "1e-12"})
    scratch.misuse(start + "--step 1e-2 --until=" + until, {"--until", until});
  scratch.misuse(start + "--step 1e-300 --until 1", {"--until", "1e-300"});
  for (const char* every : {"0", "-1", "0.5", "often"}) scratch.misuse(good + " --every=" + every, {"--every", every});
  scratch.misuse(good + " --max-halvings -1", {"--max-halvings"});
  scratch.misuse(good + " --max-halvings 99", {"--max-halvings", "99"});
  scratch.misuse(good + " --set mass=heavy", {"mass", "heavy"});
  scratch.misuse(good + " --set mass=-1", {"mass", "-1"});
  scratch.misuse(good + " --set mass=nan", {"mass", "nan"});
  scratch.misuse(good + " --set 'mass= 1'", {"mass", "\" 1\""});
  scratch.misuse(good + " --set mass", {"--set", "mass"});
  scratch.misuse(good + " --set =1", {"--set", "=1"});
  scratch.misuse("run double-spherical-pendulum --step 1e-3 --steps 9 --set start=spatal", {"start", "spatal"});
}

BOOST_AUTO_TEST_CASE(bad_starts) {
  const Scratch scratch;
  const std::string rest = " --step 1e-2 --steps 10 --output out.csv";
  scratch.misuse(defects + "run inconsistent-position" + rest, {"rod", "0.01"});
  scratch.misuse(defects + "run inconsistent-velocity" + rest, {"rod", "0.25"});
  scratch.misuse(defects + "run nan-at-start" + rest, {"defective pendulum"});
  scratch.misuse(defects + "run throws-at-start" + rest, {"the table of the potential ends here"});
  for (const char* problem : {"inconsistent-position", "nan-at-start"}) {
    const Outcome outcome = scratch.gnomon(defects + "check " + problem);
    BOOST_TEST(outcome.status == 2, problem);
    BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1, problem);
  }
}

BOOST_AUTO_TEST_CASE(project_start_repairs) {
  const Scratch scratch;
  for (const char* problem : {"inconsistent-position", "inconsistent-velocity"}) {
    const Outcome outcome =
        scratch.gnomon(defects + "run " + problem + " --step 1e-2 --steps 10 --project-start --json");
    BOOST_TEST(outcome.status == 0, outcome.err);
    BOOST_TEST(parse(outcome.out)["constraints"]["position_max"].asDouble() < 1e-13);
  }
  const Outcome twice = scratch.gnomon(defects + "run rank-deficient --step 1e-2 --steps 10 --dependent-constraints");
  BOOST_TEST(twice.status == 0);
  BOOST_TEST(twice.out.find("dependent    constraint: rod again") != std::string::npos, twice.out);
  BOOST_TEST(twice.err.find("does nothing any more") != std::string::npos, twice.err);
}

BOOST_AUTO_TEST_CASE(unwritable_output) {
  const Scratch scratch;
  const std::string run = "run planar-pendulum --step 1e-2 --steps 10 --output ";
  scratch.misuse(run + "no/such/folder/out.csv", {"no/such/folder/out.csv"});
  scratch.misuse(run + "'" + scratch.root.string() + "'", {scratch.root.string()});
  scratch.misuse(run + "''", {"empty"});
  scratch.misuse("validate published --json no/such/folder/out.json", {"no/such/folder/out.json"});
  scratch.misuse("validate --cases no-folder", {"no-folder"});
}

BOOST_AUTO_TEST_CASE(bad_plugins) {
  const Scratch scratch;
  const std::string modules = GNOMON_TEST_MODULES "/";
  scratch.misuse("--plugin no-such.so list", {"no-such.so"});
  scratch.misuse("list --plugin no-such.so", {"no-such.so"});
  scratch.misuse("--plugin /etc/passwd list", {"/etc/passwd"});
  scratch.misuse("--plugin " + modules + "no_plugin.so list", {"no_plugin.so"});
  scratch.misuse("--plugin " + modules + "wrong_version.so " + good, {"wrong_version.so", "version"});
  scratch.misuse("--plugin " + modules + "throwing.so list", {"its licence has expired"});
  scratch.misuse("--plugin " + modules + "taken_name.so list", {"planar-pendulum"});
  const Outcome outcome = scratch.gnomon("list problems " + defects);
  BOOST_TEST(outcome.status == 0);
  BOOST_TEST(contains(outcome.out, "nan-later"));
  BOOST_TEST(contains(outcome.out, "bad_problems.so"));
}

BOOST_AUTO_TEST_CASE(plugin_path) {
  const Scratch scratch;
  const fs::path folder = scratch.root / "modules";
  fs::create_directories(folder);
  fs::copy_file(GNOMON_TEST_MODULES "/bad_problems.so", folder / "bad_problems.so");
  const std::string file = (folder / "bad_problems.so").string();
  for (const std::string& arguments :
       {"list problems --plugin-path '" + folder.string() + "'",
        "list problems --plugin '" + file + "' --plugin-path '" + folder.string() + "'"}) {
    const Outcome outcome = scratch.gnomon(arguments);
    BOOST_TEST(outcome.status == 0, outcome.err);
    BOOST_TEST(contains(outcome.out, "from " + file), outcome.out);
  }
  scratch.misuse("list --plugin-path no-folder", {"no-folder"});
  setenv("GNOMON_PLUGIN_PATH", folder.c_str(), 1);
  const Outcome described = scratch.gnomon("describe nan-later");
  BOOST_TEST(contains(described.out, "origin: " + file), described.out + described.err);
  fs::copy_file(GNOMON_TEST_MODULES "/throwing.so", folder / "throwing.so");
  scratch.misuse("list", {"throwing.so", "its licence has expired"});
  unsetenv("GNOMON_PLUGIN_PATH");
  BOOST_TEST(!contains(scratch.gnomon("list problems").out, "nan-later"));
}

BOOST_AUTO_TEST_CASE(bad_case_file) {
  const Scratch scratch;
  const fs::path cases = scratch.root / "cases";
  fs::create_directories(cases);
  std::ofstream(cases / "mine.toml") << "kind = \"published\"\n[[case]]\nname = \"first\"\ntier = \"quick\"\n"
                                        "measure = \"long-run\"\nproblem = \"planar-pendulum\"\nstep = 1\nstepps = 3\n";
  scratch.misuse("validate --cases '" + cases.string() + "'", {"mine.toml", "first"});
}

BOOST_AUTO_TEST_CASE(numerical_failure) {
  const Scratch scratch;
  for (const char* problem : {"nan-later", "throws-later"}) {
    const Outcome outcome = scratch.gnomon(defects + "run " + problem +
                                           " --step 1e-2 --steps 1000 --json"
                                           " --output out.csv --every 7");
    BOOST_TEST_CONTEXT(problem << outcome.err) {
      BOOST_TEST(outcome.status == 3);
      const Json::Value report = parse(outcome.out);
      BOOST_TEST(report["status"].asString() == "evaluation failed");
      BOOST_TEST(contains(report["message"].asString(), "t = "));
      BOOST_TEST(contains(outcome.err, report["message"].asString()));
      // The output goes up to the last good step, and there is nothing else.
      const std::vector<std::string> lines = split(read(scratch.work / "out.csv"), '\n');
      const int steps = report["steps"].asInt();
      BOOST_TEST(steps > 10);
      BOOST_TEST(static_cast<int>(lines.size()) == 1 + 1 + steps / 7 + (steps % 7 != 0));
      BOOST_TEST(std::stod(lines.back()) == report["t"].asDouble());
      BOOST_TEST(std::distance(fs::directory_iterator(scratch.work), fs::directory_iterator()) == 1);
      fs::remove(scratch.work / "out.csv");
    }
  }
}

BOOST_AUTO_TEST_CASE(json_and_csv) {
  const Scratch scratch;
  const Outcome outcome = scratch.gnomon(
      "run double-spherical-pendulum --set start=spatial --step 1e-3 --steps 100 --reference ida-index1 --json"
      " --output out.csv --every 10");
  BOOST_TEST(outcome.status == 0);
  const Json::Value report = parse(outcome.out);
  BOOST_TEST(report["problem"].asString() == "double-spherical-pendulum");
  BOOST_TEST(report["scheme"].asString() == "energy-momentum");
  BOOST_TEST(report["solver"].asString() == "kinsol-newton");
  BOOST_TEST(report["step"].asDouble() == 1e-3);
  BOOST_TEST(report["steps"].asInt() == 100);
  BOOST_TEST(report["t"].asDouble() == 0.1, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(report["status"].asString() == "success");
  BOOST_TEST(report["energy"]["initial"].asDouble() == 2.75);
  BOOST_TEST(report["energy"]["max_rel_error"].asDouble() < 1e-14);
  BOOST_TEST(report["energy"]["max_abs_error"].isDouble());
  BOOST_TEST(report["energy"]["slope"].isDouble());
  BOOST_TEST(report["constraints"]["position_max"].asDouble() < 5e-15);
  BOOST_TEST(report["constraints"]["velocity_max"].asDouble() < 1e-3);
  BOOST_TEST(report["counters"]["iterations"].asInt() >= 100);
  BOOST_TEST(report["wall_s"].asDouble() > 0);
  BOOST_TEST(report["momentum"].size() == 1u);
  BOOST_TEST(report["references"][0]["name"].asString() == "ida-index1");
  BOOST_TEST(report["references"][0]["position_error"].asDouble() < 1e-5);
  BOOST_TEST(contains(outcome.err, "iterations a step"));

  const std::vector<std::string> lines = split(read(scratch.work / "out.csv"), '\n');
  BOOST_TEST(lines.size() == 12u);
  const std::vector<std::string> names = split(lines.front(), ','), last = split(lines.back(), ',');
  BOOST_REQUIRE(names.size() == last.size());
  // 17 digits: both outputs hold the very same doubles.
  BOOST_TEST(names[1] == "bob1.x [m]");
  for (const auto& [block, column] : {std::pair{"q", 1u}, {"p", 13u}, {"lambda", 19u}})
    for (Json::ArrayIndex i = 0; i < report["state"][block].size(); ++i)
      BOOST_TEST(std::stod(last[column + i]) == report["state"][block][i].asDouble(), names[column + i]);
}

/// An overdetermined DAE has y, z and psi, and an energy only where it declares one.
BOOST_AUTO_TEST_CASE(json_and_csv_of_overdetermined_problems) {
  const Scratch scratch;
  scratch.misuse("run odae-test --step 1e-2 --steps 10 --output out.csv", {"energy-momentum", "mechanical"});
  scratch.misuse("run rotating-wire-bead --set u=0 --step 1e-2 --steps 10 --output out.csv", {"u = 0", "direction"});
  const std::string rest = " --scheme symplectic-euler-true --step 1e-2 --steps 10 --json --output out.csv";
  const auto compare = [&](const std::string& problem, const std::string& header) {
    const Json::Value report = parse(scratch.gnomon("run " + problem + rest).out);
    BOOST_TEST(report["status"].asString() == "success");
    const std::vector<std::string> lines = split(read(scratch.work / "out.csv"), '\n');
    BOOST_TEST(lines.size() == 12u);
    BOOST_TEST(lines.front() == header);
    const std::vector<std::string> last = split(lines.back(), ',');
    std::size_t column = 1;
    for (const char* block : {"y", "z", "psi"}) {
      if (*block == 'p') column += report["state"]["z"].size();  // p(y,z) comes before it
      for (const Json::Value& value : report["state"][block]) BOOST_TEST(std::stod(last[column++]) == value.asDouble());
    }
    return report["energy"];
  };
  BOOST_TEST(
      compare("odae-test", "t,y[0],y[1],z[0],z[1],p[0],p[1],psi.y1 y2^2 = 1,position_max,velocity_max").isNull());
  const std::string bead = "rotating-wire-bead --set momentum=canonical";
  const Json::Value energy = compare(bead,
                                     "t,y[0],y[1],y[2],z[0],z[1],z[2],p[0],p[1],p[2],psi.plane of the "
                                     "wire,psi.parabola,energy,energy_error,position_max,"
                                     "velocity_max");
  BOOST_TEST(energy["initial"].asDouble() == -0.14875, boost::test_tools::tolerance(1e-12));
  for (const std::string& problem : {std::string("odae-test"), std::string("rotating-wire-bead")}) {
    BOOST_TEST(scratch.gnomon("check " + problem).status == 0, problem);
    BOOST_TEST(contains(scratch.gnomon("describe " + problem).out, "overdetermined DAE"), problem);
  }
}

BOOST_AUTO_TEST_CASE(until_arrives) {
  const Scratch scratch;
  const Json::Value report = parse(scratch.gnomon("run planar-pendulum --step 0.3 --until 1 --json").out);
  BOOST_TEST(report["steps"].asInt() == 4);
  BOOST_TEST(report["t"].asDouble() == 1.0, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(fallback) {
  const Scratch scratch;
  const std::string run = "run modified-pendulum --scheme hbvm --step 0.6 --steps 30 --json";
  BOOST_TEST(scratch.gnomon(run).status == 3);
  const Outcome outcome = scratch.gnomon(run + " --fallback");
  BOOST_TEST(outcome.status == 0, outcome.err);
  const Json::Value report = parse(outcome.out);
  BOOST_TEST(report["counters"]["fallback_solves"].asInt() > 0);
  BOOST_TEST(contains(outcome.err, "solves by the fallback"));
  scratch.misuse(run + " --fallback --solver kinsol-linesearch", {"--fallback", "kinsol-linesearch"});
}

BOOST_AUTO_TEST_CASE(compare) {
  const Scratch scratch;
  const std::string rest = " --step 1e-2 --steps 50";
  const Outcome outcome = scratch.gnomon("compare planar-pendulum --scheme rattle --json" + rest);
  BOOST_TEST(outcome.status == 0, outcome.err);
  const Json::Value report = parse(outcome.out);
  BOOST_TEST(report["problem"].asString() == "planar-pendulum");
  BOOST_TEST(report["scheme"].asString() == "rattle");
  int converged = 0, refused = 0;
  for (const Json::Value& strategy : report["strategies"]) {
    const std::string name = strategy["solver"].asString() + " " + strategy["options"]["matrix"].asString();
    BOOST_TEST(contains(outcome.err, strategy["solver"].asString()));
    if (strategy["status"].asString() == "refused") {
      ++refused;
      const bool relaxation = strategy["solver"].asString() == "uzawa";
      BOOST_TEST((relaxation || strategy["options"]["matrix"].asString() == "leading"), name);
      BOOST_TEST(contains(strategy["message"].asString(), relaxation ? "minimisation form" : "approximate inverse"),
                 name);
      continue;
    }
    ++converged;
    BOOST_TEST(strategy["status"].asString() == "success", name);
    BOOST_TEST(strategy["steps"].asInt() == 50, name);
    BOOST_TEST(strategy["iterations"].asInt() >= 50, name);
    BOOST_TEST(strategy["residual_evaluations"].asInt() >= 50, name);
    BOOST_TEST(strategy["factorisations"].asInt() > 0, name);
    BOOST_TEST(strategy["us_a_step"].asDouble() > 0, name);
    BOOST_TEST(strategy["us_a_step_spread"].asDouble() >= 0, name);
    BOOST_TEST(strategy["residual"].asDouble() < 1e-9, name);
    BOOST_TEST(strategy["energy_max_abs_error"].asDouble() < 1e-3, name);
    BOOST_TEST(strategy["apart"].asDouble() < 1e-11, name);
  }
  BOOST_TEST(converged >= 10);
  BOOST_TEST(refused == 3);
  // Times are those of several rounds, and every output says so.
  BOOST_TEST(report["rounds"].asInt() >= 3);
  BOOST_TEST(contains(outcome.err, "the median of " + report["rounds"].asString() + " runs in turns"), outcome.err);
  BOOST_TEST(contains(outcome.err, report["timing"].asString()));

  // What does not converge says why, beside what does.
  const Outcome long_steps = scratch.gnomon("compare modified-pendulum --scheme hbvm --step 0.6 --steps 30");
  BOOST_TEST(long_steps.status == 0);
  BOOST_TEST(contains(long_steps.out, "KIN_MAXITER_REACHED"), long_steps.out);
  // A strategy that does not get to the end has no time.
  const Json::Value stopped =
      parse(scratch.gnomon("compare modified-pendulum --scheme hbvm --step 0.6 --steps 30 --json").out);
  for (const Json::Value& strategy : stopped["strategies"])
    if (strategy["status"].asString() != "refused")
      BOOST_TEST(strategy["us_a_step"].isNull() == (strategy["status"].asString() != "success"));

  scratch.misuse("compare planar-pendulm" + rest, {"planar-pendulm", "\"planar-pendulum\""});
  scratch.misuse("compare", {"PROBLEM"});
  scratch.misuse("compare planar-pendulum --scheme nonsense" + rest, {"nonsense"});
  scratch.misuse("compare planar-pendulum --solver newton" + rest, {"--solver"});
  scratch.misuse("compare planar-pendulum --step 0 --steps 3", {"--step"});
}

BOOST_AUTO_TEST_CASE(existing_output_survives_misuse) {
  const Scratch scratch;
  std::ofstream(scratch.work / "out.csv") << "precious\n";
  BOOST_TEST(scratch.gnomon(good + " --scheme nonsense").status == 2);
  BOOST_TEST(read(scratch.work / "out.csv") == "precious\n");
  BOOST_TEST(scratch.gnomon(good).status == 0);
  BOOST_TEST(split(read(scratch.work / "out.csv"), '\n').size() == 12u);
}

BOOST_AUTO_TEST_CASE(help_and_lists) {
  const Scratch scratch;
  for (const char* arguments :
       {"--help", "run --help", "compare --help", "validate --help", "--version", "list", "list schemes",
        "describe heavy-top", "describe ida-ggl", "describe newton", "describe rattle", "check planar-pendulum"}) {
    const Outcome outcome = scratch.gnomon(arguments);
    BOOST_TEST(outcome.status == 0, arguments);
    BOOST_TEST(outcome.out != "", arguments);
    BOOST_TEST(outcome.err == "", arguments);
  }
}

BOOST_AUTO_TEST_CASE(validate_statuses) {
  const Scratch scratch;
  const fs::path cases = scratch.root / "cases";
  fs::create_directories(cases);
  const std::string head =
      "kind = \"published\"\n[[case]]\nname = \"mine\"\ntier = \"quick\"\nmeasure = \"long-run\"\n"
      "problem = \"planar-pendulum\"\nstep = 1e-2\nsteps = 10\n";
  const auto validate = [&](const std::string& gates) {
    std::ofstream(cases / "mine.toml") << head << gates;
    return scratch.gnomon("validate published --cases '" + cases.string() + "' --json report.json");
  };
  BOOST_TEST(validate("gates.position = { max = 1e-12 }\n").status == 0);
  BOOST_TEST(validate("gates.position = { max = -1 }\n").status == 1);
  const Outcome known = validate("gates.position = { max = -1 }\nknown-failure.position = \"why\"\n");
  BOOST_TEST(known.status == 0);
  BOOST_TEST(known.out.rfind("PASSED: all ", 0) == 0u);
  BOOST_TEST(contains(known.out, " gated rows hold but for 1 known failure\n"));
  const Outcome outcome = validate("gates.position = { max = 1e-12 }\nknown-failure.position = \"why\"\n");
  BOOST_TEST(outcome.status == 1);
  BOOST_TEST(contains(outcome.out, "declared not to pass"));

  const Json::Value report = parse(read(scratch.work / "report.json"));
  BOOST_TEST(report["counts"]["unexpected_pass"].asInt() == 1);
  BOOST_TEST(report["rows"].size() > 5u);
  BOOST_TEST(report["rows"][0]["case"].asString() == "published/mine");
}

BOOST_AUTO_TEST_CASE(a_run_reports_the_terms_of_its_energy_balance) {
  const Scratch scratch;
  const std::string run =
      "run shaken-pendulum --scheme energy-momentum-ggl --set gravity_amplitude=2 --step 1e-2 --steps 200";
  const Outcome summary = scratch.gnomon(run);
  BOOST_TEST(summary.status == 0);
  for (const char* term : {"work ", "= force ", "+ potential ", "+ position ", "+ velocity "})
    BOOST_TEST(contains(summary.out, term));
  const Json::Value report = parse(scratch.gnomon(run + " --json").out);
  double sum = 0;
  for (const char* term : {"force", "potential", "position", "velocity"}) {
    BOOST_TEST(report["work"][term].asDouble() != 0);
    sum += report["work"][term].asDouble();
  }
  BOOST_TEST(std::abs(report["work"]["total"].asDouble() - sum) <= 1e-14);
  BOOST_TEST(report["work"]["force"].asDouble() < 0);  // a damper
  BOOST_TEST(!parse(scratch.gnomon("run planar-pendulum --step 1e-2 --steps 2 --json").out).isMember("work"));
}

BOOST_AUTO_TEST_CASE(modes_beside_an_equilibrium) {
  const Scratch scratch;
  scratch.misuse("linearise", {"PROBLEM"});
  scratch.misuse("linearise planar-pendulum --at somewhere", {"--at", "somewhere"});
  scratch.misuse("linearise odae-test", {"overdetermined"});
  scratch.misuse("equilibrium double-spherical-pendulum --modes --method penalty", {"--modes", "exact"});
  const Outcome outcome = scratch.gnomon("linearise double-spherical-pendulum --output modes.csv --json");
  BOOST_TEST(outcome.status == 0, outcome.err);
  const Json::Value result = parse(outcome.out);
  BOOST_TEST(result["matrix"].size() == 8u);
  BOOST_REQUIRE(result["modes"].size() == 4u);
  // Two rods and bobs that are equal: (2 -+ 2^(1/2)) g/l, in two directions each.
  const double slow = result["modes"][0]["frequency"].asDouble(), fast = result["modes"][3]["frequency"].asDouble();
  BOOST_TEST(fast / slow == std::sqrt((2 + std::sqrt(2.)) / (2 - std::sqrt(2.))), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(contains(read(scratch.work / "modes.csv"), "mode,frequency,damping_ratio,s_real,s_imag,bob1.x"));
  BOOST_TEST(contains(scratch.gnomon("linearise double-spherical-pendulum --at 0.5").out, "at t = 0.5 of its motion"));

  const Outcome both = scratch.gnomon("equilibrium double-spherical-pendulum --modes");
  BOOST_TEST(contains(both.out, "stability "));
  const std::string modes = scratch.gnomon("linearise double-spherical-pendulum").out;
  BOOST_TEST(contains(both.out, modes.substr(modes.find("  frequencies in cycles"))));
  BOOST_TEST(parse(scratch.gnomon("equilibrium double-spherical-pendulum --modes --json").out)["modes"].size() == 4u);
}

namespace {

/// Beside the folder to work in, which misuse leaves empty.
void write(const Scratch& scratch, const std::string& name, const std::string& text) {
  std::ofstream(scratch.root / name) << text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rigid_modes_have_a_name) {
  const Scratch scratch;
  write(scratch, "free.toml", "format = 1\nbodies.b = { mass = 2, inertia = [0.3, 0.2, 0.1], position = [0, 0, 0] }\n");
  const std::string out = scratch.gnomon("linearise ../free.toml --at start").out;
  std::size_t rigid = 0;
  for (std::size_t at = out.find(" rigid "); at != std::string::npos; at = out.find(" rigid ", at + 1)) ++rigid;
  BOOST_TEST(rigid == 6u, out);
  BOOST_TEST(!contains(out, "nan"));
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) return;
  const Outcome plot = scratch.gnomon("linearise ../free.toml --at start --plot modes.svg");
  BOOST_TEST(plot.status == 2);
  BOOST_TEST(contains(plot.err, "no mode of free oscillates"));
}

BOOST_AUTO_TEST_CASE(inputs_and_outputs_of_a_linearisation) {
  const Scratch scratch;
  write(scratch, "mass.toml",
        "format = 1\ncoordinates = [\"x\"]\nmass = 4\npotential = \"8*x^2 - f*x\"\n[parameters]\nf = 0.5\nn = 1\n"
        "[outputs]\nspeed = \"der(x)\"\nboth = \"2*x + f\"\n");
  const Outcome outcome = scratch.gnomon("linearise ../mass.toml --inputs f,n --json --output ../abcd.csv");
  BOOST_TEST(outcome.status == 0, outcome.err);
  BOOST_TEST(contains(outcome.err, "u            f, n"));
  BOOST_TEST(contains(outcome.err, "outputs      speed, both"));
  const Json::Value result = parse(outcome.out);
  BOOST_TEST(result["inputs"][0].asString() == "f");
  BOOST_TEST(result["outputs"][1].asString() == "both");
  const auto near = [](const Json::Value& found, double expected) {
    BOOST_TEST(std::abs(std::abs(found.asDouble()) - expected) < 1e-12, found.asDouble());
  };
  near(result["A"][1][0], 4);
  near(result["B"][0][0], 0);
  near(result["B"][1][0], 0.5);  // W = 4^(-1/2)
  near(result["B"][1][1], 0);
  near(result["C"][0][1], 0.5);
  near(result["C"][1][0], 1);
  near(result["D"][1][0], 1);
  const std::string csv = read(scratch.root / "abcd.csv");
  BOOST_TEST(contains(csv, "row,y1,w1,f,n\nder(y1),"));
  BOOST_TEST(contains(csv, "\nboth,"));

  scratch.misuse("linearise ../mass.toml --inputs g", {"input", "g"});
  scratch.misuse("linearise ../mass.toml --inputs f,f", {"input f", "twice"});
  scratch.misuse("linearise ../mass.toml --inputs f,,n", {"--inputs", "empty name"});
  scratch.misuse("linearise ../mass.toml --inputs start.x", {"start.x", "parameter"});
  scratch.misuse("linearise ../mass.toml --plot modes.svg", {"--plot", "curves"});
}

BOOST_AUTO_TEST_CASE(floquet_multipliers) {
  const Scratch scratch;
  write(scratch, "damped.toml",
        "format = 1\ncoordinates = [\"x\"]\nmass = 1\npotential = \"x^2/2\"\n[force]\nx = \"-0.2*der(x)\"\n");
  const Outcome outcome = scratch.gnomon("linearise ../damped.toml --period 3 --json --output ../floquet.csv");
  BOOST_TEST(outcome.status == 0, outcome.err);
  const Json::Value result = parse(outcome.out);
  BOOST_REQUIRE(result["multipliers"].size() == 2u);
  for (const Json::Value& one : result["multipliers"])
    BOOST_TEST(std::hypot(one[0].asDouble(), one[1].asDouble()) == std::exp(-0.3), boost::test_tools::tolerance(1e-8));
  BOOST_TEST(contains(read(scratch.root / "floquet.csv"), "multiplier,real,imag,modulus,angle\n1,"));
  BOOST_TEST(contains(scratch.gnomon("linearise ../damped.toml --period 3 --scheme hbvm --step 0.07").out,
                      "in 43 steps by hbvm"));
  scratch.misuse("linearise planar-pendulum --period 1 --step 1e-2", {"comes back"});
  scratch.misuse("linearise ../damped.toml --period 0", {"--period", "above zero"});
  scratch.misuse("linearise ../damped.toml --period 1 --at 2", {"--period", "--at"});
  scratch.misuse("linearise ../damped.toml --step 1e-2", {"--step", "--period"});
}
