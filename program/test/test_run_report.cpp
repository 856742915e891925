// What `gnomon run` says of promises and references.
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "support/json_text.hpp"
#include "support/scratch.hpp"

using namespace gnomon::test;

// A scheme that promises the energy and does not keep it.
BOOST_AUTO_TEST_CASE(broken_promises) {
  const Scratch scratch;
  const std::string run =
      "--plugin " GNOMON_TEST_MODULES "/overpromising.so run double-spherical-pendulum --step 1e-2 --steps 100 --json ";
  const Outcome loud = scratch.gnomon(run + "--scheme overpromising");
  BOOST_TEST(loud.status == 0);
  BOOST_TEST(contains(loud.err, "BROKEN       promise energy at step "));
  const Json::Value whole = parse(loud.out);
  BOOST_TEST(whole["status"].asString() == "success");
  BOOST_REQUIRE(whole["broken_promises"].size() == 1u);
  BOOST_TEST(whole["broken_promises"][0]["name"].asString() == "energy");
  const int step = whole["broken_promises"][0]["step"].asInt();
  BOOST_TEST(whole["steps"].asInt() == 100);
  const Outcome strict = scratch.gnomon(run + "--scheme overpromising --strict");
  BOOST_TEST(strict.status == 3);
  BOOST_TEST(contains(strict.err, "STOPPED      promise broken: energy at step "));
  BOOST_TEST(parse(strict.out)["status"].asString() == "promise broken");
  BOOST_TEST(parse(strict.out)["steps"].asInt() == step);
  const Outcome kept = scratch.gnomon(run + "--scheme energy-momentum --strict");
  BOOST_TEST(kept.status == 0);
  BOOST_TEST(parse(kept.out)["broken_promises"].isArray());
  BOOST_TEST(parse(kept.out)["broken_promises"].empty());
}

// A wheel that needs more friction than there is, and one that lifts off: the summary and JSON say when, --strict ends.
BOOST_AUTO_TEST_CASE(outputs_above_their_bound) {
  const Scratch scratch;
  const std::string disc =
      "format = 1\nplanar = true\ngravity = [\"9.81*sin(A)\", \"-9.81*cos(A)\"]\npoints = { O = [0, 0] }\n"
      "bodies.disc = { shape = { disc = 0.2, density = 30 }, position = [0, 0.2] }\n"
      "joints.roll = { type = \"rolling\", between = [\"O\", \"disc\"], normal = [0, 1], friction = 0.2 }\n"
      "loads.lift = { on = \"disc\", force = [0, \"L*t\"] }\nparameters = { A = \"20*deg\", L = 0 }\n";
  std::ofstream(scratch.work / "disc.toml") << disc;
  const std::string run = "run disc.toml --until 1 --json ";
  const Outcome holds = scratch.gnomon(run + "--strict");  // tan(20 deg)/3 = .121 of .2
  BOOST_TEST(holds.status == 0);
  BOOST_TEST(!parse(holds.out).isMember("exceeded"));
  const Outcome slips = scratch.gnomon(run + "--set A=0.7");
  BOOST_TEST(slips.status == 0);
  BOOST_TEST(contains(slips.err, "exceeded     roll.grip is 1.4"));
  BOOST_TEST(parse(slips.out)["exceeded"].size() == 1u);
  BOOST_TEST(scratch.gnomon(run + "--set A=0.7 --strict").status == 3);
  const Outcome lifts = scratch.gnomon(run + "--set L=100");
  BOOST_TEST(contains(lifts.err, "exceeded     roll.pull is "));
}

// A reference says what its own run made of energy and constraints.
BOOST_AUTO_TEST_CASE(reference_levels) {
  const Scratch scratch;
  const Outcome run = scratch.gnomon(
      "run planar-pendulum --step 1e-2 --steps 100 --json --reference ida-index1 "
      "--reference-option rtol=1e-8 --reference-option atol=1e-8");
  BOOST_TEST(run.status == 0);
  BOOST_TEST(contains(run.err, "its own run: energy error "));
  BOOST_TEST(!contains(run.err, "WARNING"));
  const Json::Value reference = parse(run.out)["references"][0];
  BOOST_TEST(reference["energy_max_abs_error"].asDouble() > 0);
  BOOST_TEST(reference["energy_max_abs_error"].asDouble() < 1e-4);
  BOOST_TEST(reference["position_max"].asDouble() > 0);
  BOOST_TEST(reference["velocity_max"].asDouble() > 0);
  BOOST_TEST(reference["doubtful_from"].isNull());
  BOOST_TEST(!reference.isMember("warning"));
  const Outcome exact = scratch.gnomon("run planar-pendulum --step 1e-2 --steps 10 --json --reference exact");
  BOOST_TEST(!parse(exact.out)["references"][0].isMember("position_max"));
}

