#include "program/commands/compare_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/output/chart_plot.hpp"
#include "program/pages/report_file.hpp"
#include "report/json.hpp"
#include "tables/table.hpp"

namespace gnomon::program {

namespace {

using tables::Kind;
using validation::to_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_lines = 40;

struct Side {
  std::string path;
  tables::Table table;
  Index time;

  explicit Side(const std::string& file) : path(file), table(tables::read_table(file)), time(table.head.find("t")) {
    if (time < 0)
      throw Error(ErrorCode::bad_file, "table \"" + file + "\" has no column \"t\", the time: it is no trajectory");
    if (table.rows() == 0) throw Error(ErrorCode::bad_file, "table \"" + file + "\" has no rows");
    for (Index i = 1; i < table.rows(); ++i)
      if (!(t(i) > t(i - 1)))
        throw Error(ErrorCode::bad_file,
                    fmt::format("table \"{}\": the times do not ascend, {} in row {} comes after {}", file,
                                number_text(t(i)), i + 1, number_text(t(i - 1))));
  }
  double t(Index i) const { return table.values(i, time); }
  double end() const { return t(table.rows() - 1); }
  double span() const { return end() - t(0); }
};

/// Rows of both at the same time, but for rounding.
std::vector<std::pair<Index, Index>> common_rows(const Side& a, const Side& b) {
  std::vector<std::pair<Index, Index>> out;
  for (Index i = 0, j = 0; i < a.table.rows() && j < b.table.rows();) {
    const double apart = a.t(i) - b.t(j);
    if (std::abs(apart) <= 1e-12 * std::max(std::abs(a.t(i)), std::max(a.span(), b.span())))
      out.emplace_back(i++, j++);
    else if (apart < 0)
      ++i;
    else
      ++j;
  }
  return out;
}

/// What the two have of one column.
struct Difference {
  std::string title;
  double largest = nan, at = nan;  ///< |a - b| and its time; NaN: no row has both
  long missing = 0;                ///< rows in which one of both is no number
  double size = 0;                 ///< the largest number of both
  Index column_a = -1, column_b = -1;
  std::string units;  ///< that contradict each other, or ""
  double relative() const { return largest == 0 || std::isinf(largest) ? largest : largest / size; }
  /// What is wrong with the column, or "".
  std::string warning() const {
    std::string text = units.empty() ? "" : "in " + units;
    if (missing > 0)
      text += fmt::format("{}{} row{} where one of both is no number", text.empty() ? "" : "; ", missing,
                          missing == 1 ? "" : "s");
    return text;
  }
};

Difference difference(const Side& a, const Side& b, Index i, Index j,
                      const std::vector<std::pair<Index, Index>>& rows) {
  const tables::Column &first = a.table.head.columns[static_cast<std::size_t>(i)],
                       &second = b.table.head.columns[static_cast<std::size_t>(j)];
  Difference out;
  out.title = first.unit.empty() ? second.title() : first.title();
  out.column_a = i;
  out.column_b = j;
  if (!first.unit.empty() && !second.unit.empty() && first.unit != second.unit)
    out.units = first.unit + " and " + second.unit;
  for (const auto& [k, l] : rows) {
    const double x = a.table.values(k, i), y = b.table.values(l, j), apart = x == y ? 0 : std::abs(x - y);
    out.missing += std::isnan(x) != std::isnan(y) ? 1 : 0;
    if (std::isnan(apart)) continue;
    out.size = std::max({out.size, std::abs(x), std::abs(y)});
    if (apart <= out.largest) continue;
    out.largest = apart;
    out.at = a.t(k);
  }
  return out;
}

/// The largest size of a column of drift over a whole table, where it is, at the end, and its slope.
struct Drift {
  std::string title;
  double largest = nan, at = nan, end = nan, slope = nan;
};

/// Columns that are errors by themselves: each table's own is what counts, not the difference of two.
bool is_drift(Kind kind) {
  return kind == Kind::energy_error || kind == Kind::constraint || kind == Kind::invariant;
}

Drift drift(const Side& side, std::size_t column) {
  Drift out;
  out.title = side.table.head.columns[column].title();
  const auto values = side.table.column(static_cast<Index>(column));
  double n = 0, mean_t = 0, mean_x = 0, stt = 0, stx = 0;
  for (Index i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    out.end = values[i];
    if (!(std::abs(values[i]) <= out.largest)) {
      out.largest = std::abs(values[i]);
      out.at = side.t(i);
    }
    const double dt = side.t(i) - mean_t;
    mean_t += dt / ++n;
    stt += dt * (side.t(i) - mean_t);
    mean_x += (values[i] - mean_x) / n;
    stx += dt * (values[i] - mean_x);
  }
  if (stt > 0) out.slope = stx / stt;
  return out;
}

std::vector<Drift> drifts(const Side& side) {
  std::vector<Drift> out;
  const auto& columns = side.table.head.columns;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (is_drift(columns[j].kind)) out.push_back(drift(side, j));
  return out;
}

std::string origin(const Side& side) {
  const Json::Value& from = side.table.head.provenance;
  if (!from.isObject()) return "";
  std::string out;
  for (const char* name : {"problem", "scheme", "reference", "solver", "step", "rtol"})
    if (from[name].isString())
      out += (out.empty() ? "" : ", ") + std::string(std::string(name) == "problem" ? "" : name + std::string(" ")) +
             from[name].asString();
  return out;
}

std::string number(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.2e}", x);
}

struct Comparison {
  Side a, b;
  std::vector<std::pair<Index, Index>> rows;
  std::vector<Difference> differences;
  std::vector<std::string> only_a, only_b;

