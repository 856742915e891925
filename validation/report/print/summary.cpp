#include "report/print/summary.hpp"

#include <fmt/format.h>

#include "report/print/not_passed.hpp"
#include "report/print/published_tables.hpp"
#include "report/print/scheme_summary.hpp"
#include "report/print/text.hpp"

namespace gnomon::validation {

namespace {

void print_section(std::FILE* out, const std::string& text) {
  if (!text.empty()) fmt::print(out, "\n{}", text);
}

}  // namespace

std::string verdict_text(const Tally& tally) {
  if (tally.gated() == 0) return "no row has a gate";
  if (tally.bad()) return fmt::format("{} of {} gated rows fail", tally.fail + tally.unexpected_pass, tally.gated());
  const std::string known = counted(tally.known_failure, "known failure");
  return fmt::format("all {} gated rows hold{}", tally.gated(), tally.known_failure > 0 ? " but for " + known : "");
}

void print_summary(std::FILE* out, const Outcome& outcome, bool colour) {
  const Tally& tally = outcome.tally;
  const Verdict verdict = tally.bad() ? Verdict::fail : Verdict::pass;
  fmt::print(out, "{}: {}\n", painted(tally.bad() ? "FAILED" : "PASSED", verdict, colour), verdict_text(tally));
  fmt::print(out, "{} of the {} tier in {:.0f} s{}\n\n", counted(outcome.cases, "case"), to_string(outcome.tier),
             outcome.seconds, outcome.tier == Tier::brief ? "; every scheme on every problem: --standard" : "");
  const auto line = [out](long count, const char* what, const char* meaning) {
    fmt::print(out, "   {:>7}  {:21} {}\n", count, what, meaning);
  };
  line(tally.pass, "pass", "the number lies in its gate, the interval that the case allows");
  line(tally.fail + tally.unexpected_pass, "FAIL", "it does not, or it does and is declared not to");
  line(tally.known_failure, "known failure", "it does not, for the reason given in section 3");
  line(tally.better, "better than promised", "it lies outside, on the better side");
  line(tally.information, "information", "measured, without a gate");
  print_section(out, scheme_summary(outcome.rows, colour));
  print_section(out, published_tables(outcome.rows, colour));
  print_section(out, not_passed(outcome.rows, colour));
  std::fflush(out);
}

}  // namespace gnomon::validation
