#include "ensembles/ensemble_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace gnomon::ensembles {

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

bool reached(RunStatus status) {
  return status == RunStatus::success || status == RunStatus::promise_broken;
}

/// What charts show: some runs, apart by the words of one variable where it has few.
struct Shown {
  const RowSample* sample;
  std::vector<std::string> words;  ///< one a series; one empty word where there is one series
  std::size_t by = 0;              ///< the column of the words
};

constexpr Json::ArrayIndex most_words = 6;

Shown shown(const Json::Value& definition, const RowSample& sample) {
  Shown all{&sample, {}, 0};
  for (Json::ArrayIndex j = 0; j < definition["vary"].size() && all.words.empty(); ++j) {
    const Json::Value& words = definition["words"][definition["columns"][j].asString()];
    if (!words.isArray() || words.size() < 2 || words.size() > most_words) continue;
    all.by = j;
    for (const Json::Value& word : words) all.words.push_back(word.asString());
  }
  if (all.words.empty()) all.words.emplace_back();
  return all;
}

/// The finite values of a column, of runs that reached their end.
struct Values {
  std::vector<double> values;
  std::vector<std::size_t> rows;    ///< in the sample
  std::vector<std::size_t> series;  ///< place of the word
  double least = 0, largest = 0;
  double least_above_zero = 0;  ///< 0: none
  std::size_t zeros = 0;
  bool logarithmic = false;  ///< none below zero, and they spread over more than a factor of 30
};

Values values_of(const Shown& shown, std::size_t column) {
  Values found;
  for (std::size_t i = 0; i < shown.sample->size(); ++i) {
    const double value = shown.sample->value(i, column);
    if (!reached(shown.sample->status(i)) || !std::isfinite(value)) continue;
    found.values.push_back(value);
    found.rows.push_back(i);
    found.series.push_back(shown.words.size() > 1 ? static_cast<std::size_t>(shown.sample->value(i, shown.by)) : 0);
    if (value == 0) ++found.zeros;
    if (value > 0 && (found.least_above_zero == 0 || value < found.least_above_zero)) found.least_above_zero = value;
  }
  if (found.values.empty()) return found;
  const auto ends = std::minmax_element(found.values.begin(), found.values.end());
  found.least = *ends.first;
  found.largest = *ends.second;
  found.logarithmic = found.least >= 0 && found.least_above_zero > 0 && found.largest > 30 * found.least_above_zero;
  return found;
}

/// What a chart of them leaves out.
std::string left_out(const Values& values) {
  if (!values.logarithmic || values.zeros == 0) return {};
  return fmt::format("{} of {} are zero, and have no place on a logarithmic axis.",
                     count_text(static_cast<long>(values.zeros)), count_text(static_cast<long>(values.values.size())));
}

Series series_of(const Shown& shown, std::size_t k, const std::string& otherwise) {
  Series series;
  series.name = shown.words[k].empty() ? otherwise : shown.words[k];
  series.group = static_cast<int>(k);
  return series;
}

/// How many runs have a value in each of equal intervals, as the outline of columns.
Chart histogram(const std::string& name, const Values& values, const Shown& shown) {
  const bool logarithmic = values.logarithmic;
  const auto along = [logarithmic](double x) { return logarithmic ? std::log10(x) : x; };
  const double from = along(logarithmic ? values.least_above_zero : values.least), to = along(values.largest);
  const auto n = static_cast<double>(values.values.size());
  const auto bins = static_cast<std::size_t>(std::clamp(2 * std::cbrt(n), 1.0, static_cast<double>(most_bins)));
  std::vector<std::vector<double>> counts(shown.words.size(), std::vector<double>(bins));
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    if (logarithmic && values.values[i] == 0) continue;
    const double place = (along(values.values[i]) - from) / (to - from) * static_cast<double>(bins);
    counts[values.series[i]][std::min(static_cast<std::size_t>(place), bins - 1)] +=
        static_cast<double>(shown.sample->one_of());
  }
  Chart chart;
  chart.title = name;
  chart.note = left_out(values);
  chart.x = {name, "", logarithmic};
  chart.y = {"runs"};
  chart.small = true;
  const auto edge = [&](std::size_t k) {
    const double at = from + (to - from) * static_cast<double>(k) / static_cast<double>(bins);
    return logarithmic ? std::pow(10, at) : at;
  };
  for (std::size_t k = 0; k < shown.words.size(); ++k) {
    Series outline = series_of(shown, k, "runs");
    const auto add = [&outline](double x, double y) {
      outline.x.push_back(x);
      outline.y.push_back(y);
    };
    add(edge(0), 0);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      add(edge(bin), counts[k][bin]);
      add(edge(bin + 1), counts[k][bin]);
    }
    add(edge(bins), 0);
    chart.series.push_back(std::move(outline));
  }
  return chart;
}