  /// Rows of columns in which one of both is no number.
  long missing() const {
    long count = 0;
    for (const Difference& one : differences) count += one.missing;
    return count;
  }

  Comparison(const std::string& first, const std::string& second) : a(first), b(second), rows(common_rows(a, b)) {
    const auto nothing_in_common = [&](const std::string& what) {
      return Error(ErrorCode::bad_value, fmt::format("tables \"{}\" and \"{}\" have no {}", first, second, what));
    };
    if (const double from = std::max(a.t(0), b.t(0)), to = std::min(a.end(), b.end()); rows.empty())
      throw nothing_in_common(
          from < to ? fmt::format("time in common: write both with the same --times, such as --times {}:{}:{}",
                                  number_text(from), number_text(std::min(a.span(), b.span()) / 100), number_text(to))
                    : fmt::format("time in common: one ends at t = {}, the other begins at t = {}", number_text(to),
                                  number_text(from)));
    bool shared = false;
    for (std::size_t i = 0; i < a.table.head.columns.size(); ++i) {
      const std::string& name = a.table.head.columns[i].name;
      if (static_cast<Index>(i) == a.time) continue;
      const bool drift = is_drift(a.table.head.columns[i].kind);
      const Index j = b.table.head.find(name);
      shared = shared || j >= 0;
      if (j >= 0) {
        Difference found = difference(a, b, static_cast<Index>(i), j, rows);
        if (!drift || found.missing > 0) differences.push_back(std::move(found));
      } else if (!drift) {
        only_a.push_back(name);
      }
    }
    for (const tables::Column& column : b.table.head.columns)
      if (a.table.head.find(column.name) < 0) only_b.push_back(column.name);
    if (!shared) throw nothing_in_common("column in common but \"t\"");
  }
};

void print(std::FILE* out, const Comparison& all) {
  for (const auto& [letter, side] : {std::pair{'a', &all.a}, {'b', &all.b}}) {
    const std::string from = origin(*side);
    say(out, "{}: {}, {} rows, t = {:g} .. {:g}{}\n", letter, side->path, side->table.rows(), side->t(0), side->end(),
        from.empty() ? "" : "; " + from);
  }
  say(out, "times that both have: {}, t = {:g} .. {:g}\n", all.rows.size(), all.a.t(all.rows.front().first),
      all.a.t(all.rows.back().first));

  std::vector<const Difference*> lines;
  for (const Difference& one : all.differences) lines.push_back(&one);
  if (lines.size() > most_lines) {
    std::stable_sort(lines.begin(), lines.end(), [](const Difference* x, const Difference* y) {
      if (x->missing != y->missing) return x->missing > y->missing;
      return std::isnan(y->largest) ? !std::isnan(x->largest) : x->relative() > y->relative();
    });
    say(out, "the {} of {} columns that differ most:\n", most_lines, lines.size());
    lines.resize(most_lines);
  }
  std::size_t width = 6;
  for (const Difference* one : lines) width = std::max(width, one->title.size());
  if (!lines.empty())
    say(out, "  {:{}}  {:>13}  {:>10}  {:>12}\n", "column", width, "largest |a-b|", "at t", "of largest");
  for (const Difference* one : lines)
    say(out, "  {:{}}  {:>13}  {:>10}  {:>12}{}\n", one->title, width, number(one->largest),
        std::isnan(one->at) ? "-" : fmt::format("{:g}", one->at), number(one->relative()),
        one->warning().empty() ? "" : "  WARNING: " + one->warning());
  if (const long missing = all.missing(); missing > 0)
    say(out, "{} number{} of one table {} no number in the other: the tables differ\n", missing,
        missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
  for (const auto& [side, names] : {std::pair{"a", &all.only_a}, {"b", &all.only_b}}) {
    if (names->empty()) continue;
    std::string text;
    for (std::size_t k = 0; k < std::min<std::size_t>(names->size(), 8); ++k) text += (k ? ", " : "") + (*names)[k];
    say(out, "only in {}: {}{}\n", side, text, names->size() > 8 ? fmt::format(" and {} more", names->size() - 8) : "");
  }
  for (const auto& [letter, side] : {std::pair{'a', &all.a}, {'b', &all.b}}) {
    const std::vector<Drift> own = drifts(*side);
    if (own.empty()) continue;
    say(out, "invariants of {}, over all its rows\n", letter);
    for (const Drift& one : own)
      say(out, "  {}: at most {} at t = {:g}, {} at the end, slope {} a unit of time\n", one.title, number(one.largest),
          one.at, number(one.end), number(one.slope));
  }
}

Json::Value json_of(const Comparison& all) {
  Json::Value out;
  for (const auto& [letter, side] : {std::pair{"a", &all.a}, {"b", &all.b}}) {
    Json::Value& one = out[letter];
    one["file"] = side->path;
    one["rows"] = Json::Int64(side->table.rows());
    one["t"].append(to_json(side->t(0)));
    one["t"].append(to_json(side->end()));
    one["provenance"] = side->table.head.provenance;
    one["invariants"] = Json::Value(Json::arrayValue);
    for (const Drift& drift : drifts(*side)) {
      Json::Value line;
      line["name"] = drift.title;
      line["max_abs"] = to_json(drift.largest);
      line["t_of_max"] = to_json(drift.at);
      line["end"] = to_json(drift.end);
      line["slope"] = to_json(drift.slope);
      one["invariants"].append(line);
    }
  }
  out["common_times"] = Json::UInt64(all.rows.size());
  out["rows_without_number"] = Json::Int64(all.missing());
  out["columns"] = Json::Value(Json::arrayValue);
  for (const Difference& one : all.differences) {
    Json::Value line;
    line["name"] = one.title;
    line["max_abs_difference"] = to_json(one.largest);
    line["t_of_max"] = to_json(one.at);
    line["max_rel_difference"] = to_json(one.relative());
    line["rows_without_number"] = Json::Int64(one.missing);
    out["columns"].append(line);
  }
  for (const auto& [key, names] : {std::pair{"only_in_a", &all.only_a}, {"only_in_b", &all.only_b}}) {
    out[key] = Json::Value(Json::arrayValue);
    for (const std::string& name : *names) out[key].append(name);
  }
  return out;
}

/// |a - b| of the columns that differ most, over time.
pages::Chart differences_chart(const Comparison& all) {
  constexpr std::size_t most_curves = 8;
  std::vector<const Difference*> drawn;
  for (const Difference& one : all.differences)
    if (one.largest > 0) drawn.push_back(&one);
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const Difference* x, const Difference* y) { return x->relative() > y->relative(); });
  if (drawn.size() > most_curves) drawn.resize(most_curves);
  pages::Chart chart{"Difference of a and b over time",
                     "At the times that both have; the columns that differ most, compared with their size.",
                     {"t"},
                     {"|a - b|", "", true},
                     {}};
  for (const Difference* one : drawn) {
    pages::Series series;
    series.name = one->title;
    series.group = static_cast<int>(chart.series.size());
    for (const auto& [k, l] : all.rows) {
      series.x.push_back(all.a.t(k));
      series.y.push_back(std::abs(all.a.table.values(k, one->column_a) - all.b.table.values(l, one->column_b)));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// A column of drift of both tables, over all their rows.
pages::Chart drift_chart(const Comparison& all, const std::string& name) {
  pages::Chart chart{"", "", {"t"}, {"", "", true}, {}};
  for (const auto& [group, side] : {std::pair{0, &all.a}, {1, &all.b}}) {
    const Index column = side->table.head.find(name);
    if (column < 0) continue;
    chart.title = side->table.head.columns[static_cast<std::size_t>(column)].title();
    pages::Series series;
    series.name = std::string(group == 0 ? "a: " : "b: ") + side->path;
    series.group = group;
    for (Index i = 0; i < side->table.rows(); ++i) {
      series.x.push_back(side->t(i));
      series.y.push_back(std::abs(side->table.values(i, column)));
    }
    chart.series.push_back(std::move(series));
  }
  chart.y.label = "|" + name + "|";
  return chart;
}

void add_kept(pages::Page& page, const Comparison& all) {
  std::vector<std::string> names;
  for (const Side* side : {&all.a, &all.b})
    for (const tables::Column& column : side->table.head.columns)
      if (is_drift(column.kind) && std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
  if (names.empty()) return;
  page.add(pages::Section{"What each keeps", "Errors of each table by itself, over all its rows."});
  for (const std::string& name : names) page.add(drift_chart(all, name));
  pages::Table kept{"", "", {"column", "of", "at most", "at t", "at the end", "slope a unit of time"}, {}};
  for (const auto& [letter, side] : {std::pair{"a", &all.a}, {"b", &all.b}})
    for (const Drift& one : drifts(*side))
      kept.rows.push_back({one.title, letter, cell_number(one.largest), cell_number(one.at), cell_number(one.end),
                           cell_number(one.slope)});
  page.add(kept);
}

pages::Page page_of(const Comparison& all) {
  pages::Page page("Two trajectories: " + all.a.path + " and " + all.b.path,
                   fmt::format("{} times that both have, t = {:g} .. {:g}", all.rows.size(),
                               all.a.t(all.rows.front().first), all.a.t(all.rows.back().first)));
  pages::Facts facts;
  for (const auto& [letter, side] : {std::pair{"a", &all.a}, {"b", &all.b}}) {
    const std::string from = origin(*side);
    facts.rows.push_back({letter, fmt::format("{}, {} rows, t = {:g} .. {:g}{}", side->path, side->table.rows(),
                                              side->t(0), side->end(), from.empty() ? "" : "; " + from)});
  }
  page.add(facts);
  page.add(pages::Section{"Differences"});
  pages::Chart differences = differences_chart(all);
  if (!differences.series.empty()) page.add(std::move(differences));
  pages::Table table{"", "", {"column", "largest |a - b|", "at t", "of the largest number"}, {}};
  for (const Difference& one : all.differences)
    table.rows.push_back({{one.title, one.warning().empty() ? pages::Mark::none : pages::Mark::warn, one.warning()},
                          cell_number(one.largest),
                          cell_number(one.at),
                          cell_number(one.relative())});
  page.add(table);
  add_kept(page, all);
  page.add(pages::Section{"Program and machine"});
  page.add(surroundings());
  return page;
}

}  // namespace

int compare_tables(const std::string& first, const std::string& second, const ComparedOutput& wanted) {
  const Comparison all(first, second);
  ReportFile report(wanted.report);
  const PlotFile plot(wanted.plot);
  print(wanted.json ? stderr : stdout, all);
  if (wanted.json) say_lines(validation::json_text(json_of(all)));
  if (report || plot) {
    const pages::Page page = page_of(all);
    if (report) report.write(page);
    if (plot) plot.draw(page);
  }
  return all.missing() > 0 ? bad_verdict : success;
}

}  // namespace gnomon::program
