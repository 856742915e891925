// Systems whose mass depends on the configuration: what no validation case can say.
#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "test/builtin_registry.hpp"

using namespace gnomon;

namespace {

State after(const Assignments& set, const std::string& scheme, const Assignments& options, long steps, double h,
            const std::string& problem = "wall-pendulum") {
  Integrator integrator = registry().integrator(registry().build(problem, set), scheme, "kinsol-linesearch", options);
  const StepReport report = integrator.advance(steps, h);
  BOOST_TEST_REQUIRE(report.success(), report.message);
  return integrator.state();
}

double distance(const State& a, const State& b) {
  return (a.q.value() - b.q.value()).norm() / b.q.value().norm();
}

bool names(const Error& error, const std::vector<std::string>& words) {
  const std::string text = error.what();
  for (const auto& word : words)
    if (text.find(word) == std::string::npos) return false;
  return true;
}

}  // namespace

// (35) in U with alpha, which knows no obstacle, and alpha-penalty on the obstacle are the same map.
BOOST_AUTO_TEST_CASE(a_soft_wall_is_a_penalty) {
  for (const char* body : {"tip", "joint-and-tip", "whole"}) {
    const State soft = after({{"body", body}, {"eps", "1e-5"}}, "alpha", {}, 2000, 1e-3);
    const State penalty = after({{"body", body}}, "alpha-penalty", {{"eps", "1e-5"}}, 2000, 1e-3);
    BOOST_TEST(distance(soft, penalty) < 1e-9);
  }
}

// A light second link, a near wall: the joint goes through it unless it is part of what meets it. Of the body (37) the
// farther end meets the wall, not both.
BOOST_AUTO_TEST_CASE(the_whole_body_meets_the_wall) {
  const Assignments start{{"m2", "1"}, {"l2", ".3"}, {"d", "1.5"}, {"theta1", "-1.5"}, {"theta2", "-1.5"}};
  const auto run = [&](const char* body) {
    Assignments set = start;
    set.emplace_back("body", body);
    return after(set, "alpha-penalty", {{"eps", "1e-6"}}, 4000, 1e-3);
  };
  BOOST_TEST(distance(run("tip"), run("joint-and-tip")) > 1e-3);
  BOOST_TEST(distance(run("tip"), run("whole")) > 1e-3);
  BOOST_TEST(distance(run("joint-and-tip"), run("whole")) > 1e-3);
}

// Multipliers at the ends, their iteration, and both levels with the energy: one motion, up to O(h^2).
BOOST_AUTO_TEST_CASE(constrained_schemes_agree) {
  const auto run = [](const std::string& scheme, const Assignments& options) {
    return after({}, scheme, options, 1000, 1e-3, "ellipse-pendulum");
  };
  const State alpha = run("alpha", {});
  BOOST_TEST(distance(run("alpha-augmented", {{"tolerance", "1e-14"}}), alpha) < 1e-10);
  BOOST_TEST(distance(run("alpha-augmented", {{"tolerance", "1e-14"}, {"update", "first"}}), alpha) < 1e-10);
  BOOST_TEST(distance(run("alpha-exact", {}), alpha) < 1e-3);
  BOOST_TEST(distance(run("energy-momentum-ggl", {}), alpha) < 1e-3);
}

BOOST_AUTO_TEST_CASE(bad_input) {
  for (const char* scheme : {"alpha-penalty", "alpha-augmented"})
    for (const char* eps : {"0", "-1e-6", "nan"})
      BOOST_CHECK_EXCEPTION(after({}, scheme, {{"eps", eps}}, 1, 1e-3), Error, [&](const Error& error) {
        return names(error, {scheme, "eps", eps});
      });
  BOOST_CHECK_EXCEPTION(after({{"theta1", "1"}, {"theta2", "1"}}, "alpha-penalty", {}, 1, 1e-3), Error,
                        [](const Error& error) {
                          return error.code() == ErrorCode::inconsistent_start &&
                                 names(error, {"wall-pendulum", "inside", "\"tip\"", "c = "});
                        });
}
