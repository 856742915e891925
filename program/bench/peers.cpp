#include "program/bench/peers.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include "pages/blocks.hpp"
#include "program/cli/say.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using bench::PeerCost;
using bench::PeerRun;
using bench::PeerTable;

constexpr double quicker = 1;  ///< times of the best other program that count as a win

void print_run(const PeerRun& run) {
  if (!run.failure.empty())
    say("{:16} {:32} {:>9.3g} {}\n", run.program, run.method, run.setting, run.failure);
  else
    say("{:16} {:32} {:>9.3g} {:>12.4g} {:>10.2e} {:>10.2e} {:>10.2e}\n", run.program, run.method, run.setting,
        1e3 * run.seconds, run.error, run.energy, run.gap);
  std::fflush(stdout);
}

std::string cell(const PeerCost& cost) {
  return cost.method.empty() ? std::string("-") : fmt::format("{:.3g}", 1e3 * cost.seconds);
}

bool is_other(const std::string& program) {
  return program == "Simbody" || program == "MuJoCo";
}

/// How the tolerance alone stands beside the best other program.
std::string verdict(const PeerTable& table, const std::vector<PeerCost>& costs) {
  const PeerCost* best = nullptr;
  std::string name;
  for (std::size_t k = 0; k < costs.size(); ++k)
    if (is_other(table.programs[k]) && !costs[k].method.empty() && (!best || costs[k].seconds < best->seconds)) {
      best = &costs[k];
      name = table.programs[k];
    }
  const PeerCost& ours = costs.front();
  if (!best) return ours.method.empty() ? "nobody gets there" : "only Gnomon gets there";
  if (ours.method.empty()) return "only " + name + " gets there: Gnomon loses";
  const double ratio = best->seconds / ours.seconds;
  return ratio >= quicker ? fmt::format("Gnomon wins, {:.1f} times as fast as {}", ratio, name)
                          : fmt::format("Gnomon loses, {:.1f} times as slow as {}", 1 / ratio, name);
}

void write_csv(std::FILE* file, const std::vector<PeerRun>& runs) {
  fmt::print(file, "mechanism,until,program,method,setting,seconds,error,energy,gap,failure\n");
  for (const PeerRun& run : runs)
    fmt::print(file, "{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", tables::csv_field(run.mechanism), run.until,
               tables::csv_field(run.program), tables::csv_field(run.method), run.setting, run.seconds, run.error,
               run.energy, run.gap, tables::csv_field(run.failure));
}

/// Prints what the errors cost, and takes it over.
void add_costs(const PeerTable& table, const std::vector<double>& errors, BenchResult& result, pages::Table& costs) {
  const std::string name = fmt::format("{}, {:g}", table.mechanism, table.until);
  say("\n{}: the reference is known to {:.1e}\n", name, table.uncertainty);
  for (std::size_t e = 0; e < table.costs.size(); ++e) {
    const std::string error = fmt::format("{:g}", errors[e]);
    std::vector<pages::Cell> row{name, error};
    say("  error {:8}", error);
    for (std::size_t k = 0; k < table.programs.size(); ++k) {
      const PeerCost& cost = table.costs[e][k];
      say("  {} {}", table.programs[k], cell(cost));
      row.push_back(cell(cost));
      if (!cost.method.empty())
        result.measurements.push_back(
            {fmt::format("peers {} error {}, {}", name, error, table.programs[k]), cost.seconds, "s"});
    }
    const std::string who = verdict(table, table.costs[e]);
    row.emplace_back(who);
    say("  ms: {}\n", who);
    costs.rows.push_back(row);
  }
}

/// The same of the longer runs.
void add_longer(const PeerTable& table, BenchResult& result, pages::Table& longer) {
  for (const PeerRun& run : table.longer) {
    const std::string what = fmt::format("{}, {:g}", table.mechanism, run.until);
    const bool failed = !run.failure.empty();
    if (!failed) {
      result.measurements.push_back({fmt::format("peers {} energy, {}", what, run.program), run.energy, "1"});
      result.measurements.push_back({fmt::format("peers {} gap, {}", what, run.program), run.gap, "length"});
    }
    say("  to T = {:g} by {} {} at {:.3g}: {}\n", run.until, run.program, run.method, run.setting,
        failed ? run.failure : fmt::format("energy {:.1e}, gap of a joint {:.1e}", run.energy, run.gap));
    longer.rows.push_back({what, run.program, run.method, failed ? run.failure : fmt::format("{:.1e}", run.energy),
                           failed ? "" : fmt::format("{:.1e}", run.gap)});
  }
}

}  // namespace

BenchResult bench_peers(const Registry& registry, bench::PeersBench bench, const std::optional<std::string>& output) {
  bench::check_peers(bench);
  std::error_code none;
  bench.drivers = std::filesystem::read_symlink("/proc/self/exe", none).parent_path().string();
  const auto file = output ? std::make_unique<tables::OutputFile>(*output) : nullptr;
  say("processor time of the steps at equal error, the largest distance of a centre of mass at the end\n"
      "other programs that were found where this one was built: {}\n",
      bench::peers_found(bench.drivers));
  std::vector<PeerRun> runs;
  const auto take = [&runs](const PeerRun& run) {
    const bool first = runs.empty() || runs.back().mechanism != run.mechanism || runs.back().until != run.until;
    if (first)
      say("\n{}, T = {:g}\n{:16} {:32} {:>9} {:>12} {:>10} {:>10} {:>10}\n", run.mechanism, run.until, "program",
          "method", "setting", "ms", "error", "energy", "gap");
    runs.push_back(run);
    print_run(run);
  };
  BenchResult result;
  pages::Table costs, longer;
  longer.columns = {"mechanism, T", "program", "method", "energy", "gap of a joint"};
  bench::run_peers(registry, bench, take, [&](const PeerTable& table) {
    if (costs.columns.empty()) {
      costs.columns = {"mechanism, T", "error"};
      for (const std::string& program : table.programs) costs.columns.push_back(program + " [ms]");
      costs.columns.emplace_back("--rtol alone beside the best other program");
    }
    add_costs(table, bench.errors, result, costs);
    add_longer(table, result, longer);
    std::fflush(stdout);
  });
  costs.title = "Processor time at equal error";
  longer.title = "Energy and joints in runs twenty times as long";
  result.blocks = {pages::Section{"Peers", "The same mechanisms in Gnomon and in other multibody programs."}, costs,
                   longer};
  if (file) {
    write_csv(file->stream(), runs);
    file->commit();
  }
  return result;
}

}  // namespace gnomon::program
