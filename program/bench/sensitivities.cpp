#include "program/bench/sensitivities.hpp"

#include <fmt/format.h>

#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/cli/say.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

void print_sensitivities_row(const bench::SensitivitiesRow& row) {
  if (!row.failure.empty())
    say("{:26} {:32} {:14} {:>2} {}\n", row.problem, row.method, row.by, row.directions, row.failure);
  else
    say("{:26} {:32} {:14} {:>2} {:>9.3g} {:>6} {:>10.4g} {:>10} {:>9}\n", row.problem, row.method, row.by,
        row.directions, row.parameter, row.steps, 1e6 * row.seconds / static_cast<double>(row.steps),
        row.directions > 0 ? fmt::format("{:.2f}", row.cost) : "",
        row.error > 0 ? fmt::format("{:.1e}", row.error) : "");
  std::fflush(stdout);
}

void write_csv(std::FILE* file, const std::vector<bench::SensitivitiesRow>& rows) {
  fmt::print(file, "problem,method,by,directions,h_or_rtol,steps,seconds,cost,error,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{},{},{:.6g},{},{:.6g},{:.4g},{:.4g},{}\n", row.problem, row.method, row.by, row.directions,
               row.parameter, row.steps, row.seconds, row.cost, row.error, tables::csv_field(row.failure));
}

}  // namespace

BenchResult bench_sensitivities(const Registry& registry, const bench::SensitivitiesBench& bench,
                                const std::optional<std::string>& output) {
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  say("derivatives of motions by k parameters or start entries; a direction: (t_k/t_0 - 1)/k, its cost in steps "
      "without;\n"
      "error: of dq/ds at the end. IDAS corrects state and sensitivities together, at an rtol of a similar error.\n");
  const std::string without = bench::without_idas();
  if (!without.empty()) say("{}\n", without);
  say("{:26} {:32} {:14} {:>2} {:>9} {:>6} {:>10} {:>10} {:>9}\n", "problem", "method", "by", "k", "h or rtol", "steps",
      "us a step", "direction", "error");
  const auto rows = bench::run_sensitivities_bench(registry, bench, print_sensitivities_row);
  BenchResult result;
  result.blocks = sensitivities_blocks(rows);
  report_figures(bench::sensitivities_figures(rows), result);
  for (const bench::SensitivitiesRow& row : rows) {
    if (!row.failure.empty()) continue;
    const std::string what = fmt::format("sensitivities {} {}{}", row.problem, row.method,
                                         row.directions > 0 ? fmt::format(" k={} {}", row.directions, row.by) : "");
    result.measurements.push_back({what, row.seconds, "s"});
    if (row.directions > 0) result.measurements.push_back({what + ", a direction", row.cost, "steps"});
  }
  if (file) {
    write_csv(file->stream(), rows);
    file->commit();
  }
  return result;
}

}  // namespace gnomon::program
