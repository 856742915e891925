#include "ensembles/ensemble_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gnomon::ensembles {

using pages::Cell;
using pages::Chart;
using pages::Mark;
using pages::Series;

namespace {

constexpr std::size_t most_bins = 60, most_points = 3000, most_histograms = 24, most_dependences = 24;
constexpr std::size_t most_failures = 200;

/// Four digits; "" for what is not finite.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "";
}

std::string count_text(long count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

bool is_error(const std::string& name) {
  return name.rfind("max_", 0) == 0;
}

/// The finite values of a column of the sample, of runs that reached their end.
struct Values {
  std::vector<double> values;
  std::vector<std::size_t> rows;
  double least = 0, largest = 0;
  bool positive = true;
};

bool reached(RunStatus status) {
  return status == RunStatus::success || status == RunStatus::promise_broken;
}

Values values_of(const RowSample& sample, std::size_t column) {
  Values found;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double value = sample.value(i, column);
    if (!reached(sample.status(i)) || !std::isfinite(value)) continue;
    found.values.push_back(value);
    found.rows.push_back(i);
    found.positive = found.positive && value > 0;
  }
  if (found.values.empty()) return found;
  const auto ends = std::minmax_element(found.values.begin(), found.values.end());
  found.least = *ends.first;
  found.largest = *ends.second;
  return found;
}

/// Spread over more than a factor of 30.
bool wants_logarithm(const Values& values) {
  return values.positive && values.largest > 30 * values.least;
}

/// How many runs have a value in each of equal intervals, as the outline of columns.
Chart histogram(const std::string& name, const Values& values, long stride) {
  const bool logarithmic = wants_logarithm(values);
  const auto along = [logarithmic](double x) { return logarithmic ? std::log10(x) : x; };
  const double from = along(values.least), to = along(values.largest);
  const auto n = static_cast<double>(values.values.size());
  const auto bins = static_cast<std::size_t>(std::clamp(2 * std::cbrt(n), 1.0, static_cast<double>(most_bins)));
  std::vector<double> counts(bins);
  for (const double value : values.values) {
    const double place = (along(value) - from) / (to - from) * static_cast<double>(bins);
    counts[std::min(static_cast<std::size_t>(place), bins - 1)] += static_cast<double>(stride);
  }
  Chart chart;
  chart.title = name;
  chart.x = {name, "", logarithmic};
  chart.y = {"runs"};
  chart.small = true;
  Series outline;
  outline.name = "runs";
  const auto edge = [&](std::size_t k) {
    const double at = from + (to - from) * static_cast<double>(k) / static_cast<double>(bins);
    return logarithmic ? std::pow(10, at) : at;
  };
  outline.x.push_back(edge(0));
  outline.y.push_back(0);
  for (std::size_t k = 0; k < bins; ++k)
    for (const std::size_t end : {k, k + 1}) {
      outline.x.push_back(edge(end));
      outline.y.push_back(counts[k]);
    }
  outline.x.push_back(edge(bins));
  outline.y.push_back(0);
  chart.series.push_back(std::move(outline));
  return chart;
}

/// A figure against what varies.
Chart dependence(const std::string& figure, const Values& values, const std::string& variable, std::size_t column,
                 const RowSample& sample) {
  Chart chart;
  chart.title = figure + " against " + variable;
  chart.x = {variable};
  chart.y = {figure, "", wants_logarithm(values)};
  chart.small = true;
  Series points;
  points.name = figure;
  points.style = Series::Style::points;
  const std::size_t step = values.rows.size() / most_points + 1;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < values.rows.size(); i += step)
    order.emplace_back(sample.value(values.rows[i], column), i);
  std::sort(order.begin(), order.end());
  Values along;
  for (const auto& [x, i] : order) {
    points.x.push_back(x);
    points.y.push_back(values.values[i]);
    points.notes.push_back("run " + std::to_string(sample.run(values.rows[i])));
    along.positive = along.positive && x > 0;
  }
  if (!points.x.empty()) {
    along.least = points.x.front();
    along.largest = points.x.back();
    chart.x.logarithmic = wants_logarithm(along);
  }
  chart.series.push_back(std::move(points));
  return chart;
}

std::string text_of(const Json::Value& value) {
  if (value.isString()) return value.asString();
  if (value.isArray()) {
    std::string text;
    for (const Json::Value& entry : value) text += (text.empty() ? "" : ", ") + text_of(entry);
    return text;
  }
  if (value.isIntegral()) return value.asString();
  return value.isNumeric() ? fmt::format("{:g}", value.asDouble()) : line_of(value);
}

