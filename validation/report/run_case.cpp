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
    case Verdict::better:
      return "better than promised";
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
    return {{"run", NAN, failure.what(), impossible}};
  } catch (const std::exception& error) {
    return {{"error", NAN, error.what(), impossible}};
  }
}

bool names_run(const std::string& quantity) {
  return quantity == "run" || quantity == "error";
}

Row row_for(const Case& c, Quantity quantity) {
  Row row;
  row.case_name = c.full_name();
  row.former_name = c.former_name();
  row.quantity = std::move(quantity);
  row.note = c.note;
  row.source = c.source;
  row.scheme = c.method.scheme;
  row.problem = c.problem;
  row.measure = c.measure;
  return row;
}

/// The verdict on a number that its gate does not accept, where the case declares it a known failure.
void judge_known(Row& row, const KnownFailure& known) {
  row.reason = known.reason;
  row.verdict = Verdict::known_failure;
  if (known.message.empty() || row.quantity.note.find(known.message) != std::string::npos) return;
  row.verdict = Verdict::fail;
  row.reason = "the known failure has another message: \"" + known.message + "\"";
}

/// The verdict on a number with a gate.
void judge(Row& row, const Case& c) {
  const std::string& name = row.quantity.name;
  const Gate& gate = *row.quantity.gate;
  const auto known = c.known_failures.find(name);
  const auto better = c.better.find(name);
  if (gate.accepts(row.quantity.value))
    row.verdict = Verdict::pass;
  else if (gate.beaten_by(row.quantity.value))
    row.verdict = Verdict::better;
  else if (known != c.known_failures.end())
    return judge_known(row, known->second);
  else if (!row.quantity.excuse.empty())
    return judge_known(row, {row.quantity.excuse, ""});
  else
    return void(row.verdict = Verdict::fail);

  if (known != c.known_failures.end()) {
    row.verdict = Verdict::unexpected_pass;
    row.reason = known->second.reason;
  } else if (better != c.better.end()) {
    // Why it is better belongs to a number that is; elsewhere the case says something that is not so.
    if (row.verdict == Verdict::pass) row.verdict = Verdict::unexpected_pass;
    row.reason = better->second;
  }
}

/// The row of a quantity: the gate of the case, the paper's number, and the verdict.
Row row_of(const Case& c, Quantity quantity) {
  const auto gate = c.gates.find(quantity.name);
  if (gate != c.gates.end()) quantity.gate = gate->second;
  const auto printed = c.printed.find(quantity.name);
  if (printed != c.printed.end()) quantity.printed = printed->second;
  Row row = row_for(c, std::move(quantity));
  if (row.quantity.gate) judge(row, c);
  if (names_run(row.quantity.name)) row.quantity.gate.reset();
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
  // What the case says of a quantity that was not measured is a mistake in the case, or a failure gone.
  const auto add = [&](const std::string& name, const std::optional<Gate>& gate, const char* note, Verdict verdict,
                       const std::string& reason) {
    if (!seen.insert(name).second) return;
    rows.push_back(row_for(c, {name, NAN, note, gate}));
    rows.back().verdict = verdict;
    rows.back().reason = reason;
  };
  for (const auto& [name, known] : c.known_failures)
    add(name, {}, "did not happen", Verdict::unexpected_pass, known.reason);
  const char* missing = "not among the measured quantities";
  for (const auto& [name, gate] : c.gates) add(name, gate, missing, Verdict::fail, "");
  for (const auto& [name, printed] : c.printed) add(name, {}, missing, Verdict::fail, "");
  for (const auto& [name, reason] : c.better) add(name, {}, missing, Verdict::fail, "");
  return rows;
}

}  // namespace gnomon::validation