/// A figure against what varies.
Chart dependence(const std::string& figure, const Values& values, const std::string& variable, const Values& along,
                 const Shown& shown) {
  const RowSample& sample = *shown.sample;
  Chart chart;
  chart.title = figure + " against " + variable;
  chart.note = left_out(values);
  chart.x = {variable, "", along.logarithmic && along.zeros == 0};
  chart.y = {figure, "", values.logarithmic};
  chart.small = true;
  // Some of them, whatever their order.
  std::vector<std::size_t> chosen(values.rows.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t(0));
  if (chosen.size() > most_points) {
    const auto earlier = [&](std::size_t a, std::size_t b) {
      return scattered(sample.run(values.rows[a])) < scattered(sample.run(values.rows[b]));
    };
    std::nth_element(chosen.begin(), chosen.begin() + most_points, chosen.end(), earlier);
    chosen.resize(most_points);
  }
  std::map<std::size_t, double> abscissa;  // by row
  for (std::size_t i = 0; i < along.rows.size(); ++i) abscissa[along.rows[i]] = along.values[i];
  std::sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    return std::make_pair(abscissa[values.rows[a]], a) < std::make_pair(abscissa[values.rows[b]], b);
  });
  for (std::size_t k = 0; k < shown.words.size(); ++k) {
    Series points = series_of(shown, k, figure);
    points.style = Series::Style::points;
    for (const std::size_t i : chosen) {
      if (values.series[i] != k) continue;
      points.x.push_back(abscissa[values.rows[i]]);
      points.y.push_back(values.values[i]);
      points.notes.push_back("run " + std::to_string(sample.run(values.rows[i])));
    }
    if (!points.x.empty()) chart.series.push_back(std::move(points));
  }
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

/// Of "NAME=VALUE"s those that do not vary.
Json::Value without(const Json::Value& entries, const std::set<std::string>& varies) {
  if (!entries.isArray()) return entries;
  Json::Value kept(Json::arrayValue);
  for (const Json::Value& entry : entries) {
    const std::string name = entry.isString() ? entry.asString().substr(0, entry.asString().find('=')) : std::string();
    if (varies.count(name) + varies.count("set." + name) == 0) kept.append(entry);
  }
  return kept;
}

void add_setup(std::vector<pages::Block>& blocks, const Json::Value& definition, const SweepSummary& summary) {
  blocks.push_back(pages::Section{"What was run"});
  pages::Facts facts{"", {}};
  std::set<std::string> varies;
  for (Json::ArrayIndex j = 0; j < definition["vary"].size(); ++j) varies.insert(definition["columns"][j].asString());
  for (const char* name : {"problem", "set", "scheme", "scheme_options", "solver", "solver_options", "contact", "step",
                           "rtol", "atol", "until", "steps", "sampling", "samples", "seed", "shard", "time_limit"}) {
    if (!definition.isMember(name) || varies.count(name) > 0 || definition[name] == 0.0) continue;
    const std::string text = text_of(without(definition[name], varies));
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

/// That not all runs succeeded.
std::optional<pages::Notice> failures_of(const SweepSummary& summary) {
  const long failed = summary.runs - (summary.counts.empty() ? 0 : summary.counts[0]);
  if (failed <= 0) return std::nullopt;
  pages::Notice notice{
      Mark::bad, fmt::format("{} of {} runs did not succeed", count_text(failed), count_text(summary.runs)), {}};
  if (!summary.failures.empty()) {
    const FailedRun& first = summary.failures.front();
    notice.paragraphs.push_back(
        fmt::format("The first of them is run {}, {}: {}", first.run, to_string(first.status), first.message));
  }
  return notice;
}

void add_table(std::vector<pages::Block>& blocks, const SweepSummary& summary, std::size_t variables) {
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
}

}  // namespace

std::vector<pages::Block> ensemble_blocks(const Json::Value& definition, const SweepSummary& summary,
                                          const std::function<std::string(long run)>& command) {
  std::vector<pages::Block> blocks;
  if (auto failed = failures_of(summary)) blocks.push_back(std::move(*failed));
  const std::size_t variables = definition["vary"].size();
  const Shown all = shown(definition, summary.sample);

  std::vector<std::pair<std::size_t, Values>> spread;
  for (std::size_t j = variables; j < summary.names.size(); ++j) {
    Values values = values_of(all, j);
    if (values.least < values.largest) spread.emplace_back(j, std::move(values));
  }
  const long one_of = summary.sample.one_of();
  const std::string thinned = one_of > 1 ? fmt::format(" One of {} runs is looked at.", one_of) : std::string();
  std::size_t charts = 0;
  for (const auto& [j, values] : spread)
    for (std::size_t i = 0; i < variables && charts < most_dependences; ++i) {
      const Values along = values_of(all, i);
      if (!(along.least < along.largest) || (all.words.size() > 1 && i == all.by)) continue;
      if (charts++ == 0)
        blocks.push_back(pages::Section{
            "Figures against what varies",
            fmt::format("One point a run{}.{}",
                        summary.runs > static_cast<long>(most_points) ? fmt::format(", at most {} a chart", most_points)
                                                                      : std::string(),
                        thinned)});
      blocks.push_back(dependence(summary.names[j], values, summary.names[i], along, all));
    }
  if (!spread.empty()) {
    const bool whole = spread.size() <= most_histograms;
    blocks.push_back(pages::Section{"Distributions", fmt::format("How many runs have which value.{}{}", thinned,
                                                                 whole ? std::string()
                                                                       : fmt::format(" The first {} of {} figures.",
                                                                                     most_histograms, spread.size()))});
    for (std::size_t k = 0; k < std::min(spread.size(), most_histograms); ++k)
      blocks.push_back(histogram(summary.names[spread[k].first], spread[k].second, all));
  }
  add_table(blocks, summary, variables);

  bool first = true;
  for (std::size_t j = variables; command && j < summary.names.size(); ++j) {
    if (!is_error(summary.names[j]) || !(summary.figures[j].largest() > 0)) continue;
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
  add_setup(blocks, definition, summary);
  return blocks;
}

}  // namespace gnomon::ensembles
