#include "report/print/published_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/print/text.hpp"

namespace gnomon::validation {

namespace {

using Rows = std::vector<const Row*>;

constexpr std::size_t name_width = 40;
constexpr long brief_lines = 24;  // of a paper, beside other kinds of cases

/// In the order of their first rows.
template <class Key>
std::vector<Rows> grouped(const Rows& rows, Key key) {
  std::vector<Rows> groups;
  std::map<std::string, std::size_t> places;
  for (const Row* row : rows) {
    const auto [place, added] = places.try_emplace(key(*row), groups.size());
    if (added) groups.emplace_back();
    groups[place->second].push_back(row);
  }
  return groups;
}

/// The part of the name that all cases of a paper share, up to a slash.
std::size_t shared_prefix(const Rows& rows) {
  std::string prefix = without_kind(rows.front()->case_name);
  for (const Row* row : rows) {
    const std::string name = without_kind(row->case_name);
    const auto end = std::mismatch(prefix.begin(), prefix.end(), name.begin(), name.end()).first;
    prefix.erase(end, prefix.end());
  }
  return prefix.rfind('/') == std::string::npos ? 0 : prefix.rfind('/') + 1;
}

/// "e_s" of "e_s-3".
std::string column_of(const Row& row) {
  return row.quantity.name.substr(0, row.quantity.name.rfind('-'));
}

/// "e_s printed, ours" over the columns of a table.
std::string table_heading(const Rows& rows) {
  std::string out = fmt::format("   {:25}", "");
  for (const Rows& column : grouped(rows, column_of))
    out += fmt::format(" {:>11} {:>11}", column_of(*column.front()), "ours");
  return out + "\n";
}

/// A case whose numbers are rows and columns of a printed table: a line a row, printed and ours for each column. Of
/// more than three rows the first, the middle and the last one; `left` counts the others.
std::string as_table(const std::string& name, const Rows& rows, bool colour, std::size_t& left) {
  std::string out;
  std::vector<Rows> lines = grouped(rows, [](const Row& row) { return row.quantity.at; });
  left = 0;
  if (lines.size() > 3) {
    left = lines.size() - 3;
    lines = {lines.front(), lines[lines.size() / 2], lines.back()};
  }
  for (const Rows& line : lines) {
    out += fmt::format("   {:12} {:12}", out.empty() ? name : "", line.front()->quantity.at);
    std::string remarks;
    for (const Row* row : line) {
      out += fmt::format(" {:>11.4e} {:>11.4e}", *row->quantity.printed, row->quantity.value);
      if (row->verdict != Verdict::pass && row->verdict != Verdict::information)
        remarks += painted(fmt::format(" {} {}", column_of(*row), short_text(row->verdict)), row->verdict, colour);
    }
    out += remarks + "\n";
  }
  return out;
}

/// Numbers beside a table: "e_H 1.1e-16 printed, 5e-17 ours"; and how many of its rows are left out.
std::string as_text(const Rows& rows, std::size_t left) {
  std::string out;
  for (const Row* row : rows) {
    const Quantity& quantity = row->quantity;
    out += fmt::format("{}{} {:.2g} printed, {:.2g} ours", out.empty() ? "" : "; ", quantity.name, *quantity.printed,
                       quantity.value);
    if (row->verdict != Verdict::pass) out += fmt::format(" ({})", short_text(row->verdict));
  }
  if (left > 0) out += fmt::format("{}{} more rows", out.empty() ? "" : "; ", left);
  return wrapped(out, 16);
}

/// A line for each number.
std::string as_lines(const std::string& name, const Rows& rows, bool colour) {
  std::string out;
  for (const Row* row : rows) {
    const Quantity& quantity = row->quantity;
    out += fmt::format("   {:40} {:20} {:>12} {:>12}  {}\n", row == rows.front() ? name : "", quantity.name,
                       fmt::format("{:.5g}", *quantity.printed), fmt::format("{:.5g}", quantity.value),
                       painted(short_text(row->verdict), row->verdict, colour));
  }
  return out;
}

std::string paper(const Rows& rows, bool brief, bool colour) {
  Rows printed;
  std::set<std::string> all, with_number;
  for (const Row* row : rows) {
    all.insert(row->case_name);
    if (!row->quantity.printed) continue;
    printed.push_back(row);
    with_number.insert(row->case_name);
  }
  const std::string& source = rows.front()->source;
  std::string out = "\n" + wrapped(source.empty() ? "Without a source" : source, 1);
  const std::size_t prefix = shared_prefix(rows);
  std::string note, columns;  // what several cases share is printed once
  bool heading = false;
  std::vector<Rows> cases = grouped(printed, [](const Row& row) { return row.case_name; });
  // Printed tables come first.
  std::stable_partition(cases.begin(), cases.end(), [](const Rows& one) { return !one.front()->quantity.at.empty(); });
  std::size_t shown = 0;
  for (const Rows& one : cases) {
    if (brief && std::count(out.begin(), out.end(), '\n') >= brief_lines) break;
    ++shown;
    std::string name = without_kind(one.front()->case_name).substr(prefix);
    if (name.size() > name_width) name.erase(0, name.find('/') + 1);  // the folder, which repeats the paper
    Rows in_table, others;
    for (const Row* row : one) (row->quantity.at.empty() ? others : in_table).push_back(row);
    if (in_table.empty()) {
      if (!heading) out += fmt::format("   {:40} {:20} {:>12} {:>12}\n", "", "", "printed", "ours");
      heading = true;
      out += as_lines(name, one, colour);
    } else {
      if (const std::string above = table_heading(in_table); above != columns) out += columns = above;
      std::size_t left = 0;
      out += as_table(name, in_table, colour, left);
      out += as_text(others, left);
    }
    if (one.front()->note != note) out += wrapped(one.front()->note, 5);
    note = one.front()->note;
  }
  if (const auto hidden = static_cast<long>(cases.size() - shown); hidden > 0)
    out += wrapped(fmt::format("{} with printed numbers: gnomon validate published", counted(hidden, "more case")), 3);
  const long others = static_cast<long>(all.size() - with_number.size());
  if (others > 0) out += wrapped(fmt::format("{} without a printed number", counted(others, "more case")), 3);
  return out;
}

}  // namespace

std::string published_tables(const std::vector<Row>& rows, bool colour) {
  Rows published;
  for (const Row& row : rows)
    if (row.case_name.rfind("published/", 0) == 0) published.push_back(&row);
  if (published.empty()) return "";
  const bool brief = published.size() < rows.size();
  std::string out = "2. Published results: what the paper prints, and ours beside it (every row: --verbose)\n";
  for (const Rows& one : grouped(published, [](const Row& row) { return row.source; }))
    out += paper(one, brief, colour);
  return out;
}

}  // namespace gnomon::validation