void add_setup(std::vector<pages::Block>& blocks, const Json::Value& definition, const SweepSummary& summary) {
  blocks.push_back(pages::Section{"Runs"});
  pages::Facts facts{"What was run", {}};
  for (const char* name : {"problem", "set", "scheme", "scheme_options", "solver", "solver_options", "contact", "step",
                           "rtol", "atol", "until", "steps", "sampling", "samples", "seed", "shard", "time_limit"}) {
    const std::string text = definition.isMember(name) ? text_of(definition[name]) : "";
    if (!text.empty()) facts.rows.push_back({name, text});
  }
  blocks.push_back(facts);
  pages::Table varied{"What varies", "", {"name", "values"}, {}};
  for (const Json::Value& entry : definition["vary"]) {
    const std::string text = entry.asString();
    const std::size_t equal = text.find('=');
    if (equal != std::string::npos) varied.rows.push_back({text.substr(0, equal), text.substr(equal + 1)});
  }
  if (!varied.rows.empty()) blocks.push_back(varied);
  pages::Facts ends{"How the runs ended", {}};
  const std::vector<std::string> names = run_statuses();
  for (std::size_t k = 0; k < summary.counts.size() && k < names.size(); ++k) {
    if (summary.counts[k] == 0) continue;
    const double share = static_cast<double>(summary.counts[k]) / static_cast<double>(summary.runs);
    ends.rows.push_back(
        {names[k],
         {fmt::format("{} of {}, {:.3g} %", count_text(summary.counts[k]), count_text(summary.runs), 100 * share),
          k == 0 ? Mark::good : Mark::bad}});
  }
  blocks.push_back(ends);
}

}  // namespace

std::vector<pages::Block> ensemble_blocks(const Json::Value& definition, const SweepSummary& summary,
                                          const std::function<std::string(long run)>& command) {
  std::vector<pages::Block> blocks;
  add_setup(blocks, definition, summary);
  const std::size_t variables = definition["vary"].size();
  const RowSample& sample = summary.sample;

  blocks.push_back(pages::Section{"Figures"});
  pages::Table table{
      "Of the runs that succeeded", "", {"figure", "least", "median", "largest", "run of the largest"}, {}};
  for (std::size_t j = variables; j < summary.names.size(); ++j) {
    const ColumnFigures& figure = summary.figures[j];
    if (figure.count() == 0)
      table.rows.push_back({summary.names[j]});
    else
      table.rows.push_back({summary.names[j], number(figure.least()), number(figure.median()), number(figure.largest()),
                            std::to_string(figure.run_of_largest())});
  }
  blocks.push_back(table);

  std::vector<std::pair<std::size_t, Values>> spread;
  for (std::size_t j = variables; j < summary.names.size(); ++j) {
    Values values = values_of(sample, j);
    if (values.least < values.largest) spread.emplace_back(j, std::move(values));
  }
  const std::string thinned =
      sample.stride() > 1 ? fmt::format(" Every {}th run is looked at.", sample.stride()) : std::string();
  if (!spread.empty()) {
    const bool all = spread.size() <= most_histograms;
    blocks.push_back(pages::Section{"Distributions", fmt::format("How many runs have which value.{}{}", thinned,
                                                                 all ? std::string()
                                                                     : fmt::format(" The first {} of {} figures.",
                                                                                   most_histograms, spread.size()))});
    for (std::size_t k = 0; k < std::min(spread.size(), most_histograms); ++k)
      blocks.push_back(histogram(summary.names[spread[k].first], spread[k].second, sample.stride()));
  }
  std::size_t charts = 0;
  for (const auto& [j, values] : spread)
    for (std::size_t i = 0; i < variables && charts < most_dependences; ++i) {
      const bool one_value = !(summary.figures[i].least() < summary.figures[i].largest());
      if (one_value) continue;
      if (charts++ == 0)
        blocks.push_back(pages::Section{
            "Figures against what varies",
            fmt::format("At most {} runs a chart.{} Of a list of words the place in the list.", most_points, thinned)});
      blocks.push_back(dependence(summary.names[j], values, summary.names[i], i, sample));
    }

  bool first = true;
  for (std::size_t j = variables; command && j < summary.names.size(); ++j) {
    if (!is_error(summary.names[j]) || summary.figures[j].count() == 0) continue;
    if (first) blocks.push_back(pages::Section{"Runs with the largest errors"});
    first = false;
    const long run = summary.figures[j].run_of_largest();
    blocks.push_back(pages::Command{
        fmt::format("{} = {}, run {}", summary.names[j], number(summary.figures[j].largest()), run), command(run)});
  }
  if (!summary.failures.empty()) {
    blocks.push_back(pages::Section{"Runs that did not succeed"});
    pages::Table failed{"", "", {"run", "status", "why"}, {}};
    for (std::size_t k = 0; k < std::min(summary.failures.size(), most_failures); ++k) {
      const FailedRun& one = summary.failures[k];
      failed.rows.push_back({std::to_string(one.run), {to_string(one.status), Mark::bad}, one.message});
    }
    const long all = summary.runs - (summary.counts.empty() ? 0 : summary.counts[0]);
    if (static_cast<std::size_t>(all) > failed.rows.size())
      failed.note = fmt::format("The first {} of {}.", failed.rows.size(), count_text(all));
    blocks.push_back(failed);
    if (command)
      blocks.push_back(pages::Command{fmt::format("The first of them, run {}", summary.failures.front().run),
                                      command(summary.failures.front().run)});
  }
  return blocks;
}

}  // namespace gnomon::ensembles
