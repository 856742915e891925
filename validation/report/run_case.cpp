#include "report/run_case.hpp"

#include <cmath>
#include <exception>
#include <set>

namespace gnomon::validation {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "FAIL";
    case Verdict::known_failure:
      return "known failure";
    case Verdict::unexpected_pass:
      return "UNEXPECTED PASS";
    case Verdict::information:
      return "-";
  }
  return "";
}

namespace {

/// The measure's quantities; what it throws becomes a quantity that no gate accepts.
Quantities measure(const Registry& registry, const Case& c) {
  const Gate impossible = Gate::at_most(-1);
  try {
    return find_measure(c.measure).function(registry, c);
  } catch (const RunFailed& failure) {
    return {{"run", NAN, impossible, failure.what()}};
  } catch (const std::exception& error) {
    return {{"error", NAN, impossible, error.what()}};
  }
}

/// The row of a quantity: the gate of the case, and the verdict.
Row row_of(const Case& c, Quantity quantity) {
  const auto gate = c.gates.find(quantity.name);
  if (gate != c.gates.end()) quantity.gate = gate->second;
  Row row{c.full_name(), c.former_name(), std::move(quantity), Verdict::information, ""};
  const auto known = c.known_failures.find(row.quantity.name);
  if (known != c.known_failures.end()) row.reason = known->second;
  if (row.quantity.gate) {
    const bool accepted = row.quantity.gate->accepts(row.quantity.value);
    if (row.reason.empty())
      row.verdict = accepted ? Verdict::pass : row.quantity.excuse.empty() ? Verdict::fail : Verdict::known_failure;
    else
      row.verdict = accepted ? Verdict::unexpected_pass : Verdict::known_failure;
    if (row.verdict == Verdict::known_failure && row.reason.empty()) row.reason = row.quantity.excuse;
  }
  if (row.quantity.name == "run" || row.quantity.name == "error") row.quantity.gate.reset();
  return row;
}

}  // namespace

std::vector<Row> run_case(const Registry& registry, const Case& c) {
  std::vector<Row> rows;
  std::set<std::string> seen;
  for (Quantity& quantity : measure(registry, c)) {
    seen.insert(quantity.name);
    rows.push_back(row_of(c, std::move(quantity)));
  }
  if (seen.count("run") || seen.count("error")) return rows;
  // A gate or a known failure for something that was not measured is a mistake in the case, or a failure gone.
  for (const auto& [name, gate] : c.gates)
    if (!seen.count(name))
      rows.push_back(
          {c.full_name(), c.former_name(), {name, NAN, gate, "not among the measured quantities"}, Verdict::fail, ""});
  for (const auto& [name, reason] : c.known_failures)
    if (!seen.count(name))
      rows.push_back(
          {c.full_name(), c.former_name(), {name, NAN, {}, "did not happen"}, Verdict::unexpected_pass, reason});
  return rows;
}

}  // namespace gnomon::validation
