// gnomon list --matrix: what is taken runs and keeps what it promises, what is refused has a reason, and a reason that
// names another scheme names one that takes the model.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>

#include "gnomon/base/error.hpp"
#include "matrix/acceptance.hpp"
#include "matrix/derivatives.hpp"
#include "support/builtin_registry.hpp"
#include "support/scratch.hpp"

namespace {

using namespace gnomon;
using matrix::Answer;
using matrix::Cell;
using matrix::Row;

const std::vector<matrix::ModelKind>& kinds() {
  static const auto all = matrix::model_kinds();
  return all;
}

const std::vector<Row>& rows() {
  static const auto all = matrix::acceptance(registry(), kinds());
  return all;
}

const Cell& cell(const std::string& name, std::size_t column) {
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.name == name; });
  BOOST_REQUIRE(row != rows().end());
  return row->cells.at(column - 1);
}

bool refused(const Answer& answer) {
  return answer.kind == Answer::Kind::refused;
}

Answer said(Answer::Kind kind, const std::string& reason = {}) {
  Answer answer;
  answer.kind = kind;
  answer.reason = reason;
  return answer;
}

/// The names in "use NAME" and "use NAME or NAME".
std::vector<std::string> advised(const std::string& reason) {
  static const std::regex advice("\\buse ([a-z][a-z0-9-]*)(?: or ([a-z][a-z0-9-]*))?");
  std::vector<std::string> names;
  for (std::sregex_iterator found(reason.begin(), reason.end(), advice), end; found != end; ++found)
    for (const std::size_t group : {1, 2})
      if ((*found)[group].matched) names.push_back((*found)[group]);
  return names;
}

/// "NAME, column K: REASON" for every refusal that advises what is not there or refuses the same model.
std::vector<std::string> bad_advice(const std::vector<Row>& table) {
  std::vector<std::string> bad;
  for (const Row& row : table)
    for (std::size_t column = 0; column < row.cells.size(); ++column)
      for (const bool quadratic : {false, true}) {
        const auto answer_of = [&](const Row& r) -> const Answer& {
          return quadratic ? r.cells[column].best() : r.cells[column].any;
        };
        const std::string& reason = answer_of(row).reason;
        for (const std::string& name : advised(reason))
          if (std::none_of(table.begin(), table.end(),
                           [&](const Row& r) { return r.name == name && !refused(answer_of(r)); }))
            bad.push_back(row.name + ", column " + std::to_string(column + 1) + ": " + reason);
      }
  return bad;
}

void run(const Row& row, const Answer& answer, const ProblemInstance& instance) {
  if (row.is_reference) {
    const Reference& reference = registry().reference(row.name);
    const auto report =
        reference.start(instance, Options("reference " + row.name, reference.options()))->advance_to(0.1);
    BOOST_TEST(report.success, report.message);
    return;
  }
  Integrator integrator = registry().integrator(instance, row.name, "kinsol-newton");
  const StepReport report = integrator.advance(20, 5e-3);
  BOOST_TEST(report.success(), report.message);
  for (const auto& broken : integrator.check_promises()) BOOST_ERROR(broken.text());
  if (answer.kind == Answer::Kind::energy)
    BOOST_TEST(integrator.monitor().energy().max_abs_error() <= 10 * integrator.monitor().energy_gate());
}

}  // namespace

BOOST_AUTO_TEST_CASE(everything_registered_has_a_row) {
  BOOST_TEST(kinds().size() == 18u);
  BOOST_TEST(rows().size() == registry().schemes().size() + registry().references().size());
  for (const Row& row : rows()) BOOST_TEST(row.cells.size() == kinds().size());
}

