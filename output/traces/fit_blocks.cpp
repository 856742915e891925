#include "traces/fit_blocks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pages/page.hpp"

namespace gnomon::traces {

namespace {

using pages::cell_number;
using pages::Chart;
using pages::Mark;
using pages::Series;

std::string in_full(double value) {
  return std::isfinite(value) ? fmt::format("{:.8g}", value) : "";
}

std::string interval_text(const FittedParameter& one) {
  switch (one.state) {
    case FittedParameter::State::at_minimum:
      return "at its least value";
    case FittedParameter::State::at_maximum:
      return "at its largest value";
    case FittedParameter::State::not_determined:
      return "not determined";
    case FittedParameter::State::determined:
      break;
  }
  return std::isfinite(one.lower) ? fmt::format("{:.6g} to {:.6g}", one.lower, one.upper) : "";
}

pages::Table parameter_table(const FitResult& result) {
  pages::Table table{
      "Parameters", "", {"parameter", "value", "standard error", "95 % interval", "began at", "unit"}, {}};
  for (const FittedParameter& one : result.parameters) {
    const bool determined = one.state == FittedParameter::State::determined;
    table.rows.push_back({{one.name},
                          {in_full(one.value)},
                          {cell_number(one.error)},
                          {interval_text(one), determined ? Mark::none : Mark::warn},
                          {in_full(one.began)},
                          {one.unit}});
  }
  return table;
}

pages::Matrix correlation_matrix(const FitResult& result) {
  pages::Matrix matrix{"Correlation", "", {}, {}, {}};
  for (const FittedParameter& one : result.parameters) {
    matrix.rows.push_back(one.name);
    matrix.columns.push_back(one.name);
  }
  for (Index i = 0; i < result.correlation.rows(); ++i) {
    matrix.cells.emplace_back();
    for (Index j = 0; j < result.correlation.cols(); ++j) {
      const double value = result.correlation(i, j);
      matrix.cells.back().emplace_back(std::isfinite(value) ? fmt::format("{:.3f}", value) : "");
    }
  }
  return matrix;
}

pages::Table column_table(const FitResult& result) {
  pages::Table table{"Columns", "", {"column", "in the model", "values", "rms of what is left", "sigma", "unit"}, {}};
  for (const FittedColumn& one : result.columns)
    table.rows.push_back({{one.column},
                          {one.quantity},
                          {std::to_string(one.count)},
                          {cell_number(one.rms)},
                          {cell_number(one.sigma) + (one.sigma_given ? ", given" : ", estimated")},
                          {one.unit}});
  return table;
}

/// Times with a value; the motion that was fitted is known there.
Series series_of(const FittedRecord& record, Index column, const std::string& name, Series::Style style, int group,
                 double (*value)(double measured, double fitted)) {
  Series series{name, {}, {}, style, group};
  for (Index i = 0; i < record.measured.rows(); ++i) {
    if (std::isnan(record.measured(i, column))) continue;
    series.x.push_back(record.times[static_cast<std::size_t>(i)]);
    series.y.push_back(value(record.measured(i, column), record.fitted(i, column)));
  }
  return series;
}

Chart motion_chart(const FitResult& result, std::size_t c) {
  const FittedColumn& column = result.columns[c];
  Chart chart{column.column + ", measured and fitted", "", {"t"}, {column.column, column.unit}, {}};
  for (std::size_t r = 0; r < result.records.size(); ++r) {
    const FittedRecord& record = result.records[r];
    const auto group = static_cast<int>(r);
    chart.series.push_back(series_of(record, static_cast<Index>(c), record.name + ", measured", Series::Style::points,
                                     group, [](double measured, double) { return measured; }));
    chart.series.push_back(series_of(record, static_cast<Index>(c), record.name + ", fitted", Series::Style::line,
                                     group, [](double, double fitted) { return fitted; }));
  }
  return chart;
}

Chart residual_chart(const FitResult& result, std::size_t c) {
  const FittedColumn& column = result.columns[c];
  Chart chart{column.column + ", measured less fitted",
              fmt::format("sigma is {:.3g}", column.sigma),
              {"t"},
              {column.column + ", what is left", column.unit},
              {}};
  for (std::size_t r = 0; r < result.records.size(); ++r)
    chart.series.push_back(series_of(result.records[r], static_cast<Index>(c), result.records[r].name,
                                     Series::Style::points, static_cast<int>(r),
                                     [](double measured, double fitted) { return measured - fitted; }));
  return chart;
}

}  // namespace

std::vector<Chart> residual_charts(const FitResult& result) {
  std::vector<Chart> charts;
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    if (result.columns[c].count > 0) charts.push_back(residual_chart(result, c));
  return charts;
}

std::vector<pages::Block> fit_blocks(const FitResult& result) {
  std::vector<pages::Block> blocks;
  if (!result.warnings.empty())
    blocks.emplace_back(pages::Notice{Mark::warn, "What these numbers do not tell", result.warnings});
  blocks.emplace_back(parameter_table(result));
  if (result.parameters.size() > 1) blocks.emplace_back(correlation_matrix(result));
  blocks.emplace_back(column_table(result));
  blocks.emplace_back(pages::Facts{
      "Search",
      {{"values", {std::to_string(result.values)}},
       {"determined directions", {std::to_string(result.determined)}},
       {"chi^2", {fmt::format("{:.6g} with {} degrees of freedom", result.chi_squared, result.degrees_of_freedom())}},
       {"iterations", {std::to_string(result.iterations)}},
       {"runs", {fmt::format("{}, and {} with derivatives", result.runs, result.runs_with_derivatives)}}}});
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    if (result.columns[c].count == 0) continue;
    blocks.emplace_back(motion_chart(result, c));
    blocks.emplace_back(residual_chart(result, c));
  }
  return blocks;
}

}  // namespace gnomon::traces
