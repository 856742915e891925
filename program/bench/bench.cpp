/// gnomon bench: what a step costs, beside hand-coded integrators and other codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>  // with the members of what App holds: a module has its own
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"
#include "program/bench/bench_page.hpp"
#include "program/bench/chain.hpp"
#include "program/bench/peers.hpp"
#include "program/bench/sensitivities.hpp"
#include "program/bench/small.hpp"
#include "program/bench/strings.hpp"
#include "program/bench/tolerance.hpp"
#include "program/bench/work_precision.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/pages/report_file.hpp"
#include "report/json.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

struct BenchArguments {
  std::string what = "chain";
  std::vector<std::string> files, links, intervals, algebra, until;
  std::string steps = "0", repetitions = "3";
  std::optional<std::string> output, plot, json, report;
};

bench::TimingRule rule_of(const BenchArguments& arguments) {
  bench::TimingRule rule;
  rule.repetitions = static_cast<int>(parse_count(arguments.repetitions, "--repetitions", 1));
  return rule;
}

/// Counts of --links or --intervals, at most 1e6 each.
std::vector<long> sizes(const std::vector<std::string>& texts, const std::string& flag, long least) {
  std::vector<long> found;
  for (const std::string& text : texts) {
    found.push_back(parse_count(text, flag, least));
    if (found.back() > 1000000) throw Error(ErrorCode::bad_value, flag + " = " + text + " is above 1e6");
  }
  return found;
}

BenchResult chain(const Registry& registry, const BenchArguments& arguments) {
  bench::ChainBench bench;
  if (!arguments.links.empty()) bench.links = sizes(arguments.links, "--links", 1);
  if (!arguments.algebra.empty()) bench.algebra = arguments.algebra;
  bench.steps = parse_count(arguments.steps, "--steps", 0);
  bench.rule = rule_of(arguments);
  return bench_chain(registry, bench, arguments.output);
}

BenchResult small(const Registry& registry, const BenchArguments& arguments) {
  bench::SmallBench bench;
  if (arguments.steps != "0") bench.steps = parse_count(arguments.steps, "--steps", 1);
  bench.rule = rule_of(arguments);
  return bench_small(registry, bench, arguments.output);
}

BenchResult field(const Registry& registry, const BenchArguments& arguments, bench::Field field) {
  bench::StringsBench bench;
  bench.field = field;
  if (field == bench::Field::beam) bench.intervals = {1000, 10000};
  if (!arguments.intervals.empty()) bench.intervals = sizes(arguments.intervals, "--intervals", 2);
  if (!arguments.algebra.empty()) bench.algebra = arguments.algebra;
  if (arguments.steps != "0") bench.steps = parse_count(arguments.steps, "--steps", 1);
  bench.rule = rule_of(arguments);
  return bench_strings(registry, bench, arguments.output);
}
BenchResult strings(const Registry& registry, const BenchArguments& arguments) {
  return field(registry, arguments, bench::Field::strings);
}
BenchResult beam(const Registry& registry, const BenchArguments& arguments) {
  return field(registry, arguments, bench::Field::beam);
}

BenchResult work_precision(const Registry& registry, const BenchArguments& arguments) {
  bench::WorkPrecisionBench bench;
  if (!arguments.until.empty()) bench.until.clear();
  for (const auto& text : arguments.until) {
    bench.until.push_back(parse_real(text, "--until"));
    if (bench.until.back() < 10 || bench.until.back() > 1e5 || std::fmod(bench.until.back(), 10) != 0)
      throw Error(ErrorCode::bad_value, "--until = " + text + " is not a multiple of 10 between 10 and 1e5");
  }
  bench.rule = rule_of(arguments);
  return bench_work_precision(registry, bench, arguments.output, arguments.plot);
}

BenchResult tolerance(const Registry& registry, const BenchArguments& arguments) {
  return bench_tolerance(registry, {}, arguments.output);
}

BenchResult peers(const Registry& registry, const BenchArguments& arguments) {
  bench::PeersBench bench;
  bench.mechanisms = arguments.files;
  for (const std::string& text : arguments.until) {
    bench.until.push_back(parse_real(text, "--until"));
    if (!(bench.until.back() > 0)) throw Error(ErrorCode::bad_value, "--until = " + text + " is not above zero");
  }
  bench.repetitions = rule_of(arguments).repetitions;
  return bench_peers(registry, bench, arguments.output);
}

BenchResult sensitivities(const Registry& registry, const BenchArguments& arguments) {
  bench::SensitivitiesBench bench;
  if (arguments.steps != "0") bench.steps = parse_count(arguments.steps, "--steps", 1);
  bench.rule.least = rule_of(arguments).repetitions;
  bench.rule.most = 5 * bench.rule.least;
  return bench_sensitivities(registry, bench, arguments.output);
}

struct Kind {
  const char* name;
  BenchResult (*run)(const Registry&, const BenchArguments&);
  std::vector<std::string> flags;  ///< beyond --output and --json
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"chain", chain, {"--links", "--algebra", "--steps", "--repetitions"}},
                                        {"small", small, {"--steps", "--repetitions"}},
                                        {"strings", strings, {"--intervals", "--algebra", "--steps", "--repetitions"}},
                                        {"beam", beam, {"--intervals", "--algebra", "--steps", "--repetitions"}},
                                        {"sensitivities", sensitivities, {"--steps", "--repetitions"}},
                                        {"work-precision", work_precision, {"--until", "--plot", "--repetitions"}},
                                        {"peers", peers, {"--until", "--repetitions"}},
                                        {"tolerance", tolerance, {}}};
  return all;
}