BOOST_AUTO_TEST_CASE(models_have_what_their_kind_says) {
  const auto parts = [](std::size_t column) { return kinds()[column - 1].any.model->mechanical()->parts(); };
  for (std::size_t column = 1; column <= kinds().size(); ++column) {
    const auto has = [&](std::initializer_list<std::size_t> columns) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    BOOST_TEST_CONTEXT("column " << column) {
      BOOST_TEST((parts(column).mass != nullptr) == has({10, 11, 12, 13, 15, 16, 18}));
      BOOST_TEST((parts(column).force != nullptr) == has({3, 4, 11, 18}));
      BOOST_TEST((parts(column).time_dependence != nullptr) == has({5, 6, 12, 14, 18}));
      BOOST_TEST((parts(column).friction != nullptr) == has({7, 9, 15, 16}));
      BOOST_TEST((parts(column).obstacles != nullptr) == has({8, 9, 13, 14, 16}));
      BOOST_TEST((parts(column).velocity_constraints != nullptr) == has({17, 18}));
      BOOST_TEST(!kinds()[column - 1].quadratic == has({1, 5}));
      for (const bool quadratic : {false, true}) {
        const auto& kind = kinds()[column - 1];
        if (quadratic && !kind.quadratic) continue;
        const SystemTraits& traits = (quadratic ? *kind.quadratic : kind.any).model->mechanical()->traits();
        const int degree = quadratic || !kind.quadratic ? 2 : SystemTraits::not_polynomial;
        BOOST_TEST(traits.potential_degree == degree);
        BOOST_TEST(traits.constraint_degree == (has({17, 18}) ? SystemTraits::not_polynomial : degree));
      }
    }
  }
  BOOST_TEST(!parts(3).force->force_depends_on_time());
  BOOST_TEST(parts(4).force->force_depends_on_time());
  BOOST_TEST(parts(11).force->force_depends_on_time());
}

BOOST_AUTO_TEST_CASE(what_is_taken_runs_and_keeps_what_it_promises) {
  for (const Row& row : rows())
    for (std::size_t column = 0; column < kinds().size(); ++column)
      BOOST_TEST_CONTEXT(row.name << ", column " << column + 1) {
        const Cell& answers = row.cells[column];
        if (!refused(answers.any)) run(row, answers.any, kinds()[column].any);
        if (answers.quadratic && !refused(*answers.quadratic)) run(row, *answers.quadratic, *kinds()[column].quadratic);
      }
}

BOOST_AUTO_TEST_CASE(what_is_taken_in_general_is_taken_with_quadratic_functions) {
  for (const Row& row : rows())
    for (std::size_t column = 0; column < kinds().size(); ++column)
      BOOST_TEST((row.cells[column].best().kind >= row.cells[column].any.kind), row.name << ", column " << column + 1);
}

BOOST_AUTO_TEST_CASE(no_hole_without_a_reason) {
  for (const Row& row : rows())
    for (std::size_t column = 0; column < kinds().size(); ++column)
      for (const Answer* answer : {&row.cells[column].any, &row.cells[column].best()}) {
        BOOST_TEST_CONTEXT(row.name << ", column " << column + 1 << ": " << answer->reason) {
          BOOST_TEST(answer->reason.empty() == !refused(*answer));
          BOOST_TEST(answer->reason.find("generic-model") == std::string::npos);
        }
      }
  std::size_t holes = 0, given = 0;
  for (const Row& row : rows())
    for (const Cell& each : row.cells) holes += refused(each.any);
  for (const auto& reason : matrix::reasons(rows()))
    for (const auto& place : reason.places) given += place.columns.size();
  BOOST_TEST(given == holes);
}

BOOST_AUTO_TEST_CASE(advice_leads_to_a_scheme_that_takes_the_model) {
  for (const std::string& sentence : bad_advice(rows())) BOOST_ERROR(sentence);
}

BOOST_AUTO_TEST_CASE(bad_advice_is_found) {
  BOOST_TEST((advised("its shape is odd; use a-b or c-2") == std::vector<std::string>{"a-b", "c-2"}));
  BOOST_TEST(advised("because of the bend").empty());
  const Answer taken = said(Answer::Kind::accepted);
  const auto count = [](const Cell& first, const Cell& second) {
    return bad_advice({{"first", false, {first}}, {"second", false, {second}}}).size();
  };
  const auto only = [](const std::string& reason) { return Cell{said(Answer::Kind::refused, reason), std::nullopt}; };
  const auto else_taken = [&](const std::string& reason) { return Cell{said(Answer::Kind::refused, reason), taken}; };
  const Cell always{taken, taken};
  BOOST_TEST(count(only("odd; use second"), always) == 0u);
  BOOST_TEST(count(only("odd; use second"), only("odd; use first")) == 4u);  // both, for either form of the kind
  BOOST_TEST(count(only("odd; use third"), always) == 2u);
  BOOST_TEST(count(else_taken("odd; use second"), always) == 0u);
  BOOST_TEST(count(else_taken("odd; use second"), else_taken("odd")) == 1u);
}

