// Orders on the page of `gnomon validate`: against the declared ones, and errors over step sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

#include "program/pages/validate_page.hpp"
#include "report/case_file.hpp"
#include "report/print/text.hpp"

namespace gnomon::program {

using pages::Chart;
using pages::Series;
using validation::Row;

namespace {

/// The number after "h = " in the text, or none.
std::optional<double> step_in(const std::string& text) {
  const std::string sign = "h = ";
  for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1)) {
    if (at > 0 && text[at - 1] != ' ') continue;
    char* end = nullptr;
    const double h = std::strtod(text.c_str() + at + sign.size(), &end);
    if (end != text.c_str() + at + sign.size() && h > 0) return h;
  }
  return std::nullopt;
}

/// "q" of "q-3".
std::string base_of(const std::string& quantity) {
  return quantity.substr(0, quantity.rfind('-'));
}

/// Points of the series of one chart do not hide each other: they stand so far apart.
constexpr double beside = 0.12;

Chart declared_orders(const std::vector<Row>& rows) {
  Chart chart{"Measured orders against the declared ones",
              "A point for every measured order that has a gate: how far it is from the order that is declared; q, p "
              "and others side by side.",
              {"declared order"},
              {"measured less declared order"},
              {}};
  std::map<std::string, Series> series{{"of q", {}}, {"of p", {}}, {"of others", {}}};
  for (const Row& row : rows) {
    const validation::Quantity& quantity = row.quantity;
    if (quantity.name.rfind("order", 0) != 0 || !quantity.gate || !quantity.gate->near) continue;
    const std::string of = quantity.name == "order-q" ? "of q" : quantity.name == "order-p" ? "of p" : "of others";
    Series& one = series[of];
    one.x.push_back(*quantity.gate->near);
    one.y.push_back(quantity.value - *quantity.gate->near);
    one.notes.push_back(
        fmt::format("{} {}: {:.3f}, gate {}", row.case_name, quantity.name, quantity.value, quantity.gate->text()));
  }
  int group = 0;
  for (const char* name : {"of q", "of p", "of others"}) {
    Series& one = series[name];
    one.name = name;
    one.style = Series::Style::points;
    one.group = group;
    for (double& x : one.x) x += beside * (group - 1);
    ++group;
    if (!one.x.empty()) chart.series.push_back(std::move(one));
  }
  return chart;
}

/// Points of one case in the order of falling steps.
struct Line {
  std::string name;
  std::map<double, double, std::greater<>> points;

  /// Through the first and the last.
  double slope() const {
    const auto first = points.begin(), last = std::prev(points.end());
    return std::log(first->second / last->second) / std::log(first->first / last->first);
  }
  Series series(int group) const {
    Series out;
    for (const auto& [h, error] : points) {
      out.x.push_back(h);
      out.y.push_back(error);
    }
    out.style = Series::Style::line_points;
    out.group = group;
    out.name = name;
    out.name += fmt::format(", slope {:.2f}", slope());
    return out;
  }
};

}  // namespace

void add_orders(pages::Page& page, const std::vector<Row>& rows) {
  const Chart declared = declared_orders(rows);
  // By what is measured: kind of measure, problem and quantity; then by case.
  std::map<std::array<std::string, 3>, std::map<std::string, Line>> plots;
  for (const Row& row : rows) {
    if (!(row.quantity.value > 0) || row.quantity.name.rfind("order", 0) == 0 ||
        row.quantity.name.find('-') == std::string::npos)
      continue;
    auto h = step_in(row.quantity.at);
    if (!h) h = step_in(row.quantity.note);
    if (!h) continue;
    Line& line = plots[{row.measure, row.problem, base_of(row.quantity.name)}][row.case_name];
    line.name = validation::without_kind(row.case_name);
    line.points[*h] = row.quantity.value;
  }
  std::vector<Chart> charts;
  constexpr std::size_t fewest = 3, most_lines = 8;
  constexpr double least_slope = 0.5;  // what does not fall with the step is no error
  for (const auto& [what, lines] : plots) {
    std::vector<const Line*> drawn;
    for (const auto& [name, line] : lines)
      if (line.points.size() >= fewest && line.slope() > least_slope) drawn.push_back(&line);
    for (std::size_t begin = 0; begin < drawn.size(); begin += most_lines) {
      Chart chart{fmt::format("{}: {} over the step", validation::problem_label(what[1]), what[2]),
                  what[0],
                  {"h", "", true},
                  {what[2], "", true},
                  {}};
      for (std::size_t k = begin; k < std::min(drawn.size(), begin + most_lines); ++k)
        chart.series.push_back(drawn[k]->series(static_cast<int>(k - begin)));
      chart.small = true;
      charts.push_back(std::move(chart));
    }
  }
  if (declared.series.empty() && charts.empty()) return;
  page.add(pages::Section{"Orders", "Slopes are those between the largest and the smallest step."});
  if (!declared.series.empty()) page.add(declared);
  for (Chart& chart : charts) page.add(std::move(chart));
}

}  // namespace gnomon::program