// A reference runs like a scheme, and several run beside one.
BOOST_AUTO_TEST_CASE(references) {
  const Scratch scratch;
  const std::string problem = "double-spherical-pendulum --set start=spatial --until 1 ";
  const Outcome both = scratch.gnomon("run " + problem +
                                      "--rtol 1e-8 --json --reference ida-ggl --reference cvode-projection "
                                      "--reference-option rtol=1e-10 --reference-option atol=1e-11");
  BOOST_TEST(both.status == 0);
  const Json::Value references = parse(both.out)["references"];
  BOOST_TEST_REQUIRE(references.size() == 2u);
  BOOST_TEST(references[0]["name"].asString() == "ida-ggl");
  BOOST_TEST(references[1]["name"].asString() == "cvode-projection");
  for (const Json::Value& one : references) BOOST_TEST(one["position_error"].asDouble() < 1e-7);

  const Outcome as_scheme =
      scratch.gnomon("run " + problem + "--scheme ida-ggl --rtol 1e-8 --json --reference ida-index1");
  BOOST_TEST(as_scheme.status == 0);
  const Json::Value run = parse(as_scheme.out);
  BOOST_TEST(run["scheme"].asString() == "ida-ggl");
  BOOST_TEST(run["status"].asString() == "success");
  BOOST_TEST(run["steps"].asInt() > 100);
  BOOST_TEST(run["t"].asDouble() == 1.0);
  BOOST_TEST(run["energy_max_abs_error"].asDouble() > 0);
  BOOST_TEST(run["references"][0]["position_error"].asDouble() < 1e-5);
  BOOST_TEST(contains(as_scheme.err, "double-spherical-pendulum, reference ida-ggl, rtol = 1e-08"));

  // Rows at given times do not change its steps.
  const Outcome rows =
      scratch.gnomon("run " + problem + "--scheme ida-ggl --rtol 1e-8 --json --output a.csv --times 0:.1:1");
  BOOST_TEST(parse(rows.out)["steps"].asInt() == run["steps"].asInt());
  const std::string table = read(scratch.work / "a.csv");
  BOOST_TEST(std::count(table.begin(), table.end(), '\n') == 12);
  const Outcome all = scratch.gnomon("run " + problem + "--scheme ida-ggl --rtol 1e-8 --json --output b.csv");
  const std::string steps = read(scratch.work / "b.csv");
  BOOST_TEST(std::count(steps.begin(), steps.end(), '\n') == 2 + run["steps"].asInt());
  const Outcome compared = scratch.gnomon("compare a.csv b.csv");
  BOOST_TEST(compared.status == 0);
}

// Without one of its own the tolerance of a reference is that of the run, and the output says which.
BOOST_AUTO_TEST_CASE(the_tolerance_of_a_reference_fits_the_run) {
  const Scratch scratch;
  const auto run = [&](const std::string& how) {
    const Outcome outcome = scratch.gnomon("run double-spherical-pendulum --until 1 --json " + how);
    BOOST_TEST(outcome.status == 0, outcome.err);
    return std::pair{parse(outcome.out)["references"][0], outcome.err};
  };
  const auto reference = [&](const std::string& how, double rtol, const char* why) {
    const auto [json, text] = run(how);
    BOOST_TEST(std::abs(json["rtol"].asDouble() / rtol - 1) < 1e-9, how << ": " << json["rtol"].asString());
    BOOST_TEST(contains(text, why), how << ": " << why << " in\n" << text);
    return json;
  };
  for (const char* name : {"ida-ggl", "ida-index1", "cvode-projection"}) {
    const Json::Value loose = reference(std::string("--rtol 1e-4 --reference ") + name, 1e-8,
                                        "rtol = 1e-08, a ten-thousandth of the run's, own error ");
    BOOST_TEST(loose["own_error"].asDouble() > 0);
  }
  const std::string ida = " --reference ida-ggl";
  reference(ida, 1e-10, "a ten-thousandth of the run's");  // of the default, 1e-6
  reference("--rtol 1e-12" + ida, 1e-12, "the tightest that a reference begins with");
  reference("--step 1e-2" + ida, 1e-10, "rtol = 1e-10, the default beside steps of one size");
  reference("--step 1e-2" + ida + " --reference-option rtol=1e-9", 1e-9, "rtol = 1e-09, as given");
  reference("--step 1e-2" + ida + " --reference-option tightest=1e-9", 1e-9, "the tightest with which it ends");
  reference("--scheme ida-index1" + ida, 1e-12, "the tightest with which it ends");
  reference("--scheme ida-index1 --rtol 1e-6" + ida, 1e-10, "a ten-thousandth of the run's");
  BOOST_TEST(!run("--step 1e-2 --set start=hanging --reference cvode-projection --reference-option rtol=1e-9")
                  .first.isMember("own_error"));
  // Where the run is as good as its reference the output says that too.
  const Outcome better = scratch.gnomon(
      "run double-spherical-pendulum --until 1 --rtol 1e-11 --reference ida-ggl "
      "--reference-option tightest=1e-6");
  BOOST_TEST(contains(better.out, "no further from it than its own error"), better.out);
}

