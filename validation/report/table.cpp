#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gnomon::validation {

namespace {

const char* colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "\033[32m";
    case Verdict::fail:
    case Verdict::unexpected_pass:
      return "\033[31m";
    case Verdict::known_failure:
      return "\033[33m";
    case Verdict::information:
      break;
  }
  return "";
}

}  // namespace

Table::Table(std::FILE* out, bool colour, const std::vector<Case>& cases) : out_(out), colour_(colour), name_width_(4) {
  for (const auto& c : cases) name_width_ = std::max(name_width_, c.full_name().size());
}

void Table::heading() {
  fmt::print(out_, "{:{}}  {:27}  {:>10}  {:>20}  {}\n", "case", name_width_, "quantity", "measured", "gate",
             "verdict");
}

void Table::row(const Row& row) {
  const Quantity& quantity = row.quantity;
  fmt::print(out_, "{:{}}  {:27}  {:>10}  {:>20}  ", row.case_name, name_width_, quantity.name,
             short_number(quantity.value), quantity.gate ? quantity.gate->text() : "");
  const char* colour = colour_ ? colour_of(row.verdict) : "";
  fmt::print(out_, "{}{}{}\n", colour, to_string(row.verdict), *colour ? "\033[0m" : "");
  if (is_bad(row.verdict) && !quantity.note.empty()) fmt::print(out_, "    {}\n", quantity.note);
  if (!row.reason.empty()) fmt::print(out_, "    known failure: {}\n", row.reason);
  std::fflush(out_);
}

void Tally::count(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      ++pass;
      break;
    case Verdict::fail:
      ++fail;
      break;
    case Verdict::known_failure:
      ++known_failure;
      break;
    case Verdict::unexpected_pass:
      ++unexpected_pass;
      break;
    case Verdict::information:
      ++information;
      break;
  }
}

std::string Tally::text() const {
  return fmt::format("{} passed, {} failed, {} known {}, {} unexpected {}, {} for information", pass, fail,
                     known_failure, known_failure == 1 ? "failure" : "failures", unexpected_pass,
                     unexpected_pass == 1 ? "pass" : "passes", information);
}

}  // namespace gnomon::validation
