// Gates, verdicts, case files and the table's tally; and that the measures see what they are meant to see.
#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/start/verify.hpp"
#include "measures/order/convergence.hpp"
#include "report/conformance.hpp"
#include "report/reference_rows.hpp"
#include "report/run_case.hpp"
#include "report/tally.hpp"
#include "support/faulty_system.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::validation;
using boost::algorithm::contains;

Registry builtin() {
  Registry registry;
  register_builtin(registry);
  registry.add_model_folder(GNOMON_MODELS_FOLDER);
  registry.add_model_folder(GNOMON_CASES_FOLDER "/../data");
  return registry;
}

/// The midpoint rule with the promises of a better scheme.
class OverpromisingScheme final : public MechanicalScheme {
 public:
  std::string name() const override { return "overpromising"; }
  std::string description() const override { return "promises what it does not keep"; }
  std::string source() const override { return ""; }
  Promises promises() const override {
    Promises all;
    all.order = 3;
    all.energy = all.position = all.hidden = all.momentum = all.symmetric = all.symplectic = true;
    return all;
  }
  Binding bind(const System& system, const Options& options) const override {
    const Registry registry = builtin();
    Binding binding = registry.scheme("constrained-midpoint").bind(system, options);
    binding.promises = promises();
    return binding;
  }
};

Case short_run() {
  Case c;
  c.kind = "published";
  c.name = "short";
  c.measure = "long-run";
  c.problem = "planar-pendulum";
  c.step = {1e-2};
  c.steps = 10;
  return c;
}

const Row& row_of(const std::vector<Row>& rows, const std::string& quantity) {
  for (const Row& row : rows)
    if (row.quantity.name == quantity) return row;
  throw std::runtime_error("no row " + quantity);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gates) {
  BOOST_TEST(Gate::at_most(2).accepts(2));
  BOOST_TEST(!Gate::at_most(2).accepts(2.1));
  BOOST_TEST(!Gate::at_least(2).accepts(1.9));
  BOOST_TEST(Gate::around(2, 0.05).accepts(1.96));
  BOOST_TEST(!Gate::around(2, 0.05).accepts(1.94));
  for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    BOOST_TEST(!Gate::at_most(2).accepts(bad));
    BOOST_TEST(!Gate::at_least(2).accepts(bad));
  }
  BOOST_TEST(Gate::around(2, 0.05).text() == "2 +- 0.05");
}

BOOST_AUTO_TEST_CASE(verdicts) {
  const Registry registry = builtin();
  Case c = short_run();
  c.gates["position"] = Gate::at_most(1e-13);
  c.gates["iterations"] = Gate::at_most(1e-3);
  std::vector<Row> rows = run_case(registry, c);
  BOOST_TEST((row_of(rows, "position").verdict == Verdict::pass));
  BOOST_TEST((row_of(rows, "iterations").verdict == Verdict::fail));
  BOOST_TEST((row_of(rows, "velocity").verdict == Verdict::information));

  c.known_failures = {{"position", {"wrong", ""}}, {"iterations", {"right", ""}}};
  rows = run_case(registry, c);
  BOOST_TEST((row_of(rows, "position").verdict == Verdict::unexpected_pass));
  BOOST_TEST((row_of(rows, "iterations").verdict == Verdict::known_failure));
  BOOST_TEST(row_of(rows, "iterations").reason == "right");

  Tally tally;
  for (const Row& row : rows) tally.count(row.verdict);
  BOOST_TEST(tally.bad());
  BOOST_TEST(tally.unexpected_pass == 1);
  BOOST_TEST(tally.known_failure == 1);
}

BOOST_AUTO_TEST_CASE(better_than_promised) {
  const Gate gate = Gate::around(2, 0.1).or_better(Gate::Better::above);
  BOOST_TEST(gate.beaten_by(2.2));
  for (const double not_better : {2.05, 1.8, double(NAN), double(INFINITY)}) BOOST_TEST(!gate.beaten_by(not_better));
  BOOST_TEST(!Gate::around(2, 0.1).beaten_by(2.2));
  BOOST_TEST(Gate::at_least(3).or_better(Gate::Better::below).beaten_by(1));

  const Registry registry = builtin();
  Case c = short_run();
  c.gates["iterations"] = Gate::around(40, 2).or_better(Gate::Better::below);
  BOOST_TEST((row_of(run_case(registry, c), "iterations").verdict == Verdict::better));
  BOOST_TEST(!is_bad(Verdict::better));
  c.better["iterations"] = "Newton's method is fast";
  BOOST_TEST(row_of(run_case(registry, c), "iterations").reason == "Newton's method is fast");
  // What is better is no known failure, and what just passes is not better.
  c.known_failures["iterations"] = {"too few", ""};
  BOOST_TEST((row_of(run_case(registry, c), "iterations").verdict == Verdict::unexpected_pass));
  c.known_failures.clear();
  c.gates["iterations"] = Gate::at_most(40);
  BOOST_TEST((row_of(run_case(registry, c), "iterations").verdict == Verdict::unexpected_pass));
}