// Events, snapshots and the motion over time of a reference are those of a scheme.
BOOST_AUTO_TEST_CASE(a_reference_shows_what_a_scheme_shows) {
  const Scratch scratch;
  const std::string walls = "run walled-pendulum --until 1 --events --report w.html ";
  for (const char* how : {"--scheme ida-ggl", "--step 1e-2"}) {
    const Outcome run = scratch.gnomon(walls + how);
    BOOST_TEST(run.status == 0, run.err);
    for (const char* part : {"event     obstacle", "0.604", "landing   wall 2"})
      BOOST_TEST(contains(run.out, part), part << " in\n" << run.out);
    BOOST_TEST(contains(read(scratch.work / "w.html"), "landing"));
  }
  BOOST_TEST(scratch.gnomon("run planar-pendulum --scheme exact --until 1 --output e.csv --times 0:.25:1").status == 0);
  const std::string rows = read(scratch.work / "e.csv");
  BOOST_TEST(std::count(rows.begin(), rows.end(), '\n') == 6);
}

BOOST_AUTO_TEST_CASE(misused_references) {
  const Scratch scratch;
  const std::string run = "run planar-pendulum --until 1 ";
  scratch.misuse(run + "--step .1 --reference ida-ggl --reference ida-ggl", {"--reference ida-ggl", "more than once"});
  scratch.misuse(run + "--step .1 --reference ida-ggl --reference-option rtl=1e-8", {"rtl", "rtol"});
  scratch.misuse(run + "--step .1 --reference-option rtol=1e-8", {"--reference-option", "--reference"});
  scratch.misuse(run + "--scheme ida-ggl --step .1", {"--step", "ida-ggl", "--rtol"});
  scratch.misuse(run + "--scheme ida-ggl --solver newton", {"--solver", "ida-ggl"});
  for (const char* flag : {"--strict", "--estimate-error", "--fallback", "--checkpoint state", "--checkpoint-every 3"})
    scratch.misuse(run + "--scheme ida-ggl " + flag,
                   {std::string(flag).substr(0, std::string(flag).find(' ')), "ida-ggl"});
  scratch.misuse(run + "--scheme ida-ggl --events", {"--events", "no obstacles"});
  scratch.misuse(run + "--scheme ida-ggl --rtol 1e-8 --reference ida-ggl", {"--reference ida-ggl", "itself"});
  scratch.misuse(run + "--scheme ida-ggl --times 0:.1:1", {"--times", "--output"});
  scratch.misuse("run planar-pendulum --scheme ida-ggl", {"--until"});
  scratch.misuse(run + "--step .1 --report page.htm", {"--report", "page.htm", ".html"});
  scratch.misuse(run + "--step .1 --report no/page.html", {"no/page.html"});
}

