#include "program/pages/validate_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "program/pages/report_file.hpp"
#include "report/case_file.hpp"
#include "report/print/scheme_summary.hpp"
#include "report/print/summary.hpp"
#include "report/print/text.hpp"

namespace gnomon::program {

using pages::Cell;
using pages::Mark;
using pages::Table;
using validation::Row;
using validation::Verdict;

namespace {

constexpr std::size_t nearest_shown = 100;

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::better:
      return Mark::good;
    case Verdict::known_failure:
      return Mark::warn;
    case Verdict::fail:
    case Verdict::unexpected_pass:
      return Mark::bad;
    case Verdict::information:
      break;
  }
  return Mark::none;
}

void add_result(pages::Page& page, const validation::Outcome& outcome) {
  const validation::Tally& tally = outcome.tally;
  const auto count = [](long number) { return std::to_string(number); };
  const long failed = tally.fail + tally.unexpected_pass;
  page.add(pages::Section{"Result"});
  page.add(pages::Facts{
      "",
      {{"verdict",
        {(tally.bad() ? "FAILED: " : "PASSED: ") + validation::verdict_text(tally),
         tally.bad() ? Mark::bad : Mark::good}},
       {"tier", validation::to_string(outcome.tier)},
       {"cases", count(outcome.cases)},
       {"rows with a gate", count(tally.gated())},
       {"pass", {count(tally.pass), Mark::none, "the number lies in its gate, the interval that the case allows"}},
       {"fail", {count(failed), failed > 0 ? Mark::bad : Mark::none, "it does not, or it does and is declared not to"}},
       {"known failures", {count(tally.known_failure), Mark::none, "it does not, for the reason given below"}},
       {"better than promised", {count(tally.better), Mark::none, "it lies outside, on the better side"}},
       {"information", {count(tally.information), Mark::none, "measured, without a gate"}},
       {"time", fmt::format("{:.0f} s", outcome.seconds)}}});
  page.add(surroundings());
}

void add_nearest(pages::Page& page, const std::vector<Row>& rows) {
  std::vector<std::pair<double, const Row*>> near;
  for (const Row& row : rows)
    if (const auto share = share_of_gate(row); share && row.verdict == Verdict::pass) near.emplace_back(*share, &row);
  const std::size_t count = std::min(near.size(), nearest_shown);
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  Table table{"", "", {"case", "quantity", "measured", "gate", "of the gate"}, {}};
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [share, row] = near[k];
    table.rows.push_back({row->case_name, row->quantity.name, cell_number(row->quantity.value),
                          row->quantity.gate->text(), fmt::format("{:.0f} %", 100 * share)});
  }
  if (table.rows.empty()) return;
  page.add(pages::Section{
      "Nearest to their gates",
      fmt::format("Of the rows that pass, the {} that take up most of their gate: 100 % is its edge.", count)});
  page.add(table);
}

void add_all(pages::Page& page, const std::vector<Row>& rows) {
  Table table{"", "", {"case", "quantity", "measured", "gate", "verdict", "what it is", "at", "measure"}, {}};
  for (const Row& row : rows)
    table.rows.push_back({row.case_name, row.quantity.name, cell_number(row.quantity.value),
                          row.quantity.gate ? row.quantity.gate->text() : "", verdict_cell(row), row.quantity.note,
                          row.quantity.at, row.measure});
  page.add(pages::Section{"All rows"});
  page.add(table);
}

/// Which of the promises of a scheme hold on a problem.
struct Kept {
  long kept = 0, promised = 0;
  bool bad = false, known = false;
  std::string exceptions;

  void take(const Row& row) {
    if (row.verdict == Verdict::information) return;
    ++promised;
    if (row.verdict == Verdict::pass || row.verdict == Verdict::better) {
      ++kept;
      return;
    }
    bad = bad || is_bad(row.verdict);
    known = true;
    exceptions += (exceptions.empty() ? "" : "; ") + row.quantity.name + " = " + cell_number(row.quantity.value) +
                  (row.reason.empty() ? "" : ", known: " + row.reason);
  }
  Cell cell() const {
    if (promised == 0) return "";
    return {kept == promised ? std::to_string(kept) : fmt::format("{}/{}", kept, promised),
            bad     ? Mark::bad
            : known ? Mark::warn
                    : Mark::good,
            exceptions};
  }
};

}  // namespace

