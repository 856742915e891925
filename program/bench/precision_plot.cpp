#include "program/bench/precision_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/output/gnuplot.hpp"

namespace gnomon::program {

namespace {

constexpr int filled[] = {7, 5, 9, 11, 13, 15}, open[] = {6, 4, 8, 10, 12, 14};  // circle, square, triangles, ...

void add_panel(const PrecisionPanel& panel, std::string& script) {
  script += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\n", gnuplot_text(panel.title),
                        gnuplot_text(panel.x_label));
  script += "unset arrow\n";
  PlotCommand plot;
  const auto series = [&](const std::string& style, const auto& points) {
    std::string data;
    for (const auto& [error, ms] : points) data += fmt::format("{:.6g} {:.6g}\n", std::max(error, 1e-17), ms);
    plot.add(data, style);
  };
  if (panel.wanted > 0)
    script += fmt::format(
        "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 1 nohead lc rgb '#888888' dt 3 lw 1.5 back\n",
        panel.wanted);
  std::size_t i = 0;
  for (const PrecisionLine& line : panel.lines) {
    const int mark = (line.ours ? filled : open)[i % std::size(filled)];
    series(fmt::format("with linespoints lw 1.6 ps 0.9 lc rgb '{}' pt {} dt {} title {}", colour(static_cast<int>(i)),
                       mark, line.ours ? 1 : 2, gnuplot_text(line.name)),
           line.points);
    ++i;
  }
  if (!panel.marks.empty())
    series("with points pt 6 ps 2.6 lw 2 lc rgb '#000000' title 'recommended, verified'", panel.marks);
  script += plot.text("plot");
}

}  // namespace

void draw_precision(const std::vector<PrecisionPanel>& panels, const std::string& path) {
  const std::size_t columns = std::min<std::size_t>(panels.size(), 2), rows = (panels.size() + 1) / 2;
  std::string script = fmt::format(
      "{}set multiplot layout {},{}\n"
      "set logscale xy\nset format x '10^{{%T}}'\nset format y '10^{{%T}}'\n"
      "set ylabel 'processor time of the run / ms'\nset key outside right center vertical Left reverse samplen 3 "
      "noenhanced\nset grid lc rgb '#dddddd'\nset border lw 1.2\n",
      terminal(path, 850 * columns, 620 * rows), rows, columns);
  for (const PrecisionPanel& panel : panels) add_panel(panel, script);
  draw(script + "unset multiplot\n", path);
}

}  // namespace gnomon::program
