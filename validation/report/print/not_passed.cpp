#include "report/print/not_passed.hpp"

#include <fmt/format.h>

#include <map>

#include "report/print/text.hpp"

namespace gnomon::validation {

namespace {

/// Failures that are printed; the others are counted.
constexpr long failures_shown = 60;
/// Letters of the names that are printed with one reason.
constexpr std::size_t names_shown = 80;

std::string failures(const std::vector<Row>& rows, bool colour) {
  std::string out;
  long count = 0;
  for (const Row& row : rows) {
    if (!is_bad(row.verdict) || ++count > failures_shown) continue;
    const Quantity& quantity = row.quantity;
    out += fmt::format("   {} {} {} = {}{}{}\n", painted("FAIL", row.verdict, colour), row.case_name, quantity.name,
                       short_number(quantity.value), quantity.gate ? ", gate " + quantity.gate->text() : "",
                       row.verdict == Verdict::unexpected_pass ? ", declared not to pass" : "");
    const std::string& why = row.reason.empty() ? quantity.note : row.reason;
    out += wrapped(row.reason.empty() || quantity.note.empty() ? why : why + "; " + quantity.note, 8);
  }
  if (count > failures_shown)
    out += fmt::format("   and {}: --verbose prints them\n", counted(count - failures_shown, "more failed row"));
  return fmt::format("   {}\n", count == 0 ? "No row failed." : counted(count, "failed row") + ":") + out;
}

/// The rows of one reason: "case: quantity, quantity; case: quantity".
struct Reason {
  std::string text;
  long count = 0, named = 0;
  std::string last_case, names;
  void take(const Row& row) {
    ++count;
    if (names.size() > names_shown) return;
    ++named;
    if (row.case_name == last_case)
      names += ", " + row.quantity.name;
    else
      names += (names.empty() ? "" : "; ") + row.case_name + " " + row.quantity.name;
    last_case = row.case_name;
  }
  /// Of what is better than promised without the names.
  std::string print(bool with_names) const {
    const std::string more = count > named ? fmt::format("; and {}", counted(count - named, "more row")) : "";
    const std::string why = text.empty() ? "no reason is given" : text;
    return wrapped(fmt::format("{}: {}", counted(count, "row"), why), 3) + (with_names ? wrapped(names + more, 8) : "");
  }
};

std::string by_reason(const std::vector<Row>& rows, Verdict verdict, const std::string& heading) {
  std::vector<Reason> reasons;
  std::map<std::string, std::size_t> places;
  long count = 0;
  for (const Row& row : rows) {
    if (row.verdict != verdict) continue;
    ++count;
    const auto [place, added] = places.try_emplace(row.reason, reasons.size());
    if (added) {
      reasons.emplace_back();
      reasons.back().text = row.reason;
    }
    reasons[place->second].take(row);
  }
  if (count == 0) return "";
  std::string out = fmt::format("\n   {}: {}\n", heading, counted(count, "row"));
  for (const Reason& reason : reasons) out += reason.print(verdict != Verdict::better);
  return out;
}

}  // namespace

std::string not_passed(const std::vector<Row>& rows, bool colour) {
  // The failures last: that is where a terminal and a log end.
  return "3. What did not pass\n" + by_reason(rows, Verdict::better, "Better than promised or printed, by reason") +
         by_reason(rows, Verdict::known_failure, "Known failures, by reason") + "\n" + failures(rows, colour);
}

}  // namespace gnomon::validation
