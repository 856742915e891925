// What `gnomon run` says of promises and references.
#include <json/json.h>

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "test/program/scratch.hpp"

namespace {

using namespace gnomon::test;

Json::Value parse(const std::string& text) {
  Json::Value value;
  std::istringstream in(text);
  std::string errors;
  BOOST_REQUIRE(Json::parseFromStream(Json::CharReaderBuilder(), in, &value, &errors));
  return value;
}

}  // namespace

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

// A reference says what its own run made of energy and constraints.
BOOST_AUTO_TEST_CASE(reference_levels) {
  const Scratch scratch;
  const Outcome run = scratch.gnomon(
      "run planar-pendulum --step 1e-2 --steps 100 --json --reference ida-index1 "
      "--reference-option rtol=1e-8 --reference-option atol=1e-8");
  BOOST_TEST(run.status == 0);
  BOOST_TEST(contains(run.err, "its own run: energy error "));
  BOOST_TEST(!contains(run.err, "WARNING"));
  const Json::Value reference = parse(run.out)["reference"];
  BOOST_TEST(reference["energy_max_abs_error"].asDouble() > 0);
  BOOST_TEST(reference["energy_max_abs_error"].asDouble() < 1e-4);
  BOOST_TEST(reference["position_max"].asDouble() > 0);
  BOOST_TEST(reference["velocity_max"].asDouble() > 0);
  BOOST_TEST(reference["doubtful_from"].isNull());
  BOOST_TEST(!reference.isMember("warning"));
  const Outcome exact = scratch.gnomon("run planar-pendulum --step 1e-2 --steps 10 --json --reference exact");
  BOOST_TEST(!parse(exact.out)["reference"].isMember("position_max"));
}
