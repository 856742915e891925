#include "program/bench/strings.hpp"

#include <fmt/format.h>

#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/cli/say.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

void print_strings_row(const bench::StringsRow& row) {
  if (!row.failure.empty())
    say("{:>9}  {:12} {}\n", row.intervals, row.algebra, row.failure);
  else
    say("{:>9}  {:12} {:>6.2f} {:>12.4g} {:>9.4g} {:>12.4g} {:>10.2f}\n", row.intervals, row.algebra, row.iterations,
        1e6 * row.seconds, 1e9 * row.seconds / static_cast<double>(row.intervals), 1e6 * row.residual_seconds,
        row.seconds / row.residual_seconds);
  std::fflush(stdout);
}

void write_csv(std::FILE* file, const std::vector<bench::StringsRow>& rows) {
  fmt::print(file, "intervals,algebra,iterations,seconds,residual_seconds,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{:.4g},{:.6g},{:.6g},{}\n", row.intervals, row.algebra, row.iterations, row.seconds,
               row.residual_seconds, tables::csv_field(row.failure));
}

}  // namespace

BenchResult bench_strings(const Registry& registry, const bench::StringsBench& bench,
                          const std::optional<std::string>& output) {
  bench::check_strings_bench(registry, bench);
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  say("{}\n{:>9}  {:12} {:>6} {:>12} {:>9} "
      "{:>12} {:>10}\n",
      bench.field == bench::Field::beam ? "beam-release by alpha through newton, h = 1e-3; intervals: elements"
                                        : "colliding-strings in contact by alpha-penalty through newton, h = 1e-4",
      "intervals", "algebra", "iter.", "us a step", "ns a node", "us residual", "x residual");
  const auto rows = bench::run_strings_bench(registry, bench, print_strings_row);
  BenchResult result;
  result.blocks = strings_blocks(bench.field, rows);
  report_figures(bench::strings_figures(bench.field, rows), result);
  const char* field = bench.field == bench::Field::beam ? "beam elements" : "strings intervals";
  for (const bench::StringsRow& row : rows)
    if (row.failure.empty())
      result.measurements.push_back({fmt::format("{}={} {}", field, row.intervals, row.algebra), row.seconds, "s"});
  if (file) {
    write_csv(file->stream(), rows);
    file->commit();
  }
  return result;
}

}  // namespace gnomon::program
