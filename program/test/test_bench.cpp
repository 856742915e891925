// The hand-coded integrators of `gnomon bench` integrate the same problem as Gnomon; what the command prints. No times.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>

#include "bench/chain_bench.hpp"
#include "bench/energy_momentum_chain.hpp"
#include "bench/precision/work_precision.hpp"
#include "bench/rattle_chain.hpp"
#include "bench/small/small_bench.hpp"
#include "bench/turns.hpp"
#include "gnomon/base/error.hpp"
#include "support/scratch.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::bench;

constexpr double gravity = 1;

struct Chain {
  Registry registry;
  ProblemInstance instance;
  double h;

  Chain(long links, const std::string& start) : h(chain_step(links)) {
    register_builtin(registry);
    instance = registry.build("chain", {{"links", std::to_string(links)}, {"start", start}});
  }
  LinkChain state() const { return LinkChain(instance, gravity); }
};

template <class HandCoded>
void run(HandCoded& hand_coded, int steps) {
  for (int i = 0; i < steps; ++i) BOOST_REQUIRE(hand_coded.step());
}

template <class HandCoded>
void agrees_with(const std::string& scheme, long links, const std::string& start) {
  const Chain chain(links, start);
  Integrator integrator = chain.registry.integrator(chain.instance, scheme, "kinsol-newton");
  BOOST_REQUIRE(integrator.advance(100, chain.h).success());
  HandCoded hand_coded(chain.state(), chain.h);
  run(hand_coded, 100);
  Vector q, p;
  hand_coded.chain().state(q, p);
  const Vector &q_true = integrator.state().q.value(), &p_true = integrator.state().p.value();
  BOOST_TEST((q - q_true).norm() <= 1e-10 * q_true.norm());
  BOOST_TEST((p - p_true).norm() <= 1e-10 * p_true.norm());
  // ... and it went somewhere: not the start, and not a fall without rods.
  BOOST_TEST((q - chain.instance.q0).norm() > 1e-6 * q_true.norm());
  for (const auto& link : hand_coded.chain().links) BOOST_TEST(std::abs(link.d.squaredNorm() / link.l2 - 1) < 1e-10);
}

/// 100 steps of a hand-coded integrator of fixed size end where Gnomon's do, within `error`.
void small_agrees_with(const std::string& problem, const std::string& hand_coded, const std::string& scheme,
                       const Assignments& options, double h, double error) {
  Registry registry;
  register_builtin(registry);
  const ProblemInstance instance = registry.build(
      problem, problem == "double-spherical-pendulum" ? Assignments{{"start", "spatial"}} : Assignments{});
  Integrator integrator = registry.integrator(instance, scheme, "newton", options);
  BOOST_REQUIRE(integrator.advance(100, h).success());
  const std::optional<SmallEnd> end = small_run(instance, problem, hand_coded, h, 100);
  BOOST_REQUIRE(end.has_value());
  const Vector& q_true = integrator.state().q.value();
  const Vector v_true = end->inverse_mass.cwiseProduct(integrator.state().p.value());
  BOOST_TEST((end->q - q_true).norm() <= error * q_true.norm());
  BOOST_TEST((end->v - v_true).norm() <= error * v_true.norm());
  BOOST_TEST((end->q - instance.q0).norm() > 0.1 * q_true.norm());
}

void small_ones_agree(const std::string& problem, double h) {
  small_agrees_with(problem, "energy-momentum", "energy-momentum", {}, h, 1e-10);
  small_agrees_with(problem, "energy-momentum, refined", "energy-momentum", {}, h, 1e-12);
  small_agrees_with(problem, "rattle", "rattle", {}, h, 1e-10);
  // Where they project, the index-1 stages and the hand-coded ones differ by the error of the step.
  small_agrees_with(problem, "gauss s=4, projected", "projected-rk", {{"stages", "4"}}, h, 1e-11);
}

const auto lengths = boost::unit_test::data::make({1L, 2L, 10L, 200L});
const auto starts = boost::unit_test::data::make({std::string("rest"), std::string("spatial")});

}  // namespace

BOOST_DATA_TEST_CASE(rattle_is_gnomons, lengths* starts, links, start) {
  agrees_with<RattleChain>("rattle", links, start);
}

BOOST_DATA_TEST_CASE(energy_momentum_is_gnomons, lengths* starts, links, start) {
  agrees_with<EnergyMomentumChain>("energy-momentum", links, start);
}

