/// The measures and the program on problems that are no mechanical systems: what works, what refuses, what must be
/// seen.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/start/verify.hpp"
#include "report/run_case.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::validation;

Registry builtin() {
  Registry registry;
  register_builtin(registry);
  return registry;
}

/// Everything from another model, but for one function that is wrong by a part in a thousand.
class Wrong final : public OverdeterminedSystem {
 public:
  enum class Function { tangent, jacobian, hidden, power };

  Wrong(std::shared_ptr<const OverdeterminedSystem> right, Function function, Term term)
      : right_(std::move(right)), function_(function), term_(term) {}
  const OverdeterminedTraits& traits() const override { return right_->traits(); }
  void evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const override {
    right_->evaluate(term, at, out);
    if (function_ == Function::hidden && term == Term::hidden) out *= 1.001;
  }
  void tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& direction,
               VectorRef out) const override {
    right_->tangent(term, at, direction, out);
    if (function_ == Function::tangent && term == term_) out *= 1.001;
  }
  const SparsityPattern& pattern(Term term, Argument argument) const override {
    return right_->pattern(term, argument);
  }
  void jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const override {
    right_->jacobian(term, argument, at, values);
    if (function_ == Function::jacobian && term == term_) values *= 1.001;
  }
  double energy(const OverdeterminedPoint& at) const override { return right_->energy(at); }
  double power(const OverdeterminedPoint& at) const override {
    return right_->power(at) * (function_ == Function::power ? 1.001 : 1);
  }

 private:
  std::shared_ptr<const OverdeterminedSystem> right_;
  Function function_;
  Term term_;
};

/// Names of the checks that fail, separated by blanks.
std::string failing(const OverdeterminedSystem& system, const ProblemInstance& start) {
  std::string names;
  for (const ModelCheck& check : verify_functions(system, start.t0, start.q0, start.p0))
    if (!check.passed()) names += check.name + " ";
  return names;
}

Case case_of(const std::string& measure) {
  Case c;
  c.kind = "published";
  c.name = "one";
  c.measure = measure;
  c.problem = "odae-test";
  c.method.scheme = c.other.scheme = "symplectic-euler-true";
  c.step = {1e-2};
  c.steps = 10;
  c.until = 0.1;
  c.symplectic_step = 0.01;
  c.mu = {1e3, 1e4};
  return c;
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_derivatives_are_seen) {
  const Registry registry = builtin();
  const ProblemInstance bead = registry.build("rotating-wire-bead", {{"momentum", "canonical"}});
  using Function = Wrong::Function;
  BOOST_TEST(failing(*bead.model->overdetermined(), bead) == "");
  const auto wrong = [&](Function function, Term term) {
    return failing(Wrong(overdetermined_from(bead.model), function, term), bead);
  };
  BOOST_TEST(wrong(Function::jacobian, Term::momentum) == "momentum-y momentum-z power ");  // and the slope
  BOOST_TEST(wrong(Function::jacobian, Term::multiplier_force) ==
             "multiplier-force-y multiplier-force-z multiplier-force-psi ");
  BOOST_TEST(wrong(Function::tangent, Term::force) == "force force-y force-z ");
  BOOST_TEST(wrong(Function::hidden, Term::hidden) == "hidden hidden-level ");
  BOOST_TEST(wrong(Function::power, Term::force) == "power ");
}

/// A measure that needs mass and potential says so, in one row, and the others measure.
BOOST_AUTO_TEST_CASE(every_measure_measures_or_refuses) {
  const Registry registry = builtin();
  int refused = 0, measured = 0;
  for (const Measure& measure : measures()) {
    const auto& keys = measure.keys;
    if (std::find(keys.begin(), keys.end(), "table") != keys.end()) continue;
    Case c = case_of(measure.name);
    if (measure.name == "trajectory-error") c.references = {own_solution};
    if (measure.name == "default-references") c.references = {"ida-index1"};
    if (measure.name == "self-convergence") c.step = {2e-2, 1e-2, 5e-3};
    const std::vector<Row> rows = run_case(registry, c);
    BOOST_REQUIRE(!rows.empty());
    const Row& first = rows.front();
    if (first.quantity.name != "error") {
      ++measured;
      continue;
    }
    ++refused;
    BOOST_TEST((first.verdict == Verdict::fail), measure.name);
    BOOST_TEST(!first.quantity.note.empty(), measure.name);
    BOOST_TEST_MESSAGE(measure.name << ": " << first.quantity.note);
  }
  for (const char* name : {"symplectic", "integral-error", "constraint-levels"}) {
    const std::vector<Row> rows = run_case(registry, case_of(name));
    BOOST_TEST(rows.front().quantity.note.find("\"odae-test\" is an overdetermined DAE") != std::string::npos, name);
  }
  BOOST_TEST(refused >= 8);
  BOOST_TEST(measured >= 10);
}

BOOST_AUTO_TEST_CASE(mechanical_start_repair_is_refused) {
  const Registry registry = builtin();
  IntegratorOptions options;
  options.project_start = true;
  BOOST_CHECK_EXCEPTION(
      registry.integrator(registry.build("odae-test"), "symplectic-euler-true", "newton", {}, {}, options), Error,
      [](const Error& error) { return std::string(error.what()).find("consistent one") != std::string::npos; });
}
