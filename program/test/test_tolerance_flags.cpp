// gnomon run --rtol: what it prints and writes, restarts, misuse.
#include <boost/test/unit_test.hpp>

#include "support/json_text.hpp"
#include "support/scratch.hpp"

using namespace gnomon::test;

namespace {

const std::string run = "run modified-pendulum --scheme energy-momentum-ggl --rtol 1e-4 --until 2";

Json::Value json_of(const Outcome& outcome) {
  BOOST_TEST_INFO(outcome.err);
  return parse(outcome.out);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_it_reports) {
  const Scratch scratch;
  const Json::Value one = json_of(scratch.gnomon(run + " --reference cvode-projection --json"));
  BOOST_TEST(one["scheme"].asString() == "energy-momentum-ggl");
  BOOST_TEST(one["step"].isNull());
  BOOST_TEST(one["tolerance"]["relative"].asDouble() == 1e-4);
  BOOST_TEST(one["tolerance"]["absolute"].isNull());  // from the sizes of the motion
  BOOST_TEST(one["tolerance"]["smallest_step"].asDouble() > 0);
  BOOST_TEST(one["tolerance"]["largest_step"].asDouble() > one["tolerance"]["smallest_step"].asDouble());
  BOOST_TEST(one["counters"]["error_test_failures"].isIntegral());
  BOOST_TEST(one["t"].asDouble() == 2);
  BOOST_TEST(one["references"][0]["position_error"].asDouble() <= 30e-4);
  const Json::Value other = json_of(scratch.gnomon(run + " --atol 1e-6 --json"));
  BOOST_TEST(other["tolerance"]["absolute"].asDouble() == 1e-6);
  BOOST_TEST(other["steps"].asInt64() > one["steps"].asInt64());
  const Outcome people = scratch.gnomon(run + " --atol 1e-6");
  BOOST_TEST(contains(people.out, "of rtol = 0.0001, atol = 1e-06, h = "), people.out);
  // A step still takes the scheme of steps of one size.
  BOOST_TEST(contains(scratch.gnomon("run planar-pendulum --step 1e-2 --until 1").out, "energy-momentum through"));
  BOOST_TEST(scratch.empty());
}

BOOST_AUTO_TEST_CASE(restarts_and_output) {
  const Scratch scratch;
  const Json::Value whole = json_of(scratch.gnomon(run + " --json --output all.csv --every 7"));
  const std::string rows = read(scratch.work / "all.csv");
  const auto lines = std::count(rows.begin(), rows.end(), '\n');
  BOOST_TEST(lines >= whole["steps"].asInt64() / 7 + 2);
  BOOST_TEST(lines <= whole["steps"].asInt64() / 7 + 3);
  fs::remove(scratch.work / "all.csv");

  const std::string second = "run --restart " + (scratch.root / "half.gcp").string() + " --until 3";
  BOOST_TEST(scratch.gnomon(run + " --checkpoint half.gcp --checkpoint-every 30").status == 0);
  fs::rename(scratch.work / "half.gcp", scratch.root / "half.gcp");
  const Json::Value rest = json_of(scratch.gnomon(second + " --json")),
                    again = json_of(scratch.gnomon(second + " --json"));
  BOOST_TEST(rest["t"].asDouble() == 3);
  BOOST_TEST(rest["tolerance"]["relative"].asDouble() == 1e-4);
  BOOST_TEST(rest["steps"].asInt64() > whole["steps"].asInt64());
  BOOST_TEST((rest["state"] == again["state"]));
  scratch.misuse(second + " --rtol 1e-5", {"--rtol", "--restart"});
  scratch.misuse(second + " --atol 1e-5", {"--atol", "--restart"});
  scratch.misuse(second + " --step 1e-2", {"--step", "--restart"});
  BOOST_TEST(scratch.empty());
}

BOOST_AUTO_TEST_CASE(the_tolerance_chooses) {
  const Scratch scratch;
  // The chain of the promise: nothing else is named, and it is right.
  for (const char* rtol : {"1e-4", "1e-9"}) {
    const Json::Value chain =
        json_of(scratch.gnomon("run chain --set links=10 --until 1 --rtol " + std::string(rtol) +
                               " --reference cvode-projection --reference-option rtol=1e-11 --json"));
    BOOST_TEST(chain["status"].asString() == "success");
    BOOST_TEST(chain["scheme_options"].size() > 0);
    BOOST_TEST(chain["references"][0]["position_error"].asDouble() <= 30 * std::stod(rtol));
    for (const char* promise : {"energy", "position", "hidden"})
      BOOST_TEST(contains(chain["promises"].asString(), promise));
    BOOST_TEST(chain["energy"]["max_rel_error"].asDouble() <= 1e-15);
  }
  const Json::Value coarse = json_of(scratch.gnomon("run planar-pendulum --until 5 --rtol 1e-3 --json")),
                    fine = json_of(scratch.gnomon("run planar-pendulum --until 5 --rtol 1e-10 --json"));
  BOOST_TEST((coarse["scheme"] != fine["scheme"] || coarse["scheme_options"] != fine["scheme_options"]));
  // The order of a scheme that is named.
  const Json::Value named =
      json_of(scratch.gnomon("run planar-pendulum --scheme line-integral-ggl --until 5 --rtol 1e-10 --json"));
  BOOST_TEST(named["scheme"].asString() == "line-integral-ggl");
  BOOST_TEST(named["scheme_options"].size() > 0);
  const Json::Value given = json_of(
      scratch.gnomon("run planar-pendulum --scheme line-integral-ggl --option s=2 --until 1 --rtol 1e-6 --json"));
  BOOST_TEST(given["scheme_options"].size() == 1);
  BOOST_TEST(given["scheme_options"][0].asString() == "s=2");
  // What was chosen is part of the checkpoint.
  BOOST_TEST(scratch.gnomon("run planar-pendulum --rtol 1e-7 --until 1 --checkpoint c.gcp").status == 0);
  fs::rename(scratch.work / "c.gcp", scratch.root / "c.gcp");
  const Json::Value whole = json_of(scratch.gnomon("run planar-pendulum --rtol 1e-7 --until 2 --json")),
                    rest = json_of(
                        scratch.gnomon("run --restart " + (scratch.root / "c.gcp").string() + " --until 2 --json"));
  BOOST_TEST((whole["scheme_options"] == rest["scheme_options"]));
  scratch.misuse("run planar-pendulum --rtol 1e-4 --until 1 --option s=2", {"--option s=2", "--scheme"});
  scratch.misuse("run odae-test --rtol 1e-4 --until 1", {"odae-test", "fixed step"});
}

BOOST_AUTO_TEST_CASE(without_step_and_tolerance) {
  const Scratch scratch;
  const Outcome people = scratch.gnomon("run planar-pendulum --until 1 --output p.jsonl --checkpoint p.gcp");
  BOOST_TEST(people.status == 0, people.err);
  BOOST_TEST(
      contains(people.out.substr(0, people.out.find('\n')), " through kinsol-newton, rtol = 1e-6 (the default)"));
  BOOST_TEST(contains(people.out, " of rtol = 1e-06, h = "), people.out);
  BOOST_TEST(contains(read(scratch.work / "p.jsonl"), " --rtol 1e-6 "));
  const Json::Value restarted = json_of(scratch.gnomon("run --restart p.gcp --until 2 --json"));
  BOOST_TEST(restarted["tolerance"]["relative"].asDouble() == 1e-6);
  fs::remove(scratch.work / "p.jsonl");
  fs::remove(scratch.work / "p.gcp");
  const Json::Value chosen = json_of(scratch.gnomon("run planar-pendulum --until 1 --json")),
                    given = json_of(scratch.gnomon("run planar-pendulum --until 1 --rtol 1e-6 --json"));
  for (const char* part : {"scheme", "scheme_options", "state", "steps"})
    BOOST_TEST((chosen[part] == given[part]), part);
  const Json::Value named = json_of(scratch.gnomon("run planar-pendulum --until 1 --scheme line-integral-ggl --json"));
  BOOST_TEST(named["tolerance"]["relative"].asDouble() == 1e-6);
  BOOST_TEST(
      json_of(scratch.gnomon("run planar-pendulum --until 1 --atol 1e-8 --json"))["tolerance"]["absolute"].asDouble() ==
      1e-8);
  BOOST_TEST(!contains(scratch.gnomon("run planar-pendulum --until 1 --rtol 1e-6").out, "(the default)"));

  // What takes no tolerance needs a step, and says why.
  const std::string run = "run planar-pendulum --until 1 ";
  scratch.misuse(run + "--scheme rattle", {"--step is missing", "rattle", "no estimate", "energy-momentum-ggl"});
  scratch.misuse(run + "--estimate-error", {"--step is missing", "--estimate-error"});
  scratch.misuse(run + "--option s=2", {"--step is missing", "--option"});
  scratch.misuse("run planar-pendulum --steps 10", {"--step is missing", "--steps counts steps"});
  scratch.misuse("run odae-test --until 1", {"--step is missing", "odae-test", "fixed step"});
  scratch.misuse("run walled-pendulum --until 1 --contact mode=time-stepping", {"--step is missing", "time-stepping"});
  scratch.misuse("run swinging-atwood --until 1 --scheme energy-momentum", {"use energy-momentum-general"});
}

// All of it in one sentence.
BOOST_AUTO_TEST_CASE(what_is_missing) {
  const Scratch scratch;
  scratch.misuse("run", {"PROBLEM and --until are missing", "--restart"});
  scratch.misuse("run --step 1e-2 --steps 3", {"PROBLEM is missing"});
  scratch.misuse("run planar-pendulum", {"--until is missing"});
  scratch.misuse("run planar-pendulum --step 1e-2", {"--until is missing", "--steps"});
  scratch.misuse("run planar-pendulum --scheme rattle", {"--step and --until are missing"});
  scratch.misuse("run planar-pendulum --scheme ida-ggl", {"--until is missing"});
}

BOOST_AUTO_TEST_CASE(misuse) {
  const Scratch scratch;
  const std::string pendulum = "run planar-pendulum --output out.csv ";
  scratch.misuse(pendulum + "--rtol 1e-4 --step 1e-2 --until 1", {"--step", "--rtol"});
  scratch.misuse(pendulum + "--rtol 1e-4 --steps 10", {"--steps", "--until"});
  scratch.misuse(pendulum + "--rtol 1e-4", {"--until is missing"});
  scratch.misuse(pendulum + "--rtol 1e-4 --until 0", {"--until = 0", "start"});
  scratch.misuse(pendulum + "--atol 1e-4 --step 1e-2 --until 1", {"--atol", "--rtol"});
  for (const char* value : {"0", "-1", "nan", "inf", "small", ""}) {
    scratch.misuse(pendulum + "--until 1 --rtol '" + value + "'", {"--rtol"});
    if (*value) scratch.misuse(pendulum + "--until 1 --rtol 1e-3 --atol " + value, {"--atol", value});
  }
  scratch.misuse(pendulum + "--rtol 1e-4 --until 1 --scheme energy-momentum", {"energy-momentum", "order 0"});
  scratch.misuse(pendulum + "--rtol 1e-4 --until 1 --scheme rattle", {"rattle", "no estimate"});
  scratch.misuse(pendulum + "--scheme energy-momentum-ggl --rtol 1e-14 --until 1", {"1e-14", "rounding"});
  scratch.misuse("run walled-pendulum --contact mode=time-stepping --rtol 1e-4 --until 1", {"time-stepping"});
  BOOST_TEST(scratch.empty());
}
