// Published numbers and what did not pass, on the page of `gnomon validate`.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "program/pages/report_file.hpp"
#include "program/pages/validate_page.hpp"
#include "report/print/text.hpp"

namespace gnomon::program {

using pages::Table;
using validation::Row;
using validation::Verdict;

namespace {

/// |ours - printed|/|printed|; "" where a zero is printed.
std::string deviation(double printed, double ours) {
  return printed == 0 ? "" : fmt::format("{:.1e}", std::abs(ours - printed) / std::abs(printed));
}

/// Rows of one verdict, with reasons.
void add_excused(pages::Page& page, const std::vector<Row>& rows, Verdict verdict, const std::string& title,
                 const std::string& note) {
  Table table{title, note, {"case", "quantity", "measured", "gate", "reason"}, {}};
  for (const Row& row : rows)
    if (row.verdict == verdict)
      table.rows.push_back({row.case_name, row.quantity.name, cell_number(row.quantity.value),
                            row.quantity.gate ? row.quantity.gate->text() : "", row.reason});
  if (!table.rows.empty()) page.add(table);
}

}  // namespace

void add_published(pages::Page& page, const std::vector<Row>& rows) {
  std::vector<std::string> sources;  // in the order of their first rows
  std::map<std::string, Table> tables;
  for (const Row& row : rows) {
    if (!row.quantity.printed) continue;
    const auto [place, added] = tables.try_emplace(row.source);
    Table& table = place->second;
    if (added) {
      sources.push_back(row.source);
      table.title = row.source.empty() ? "Without a source" : row.source;
      table.columns = {"case", "quantity", "at", "printed", "ours", "deviation", "verdict", "of the case"};
    }
    table.rows.push_back({validation::without_kind(row.case_name), row.quantity.name, row.quantity.at,
                          fmt::format("{:.5g}", *row.quantity.printed), fmt::format("{:.5g}", row.quantity.value),
                          deviation(*row.quantity.printed, row.quantity.value), verdict_cell(row), row.note});
  }
  if (sources.empty()) return;
  page.add(pages::Section{"Published results",
                          "What the papers print, and ours beside it; the deviation is |ours - printed|/|printed|."});
  for (const std::string& source : sources) page.add(std::move(tables[source]));
}

void add_not_passed(pages::Page& page, const std::vector<Row>& rows) {
  page.add(pages::Section{"What did not pass"});
  Table failed{"Failures", "", {"case", "quantity", "measured", "gate", "verdict", "reason", "what it is"}, {}};
  for (const Row& row : rows)
    if (is_bad(row.verdict))
      failed.rows.push_back({row.case_name, row.quantity.name, cell_number(row.quantity.value),
                             row.quantity.gate ? row.quantity.gate->text() : "", verdict_cell(row), row.reason,
                             row.quantity.note});
  if (failed.rows.empty())
    page.add(pages::Text{"", {"No row failed."}});
  else
    page.add(failed);
  add_excused(page, rows, Verdict::known_failure, "Known failures",
              "Outside their gates, as the cases say they are; a known failure that passes is a failure.");
  add_excused(page, rows, Verdict::better, "Better than promised or printed", "");
}

}  // namespace gnomon::program