BOOST_AUTO_TEST_CASE(small_systems_are_gnomons) {
  small_ones_agree("planar-pendulum", .02);
  small_ones_agree("double-spherical-pendulum", .005);
}

BOOST_DATA_TEST_CASE(energy_momentum_conserves, lengths, links) {
  const Chain chain(links, "spatial");
  EnergyMomentumChain hand_coded(chain.state(), chain.h);
  const long double start = hand_coded.chain().energy();
  run(hand_coded, 1000);
  BOOST_TEST(static_cast<double>(std::abs(hand_coded.chain().energy() - start)) <= 1e-14 * std::sqrt(1000.0));
}

// A long way down: the multipliers change sign and the elimination meets slack links.
BOOST_AUTO_TEST_CASE(far_from_the_start) {
  const Chain chain(3, "rest");
  EnergyMomentumChain hand_coded(chain.state(), chain.h);
  Integrator integrator = chain.registry.integrator(chain.instance, "energy-momentum", "newton");
  run(hand_coded, 3000);
  BOOST_REQUIRE(integrator.advance(3000, chain.h).success());
  Vector q, p;
  hand_coded.chain().state(q, p);
  BOOST_TEST((q - integrator.state().q.value()).norm() <= 1e-8);
}

BOOST_AUTO_TEST_CASE(angular_momentum_of_rattle) {
  const Chain chain(50, "spatial");
  RattleChain hand_coded(chain.state(), chain.h);
  const auto momentum = [&] {
    Vector q, p;
    hand_coded.chain().state(q, p);
    double sum = 0;
    for (Index k = 0; k < q.size(); k += 3) sum += q[k] * p[k + 1] - q[k + 1] * p[k];
    return sum;
  };
  const double start = momentum();
  run(hand_coded, 1000);
  BOOST_TEST(std::abs(momentum() - start) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(another_model_is_refused) {
  Registry registry;
  register_builtin(registry);
  BOOST_CHECK_THROW(LinkChain(registry.build("planar-pendulum"), gravity), Error);
}

BOOST_AUTO_TEST_CASE(figures_of_rows) {
  std::vector<ChainRow> rows(3);
  for (auto& row : rows) {
    row.links = 1000;
    row.what = "energy-momentum";
    row.seconds = 1e-3;
  }
  rows[0].by = "hand-coded";
  rows[1].by = rows[2].by = "kinsol-newton block-tree";
  rows[1].to_energy_momentum = 1.5;
  rows[2].links = 10000;
  rows[2].seconds = 2e-2;
  rows[2].to_energy_momentum = 3;
  const auto figures = chain_figures(rows);
  const auto find = [&](const std::string& part) {
    for (const auto& figure : figures)
      if (figure.what.find(part) != std::string::npos) return figure;
    return ChainFigure{};
  };
  BOOST_TEST(find("against the same hand-coded").measured == 3);
  BOOST_TEST(find("against the same hand-coded").gate == 2);
  BOOST_TEST(find("largest to smallest").measured == 2, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(find("bare kernels").what == "");  // none were measured
  rows[2].failure = "it failed";
  BOOST_TEST(chain_figures(rows).front().measured == 1.5);
}

BOOST_AUTO_TEST_CASE(command) {
  const test::Scratch scratch;
  scratch.misuse("bench --links 0", {"--links", "0"});
  scratch.misuse("bench --links 1e7", {"--links", "1e6"});
  scratch.misuse("bench --algebra klo", {"klo", "klu"});
  scratch.misuse("bench --repetitions 0", {"--repetitions"});
  scratch.misuse("bench --output no/such/folder/out.csv", {"no/such/folder/out.csv"});
  const test::Outcome outcome = scratch.gnomon("bench --links 2 --repetitions 1 --steps 20 --output out.csv");
  BOOST_TEST(outcome.status == 0);
  BOOST_TEST(outcome.err == "");
  for (const char* part : {"hand-coded", "kinsol-newton", "kernel of newton", "residual", "Jacobian", "figure"})
    BOOST_TEST(test::contains(outcome.out, part), outcome.out);
  BOOST_TEST(test::contains(test::read(scratch.work / "out.csv"), "2,rattle,kinsol-newton,"));
}

BOOST_AUTO_TEST_CASE(small_and_compare) {
  const test::Scratch scratch;
  const test::Outcome outcome = scratch.gnomon("bench small --repetitions 1 --steps 20 --output s.csv --json a.json");
  BOOST_TEST(outcome.status == 0, outcome.err);
  for (const char* part : {"hand-coded", "energy-momentum, refined", "gauss s=4", "line-integral-ggl", "figure"})
    BOOST_TEST(test::contains(outcome.out, part), outcome.out);
  BOOST_TEST(test::contains(test::read(scratch.work / "s.csv"), "planar-pendulum,rattle,newton,"));
  const std::string measured = test::read(scratch.work / "a.json");
  BOOST_TEST(test::contains(measured, "\"small planar-pendulum rattle newton\""));

  const auto write = [&](const char* name, const std::string& text) { std::ofstream(scratch.work / name) << text; };
  const auto entry = [](const char* what, double value) {
    return "{\"what\": \"" + std::string(what) + "\", \"value\": " + std::to_string(value) + ", \"unit\": \"s\"}";
  };
  write("one.json", "{\"measurements\": [" + entry("a", 2) + "," + entry("b", 1) + "," + entry("gone", 1) + "]}");
  write("two.json", "{\"measurements\": [" + entry("a", 1) + "," + entry("b", 8) + "," + entry("new", 1) + "]}");
  const test::Outcome compared = scratch.gnomon("bench compare one.json two.json");
  BOOST_TEST(compared.status == 0, compared.err);
  BOOST_TEST(test::contains(compared.out, "geometric mean of 2 ratios, second to first: 2.000"), compared.out);
  BOOST_TEST(compared.out.find("\nb ") < compared.out.find("\na "));
  BOOST_TEST(test::contains(compared.out, "only in one.json: gone"));
  BOOST_TEST(test::contains(compared.out, "only in two.json: new"));

  write("bad.json", "{\"measurements\": [{\"what\": \"a\"}]}");
  for (const char* name : {"bad.json", "s.csv", "none.json"}) {
    const test::Outcome refused = scratch.gnomon("bench compare one.json " + std::string(name));
    BOOST_TEST(refused.status == 2);
    BOOST_TEST(test::contains(refused.err, name), refused.err);
  }
}

BOOST_AUTO_TEST_CASE(sensitivities_print_their_figures) {
  const test::Scratch scratch;
  const test::Outcome outcome =
      scratch.gnomon("bench sensitivities --repetitions 1 --steps 3 --output s.csv --json s.json --report s.html");
  BOOST_TEST(outcome.status == 0, outcome.err);
  for (const char* part : {"us a step", "start entries", "IDAS", "a direction of 4 by parameters, in steps"})
    BOOST_TEST(test::contains(outcome.out, part), outcome.out);
  BOOST_TEST(test::contains(test::read(scratch.work / "s.csv"), "chain,rattle,parameters,4,0.001,3,"));
  BOOST_TEST(test::contains(test::read(scratch.work / "s.json"),
                            "sensitivities double-spherical-pendulum rattle k=2 start entries, a direction"));
}

BOOST_AUTO_TEST_CASE(kinds_misuse) {
  const test::Scratch scratch;
  scratch.misuse("bench compare one.json", {"two files", "1 is given"});
  scratch.misuse("bench compare one.json two.json --steps 3", {"--steps", "chain"});
  scratch.misuse("bench small one.json", {"one.json", "compare"});
  scratch.misuse("bench all --output all.csv", {"--output", "--json"});
  scratch.misuse("bench all --links 3", {"--links", "chain"});
  scratch.misuse("bench small --links 3", {"--links", "chain"});
  scratch.misuse("bench sensitivities --links 3", {"--links", "chain"});
  scratch.misuse("bench tolerance --steps 3", {"--steps", "chain"});
  scratch.misuse("bench small --json no/such/out.json", {"no/such/out.json"});
}

BOOST_AUTO_TEST_CASE(true_solutions) {
  Registry registry;
  register_builtin(registry);
  const TrueSolution closed = true_solution(registry, "planar-pendulum", 10),
                     solved = true_solution(registry, "double-spherical-pendulum spatial", 10);
  BOOST_TEST(closed.uncertainty == 0);
  BOOST_TEST(solved.uncertainty > 0);
  BOOST_TEST(solved.uncertainty < 1e-9);
  // IDA is another code altogether.
  const Reference& ida = registry.reference("ida-ggl");
  const auto run =
      ida.start(registry.build("double-spherical-pendulum", {{"start", "spatial"}}), Options("ida-ggl", ida.options()));
  for (std::size_t i = 0; i < solved.times.size(); ++i)
    BOOST_TEST((run->advance_to(solved.times[i]).q - solved.motion.q[i]).norm() <= 1e-5);
}

BOOST_AUTO_TEST_CASE(duel) {
  std::vector<WorkPrecisionRow> rows;
  const auto add = [&](const char* method, bool ours, double error, double energy, double seconds, bool followed) {
    WorkPrecisionRow row;
    row.problem = "p";
    row.until = followed ? 10 : 1000;
    row.method = method;
    row.ours = ours;
    row.error = error;
    row.energy = energy;
    row.seconds = seconds;
    row.followed = followed;
    rows.push_back(row);
  };
  for (const bool followed : {true, false}) {
    add("us", true, 1e-1, 1e-15, 1, followed);
    add("us", true, 1e-5, 1e-15, 16, followed);
    add("them", false, 1e-3, 1e-3, 2, followed);
    add("them", false, 1e-7, 1e-7, 32, followed);
  }
  const auto find = [&](double until, double error) {
    for (const Duel& duel : duels(rows))
      if (duel.until == until && duel.error == error) return duel;
    return Duel{};
  };
  BOOST_TEST(find(10, 1e-4).our_seconds == 8, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(find(10, 1e-4).their_seconds == 4, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(find(10, 1e-6).ours == "");
  BOOST_TEST(find(10, 1e-6).theirs == "them");
  BOOST_TEST(find(10, 1e-8).problem == "");
  BOOST_TEST(!find(10, 1e-4).of_energy);
  BOOST_TEST(find(1000, 1e-10).of_energy);
  BOOST_TEST(find(1000, 1e-10).our_seconds == 1);
  BOOST_TEST(find(1000, 1e-10).theirs == "");
}

// References have the freedom of schemes: their ratios of tolerances are curves, and the best one counts.
BOOST_AUTO_TEST_CASE(duels_take_the_best_ratio_of_tolerances) {
  Registry registry;
  register_builtin(registry);
  WorkPrecisionBench bench;
  bench.problems = {"planar-pendulum"};
  bench.until = {10};
  bench.rule.least_seconds = 1e-4;
  bench.rule.repetitions = 1;
  const std::vector<WorkPrecisionRow> rows = run_work_precision(
      registry, bench, [](const TrueSolution&) {}, [](const WorkPrecisionRow&) {});
  std::map<std::string, std::vector<double>> theirs, errors;
  for (const WorkPrecisionRow& row : rows)
    if (!row.ours) {
      theirs[row.method].push_back(row.seconds);
      errors[row.method].push_back(row.error);
    }
  BOOST_TEST(theirs.size() == 9u);
  for (const std::string code : {"ida-index1", "ida-ggl", "cvode-projection"}) {
    for (const char* ratio : {"rtol", "rtol/10", "rtol/1000"})
      BOOST_TEST(theirs.count(code + " atol=" + ratio) == 1u, code << " " << ratio);
    // The ratio is one of the tolerances, and no name.
    BOOST_TEST((errors[code + " atol=rtol"] != errors[code + " atol=rtol/1000"]), code);
  }
  const std::vector<Duel> found = duels(rows);
  BOOST_TEST(!found.empty());
  for (const Duel& duel : found) {
    if (duel.theirs.empty()) continue;
    BOOST_TEST(theirs.count(duel.theirs) == 1u, duel.theirs);
    for (const auto& [method, seconds] : theirs)
      for (std::size_t i = 0; i < seconds.size(); ++i)
        if (errors[method][i] <= duel.error) BOOST_TEST(duel.their_seconds <= seconds[i], method);
  }
}

BOOST_AUTO_TEST_CASE(work_in_turns) {
  std::string order;
  struct Letter final : bench::Work {
    Letter(std::string& all, char letter, std::string why) : order(all), name(letter), failure(std::move(why)) {}
    void rewind() override { order += '-'; }
    std::string run() override {
      order += name;
      return failure;
    }
    std::string& order;
    char name;
    std::string failure;
  };
  Letter a(order, 'a', ""), b(order, 'b', "it fails"), c(order, 'c', "");
  const std::vector<bench::Work*> pieces{&a, &b, &c};
  TurnsRule rule;
  rule.seconds = 0;
  const Turns least = time_in_turns(pieces, rule);
  BOOST_TEST(order == "-a-b-c-a-c-a-c");
  BOOST_TEST(least.rounds == 3);
  BOOST_TEST(least.of[0].seconds.size() == 3u);
  BOOST_TEST(least.of[1].seconds.empty());
  BOOST_TEST(least.of[0].least() <= least.of[0].median());
  order.clear();
  rule.seconds = 60;
  BOOST_TEST(time_in_turns(pieces, rule).rounds == 15);
  order.clear();
  rule.longest_round = 0;
  const Turns none = time_in_turns(pieces, rule);
  BOOST_TEST(order == "-a-b-c");
  BOOST_TEST(none.rounds == 0);
  BOOST_TEST(none.first_round > 0);
  for (const TurnTimes& times : none.of) BOOST_TEST(times.seconds.empty());

  TurnTimes times{{5, 1, 2, 4, 3}};
  BOOST_TEST(times.least() == 1);
  BOOST_TEST(times.median() == 3);
  BOOST_TEST(times.spread() == 1);
  BOOST_TEST(TurnTimes().median() == 0);
}

BOOST_AUTO_TEST_CASE(long_runs_are_timed_once) {
  int runs = 0;
  struct Counted final : bench::Work {
    explicit Counted(int& all) : count(all) {}
    void rewind() override {}
    std::string run() override {
      ++count;
      return "";
    }
    int& count;
  };
  std::vector<double> seconds;
  const Task task{"counted", [&runs] { return std::make_unique<Counted>(runs); },
                  [&seconds](double once, bench::Work&) { seconds.push_back(once); }, [](const std::string&) {}};
  TimingRule rule;
  rule.least_seconds = 1e-9;
  rule.long_run = 1e-12;
  time_tasks({task}, rule);
  BOOST_TEST(runs == 1);
  BOOST_TEST(seconds.size() == 1u);
}

BOOST_AUTO_TEST_CASE(work_precision_misuse) {
  const test::Scratch scratch;
  scratch.misuse("bench chian", {"chian", "\"chain\""});
  scratch.misuse("bench work-precision --links 3", {"--links", "chain"});
  scratch.misuse("bench chain --plot out.svg", {"--plot", "work-precision"});
  scratch.misuse("bench chain --intervals 3", {"--intervals", "strings"});
  scratch.misuse("bench strings --links 3", {"--links", "chain"});
  scratch.misuse("bench strings --intervals 1", {"--intervals", "1"});
  scratch.misuse("bench strings --algebra klo", {"klo", "klu"});
  scratch.misuse("bench work-precision --until 15", {"--until", "multiple of 10"});
  scratch.misuse("bench work-precision --output no/such/out.csv", {"no/such/out.csv"});
  scratch.misuse("bench work-precision --plot no/such/out.svg", {"no/such/out.svg"});
}

BOOST_AUTO_TEST_CASE(peers_are_compared_at_equal_error) {
  const test::Scratch scratch;
  const test::Outcome outcome = scratch.gnomon("bench peers pendulum --until 0.2 --repetitions 1 --output out.csv");
  BOOST_TEST(outcome.status == 0, outcome.err);
  for (const char* part : {"other programs that were found", "pendulum, 0.2: the reference is known to",
                           "Gnomon, --rtol", "energy-momentum", "ida-ggl", "to T = 4 by Gnomon, --rtol rtol at"})
    BOOST_TEST(test::contains(outcome.out, part), outcome.out);
  BOOST_TEST(test::contains(test::read(scratch.work / "out.csv"), "pendulum,0.2,\"Gnomon, --rtol\",rtol,0.01,"));
}

BOOST_AUTO_TEST_CASE(peers_misuse) {
  const test::Scratch scratch;
  scratch.misuse("bench peers pendulm", {"pendulm", "pendulum"});
  scratch.misuse("bench peers pendulum --until 0", {"--until", "above zero"});
  scratch.misuse("bench chain pendulum", {"pendulum", "bench peers"});
}

BOOST_AUTO_TEST_CASE(strings_print_their_figures) {
  const test::Scratch scratch;
  const test::Outcome outcome =
      scratch.gnomon("bench strings --intervals 1000 --intervals 1100 --repetitions 1 --steps 2 --output out.csv");
  BOOST_TEST(outcome.status == 0, outcome.err);
  for (const char* part : {"x residual", "against a residual", "time a node and step"})
    BOOST_TEST(test::contains(outcome.out, part), outcome.out);
  BOOST_TEST(test::contains(test::read(scratch.work / "out.csv"), "1100,auto,"));
}
