#include "program/bench/small.hpp"

#include <fmt/format.h>

#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/cli/say.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

void print_small_row(const bench::SmallRow& row) {
  if (!row.failure.empty())
    say("{:26} {:32} {:14} {}\n", row.problem, row.what, row.by, row.failure);
  else
    say("{:26} {:32} {:14} {:>6g} {:>6.2f} {:>10.4g} {:>12}\n", row.problem, row.what, row.by, row.h, row.iterations,
        1e6 * row.seconds, row.to_hand_coded > 0 ? fmt::format("{:.2f}", row.to_hand_coded) : "");
  std::fflush(stdout);
}

void write_csv(std::FILE* file, const std::vector<bench::SmallRow>& rows) {
  fmt::print(file, "problem,what,by,h,iterations,seconds,to_hand_coded,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{},{},{:.4g},{:.6g},{:.4g},{}\n", row.problem, tables::csv_field(row.what), row.by, row.h,
               row.iterations, row.seconds, row.to_hand_coded, tables::csv_field(row.failure));
}

}  // namespace

BenchResult bench_small(const Registry& registry, const bench::SmallBench& bench,
                        const std::optional<std::string>& output) {
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  say("two small systems; x hand-coded: ratio to the same method written for fixed sizes, which does not refine\n"
      "{:26} {:32} {:14} {:>6} {:>6} {:>10} {:>12}\n",
      "problem", "what", "by", "h", "iter.", "us a step", "x hand-coded");
  const auto rows = bench::run_small_bench(registry, bench, print_small_row);
  BenchResult result;
  result.blocks = small_blocks(rows);
  report_figures(bench::small_figures(rows), result);
  for (const bench::SmallRow& row : rows)
    if (row.failure.empty())
      result.measurements.push_back({fmt::format("small {} {} {}", row.problem, row.what, row.by), row.seconds, "s"});
  if (file) {
    write_csv(file->stream(), rows);
    file->commit();
  }
  return result;
}

}  // namespace gnomon::program
