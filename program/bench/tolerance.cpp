#include "program/bench/tolerance.hpp"

#include <fmt/format.h>

#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/cli/say.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

void print_tolerance_row(const bench::ToleranceRow& row) {
  if (!row.run.failure.empty())
    say("{:34} {:>7.0e} {}\n", to_string(row.choice), row.tolerance, row.run.failure);
  else
    say("{:34} {:>7.0e} {:>7} {:>10.4g} {:>10.2e} {:>8.3g} {:>10.2e} {}\n", to_string(row.choice), row.tolerance,
        row.run.steps, 1e3 * row.run.seconds, row.run.largest, row.run.largest / row.tolerance, row.run.energy,
        row.keeps ? "" : "energy or a level not promised");
  std::fflush(stdout);
}

void write_table(std::FILE* file, const std::vector<bench::SuitedCost>& costs) {
  fmt::print(
      file,
      "// Written by gnomon bench tolerance --output: class of the model, relative tolerance, scheme, stages, time of "
      "runs\n// of equal error over that of the cheapest.\n");
  for (const bench::SuitedCost& c : costs)
    fmt::print(file, "{{\"{}\", {:.0e}, \"{}\", {}, {:.2f}}},\n", c.model_class, c.tolerance, c.scheme, c.stages,
               c.cost);
}

}  // namespace

BenchResult bench_tolerance(const Registry& registry, const bench::ToleranceBench& bench,
                            const std::optional<std::string>& output) {
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  const auto rows = bench::run_tolerance_bench(
      registry, bench,
      [](const std::string& title) {
        say("\n{}\n{:34} {:>7} {:>7} {:>10} {:>10} {:>8} {:>10}\n", title, "scheme", "rtol", "steps", "ms", "error",
            "/ rtol", "energy");
      },
      print_tolerance_row);
  const auto costs = bench::suited_costs(rows);
  say("\ncost of runs of equal error, the cheapest of its class and tolerance being 1 on each problem\n");
  for (const bench::SuitedCost& c : costs)
    say("{:34} {:>7.0e} {:24} {:>2} {:>8.2f}\n", c.model_class, c.tolerance, c.scheme, c.stages, c.cost);
  if (file) {
    write_table(file->stream(), costs);
    file->commit();
  }
  BenchResult result;
  result.blocks = tolerance_blocks(rows, costs);
  for (const bench::ToleranceRow& row : rows)
    if (row.run.failure.empty())
      result.measurements.push_back(
          {fmt::format("tolerance {:.0e} {} {}", row.tolerance, row.problem, to_string(row.choice)), row.run.seconds,
           "s"});
  return result;
}

}  // namespace gnomon::program
