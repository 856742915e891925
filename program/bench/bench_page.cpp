#include "program/bench/bench_page.hpp"

#include <fmt/format.h>

#include <map>

#include "advice/precision_chart.hpp"
#include "program/pages/report_file.hpp"

namespace gnomon::program {

using pages::Chart;
using pages::Mark;
using pages::Series;
using pages::Table;

namespace {

std::string positive(double value) {
  return value > 0 ? cell_number(value) : "";
}

/// Points that are joined, by the name of their line.
class Lines {
 public:
  void add(const std::string& line, double x, double y) {
    const auto [place, added] = places_.try_emplace(line, series_.size());
    if (added) {
      series_.emplace_back();
      series_.back().name = line;
      series_.back().style = Series::Style::line_points;
      series_.back().group = static_cast<int>(series_.size()) - 1;
    }
    series_[place->second].x.push_back(x);
    series_[place->second].y.push_back(y);
  }
  std::vector<Series> series() const { return series_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Series> series_;
};

pages::Cell failed(const std::string& failure) {
  return {failure, failure.empty() ? Mark::none : Mark::bad};
}

}  // namespace

Blocks chain_blocks(const std::vector<bench::ChainRow>& rows) {
  Lines lines;
  Table table{
      "Steps and kernels",
      "h = min(1e-3, 0.25/links); a kernel's times are of one evaluation. Ratios to the hand-coded schemes of the "
      "same length, and to the kernels that a step called.",
      {"what", "by", "links", "iterations", "time a step [us]", "a link [ns]", "x energy-momentum", "x RATTLE",
       "x kernels", "failure"},
      {}};
  for (const bench::ChainRow& row : rows) {
    const auto links = static_cast<double>(row.links);
    if (row.failure.empty()) lines.add(row.what + ", " + row.by, links, 1e9 * row.seconds / links);
    table.rows.push_back({row.what, row.by, std::to_string(row.links), positive(row.iterations),
                          positive(1e6 * row.seconds), positive(1e9 * row.seconds / links),
                          positive(row.to_energy_momentum), positive(row.to_rattle), positive(row.to_kernels),
                          failed(row.failure)});
  }
  return {pages::Section{"Chain", "Steps on chains beside hand-coded ones and their own kernels."},
          Chart{"Time of a step over the length of the chain",
                "",
                {"links", "", true},
                {"time a link", "ns", true},
                lines.series()},
          table};
}

Blocks small_blocks(const std::vector<bench::SmallRow>& rows) {
  Table table{"Steps of two small systems",
              "The ratio is to the same method written for fixed sizes, which does not refine.",
              {"problem", "what", "by", "h", "iterations", "time a step [us]", "x hand-coded", "failure"},
              {}};
  for (const bench::SmallRow& row : rows)
    table.rows.push_back({row.problem, row.what, row.by, cell_number(row.h), positive(row.iterations),
                          positive(1e6 * row.seconds), positive(row.to_hand_coded), failed(row.failure)});
  return {pages::Section{"Small systems"}, table};
}

Blocks sensitivities_blocks(const std::vector<bench::SensitivitiesRow>& rows) {
  Table table{"Steps with derivatives",
              "A direction costs (t_k/t_0 - 1)/k steps without derivatives. The error is that of dq/ds at the end.",
              {"problem", "method", "by", "k", "h or rtol", "steps", "time a step [us]", "a direction [steps]", "error",
               "failure"},
              {}};
  for (const bench::SensitivitiesRow& row : rows)
    table.rows.push_back({row.problem, row.method, row.by, std::to_string(row.directions), cell_number(row.parameter),
                          std::to_string(row.steps),
                          row.steps > 0 ? positive(1e6 * row.seconds / static_cast<double>(row.steps)) : "",
                          row.directions > 0 ? cell_number(row.cost) : "", positive(row.error), failed(row.failure)});
  const std::string without = bench::without_idas();
  Blocks blocks{pages::Section{"Derivatives",
                               "Motions with derivatives by parameters or entries of the start, beside "
                               "motions without. " +
                                   without}};
  blocks.push_back(table);
  return blocks;
}

Blocks strings_blocks(bench::Field field, const std::vector<bench::StringsRow>& rows) {
  const bool beam = field == bench::Field::beam;
  const std::string size = beam ? "elements" : "intervals";
  Lines lines;
  Table table{
      "Steps and residuals",
      "",
      {"algebra", size, "iterations", "time a step [us]", "a node [ns]", "a residual [us]", "x residual", "failure"},
      {}};
  for (const bench::StringsRow& row : rows) {
    const auto count = static_cast<double>(row.intervals);
    if (row.failure.empty()) {
      lines.add("step, " + row.algebra, count, 1e9 * row.seconds / count);
      lines.add("residual, " + row.algebra, count, 1e9 * row.residual_seconds / count);
    }
    table.rows.push_back(
        {row.algebra, std::to_string(row.intervals), positive(row.iterations), positive(1e6 * row.seconds),
         positive(1e9 * row.seconds / count), positive(1e6 * row.residual_seconds),
         row.residual_seconds > 0 ? cell_number(row.seconds / row.residual_seconds) : "", failed(row.failure)});
  }
  return {beam ? pages::Section{"Beam", "beam-release by alpha through newton, h = 1e-3."}
               : pages::Section{"Strings", "colliding-strings in contact by alpha-penalty through newton, h = 1e-4."},
          Chart{"Time over the number of " + size, "", {size, "", true}, {"time a node", "ns", true}, lines.series()},
          table};
}

Blocks tolerance_blocks(const std::vector<bench::ToleranceRow>& rows, const std::vector<bench::SuitedCost>& costs) {
  std::vector<std::string> problems;
  std::map<std::string, Lines> lines;
  Table table{"All runs",
              "",
              {"problem", "scheme", "rtol", "steps", "time [ms]", "error of q", "error / rtol", "energy", "remark"},
              {}};
  for (const bench::ToleranceRow& row : rows) {
    const auto [place, added] = lines.try_emplace(row.problem);
    if (added) problems.push_back(row.problem);
    const bool ran = row.run.failure.empty();
    if (ran) place->second.add(to_string(row.choice), row.run.largest, 1e3 * row.run.seconds);
    const auto number = [ran](double value) { return ran ? cell_number(value) : ""; };
    table.rows.push_back(
        {row.problem, to_string(row.choice), fmt::format("{:.0e}", row.tolerance),
         ran ? std::to_string(row.run.steps) : "", number(1e3 * row.run.seconds), number(row.run.largest),
         number(row.run.largest / row.tolerance), number(row.run.energy),
         ran ? pages::Cell(row.keeps ? "" : "energy or a level not promised") : failed(row.run.failure)});
  }
  Blocks blocks{pages::Section{"Steps of a tolerance"}};
  for (const std::string& problem : problems)
    blocks.push_back(Chart{"Time against error: " + problem,
                           "",
                           {"largest relative error of q", "", true},
                           {"processor time", "ms", true},
                           lines[problem].series()});
  blocks.push_back(table);
  Table cost{"Cost of runs of equal error",
             "The cheapest of its class and tolerance is 1 on each problem.",
             {"class of the model", "rtol", "scheme", "stages", "cost"},
             {}};
  for (const bench::SuitedCost& c : costs)
    cost.rows.push_back({c.model_class, fmt::format("{:.0e}", c.tolerance), c.scheme, std::to_string(c.stages),
                         fmt::format("{:.2f}", c.cost)});
  blocks.push_back(cost);
  return blocks;
}

Blocks work_precision_blocks(const std::vector<bench::WorkPrecisionRow>& rows,
                             const std::vector<PrecisionPanel>& panels, const std::vector<bench::Duel>& duels) {
  Blocks blocks{pages::Section{
      "Work against precision",
      fmt::format("Processor time of a whole run; errors of q at T/5, 2T/5, .., T, of H and g over all steps. {}",
                  fmt::join(bench::rules_of_duels, " "))}};
  for (const PrecisionPanel& panel : panels) blocks.push_back(advice::precision_chart(panel));
  Table table{"The fastest at the same error",
              "Lines between runs; the best curve of either side is chosen afterwards.",
              {"problem", "T", "error", "of", "ours", "ours [ms]", "theirs", "theirs [ms]", "theirs / ours", "verdict"},
              {}};
  for (const bench::Duel& duel : duels) {
    const bool won = !duel.ours.empty() && (duel.theirs.empty() || duel.our_seconds <= duel.their_seconds);
    const bool both = !duel.ours.empty() && !duel.theirs.empty();
    table.rows.push_back({duel.problem,
                          cell_number(duel.until),
                          fmt::format("{:.0e}", duel.error),
                          duel.of_energy ? "H" : "q",
                          duel.ours,
                          positive(1e3 * duel.our_seconds),
                          duel.theirs,
                          positive(1e3 * duel.their_seconds),
                          both ? fmt::format("{:.2f}", duel.their_seconds / duel.our_seconds) : "",
                          {won ? "won" : "lost", won ? Mark::good : Mark::bad}});
  }
  blocks.push_back(table);
  Table runs{"All runs",
             "",
             {"method", "problem", "T", "h or rtol", "time [ms]", "error of q", "energy", "max |g|", "failure"},
             {}};
  for (const bench::WorkPrecisionRow& row : rows) {
    const bool ran = row.failure.empty();
    const auto number = [ran](double value) { return ran ? cell_number(value) : ""; };
    runs.rows.push_back({row.method, row.problem, cell_number(row.until), cell_number(row.parameter),
                         number(1e3 * row.seconds), number(row.error), number(row.energy), number(row.constraint),
                         failed(row.failure)});
  }
  blocks.push_back(runs);
  return blocks;
}

pages::Page bench_page(const BenchResult& result, const std::string& what) {
  pages::Page page("What a step costs", "gnomon bench " + what);
  page.add(pages::Section{"Result"});
  Table figures{"Figures that are held against a gate", "", {"figure", "measured", "gate", "verdict"}, {}};
  for (const Figure& figure : result.figures) {
    const bool met = figure.measured <= figure.gate;
    figures.rows.push_back({figure.what,
                            fmt::format("{:.2f}", figure.measured),
                            fmt::format("<= {:g}", figure.gate),
                            {met ? "met" : "not met", met ? Mark::good : Mark::bad}});
  }
  if (!figures.rows.empty()) page.add(figures);
  page.add(surroundings());
  for (const pages::Block& block : result.blocks) page.add(block);
  return page;
}

}  // namespace gnomon::program
