#include "program/bench/work_precision.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/bench/precision_plot.hpp"
#include "program/cli/say.hpp"
#include "program/output/gnuplot.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using bench::WorkPrecisionRow;

void print_head(const bench::TrueSolution& truth) {
  say("\n{}, T = {}; true solution: {}", truth.problem, truth.until, truth.source);
  if (truth.uncertainty > 0) say(", known to {:.1e}", truth.uncertainty);
  if (!truth.known()) say(": no method can follow it, the energy is what can be compared");
  say("\n{:32} {:>9} {:>12} {:>10} {:>10} {:>10}\n", "method", "h or rtol", "ms", "error", "energy", "max |g|");
  std::fflush(stdout);
}

void print_work_precision_row(const WorkPrecisionRow& row) {
  if (!row.failure.empty())
    say("{:32} {:>9.3g} {}\n", row.method, row.parameter, row.failure);
  else
    say("{:32} {:>9.3g} {:>12.4g} {:>10.2e} {:>10.2e} {:>10.2e}\n", row.method, row.parameter, 1e3 * row.seconds,
        row.error, row.energy, row.constraint);
  std::fflush(stdout);
}

void print_duel(const bench::Duel& duel) {
  const auto who = [](const std::string& method, double seconds) {
    return method.empty() ? std::string("nobody") : fmt::format("{} {:.3g} ms", method, 1e3 * seconds);
  };
  std::string verdict;
  if (duel.ours.empty())
    verdict = "only theirs get there: we lose";
  else if (duel.theirs.empty())
    verdict = "only ours get there: we win";
  else if (duel.our_seconds <= duel.their_seconds)
    verdict = fmt::format("we win, {:.1f} times as fast", duel.their_seconds / duel.our_seconds);
  else
    verdict = fmt::format("we lose, {:.1f} times as slow", duel.our_seconds / duel.their_seconds);
  say("{:34} {:>5} {:>8.0e} {:7} {:36} {:42} {}\n", duel.problem, duel.until, duel.error,
      duel.of_energy ? "of H" : "of q", who(duel.ours, duel.our_seconds), who(duel.theirs, duel.their_seconds),
      verdict);
}

void write_csv(std::FILE* file, const std::vector<WorkPrecisionRow>& rows) {
  fmt::print(file, "problem,until,method,parameter,seconds,error,energy,constraint,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", tables::csv_field(row.problem), row.until,
               tables::csv_field(row.method), row.parameter, row.seconds, row.error, row.energy, row.constraint,
               tables::csv_field(row.failure));
}

/// A panel for every problem and T.
std::vector<PrecisionPanel> panels_of(const std::vector<WorkPrecisionRow>& rows) {
  std::map<std::pair<std::string, double>, std::map<std::string, PrecisionLine>> lines;
  std::map<std::pair<std::string, double>, const char*> measured;
  for (const auto& row : rows) {
    measured[{row.problem, row.until}] = row.followed ? "error of q" : "error of H (no method can follow q)";
    if (!row.failure.empty()) continue;
    PrecisionLine& line = lines[{row.problem, row.until}][row.method];
    line.name = row.method;
    line.ours = row.ours;
    line.points.emplace_back(row.followed ? row.error : row.energy, 1e3 * row.seconds);
  }
  std::vector<PrecisionPanel> panels;
  for (const auto& [panel, methods] : lines) {
    panels.push_back({fmt::format("{}, T = {}", panel.first, panel.second), measured[panel], {}, 0, {}});
    for (const auto& [name, line] : methods) panels.back().lines.push_back(line);
  }
  return panels;
}

}  // namespace

BenchResult bench_work_precision(const Registry& registry, const bench::WorkPrecisionBench& bench,
                                 const std::optional<std::string>& output, const std::optional<std::string>& plot) {
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  if (plot) require_picture(*plot);

  say("work against precision: processor time of a whole run; errors of q at T/5, 2T/5, ..., T, of H and g over all "
      "steps\n");
  for (const char* line : bench::rules_of_duels) say("{}\n", line);
  const auto rows = bench::run_work_precision(registry, bench, print_head, print_work_precision_row);
  say("\nthe fastest at the same error (lines between runs), the best curve of either side chosen afterwards\n"
      "{:34} {:>5} {:>8} {:7} {:36} {:42}\n",
      "problem", "T", "error", "", "ours", "theirs");
  const auto duels = bench::duels(rows);
  const auto panels = panels_of(rows);
  BenchResult result;
  result.blocks = work_precision_blocks(rows, panels, duels);
  for (const auto& duel : duels) {
    print_duel(duel);
    const std::string what = fmt::format("work-precision {} T={} error {:.0e}", duel.problem, duel.until, duel.error);
    if (!duel.ours.empty()) result.measurements.push_back({what + ", ours", duel.our_seconds, "s"});
    if (!duel.theirs.empty()) result.measurements.push_back({what + ", theirs", duel.their_seconds, "s"});
  }
  if (file) {
    write_csv(file->stream(), rows);
    file->commit();
  }
  if (plot) draw_precision(panels, *plot);
  return result;
}

}  // namespace gnomon::program
