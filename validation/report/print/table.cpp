#include "report/print/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gnomon/base/visible_text.hpp"
#include "report/print/text.hpp"

namespace gnomon::validation {

Table::Table(std::FILE* out, bool colour, const std::vector<Case>& cases) : out_(out), colour_(colour), name_width_(4) {
  for (const auto& c : cases) name_width_ = std::max(name_width_, c.full_name().size());
}

void Table::heading() {
  fmt::print(out_, "{:{}}  {:27}  {:>10}  {:>10}  {:>20}  {}\n", "case", name_width_, "quantity", "printed", "measured",
             "gate", "verdict");
}

void Table::row(const Row& row) {
  const Quantity& quantity = row.quantity;
  fmt::print(out_, "{:{}}  {:27}  {:>10}  {:>10}  {:>20}  {}\n", row.case_name, name_width_, visible(quantity.name),
             quantity.printed ? short_number(*quantity.printed) : "", short_number(quantity.value),
             quantity.gate ? quantity.gate->text() : "", painted(to_string(row.verdict), row.verdict, colour_));
  if (is_bad(row.verdict) && !quantity.note.empty()) fmt::print(out_, "    {}\n", visible(quantity.note));
  if (!row.reason.empty()) fmt::print(out_, "    {}\n", row.reason);
  std::fflush(out_);
}

}  // namespace gnomon::validation
