/// gnomon bench: what a step costs, beside hand-coded integrators.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <memory>
#include <optional>

#include "bench/chain_bench.hpp"
#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/commands/bench_strings.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/work_precision.hpp"
#include "program/output/output_file.hpp"

namespace gnomon::program {

namespace {

struct Arguments {
  std::string what = "chain";
  std::vector<std::string> links, intervals, algebra, until;
  std::string steps = "0", repetitions = "3";
  std::optional<std::string> output, plot;
};

std::string ratio(double value) {
  return value > 0 ? fmt::format("{:.2f}", value) : "";
}

void print_row(const bench::ChainRow& row) {
  if (!row.failure.empty()) {
    fmt::print("{:>8}  {:16} {:26} {}\n", row.links, row.what, row.by, row.failure);
  } else {
    fmt::print("{:>8}  {:16} {:26} {:>6} {:>12.4g} {:>9.4g} {:>9} {:>9} {:>9}\n", row.links, row.what, row.by,
               row.iterations > 0 ? fmt::format("{:.2f}", row.iterations) : "", 1e6 * row.seconds,
               1e9 * row.seconds / static_cast<double>(row.links), ratio(row.to_energy_momentum), ratio(row.to_rattle),
               ratio(row.to_kernels));
  }
  std::fflush(stdout);
}

void write_csv(std::FILE* file, const std::vector<bench::ChainRow>& rows) {
  fmt::print(
      file, "links,what,by,iterations,seconds,to_hand_coded_energy_momentum,to_hand_coded_rattle,to_kernels,failure\n");
  for (const auto& row : rows)
    fmt::print(file, "{},{},{},{:.4g},{:.6g},{:.4g},{:.4g},{:.4g},\"{}\"\n", row.links, row.what, row.by,
               row.iterations, row.seconds, row.to_energy_momentum, row.to_rattle, row.to_kernels, row.failure);
}

int chain(const Registry& registry, const Arguments& arguments) {
  bench::ChainBench bench;
  if (!arguments.links.empty()) {
    bench.links.clear();
    for (const auto& text : arguments.links) {
      bench.links.push_back(parse_count(text, "--links", 1));
      if (bench.links.back() > 1000000) throw Error(ErrorCode::bad_value, "--links = " + text + " is above 1e6");
    }
  }
  if (!arguments.algebra.empty()) bench.algebra = arguments.algebra;
  bench.steps = parse_count(arguments.steps, "--steps", 0);
  bench.rule.repetitions = static_cast<int>(parse_count(arguments.repetitions, "--repetitions", 1));
  bench::check_chain_bench(registry, bench);
  const auto output = arguments.output ? std::make_unique<OutputFile>(*arguments.output) : nullptr;

  fmt::print(
      "chain, start=spatial, h = min(1e-3, 0.25/links); a kernel's times are of one evaluation\n"
      "x e-m, x rattle: ratios to the hand-coded schemes of the same length; x kernels: to the kernels it called\n"
      "{:>8}  {:16} {:26} {:>6} {:>12} {:>9} {:>9} {:>9} {:>9}\n",
      "links", "what", "by", "iter.", "us a step", "ns a link", "x e-m", "x rattle", "x kernels");
  const auto rows = bench::run_chain_bench(registry, bench, print_row);
  fmt::print("\n{:96} {:>9} {:>7}\n", "figure", "measured", "gate");
  for (const auto& figure : bench::chain_figures(rows))
    fmt::print("{:96} {:>9.2f} {:>7} {}\n", figure.what, figure.measured, fmt::format("<= {}", figure.gate),
               figure.measured <= figure.gate ? "met" : "not met");
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("\nmemory of all of it, at most: {:.3g} GB\n", 1e-6 * static_cast<double>(usage.ru_maxrss));
  if (output) {
    write_csv(output->stream(), rows);
    output->commit();
  }
  return success;
}

int strings(const Registry& registry, const Arguments& arguments) {
  bench::StringsBench bench;
  if (arguments.what == "beam") {
    bench.field = bench::Field::beam;
    bench.intervals = {1000, 10000};
  }
  if (!arguments.intervals.empty()) bench.intervals.clear();
  for (const auto& text : arguments.intervals) {
    bench.intervals.push_back(parse_count(text, "--intervals", 2));
    if (bench.intervals.back() > 1000000) throw Error(ErrorCode::bad_value, "--intervals = " + text + " is above 1e6");
  }
  if (!arguments.algebra.empty()) bench.algebra = arguments.algebra;
  if (arguments.steps != "0") bench.steps = parse_count(arguments.steps, "--steps", 1);
  bench.rule.repetitions = static_cast<int>(parse_count(arguments.repetitions, "--repetitions", 1));
  return bench_strings(registry, bench, arguments.output);
}

/// The flags of one kind of bench mean nothing to the other.
void refuse(bool given, const std::string& flag, const std::string& what) {
  if (given) throw Error(ErrorCode::bad_value, flag + " is for bench " + what);
}

int run_bench(const Registry& registry, const Arguments& arguments) {
  if (arguments.what == "chain") {
    refuse(!arguments.until.empty(), "--until", "work-precision");
    refuse(arguments.plot.has_value(), "--plot", "work-precision");
    refuse(!arguments.intervals.empty(), "--intervals", "strings");
    return chain(registry, arguments);
  }
  if (arguments.what != "work-precision" && arguments.what != "strings" && arguments.what != "beam")
    throw unknown_name("bench", arguments.what, {"beam", "chain", "strings", "work-precision"});
  refuse(!arguments.links.empty(), "--links", "chain");
  if (arguments.what == "strings" || arguments.what == "beam") {
    refuse(!arguments.until.empty(), "--until", "work-precision");
    refuse(arguments.plot.has_value(), "--plot", "work-precision");
    return strings(registry, arguments);
  }
  refuse(!arguments.intervals.empty(), "--intervals", "strings");
  refuse(!arguments.algebra.empty(), "--algebra", "chain");
  refuse(arguments.steps != "0", "--steps", "chain");
  bench::WorkPrecisionBench bench;
  if (!arguments.until.empty()) bench.until.clear();
  for (const auto& text : arguments.until) {
    bench.until.push_back(parse_real(text, "--until"));
    if (bench.until.back() < 10 || bench.until.back() > 1e5 || std::fmod(bench.until.back(), 10) != 0)
      throw Error(ErrorCode::bad_value, "--until = " + text + " is not a multiple of 10 between 10 and 1e5");
  }
  bench.rule.repetitions = static_cast<int>(parse_count(arguments.repetitions, "--repetitions", 1));
  return work_precision(registry, bench, arguments.output, arguments.plot);
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("bench", "what a step costs, beside hand-coded schemes and other codes");
  command
      ->add_option(
          "WHAT", arguments->what,
          "chain: steps on chains beside hand-coded ones and their own kernels (if left out); strings: steps of "
          "colliding strings beside their residual; beam: the same of the released beam; work-precision: time against "
          "error beside IDA and CVODE")
      ->type_name("");
  add_repeatable(*command, "--links", arguments->links, "N",
                 "chain: length of the chain (repeatable); 1, 10, ..., 1e5 if left out");
  add_repeatable(*command, "--algebra", arguments->algebra, "NAME",
                 "chain, strings, beam: linear algebra of the solvers (repeatable); auto if left out");
  add_repeatable(*command, "--intervals", arguments->intervals, "I",
                 "strings: intervals, beam: elements (repeatable); 1e3, 1e4 and, of strings, 1e5 if left out");
  command->add_option("--steps", arguments->steps, "chain, strings, beam: steps a run; 0: as many as are worth while")
      ->type_name("N");
  add_repeatable(*command, "--until", arguments->until, "T",
                 "work-precision: end of the runs (repeatable); 10 and 1000 if left out");
  command->add_option("--plot", arguments->plot, "work-precision: a plot of it all as SVG, drawn by gnuplot")
      ->type_name("FILE");
  command->add_option("--repetitions", arguments->repetitions, "of every measurement; the best one counts")
      ->type_name("N");
  command->add_option("--output", arguments->output, "also write the table as CSV to this file")->type_name("FILE");
  command->callback([&invocation, arguments] {
    invocation.action = [arguments](const Registry& registry) { return run_bench(registry, *arguments); };
  });
}

}  // namespace gnomon::program
