#include "program/output/chart_plot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <iterator>

#include "pages/encode.hpp"
#include "program/cli/say.hpp"
#include "program/output/gnuplot.hpp"

namespace gnomon::program {

namespace {

using pages::Axis;
using pages::Chart;
using pages::Series;

constexpr std::size_t most_points = 4000;
/// Points of a chart that has no other series are named in the key, while they are few.
constexpr std::size_t most_named = 24;
constexpr int marks[] = {7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2, 3};

std::string label(const Axis& axis) {
  return axis.unit.empty() ? axis.label : axis.label + " [" + axis.unit + "]";
}

/// A number on its axis; one that a logarithmic axis does not have is a gap.
std::string number(double value, const Axis& axis) {
  if (axis.logarithmic) value = std::abs(value);
  return std::isfinite(value) && !(axis.logarithmic && value == 0) ? fmt::format("{:.9g}", value) : "NaN";
}

/// Whether a point of it can be drawn: gnuplot ends where none can.
bool shows(const Series& series, const Chart& chart) {
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (number(series.x[i], chart.x) != "NaN" && number(series.y[i], chart.y) != "NaN") return true;
  return false;
}

std::string style_of(const Series& series) {
  const std::string line =
      fmt::format("lc rgb '{}' dt {}", colour(series.group), 1 + series.group / number_of_colours() % 4);
  switch (series.style) {
    case Series::Style::line:
      return "with lines lw 1.4 " + line;
    case Series::Style::points:
      return "with points pt 7 ps 0.6 " + line;
    case Series::Style::line_points:
      return "with linespoints lw 1.4 pt 7 ps 0.6 " + line;
    case Series::Style::guide:
      break;
  }
  return "with lines lw 1 lc rgb '#999999' dt 3";
}

std::string panel(const Chart& chart) {
  std::string script =
      fmt::format("set title {} noenhanced\nset xlabel {} noenhanced offset 0,0.5\nset ylabel {} noenhanced\n",
                  gnuplot_text(chart.title), gnuplot_text(label(chart.x)), gnuplot_text(label(chart.y)));
  for (const auto& [letter, axis] : {std::pair{'x', &chart.x}, {'y', &chart.y}})
    script += axis->logarithmic ? fmt::format("set logscale {0}\nset format {0} '10^{{%T}}'\n", letter)
                                : fmt::format("unset logscale {0}\nset format {0} '%g'\n", letter);
  PlotCommand plot;
  const auto add = [&](const Series& series, std::size_t begin, std::size_t end, const std::string& style) {
    std::string data;
    for (std::size_t i = begin; i < end; ++i)
      data += fmt::format("{} {}\n", number(series.x[i], chart.x), number(series.y[i], chart.y));
    plot.add(data, "using 1:2 " + style);
  };
  bool empty = true;
  for (Series series : chart.series) {
    if (!shows(series, chart)) {
      plot.mention(fmt::format("{} title {}", style_of(series), gnuplot_text(series.name + ": 0")));
      continue;
    }
    empty = false;
    const std::size_t count = series.x.size();
    if (series.style == Series::Style::points && chart.series.size() == 1 && series.notes.size() == count &&
        count <= most_named) {
      for (std::size_t i = 0; i < count; ++i)
        add(series, i, i + 1,
            fmt::format("with points ps 1.2 lw 1.5 pt {} lc rgb '{}' title {}", marks[i % std::size(marks)],
                        colour(static_cast<int>(i)), gnuplot_text(series.notes[i])));
      continue;
    }
    thin(series, most_points);
    add(series, 0, series.x.size(), fmt::format("{} title {}", style_of(series), gnuplot_text(series.name)));
  }
  script += empty ? "set xrange [0:1]\nset yrange [0.1:10]\n" : "set autoscale\n";
  return script + plot.text("plot");
}

}  // namespace

PlotFile::PlotFile(const std::optional<std::string>& path) : path_(path) {
  if (path_) require_picture(*path_);
}

void PlotFile::draw(const pages::Page& page) const {
  const std::vector<const Chart*> charts = page.charts();
  if (charts.empty()) {
    say(stderr, "gnomon: warning: --plot = \"{}\" is not drawn: what was run has no curves\n", *path_);
    return;
  }
  const auto count = static_cast<double>(charts.size());
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(count))),
             rows = (charts.size() + columns - 1) / columns;
  std::string script = fmt::format(
      "{}set multiplot layout {},{}\nset key outside below center horizontal Left reverse samplen 2 noenhanced\n"
      "set grid lc rgb '#dddddd'\nset border lw 1.2\nset datafile missing 'NaN'\n",
      terminal(*path_, 700 * columns, 520 * rows), rows, columns);
  for (const Chart* chart : charts) script += panel(*chart);
  program::draw(script + "unset multiplot\n", *path_);
}

}  // namespace gnomon::program