BOOST_AUTO_TEST_CASE(printed_numbers_and_notes_go_with_the_rows) {
  Case c = short_run();
  c.note = "from a small amplitude";
  c.printed = {{"iterations", 3}, {"iteratoins", 3}};
  const std::vector<Row> rows = run_case(builtin(), c);
  BOOST_TEST(row_of(rows, "iterations").quantity.printed.value() == 3);
  BOOST_TEST(!row_of(rows, "position").quantity.printed);
  BOOST_TEST((row_of(rows, "iteratoins").verdict == Verdict::fail));
  for (const Row& row : rows) BOOST_TEST(row.note == c.note);
}

BOOST_AUTO_TEST_CASE(relative_energy_error_is_the_designs) {
  const Registry registry = builtin();
  for (const char* problem : {"double-spherical-pendulum", "conical-pendulum"}) {
    const ProblemInstance instance = registry.build(problem);
    Integrator integrator = registry.integrator(instance, "energy-momentum-general", "newton");
    BOOST_REQUIRE(integrator.advance(20, 1e-3).success());
    const InvariantMonitor& monitor = integrator.monitor();
    const double scale = std::max(monitor.kinetic_max(), monitor.potential_max());
    BOOST_TEST(monitor.energy_scale() == scale);
    BOOST_TEST(monitor.relative_energy_error() == monitor.energy().max_abs_error() / scale);
  }
}

BOOST_AUTO_TEST_CASE(gate_for_nothing) {
  Case c = short_run();
  c.gates["enrgy"] = Gate::at_most(1);
  BOOST_TEST((row_of(run_case(builtin(), c), "enrgy").verdict == Verdict::fail));
  c.gates.clear();
  c.known_failures["run"] = {"it does run", "stops"};
  BOOST_TEST((row_of(run_case(builtin(), c), "run").verdict == Verdict::unexpected_pass));
}

BOOST_AUTO_TEST_CASE(errors_and_failed_runs_are_rows) {
  const Registry registry = builtin();
  Case c = short_run();
  c.problem = "planar-pendulm";
  const std::vector<Row> rows = run_case(registry, c);
  BOOST_TEST((row_of(rows, "error").verdict == Verdict::fail));
  BOOST_TEST(contains(row_of(rows, "error").quantity.note, "planar-pendulum"));

  c = short_run();
  c.problem = "double-spherical-pendulum";
  c.step = {10};
  c.method.solver_options = {{"max-iterations", "3"}};
  BOOST_TEST((row_of(run_case(registry, c), "run").verdict == Verdict::fail));
  c.known_failures["run"] = {"no scheme takes such steps", "KIN_MAXITER_REACHED"};
  BOOST_TEST((row_of(run_case(registry, c), "run").verdict == Verdict::known_failure));
  // Another message is another failure.
  c.known_failures["run"].message = "KIN_LSETUP_FAIL";
  const Row other = row_of(run_case(registry, c), "run");
  BOOST_TEST((other.verdict == Verdict::fail));
  BOOST_TEST(contains(other.reason, "KIN_LSETUP_FAIL"));
  BOOST_TEST(contains(other.quantity.note, "KIN_MAXITER_REACHED"));
}

BOOST_AUTO_TEST_CASE(shipped_cases_cover_every_kind) {
  const Registry registry = builtin();
  const std::vector<Case> cases = all_cases(registry, GNOMON_CASES_FOLDER, GNOMON_MODELS_FOLDER);
  for (const char* kind : {"conformance/", "published/", "reference/", "solver/"})
    BOOST_TEST(!select_cases(cases, Tier::quick, kind).empty(), kind);
  // The short tier has promises and order of every scheme, and every published case of the standard tier.
  for (const auto& scheme : registry.schemes()) {
    const std::vector<Case> brief = select_cases(cases, Tier::brief, "conformance/" + scheme + "/");
    BOOST_TEST(std::any_of(brief.begin(), brief.end(), [](const Case& c) { return c.order_until > 0; }), scheme);
  }
  BOOST_TEST(select_cases(cases, Tier::brief, "published/").size() ==
             select_cases(cases, Tier::standard, "published/").size());
  // A tier contains the ones before it.
  const std::size_t quick = select_cases(cases, Tier::quick, "").size();
  const std::size_t standard = select_cases(cases, Tier::standard, "").size();
  const std::size_t full = select_cases(cases, Tier::full, "").size();
  BOOST_TEST(quick < standard);
  BOOST_TEST(standard < full);
  BOOST_TEST(full == cases.size());
  // Conformance reaches every scheme and every problem.
  for (const auto& scheme : registry.schemes())
    BOOST_TEST(!select_cases(cases, Tier::quick, "conformance/" + scheme + "/").empty(), scheme);
  for (const auto& problem : registry.problems())
    BOOST_TEST((!select_cases(cases, Tier::quick, "/" + problem).empty() ||
                !select_cases(cases, Tier::quick, "conformance/" + problem).empty()),
               problem);
}