/// A flag that the chosen bench has no use for is a mistake.
void refuse_foreign_flags(const BenchArguments& arguments, const Kind& kind) {
  const std::pair<const char*, bool> given[] = {
      {"--links", !arguments.links.empty()},          {"--intervals", !arguments.intervals.empty()},
      {"--algebra", !arguments.algebra.empty()},      {"--until", !arguments.until.empty()},
      {"--plot", arguments.plot.has_value()},         {"--steps", arguments.steps != "0"},
      {"--repetitions", arguments.repetitions != "3"}};
  for (const auto& [flag, is_given] : given) {
    const auto takes = [flag = std::string(flag)](const Kind& k) {
      return std::find(k.flags.begin(), k.flags.end(), flag) != k.flags.end();
    };
    if (!is_given || takes(kind)) continue;
    std::string takers;
    for (const Kind& other : kinds())
      if (takes(other)) takers += (takers.empty() ? "" : ", ") + std::string(other.name);
    throw Error(ErrorCode::bad_value, std::string(flag) + " is for bench " + takers);
  }
}

void write_json(tables::OutputFile* file, const BenchResult& result) {
  if (!file) return;
  fmt::print(file->stream(), "{}", validation::json_text(bench_json(result)));
  file->commit();
}

int run_bench(const Registry& registry, const BenchArguments& arguments) {
  if (arguments.what == "compare") {
    refuse_foreign_flags(arguments, {"compare", nullptr, {}});
    if (arguments.files.size() != 2)
      throw Error(ErrorCode::bad_value,
                  fmt::format("bench compare takes two files of --json, {} {} given", arguments.files.size(),
                              arguments.files.size() == 1 ? "is" : "are"));
    if (arguments.report) throw Error(ErrorCode::bad_value, "--report is not for bench compare");
    compare_benches(arguments.files[0], arguments.files[1]);
    return success;
  }
  if (!arguments.files.empty() && arguments.what != "peers")
    throw Error(ErrorCode::bad_value, "file \"" + arguments.files[0] + "\" is for bench compare and bench peers");
  const auto json = arguments.json ? std::make_unique<tables::OutputFile>(*arguments.json) : nullptr;
  ReportFile report(arguments.report);
  const auto write = [&](const BenchResult& result) {
    write_json(json.get(), result);
    if (report) report.write(bench_page(result, arguments.what));
  };
  BenchResult result;
  if (arguments.what == "all") {
    refuse_foreign_flags(arguments, {"all", nullptr, {"--repetitions"}});
    if (arguments.output) throw Error(ErrorCode::bad_value, "--output is for one bench: of all of them take --json");
    BenchArguments each = arguments;
    each.until = {"10"};
    for (const Kind& kind : kinds()) {
      if (kind.run == tolerance || kind.run == peers) continue;
      say_lines(fmt::format("{}== {} ==\n", &kind == &kinds().front() ? "" : "\n", kind.name));
      result.append(kind.run(registry, each));
    }
    write(result);
    return success;
  }
  std::vector<std::string> names = {"all", "compare"};
  for (const Kind& kind : kinds()) {
    names.emplace_back(kind.name);
    if (arguments.what != kind.name) continue;
    refuse_foreign_flags(arguments, kind);
    write(kind.run(registry, arguments));
    return success;
  }
  throw unknown_name("bench", arguments.what, names);
}

}  // namespace

void gnomon_add_bench(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand("bench", "what a step costs, beside hand-coded schemes and other codes");
  command
      ->add_option(
          "WHAT", arguments->what,
          "chain: steps on chains beside hand-coded ones and their own kernels (if left out); small: the same of two "
          "small systems; strings: steps of colliding strings beside their residual; beam: the same of the released "
          "beam; sensitivities: steps with derivatives of the motion beside steps without, and IDAS; work-precision: "
          "time against error beside IDA and CVODE; all: these, one after the other; peers: "
          "mechanisms beside Simbody and MuJoCo, where they are installed; tolerance: every scheme at every tolerance, "
          "for the table by which a tolerance chooses its scheme; compare: two files "
          "of --json")
      ->type_name("");
  command
      ->add_option(
          "FILES", arguments->files,
          "compare: the files, the earlier one first; peers: mechanisms, all that it has if left out, or model files")
      ->type_name("");
  add_repeatable(*command, "--links", arguments->links, "N",
                 "chain: length of the chain (repeatable); 1, 10, ..., 1e5 if left out");
  add_repeatable(*command, "--algebra", arguments->algebra, "NAME",
                 "chain, strings, beam: linear algebra of the solvers (repeatable); auto if left out");
  add_repeatable(*command, "--intervals", arguments->intervals, "I",
                 "strings: intervals, beam: elements (repeatable); 1e3, 1e4 and, of strings, 1e5 if left out");
  command
      ->add_option("--steps", arguments->steps,
                   "chain, small, strings, beam, sensitivities: steps a run; 0: as many as are worth while")
      ->type_name("N");
  add_repeatable(*command, "--until", arguments->until, "T",
                 "work-precision, peers: end of the runs (repeatable); 10 and 1000, of peers its own, if left out");
  command->add_option("--plot", arguments->plot, "work-precision: a plot of it all as SVG, drawn by gnuplot")
      ->type_name("FILE");
  command
      ->add_option("--repetitions", arguments->repetitions,
                   "of every measurement; the best one counts, of sensitivities the median of at least so many")
      ->type_name("N");
  command
      ->add_option("--output", arguments->output,
                   "also write the table as CSV to this file; tolerance: the table of the library")
      ->type_name("FILE");
  command->add_option("--report", arguments->report, report_help)->type_name("FILE");
  command->add_option("--json", arguments->json, "also write what was measured to this file")->type_name("FILE");
  command->callback([&invocation, arguments] {
    invocation.action = [arguments](const Registry& registry) { return run_bench(registry, *arguments); };
  });
}

}  // namespace gnomon::program