Cell verdict_cell(const Row& row) {
  return {row.verdict == Verdict::information ? "" : validation::to_string(row.verdict), mark_of(row.verdict),
          row.reason};
}

std::optional<double> share_of_gate(const Row& row) {
  if (!row.quantity.gate || !std::isfinite(row.quantity.value)) return std::nullopt;
  const validation::Gate& gate = *row.quantity.gate;
  if (gate.near && gate.within > 0) return std::abs(row.quantity.value - *gate.near) / gate.within;
  if (gate.max && *gate.max > 0) return row.quantity.value / *gate.max;
  return std::nullopt;
}

void add_schemes(pages::Page& page, const std::vector<Row>& rows) {
  const std::vector<validation::SchemeLine> lines = validation::scheme_lines(rows);
  if (lines.empty()) return;
  page.add(pages::Section{"Schemes", "Conformance cases: each scheme on problems that it accepts."});
  Table table{
      "What each scheme promises, and what was measured",
      "Of promises, those that hold of all that are made. Order of q as declared, and the least and the greatest "
      "that were measured. Largest errors of energy (relative), of the constraints |g| and of |G v|; in brackets "
      "where the scheme promises nothing of them.",
      {"scheme", "cases", "promises", "declared order", "measured order", "energy", "|g|", "|G v|"},
      {}};
  for (const validation::SchemeLine& line : lines) {
    const std::string declared = line.orders == 0 ? ""
                                 : line.declared_low == line.declared_high
                                     ? fmt::format("{:g}", line.declared_low)
                                     : fmt::format("{:g} .. {:g}", line.declared_low, line.declared_high);
    table.rows.push_back({line.scheme,
                          std::to_string(line.cases),
                          {line.promised ? fmt::format("{} / {}", line.kept, line.promised) : "",
                           line.bad                     ? Mark::bad
                           : line.kept == line.promised ? Mark::good
                                                        : Mark::warn},
                          declared,
                          line.orders ? fmt::format("{:.2f} .. {:.2f}", line.order_low, line.order_high) : "",
                          line.energy.text(),
                          line.position.text(),
                          line.velocity.text()});
  }
  page.add(table);

  std::map<std::string, std::map<std::string, Kept>> promises;
  std::map<std::string, std::size_t> columns;
  for (const Row& row : rows) {
    if (row.measure != "promises" || row.case_name.rfind("conformance/", 0) != 0) continue;
    promises[row.scheme][row.problem].take(row);
    columns.emplace(row.problem, 0);
  }
  if (promises.empty()) return;
  pages::Matrix matrix{
      "Promises by scheme and problem",
      "How many promises hold; where some do not, of how many, and the reason where the pointer rests. "
      "Empty: the scheme does not take the problem, or was not run on it.",
      {},
      {},
      {}};
  for (auto& [problem, place] : columns) {
    place = matrix.columns.size();
    matrix.columns.push_back(validation::problem_label(problem));
  }
  for (const auto& [scheme, of_problem] : promises) {
    matrix.rows.push_back(scheme);
    matrix.cells.emplace_back(columns.size());
    for (const auto& [problem, kept] : of_problem) matrix.cells.back()[columns[problem]] = kept.cell();
  }
  page.add(matrix);
}

pages::Page validate_page(const validation::Outcome& outcome, const std::string& filter) {
  pages::Page page("Validation of Gnomon",
                   fmt::format("{} of the {} tier{}", validation::counted(outcome.cases, "case"),
                               validation::to_string(outcome.tier),
                               filter.empty() ? "" : " with \"" + filter + "\" in their names"));
  add_result(page, outcome);
  add_not_passed(page, outcome.rows);
  add_schemes(page, outcome.rows);
  add_published(page, outcome.rows);
  add_orders(page, outcome.rows);
  add_nearest(page, outcome.rows);
  add_all(page, outcome.rows);
  return page;
}

}  // namespace gnomon::program
