/// gnomon validate: cases, gates, verdicts.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/base/names.hpp"
#include "program/cli/say.hpp"
#include "program/cli/terminal.hpp"
#include "program/commands/case_folder.hpp"
#include "program/commands/commands.hpp"
#include "program/output/chart_plot.hpp"
#include "program/pages/report_file.hpp"
#include "program/pages/validate_page.hpp"
#include "report/conformance.hpp"
#include "report/json.hpp"
#include "report/print/summary.hpp"
#include "report/print/table.hpp"
#include "report/run_case.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using namespace validation;

struct ValidateArguments {
  std::string filter, cases;
  std::optional<std::string> json, report, plot, share;
  std::vector<std::string> from, tiers;
  bool verbose = false;
};

/// The tier that was asked for; else the short one, or the standard one of what was selected.
Tier tier_of(const ValidateArguments& arguments) {
  if (arguments.tiers.size() > 1)
    throw Error(ErrorCode::bad_value, "--short, --quick, --standard, --full and --tier exclude each other");
  if (!arguments.tiers.empty()) return tier_named(arguments.tiers.front());
  return arguments.filter.empty() && arguments.cases.empty() ? Tier::brief : Tier::standard;
}

/// That no case of the tier was found, and what a filter can be.
Error unknown_filter(const std::vector<Case>& cases, Tier tier, const std::string& filter) {
  std::vector<std::string> names;
  for (const auto& c : cases) {
    names.push_back(c.full_name());
    if (!c.formerly.empty()) names.push_back(c.former_name());
  }
  std::string filters;
  for (const CaseFilter& known : case_filters()) filters += (filters.empty() ? "" : ", ") + known.name;
  return {ErrorCode::unknown_name,
          fmt::format("no case of the {} tier has \"{}\" in its name; a filter is {} or another part of a name{}",
                      to_string(tier), filter, filters, did_you_mean(filter, names))};
}

/// How far it is and how long it will take, on standard error if that is a terminal.
class CasesDone {
 public:
  explicit CasesDone(std::size_t cases) : cases_(cases), visible_(is_terminal(stderr)) {}
  ~CasesDone() {
    if (visible_) say(stderr, "\r\033[K");
  }
  void begin(const Case& c) {
    const double share = static_cast<double>(number_++) / static_cast<double>(cases_);
    if (visible_) say(stderr, "\r{} of {}{}: {}\033[K", number_, cases_, left_.text(share), c.full_name());
    std::fflush(stderr);
  }

 private:
  std::size_t cases_, number_ = 0;
  bool visible_;
  TimeLeft left_;
};

/// Runs the cases; `table` prints the rows as they come unless it is null.
Outcome run_all(const Registry& registry, const std::vector<Case>& cases, Tier tier, Table* table) {
  Outcome outcome;
  outcome.tier = tier;
  outcome.cases = static_cast<long>(cases.size());
  const auto begin = std::chrono::steady_clock::now();
  CasesDone done(cases.size());
  for (const auto& c : cases) {
    if (!table) done.begin(c);
    for (Row& row : run_case(registry, c)) {
      if (table) table->row(row);
      outcome.add(std::move(row));
    }
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

/// The summary of runs that wrote their rows with --json.
int print_again(const ValidateArguments& arguments) {
  if (arguments.json || arguments.verbose || arguments.share || !arguments.filter.empty())
    throw Error(ErrorCode::bad_value, "--from prints a summary and runs nothing: it goes alone");
  ReportFile report(arguments.report);
  const PlotFile plot(arguments.plot);
  Outcome outcome;
  for (const std::string& path : arguments.from) read_report(path, outcome);
  print_summary(stdout, outcome, wants_colour(stdout));
  if (report) report.write(validate_page(outcome, ""));
  if (plot) plot.draw(validate_page(outcome, ""));
  return outcome.tally.bad() ? bad_verdict : success;
}

int validate(const Registry& registry, const ValidateArguments& arguments) {
  if (!arguments.from.empty()) return print_again(arguments);
  const Tier tier = tier_of(arguments);
  ReportFile report(arguments.report);
  const PlotFile plot(arguments.plot);
  const std::string folder = case_folder(arguments.cases);
  const std::vector<Case> every =
      arguments.cases.empty() ? all_cases(registry, folder, model_folders().front()) : declared_cases(registry, folder);
  std::vector<Case> cases = select_cases(every, tier, arguments.filter);
  if (cases.empty()) throw unknown_filter(every, tier, arguments.filter);
  if (arguments.share) {
    cases = share_of(cases, *arguments.share);
    if (cases.empty()) throw Error(ErrorCode::bad_value, "share " + *arguments.share + " has no case");
  }
  std::unique_ptr<tables::OutputFile> json;
  if (arguments.json) json = std::make_unique<tables::OutputFile>(*arguments.json);

  const bool colour = wants_colour(stdout);
  Table table(stdout, colour, cases);
  if (arguments.verbose) table.heading();
  const Outcome outcome = run_all(registry, cases, tier, arguments.verbose ? &table : nullptr);
  if (arguments.verbose) say("\n");
  print_summary(stdout, outcome, colour);
  if (json) {
    const std::string text = json_text(report_json(outcome));
    std::fwrite(text.data(), 1, text.size(), json->stream());
    json->commit();
  }
  if (report) report.write(validate_page(outcome, arguments.filter));
  if (plot) plot.draw(validate_page(outcome, arguments.filter));
  return outcome.tally.bad() ? bad_verdict : success;
}

}  // namespace

void add_validate(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand("validate", "run the validation cases and compare with their gates");
  command->footer("e.g. gnomon validate conformance/rattle");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    command->add_option(flag, value, help)->type_name(type);
  };
  add("FILTER", a->filter, "", "only cases with this in kind/name, or in a name that the case had before");
  add("--json", a->json, "FILE", "write all rows to this JSON file too");
  add("--report", a->report, "FILE", report_help);
  add("--plot", a->plot, "FILE", charts_help);
  add("--share", a->share, "K/N", "of these cases every N-th only, from the K-th: N machines, or a sample");
  const auto take_tier = [a](const std::string& name) { a->tiers.push_back(name); };
  const auto add_tier = [command, take_tier](const std::string& name, const std::string& help) {
    command->add_flag_callback(
        "--" + name, [take_tier, name] { take_tier(name); }, help);
  };
  command->add_option_function<std::string>("--tier", take_tier, "by name: short, quick, standard or full")
      ->type_name("TIER");
  add_tier("short", "every paper's tables, every scheme on some problems; the default");
  add_tier("quick", "every scheme on every problem, at most 1e4 steps a case");
  add_tier("standard",
           "the quick tier, the gallery, options of schemes, longer runs; the default with FILTER or --cases");
  add_tier("full", "everything, with runs of a million steps");
  command->add_flag("--verbose", a->verbose, "every row, before the summary");
  add("--cases", a->cases, "FOLDER", "judge the cases in the files of this folder, and no others");
  add("--from", a->from, "FILE...", "run nothing: the summary of runs that wrote these files by --json");
  command->callback(
      [&invocation, a] { invocation.action = [a](const Registry& registry) { return validate(registry, *a); }; });
}

}  // namespace gnomon::program
