#include "program/bench/chain.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>

#include "program/bench/bench_page.hpp"
#include "program/cli/say.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

std::string ratio(double value) {
  return value > 0 ? fmt::format("{:.2f}", value) : "";
}

void print_chain_row(const bench::ChainRow& row) {
  if (!row.failure.empty()) {
    say("{:>8}  {:16} {:26} {}\n", row.links, row.what, row.by, row.failure);
  } else {
    say("{:>8}  {:16} {:26} {:>6} {:>12.4g} {:>9.4g} {:>9} {:>9} {:>9}\n", row.links, row.what, row.by,
        row.iterations > 0 ? fmt::format("{:.2f}", row.iterations) : "", 1e6 * row.seconds,
        1e9 * row.seconds / static_cast<double>(row.links), ratio(row.to_energy_momentum), ratio(row.to_rattle),
        ratio(row.to_kernels));
  }
  std::fflush(stdout);
}

void write_csv(std::FILE* file, const std::vector<bench::ChainRow>& rows) {
  say(file, "links,what,by,iterations,seconds,to_hand_coded_energy_momentum,to_hand_coded_rattle,to_kernels,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{},{:.4g},{:.6g},{:.4g},{:.4g},{:.4g},{}\n", row.links, row.what, row.by, row.iterations,
               row.seconds, row.to_energy_momentum, row.to_rattle, row.to_kernels, tables::csv_field(row.failure));
}

}  // namespace

BenchResult bench_chain(const Registry& registry, const bench::ChainBench& bench,
                        const std::optional<std::string>& output) {
  bench::check_chain_bench(registry, bench);
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;

  say("chain, start=spatial, h = min(1e-3, 0.25/links); a kernel's times are of one evaluation\n"
      "x e-m, x rattle: ratios to the hand-coded schemes of the same length; x kernels: to the kernels it called\n"
      "{:>8}  {:16} {:26} {:>6} {:>12} {:>9} {:>9} {:>9} {:>9}\n",
      "links", "what", "by", "iter.", "us a step", "ns a link", "x e-m", "x rattle", "x kernels");
  const auto rows = bench::run_chain_bench(registry, bench, print_chain_row);
  BenchResult result;
  result.blocks = chain_blocks(rows);
  report_figures(bench::chain_figures(rows), result);
  for (const bench::ChainRow& row : rows)
    if (row.failure.empty())
      result.measurements.push_back(
          {fmt::format("chain links={} {} {}", row.links, row.what, row.by), row.seconds, "s"});
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  say("\nmemory of all of it, at most: {:.3g} GB\n", 1e-6 * static_cast<double>(usage.ru_maxrss));
  if (file) {
    write_csv(file->stream(), rows);
    file->commit();
  }
  return result;
}

}  // namespace gnomon::program
