// gnomon advise: what it recommends keeps the error that was asked for, also in the hands of gnomon run.
#include <boost/test/unit_test.hpp>

#include "bench/precision/advice.hpp"
#include "bench/precision/contenders.hpp"
#include "bench/precision/crossing.hpp"
#include "gnomon/base/error.hpp"
#include "support/builtin_registry.hpp"
#include "support/json_text.hpp"
#include "support/scratch.hpp"
#include "test/run/close_encounter.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::bench;
using test::contains;
using test::parse;

Advice advice_for(const std::string& problem, const Assignments& set, double until, double error, double budget) {
  AdviceRequest request;
  request.problem = problem;
  request.until = until;
  request.error = error;
  request.budget = budget;
  return advise(registry(), registry().build(problem, set), request, [](const TrustedSolution&) {});
}

}  // namespace

// error = h^2, time = 1/h.
BOOST_AUTO_TEST_CASE(crossings) {
  std::vector<RunPoint> runs;
  for (const double h : {1e-1, 1e-2, 1e-3}) runs.push_back({h * h, 1 / h, h});
  const auto tolerance = boost::test_tools::tolerance(1e-12);
  const Crossing between = crossing(9e-6, runs);
  BOOST_TEST(between.parameter == 3e-3, tolerance);
  BOOST_TEST(between.seconds == 1 / 3e-3, tolerance);
  BOOST_TEST(crossing(1, runs).parameter == 1e-1, tolerance);  // the coarsest is good enough: nothing is extrapolated
  BOOST_TEST(!crossing(1e-7, runs).found());
  BOOST_TEST(!crossing(1, {}).found());
}

BOOST_AUTO_TEST_CASE(what_is_tried) {
  std::vector<std::pair<std::string, std::string>> left_out;
  const auto find = [&](const std::vector<Series>& all, const std::string& label) {
    return std::any_of(all.begin(), all.end(), [&](const Series& s) { return s.contender.label == label; });
  };
  const auto pendulum = contenders(registry(), registry().build("planar-pendulum"), left_out);
  for (const char* label :
       {"energy-momentum", "rattle", "composition(rattle,order=6)", "line-integral-ggl(s=4)",
        "energy-momentum-ggl by rtol", "line-integral-ggl(s=2) by rtol",
        "projected-rk(stages=4,projection=pve) by rtol", "ida-ggl", "ida-index1", "cvode-projection"})
    BOOST_TEST(find(pendulum, label), label);
  BOOST_TEST(!find(pendulum, "penalty"));
  BOOST_TEST(!left_out.empty());
  left_out.clear();
  const auto atwood = contenders(registry(), registry().build("swinging-atwood"), left_out);
  BOOST_TEST(!find(atwood, "energy-momentum"));
  BOOST_TEST(find(atwood, "energy-momentum-ggl"));
  for (const auto& [name, reason] : left_out) BOOST_TEST(reason.size() > 10, name);
}

// A run at the advised step, made here, against the closed form.
BOOST_AUTO_TEST_CASE(advice_holds) {
  for (const double error : {1e-4, 1e-8}) {
    const Advice advice = advice_for("planar-pendulum", {{"start", "later"}}, 5, error, 10);
    BOOST_TEST(advice.reference.closed_form);
    BOOST_TEST(advice.reference.agreement < 1e-8);  // with IDA
    BOOST_REQUIRE(advice.ours.has_value());
    BOOST_REQUIRE(advice.theirs.has_value());
    const Choice& choice = *advice.ours;
    BOOST_TEST(choice.run.largest <= error);
    BOOST_TEST(choice.run.largest > error * 1e-6);  // not far better than was asked for
    BOOST_TEST(choice.parameter * static_cast<double>(choice.steps) == 5, boost::test_tools::tolerance(1e-12));
    const ProblemInstance instance = registry().build("planar-pendulum", {{"start", "later"}});
    Integrator integrator =
        registry().integrator(instance, choice.contender.name, choice.contender.solver, choice.contender.options);
    BOOST_REQUIRE(integrator.advance_to(5, choice.parameter).success());
    Vector q, p;
    instance.exact(5, q, p);
    BOOST_TEST((integrator.state().q.value() - q).norm() / q.norm() <= error);
    for (const Series& series : advice.series) BOOST_TEST(!series.end.empty());
  }
}