BOOST_AUTO_TEST_CASE(marks) {
  const auto mark = [](Answer::Kind any, std::optional<Answer::Kind> quadratic) {
    Cell answers{said(any), std::nullopt};
    if (quadratic) answers.quadratic = said(*quadratic);
    return answers.mark();
  };
  using Kind = Answer::Kind;
  BOOST_TEST(mark(Kind::refused, {}) == "-");
  BOOST_TEST(mark(Kind::refused, Kind::refused) == "-");
  BOOST_TEST(mark(Kind::accepted, {}) == "X");
  BOOST_TEST(mark(Kind::energy, Kind::energy) == "E");
  BOOST_TEST(mark(Kind::refused, Kind::discrete_energy) == "d");
  BOOST_TEST(mark(Kind::accepted, Kind::energy) == "Xe");
}

BOOST_AUTO_TEST_CASE(known_cells) {
  BOOST_TEST(cell("energy-momentum", 1).mark() == "E");
  BOOST_TEST(cell("energy-momentum", 2).mark() == "e");
  BOOST_TEST(cell("energy-momentum-general", 2).mark() == "E");
  BOOST_TEST(cell("constrained-midpoint", 2).mark() == "Xe");
  BOOST_TEST(cell("symplectic-euler-true", 9).mark() == "X");
  BOOST_TEST(cell("ida-ggl", 7).mark() == "X");
  BOOST_TEST(cell("projected-rk", 18).mark() == "X");
  BOOST_TEST(cell("rattle", 17).mark() == "-");
  BOOST_TEST(cell("exact", 1).mark() == "-");
}

/// Each refusal by a scheme ends with who takes the model, and the first of them does.
BOOST_AUTO_TEST_CASE(refusals_name_who_takes_the_model) {
  int refusals = 0;
  for (std::size_t column = 0; column < kinds().size(); ++column)
    for (const Row& row : rows()) {
      if (row.is_reference || !refused(row.cells[column].any)) continue;
      try {
        registry().integrator(kinds()[column].any, row.name, "newton");
        BOOST_ERROR(row.name << " takes what it refused");
      } catch (const Error& error) {
        const std::string text = error.what(), lead = "; it is taken by ";
        const auto at = text.find(lead);
        BOOST_REQUIRE_MESSAGE(at != std::string::npos, text);
        const std::string names = text.substr(at + lead.size()), first = names.substr(0, names.find_first_of(", "));
        BOOST_TEST(!refused(cell(first, column + 1).any), text);
        ++refusals;
      }
    }
  BOOST_TEST(refusals > 100);
}

/// Contacts and friction have events that bind the states beside a motion.
BOOST_AUTO_TEST_CASE(what_is_taken_has_derivatives) {
  for (const auto& row : matrix::derivatives(registry(), kinds(), rows()))
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const matrix::Derivative& cell = row.cells[column];
      const auto parts = kinds()[column].any.model->mechanical()->parts();
      const char expected = !cell.taken ? '-' : parts.obstacles || parts.friction ? 'F' : 'B';
      BOOST_TEST(cell.mark() == expected, row.name << ", column " << column + 1 << ": " << cell.mark() << ", "
                                                   << cell.forwards << " " << cell.backwards);
    }
}

BOOST_AUTO_TEST_CASE(the_program_prints_it) {
  const gnomon::test::Scratch scratch;
  const auto table = scratch.gnomon("list --matrix"), with_reasons = scratch.gnomon("list --matrix --verbose");
  BOOST_TEST(table.status == 0);
  BOOST_TEST(with_reasons.status == 0);
  BOOST_TEST(with_reasons.out.rfind(table.out, 0) == 0u);
  for (const Row& row : rows()) {
    std::string line = "\n  " + row.name + " +";
    for (const Cell& each : row.cells) line += " +" + each.mark();
    BOOST_TEST(std::regex_search(table.out, std::regex(line + "\n")), "no line " << line);
  }
  for (const auto& kind : kinds()) BOOST_TEST(gnomon::test::contains(table.out, kind.what));
  for (const auto& reason : matrix::reasons(rows())) BOOST_TEST(gnomon::test::contains(with_reasons.out, reason.text));
  scratch.misuse("list schemes --matrix", {"--matrix", "\"schemes\""});
  scratch.misuse("list --verbose", {"--verbose", "--matrix"});
}
