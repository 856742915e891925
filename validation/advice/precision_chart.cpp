#include "advice/precision_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace gnomon::advice {

pages::Chart precision_chart(const PrecisionPanel& panel) {
  pages::Chart chart{
      panel.title,
      "Processor time of a whole run over its error: further down is faster, further left more accurate.",
      {panel.x_label, "", true},
      {"processor time", "ms", true},
      {}};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  int group = 0;
  for (const PrecisionLine& line : panel.lines) {
    pages::Series series;
    series.name = line.name + (line.ours ? "" : " (not Gnomon)");
    series.style = pages::Series::Style::line_points;
    series.group = group++;
    for (const auto& [error, time] : line.points) {
      series.x.push_back(error);
      series.y.push_back(time);
      low = std::min(low, time);
      high = std::max(high, time);
    }
    chart.series.push_back(std::move(series));
  }
  if (panel.wanted > 0 && high > 0) {
    pages::Series wanted{
        fmt::format("wanted error {:g}", panel.wanted), {panel.wanted, panel.wanted}, {low / 10, high * 10}};
    wanted.style = pages::Series::Style::guide;
    chart.series.push_back(std::move(wanted));
  }
  if (!panel.marks.empty()) {
    pages::Series advised{"advised", {}, {}};
    advised.style = pages::Series::Style::points;
    advised.group = group;
    for (const auto& [error, time] : panel.marks) {
      advised.x.push_back(error);
      advised.y.push_back(time);
    }
    chart.series.push_back(std::move(advised));
  }
  return chart;
}

}  // namespace gnomon::advice