// Past a close encounter steps must vary a thousandfold. The run that is advised, made here without a stop on the way.
BOOST_AUTO_TEST_CASE(a_tolerance_is_advised) {
  const ProblemInstance instance = test::close_encounter();
  AdviceRequest request;
  request.problem = "close-encounter";
  request.until = 4;
  request.error = 1e-6;
  request.budget = 20;
  const Advice advice = advise(registry(), instance, request, [](const TrustedSolution&) {});
  BOOST_REQUIRE(advice.ours.has_value());
  const Choice& choice = *advice.ours;
  BOOST_TEST_MESSAGE(choice.contender.label << ", rtol " << choice.parameter << ", " << choice.steps << " steps, error "
                                            << choice.run.largest << ", " << 1e3 * choice.run.seconds << " ms; "
                                            << (advice.theirs ? advice.theirs->run.method : "none of IDA and CVODE")
                                            << " in " << (advice.theirs ? 1e3 * advice.theirs->run.seconds : 0)
                                            << " ms");
  BOOST_TEST(choice.contender.controlled, choice.contender.label);
  BOOST_TEST(choice.run.controlled);
  BOOST_TEST(choice.run.largest <= request.error);
  Integrator run =
      registry().integrator(instance, choice.contender.name, choice.contender.solver, choice.contender.options);
  run.set_tolerances(Tolerances(choice.parameter));
  BOOST_REQUIRE(run.advance_to(request.until).success());
  BOOST_TEST(run.counters().steps == choice.steps);
  Integrator fine = registry().integrator(instance, "line-integral-ggl", "newton", {{"s", "5"}, {"k", "8"}});
  fine.set_tolerances(Tolerances(1e-11));
  BOOST_REQUIRE(fine.advance_to(request.until).success());
  const Vector& q = fine.state().q.value();
  BOOST_TEST((run.state().q.value() - q).norm() <= request.error * q.norm());
}

BOOST_AUTO_TEST_CASE(an_advice_can_be_interrupted) {
  AdviceRequest request;
  request.problem = "chain";
  request.until = 3;
  volatile std::sig_atomic_t signal = 0;
  request.interrupt = &signal;
  const ProblemInstance chain = registry().build("chain", {{"links", "10"}, {"start", "spatial"}});
  bool told = false;
  const Advice late = advise(registry(), chain, request, [&](const TrustedSolution&) {
    told = true;
    signal = 1;
  });
  BOOST_TEST(told);
  BOOST_TEST(late.interrupted);
  BOOST_TEST(!late.ours.has_value());
  BOOST_TEST(late.seconds < request.budget);
  // While the reference is under way.
  const Advice early = advise(registry(), chain, request, [](const TrustedSolution&) { BOOST_TEST(false); });
  BOOST_TEST(early.interrupted);
  BOOST_TEST(early.seconds < 1);
}

// A closed loop of hinges, whose constraints repeat others: IDA is slow on it, and so are some of the schemes.
BOOST_AUTO_TEST_CASE(an_advice_keeps_its_budget) {
  const Advice advice = advice_for(GNOMON_SOURCE "/problems/bricard_loop.toml", {}, 1, 1e-6, 8);
  BOOST_TEST(advice.seconds < 1.5 * 8);
  BOOST_REQUIRE(advice.ours.has_value());
  BOOST_TEST(advice.ours->run.largest <= 1e-6);
  const Advice none = advice_for(GNOMON_SOURCE "/problems/bricard_loop.toml", {}, 1, 1e-6, 0.01);
  BOOST_TEST(!none.ours.has_value());
  BOOST_TEST(contains(none.reference.failure, "a larger budget"), none.reference.failure);
}

// A run that fails has no states at the times that it did not reach.
BOOST_AUTO_TEST_CASE(solutions_that_end_early) {
  const ProblemInstance pendulum = registry().build("planar-pendulum");
  const Patience none{processor_seconds()};
  for (const Contender& contender : {Contender{"ida-ggl", "ida-ggl", {}, false}, high_order()}) {
    const Solution solution = solve(registry(), pendulum, {1, 2}, Judged::all, contender, 1e-2, none);
    BOOST_TEST(solution.failure == too_long);
    BOOST_TEST(solution.motion.q.empty());
    BOOST_TEST(solution.distance(solution.motion) == never);
  }
}