// Every problem and every scheme is compared with a reference, or a case file says why with none.
BOOST_AUTO_TEST_CASE(every_problem_and_scheme_has_a_reference_row_or_a_reason) {
  const Registry registry = builtin();
  CaseFiles files = read_case_files(GNOMON_CASES_FOLDER);
  files.models = gallery_models(GNOMON_MODELS_FOLDER);
  const std::vector<Case> cases = all_cases(registry, GNOMON_CASES_FOLDER, GNOMON_MODELS_FOLDER);
  for (const std::string& gap : reference_gaps(registry, files, cases)) BOOST_ERROR(gap);

  // Without their rows, and with a reason beside a row, the gaps are seen.
  BOOST_TEST(reference_gaps(registry, CaseFiles(), {}).size() ==
             registry.problems().size() + registry.schemes().size());
  CaseFiles needless;
  needless.no_references.push_back({"planar-pendulum", "", "none", ""});
  const std::vector<std::string> gaps = reference_gaps(registry, needless, cases);
  const auto says = [&](const char* text) { return std::find(gaps.begin(), gaps.end(), text) != gaps.end(); };
  BOOST_TEST(says("problem planar-pendulum has a reference row and a reason for none"));
}

BOOST_AUTO_TEST_CASE(symplectic_exact_needs_the_derivative) {
  const Registry registry = builtin();
  Case c = short_run();
  c.problem = "planar-pendulum";
  BOOST_CHECK_EXCEPTION(find_measure("symplectic-exact").function(registry, c), Error, [](const Error& error) {
    return std::string(error.what()) == "symplectic-exact: the scheme does not offer the derivative of its step map";
  });
}

// The conformance measures must not believe a scheme.
BOOST_AUTO_TEST_CASE(false_promises_are_seen) {
  Registry registry = builtin();
  registry.add([](Registrar& registrar) { registrar.add(std::make_unique<OverpromisingScheme>()); }, "test");
  Case c = short_run();
  c.measure = "promises";
  c.problem = "spring-pendulum";
  c.method.scheme = "overpromising";
  c.steps = 1000;
  c.order_until = 0.5;
  c.symplectic_step = 0.02;
  const std::vector<Row> rows = run_case(registry, c);
  for (const char* quantity : {"energy", "hidden", "symplectic", "order-q", "order-p"})
    BOOST_TEST((row_of(rows, quantity).verdict == Verdict::fail), quantity);
  for (const char* quantity : {"position", "symmetric", "momentum-0"})
    BOOST_TEST((row_of(rows, quantity).verdict == Verdict::pass), quantity);

  // What is not promised is not tested.
  c.method.scheme = "constrained-midpoint";
  const std::vector<Row> honest = run_case(registry, c);
  for (const Row& row : honest)
    BOOST_TEST((row.verdict == (row.quantity.gate ? Verdict::pass : Verdict::information)), row.quantity.name);
  for (const char* figure : {"energy-relative", "hidden"}) BOOST_TEST(!row_of(honest, figure).quantity.gate, figure);
}

BOOST_AUTO_TEST_CASE(wrong_comparison_is_seen) {
  const Registry registry = builtin();
  const ProblemInstance instance = registry.build("planar-pendulum");
  Comparison comparison = best_comparison(registry, instance, 1.0);
  BOOST_TEST(comparison.name == "exact");
  BOOST_TEST(std::abs(refine(registry, instance, Method(), comparison, 1.0, 1024).position_order - 2) < 0.02);
  comparison.z.q[0] += 1e-3;
  BOOST_TEST(std::abs(refine(registry, instance, Method(), comparison, 1.0, 1024).position_order - 2) > 0.5);
}

// Every function of a System is looked at: one that returns NaN fails some check.
BOOST_AUTO_TEST_CASE(derivative_check_sees_every_function) {
  const Registry registry = builtin();
  ProblemInstance instance = registry.build("spring-pendulum");
  const auto fails = [](const ProblemInstance& of) {
    int failed = 0;
    for (const ModelCheck& check : verify_functions(*of.model, of.t0, of.q0, of.p0)) failed += !check.passed();
    return failed;
  };
  BOOST_TEST(fails(instance) == 0);
  const std::shared_ptr<const System> sound = shared_system(instance.model);
  using Function = gnomon::test::FaultySystem::Function;
  for (int k = 0; k < static_cast<int>(Function::count); ++k) {
    const auto function = static_cast<Function>(k);
    if (function == Function::force || function == Function::obstacles) continue;  // this problem has none
    instance.model =
        std::make_shared<gnomon::test::FaultySystem>(*sound, function, gnomon::test::FaultySystem::How::nan);
    BOOST_TEST(fails(instance) > 0, "function " << k);
  }
}

BOOST_AUTO_TEST_CASE(slope_of_a_power) {
  const std::vector<double> steps{0.1, 0.05, 0.02};
  std::vector<double> errors;
  for (const double h : steps) errors.push_back(7 * h * h * h);
  BOOST_TEST(std::abs(log_slope(steps, errors) - 3) < 1e-12);
  BOOST_TEST(std::isnan(log_slope({0.1}, {1})));
}
