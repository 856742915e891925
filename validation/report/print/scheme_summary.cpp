#include "report/print/scheme_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/print/text.hpp"

namespace gnomon::validation {

namespace {

bool about_a_scheme(const Row& row) {
  return row.case_name.rfind("conformance/", 0) == 0 && row.measure != "derivatives";
}

bool about_promises(const Row& row) {
  return row.measure == "promises" || row.measure == "invariants";
}

void take_order(SchemeLine& line, const Row& row) {
  if (!row.quantity.gate || !row.quantity.gate->near || !std::isfinite(row.quantity.value)) return;
  const double declared = *row.quantity.gate->near, measured = row.quantity.value;
  const bool first = line.orders++ == 0;
  line.declared_low = first ? declared : std::min(line.declared_low, declared);
  line.declared_high = first ? declared : std::max(line.declared_high, declared);
  line.order_low = first ? measured : std::min(line.order_low, measured);
  line.order_high = first ? measured : std::max(line.order_high, measured);
}

std::string order_text(const SchemeLine& line) {
  if (line.orders == 0) return "";
  const std::string declared = line.declared_low == line.declared_high
                                   ? fmt::format("{:g}", line.declared_low)
                                   : fmt::format("{:g},{:g}", line.declared_low, line.declared_high);
  return fmt::format("{}: {:.2f}..{:.2f}", declared, line.order_low, line.order_high);
}

constexpr const char* legend =
    "1. Schemes: conformance cases, each scheme on problems that it accepts\n"
    "\n"
    "   promises   how many rows of what the scheme promises hold, of how many (energy, constraints,\n"
    "              momentum maps, symmetry, symplecticity, order)\n"
    "   order      of q: declared, and the smallest and the largest that was measured\n"
    "   energy     largest relative energy error, max |H - H_expected| / max(max|T|, max|U|)\n"
    "   |g|, |Gv|  largest errors of the position and of the velocity constraints\n"
    "              (figures in brackets: the scheme promises nothing of them)\n"
    "\n";

}  // namespace

void WorstFigure::take(double value, bool is_promised) {
  double& worst = is_promised ? promised : measured;
  worst = std::max(worst, value);
}

std::string WorstFigure::text() const {
  if (promised >= 0) return fmt::format("{:.1e} ", promised);
  return measured >= 0 ? fmt::format("({:.1e})", measured) : "";
}

std::vector<SchemeLine> scheme_lines(const std::vector<Row>& rows) {
  std::map<std::string, SchemeLine> lines;
  std::map<std::string, std::set<std::string>> cases;
  std::set<std::string> energy_promised;  // cases
  for (const Row& row : rows)
    if (about_promises(row) && row.quantity.name == "energy" && row.quantity.gate)
      energy_promised.insert(row.case_name);
  for (const Row& row : rows) {
    if (!about_a_scheme(row)) continue;
    SchemeLine& line = lines[row.scheme];
    cases[row.scheme].insert(row.case_name);
    line.bad = line.bad || is_bad(row.verdict);
    if (!about_promises(row)) continue;
    if (row.verdict != Verdict::information) {
      ++line.promised;
      if (row.verdict == Verdict::pass || row.verdict == Verdict::better) ++line.kept;
    }
    const std::string& name = row.quantity.name;
    const bool gated = row.quantity.gate.has_value();
    if (name == "order-q") take_order(line, row);
    if (name == "energy-relative") line.energy.take(row.quantity.value, energy_promised.count(row.case_name) > 0);
    if (name == "position") line.position.take(row.quantity.value, gated);
    if (name == "hidden") line.velocity.take(row.quantity.value, gated);
  }
  std::vector<SchemeLine> result;
  for (auto& [scheme, line] : lines) {
    line.scheme = scheme;
    line.cases = static_cast<long>(cases[scheme].size());
    result.push_back(line);
  }
  return result;
}

std::string scheme_summary(const std::vector<Row>& rows, bool colour) {
  const std::vector<SchemeLine> lines = scheme_lines(rows);
  if (lines.empty()) return "";
  std::string out = legend;
  out += fmt::format("   {:34} {:>5} {:>9}  {:14} {:>9} {:>9} {:>9}\n", "scheme", "cases", "promises", "order",
                     "energy ", "|g| ", "|Gv|");
  for (const SchemeLine& line : lines) {
    const Verdict verdict = line.bad ? Verdict::fail : Verdict::pass;
    std::string text = fmt::format("   {:34} {:>5} {:>9}  {:14} {:>9} {:>9} {:>9}", line.scheme, line.cases,
                                   line.promised ? fmt::format("{}/{}", line.kept, line.promised) : "-",
                                   order_text(line), line.energy.text(), line.position.text(), line.velocity.text());
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + (line.bad ? painted(" FAIL", verdict, colour) : "") + "\n";
  }
  return out;
}

}  // namespace gnomon::validation