// Without a closed form: a high order at two steps, and IDA.
BOOST_AUTO_TEST_CASE(trusted_solutions) {
  const TrustedSolution regular = trusted_solution(
      registry(), "", registry().build("double-spherical-pendulum", {{"start", "spatial"}}), 2, 10, Judged::all, 1e-8);
  BOOST_TEST(regular.failure == "");
  BOOST_TEST(regular.good_for(1e-8));
  BOOST_TEST(regular.truth.uncertainty < 1e-11);
  BOOST_TEST(regular.confirmed_by != "");
  BOOST_TEST(regular.agreement < 1e-8);
  BOOST_TEST(regular.agreed_until == 2);
  const TrustedSolution chaotic =
      trusted_solution(registry(), "", registry().build("double-spherical-pendulum"), 60, 10, Judged::all, 1e-6);
  BOOST_TEST(!chaotic.good_for(1e-6));
  BOOST_TEST(chaotic.agreed_until >= 6);
  BOOST_TEST(chaotic.agreed_until < 60);
  // What no scheme of high order takes is measured against IDA alone.
  const TrustedSolution dae =
      trusted_solution(registry(), "", registry().build("odae-test"), 0.5, 10, Judged::all, 1e-6);
  BOOST_TEST(dae.good_for(1e-6));
}

BOOST_AUTO_TEST_CASE(command) {
  const test::Scratch scratch;
  const test::Outcome outcome = scratch.gnomon(
      "advise planar-pendulum --set speed=0.9 --until 5 --error 1e-5 --budget 10 --json a.json --plot a.svg");
  BOOST_TEST(outcome.status == 0, outcome.err);
  BOOST_TEST(outcome.err == "");
  for (const char* part : {"true solution: closed form; ida-ggl at rtol = 1e-12 is within ", "h or rtol", "ida-index1",
                           "cvode-projection", "Advice: ", "Best of IDA and CVODE: ", "times as fast"})
    BOOST_TEST(contains(outcome.out, part), outcome.out);
  const Json::Value json = parse(test::read(scratch.work / "a.json"));
  BOOST_TEST(json["advice"]["error"].asDouble() <= 1e-5);
  BOOST_TEST(json["best_reference"]["error"].asDouble() <= 1e-5);
  BOOST_TEST(json["methods"].size() > 20u);
  const std::string line = json["advice"]["command"].asString();
  BOOST_TEST(contains(outcome.out, line));
  BOOST_REQUIRE(line.rfind("gnomon run planar-pendulum --set speed=0.9 ", 0) == 0u);
  const test::Outcome run = scratch.gnomon(line.substr(7) + " --reference exact --json");
  BOOST_TEST(run.status == 0, run.err);
  BOOST_TEST(parse(run.out)["references"][0]["position_error"].asDouble() <= 1e-5);
  BOOST_TEST(parse(run.out)["steps"].asInt() == json["advice"]["steps"].asInt());
  if (std::system("command -v gnuplot >/dev/null 2>&1") == 0)
    BOOST_TEST(contains(test::read(scratch.work / "a.svg"), "largest relative error of q"));
}

BOOST_AUTO_TEST_CASE(no_advice_on_chaos) {
  const test::Scratch scratch;
  const test::Outcome outcome = scratch.gnomon("advise double-spherical-pendulum --until 60 --budget 20");
  BOOST_TEST(outcome.status == 3);
  BOOST_TEST(contains(outcome.out, "No solution can be trusted to 1e-06 up to t = 60"), outcome.out);
  BOOST_TEST(contains(outcome.out, "can be answered"), outcome.out);
}

BOOST_AUTO_TEST_CASE(bad_input) {
  const test::Scratch scratch;
  const std::string pendulum = "advise planar-pendulum ";
  scratch.misuse(pendulum, {"--until is missing"});
  scratch.misuse(pendulum + "--until 0", {"--until = 0"});
  scratch.misuse(pendulum + "--until later", {"--until", "later"});
  for (const char* error : {"0", "-1e-6", "nan", "1e-20", "3"})
    scratch.misuse(pendulum + "--until 1 --error=" + error, {"--error", error});
  scratch.misuse(pendulum + "--until 1 --budget=0", {"--budget = 0"});
  scratch.misuse(pendulum + "--until 1 --plot out.gif", {"out.gif", ".svg"});
  scratch.misuse(pendulum + "--until 1 --plot no/such/out.svg", {"no/such/out.svg"});
  scratch.misuse(pendulum + "--until 1 --json no/such/out.json", {"no/such/out.json"});
  scratch.misuse(pendulum + "--until 1 --set mas=1", {"mas", "\"mass\""});
  scratch.misuse(pendulum + "--until 1 --eror 1", {"--eror", "--error"});
  scratch.misuse("advise planar-pendulm --until 1", {"planar-pendulm", "\"planar-pendulum\""});
}