// The page is written at the end, and also of a run that was stopped.
BOOST_AUTO_TEST_CASE(page) {
  const Scratch scratch;
  const Outcome good =
      scratch.gnomon("run double-spherical-pendulum --step 1e-2 --until 1 --report page.html --reference ida-ggl");
  BOOST_TEST(good.status == 0);
  const std::string page = read(scratch.work / "page.html");
  for (const char* part : {"<!DOCTYPE html>", "Energy error", "energy-momentum, h = 0.01", "\"ida-ggl"})
    BOOST_TEST(contains(page, part), "the page does not have " << part);
  for (const char* part : {"src=\"", "<link"}) BOOST_TEST(!contains(page, part), "the page loads " << part);
  const Outcome stopped = scratch.gnomon("run double-spherical-pendulum --step 5 --until 100 --report stopped.html");
  BOOST_TEST(stopped.status == 3);
  BOOST_TEST(contains(read(scratch.work / "stopped.html"), "STOPPED"));
}

// Outputs of a model file: columns, values at the end, and their names.
BOOST_AUTO_TEST_CASE(outputs) {
  const Scratch scratch;
  std::ofstream(scratch.work / "rod.toml") << R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = "9.81*y"
[constraints]
rod = "(x^2 + y^2 - 4)/2"
[start]
position = { y = -2 }
[outputs]
tension = { formula = "2*lambda.rod", unit = "N" }
"pair[i, j] for i in 0..3 for j in 0..2" = "10*i + j + x"
nowhere = "log(y)"
)toml";
  const Outcome run = scratch.gnomon("run rod.toml --step 1e-2 --steps 3 --json --output out.csv");
  BOOST_TEST_REQUIRE(run.status == 0, run.err);
  std::istringstream lines(read(scratch.work / "out.csv"));
  std::string header, row;
  std::getline(lines, header);
  BOOST_TEST(contains(header, ",velocity_max,tension [N],\"pair[0,0]\",\"pair[0,1]\","), header);
  while (std::getline(lines, row)) BOOST_TEST(contains(row, ",0,1,2,10,11,12,20,21,22,30,31,32,nan"), row);
  const Json::Value values = parse(run.out)["outputs"];
  BOOST_TEST(values.size() == 14u);
  BOOST_TEST(values["tension"].asDouble() == 9.81, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(values["pair[3,2]"].asDouble() == 32);
  BOOST_TEST(contains(run.err, "outputs      tension = 9.81 N\n"), run.err);
  BOOST_TEST(contains(run.err, "             pair[2,2] = 22\n               and 4 more"), run.err);
  const Outcome description = scratch.gnomon("describe rod.toml");
  BOOST_TEST(contains(description.out, "  output: tension, N\n  output: pair[0,0]\n"), description.out);
  BOOST_TEST(!parse(scratch.gnomon("run planar-pendulum --step 1e-2 --steps 3 --json").out).isMember("outputs"));
}

// The error of fixed steps, from halved ones beside them.
BOOST_AUTO_TEST_CASE(estimated_error) {
  const Scratch scratch;
  const Outcome run = scratch.gnomon("run planar-pendulum --step 1e-2 --until 10 --estimate-error --json");
  BOOST_TEST(run.status == 0, run.err);
  for (const char* part : {"error        q: at most ", "lambda: at most ", "2^p/(2^p - 1), p = 2"})
    BOOST_TEST(contains(run.err, part), run.err);
  BOOST_TEST(!contains(run.err, "WARNING"), run.err);
  const Json::Value estimate = parse(run.out)["error_estimate"];
  for (const char* part : {"q", "v", "lambda"}) {
    BOOST_TEST(estimate[part]["max_abs_error"].asDouble() > 1e-6);
    BOOST_TEST(estimate[part]["max_abs_error"].asDouble() < 1e-2);
    BOOST_TEST(estimate[part]["end_abs_error"].asDouble() <= estimate[part]["max_abs_error"].asDouble());
  }
  BOOST_TEST(estimate["growth"]["law"].asString() == "power");
  const Outcome chaos = scratch.gnomon("run double-spherical-pendulum --step 2e-3 --until 20 --estimate-error");
  BOOST_TEST(contains(chaos.out, "WARNING      the error grows exponentially"), chaos.out);
  scratch.misuse("run cubic-surface --scheme symplectic-euler-natural --step 1e-3 --until 1 --estimate-error",
                 {"order 0", "cubic-surface"});
  BOOST_TEST(scratch.gnomon("run planar-pendulum --step 1e-2 --steps 5 --checkpoint state").status == 0);
  const Outcome restart = scratch.gnomon("run --restart state --steps 10 --estimate-error");
  BOOST_TEST(restart.status == 2);
  BOOST_TEST(contains(restart.err, "--estimate-error is given with --restart"), restart.err);
}
