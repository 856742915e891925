/// gnomon validate: cases, gates, verdicts.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "program/commands/case_folder.hpp"
#include "program/commands/commands.hpp"
#include "program/output/output_file.hpp"
#include "report/conformance.hpp"
#include "report/json.hpp"
#include "report/run_case.hpp"
#include "report/table.hpp"

namespace gnomon::program {

namespace {

using namespace validation;

struct Arguments {
  std::string filter, cases;
  std::optional<std::string> json, tier;
  bool quick = false, full = false;
};

Tier parse_tier(const Arguments& arguments) {
  if (int(arguments.quick) + int(arguments.full) + int(arguments.tier.has_value()) > 1)
    throw Error(ErrorCode::bad_value, "--quick, --full and --tier exclude each other");
  if (arguments.quick) return Tier::quick;
  if (arguments.full) return Tier::full;
  if (!arguments.tier) return Tier::standard;
  for (const Tier tier : {Tier::quick, Tier::standard, Tier::full})
    if (*arguments.tier == to_string(tier)) return tier;
  throw unknown_name("tier", *arguments.tier, {"quick", "standard", "full"});
}

int validate(const Registry& registry, const Arguments& arguments) {
  const Tier tier = parse_tier(arguments);
  const std::vector<Case> every = all_cases(registry, case_folder(arguments.cases));
  const std::vector<Case> cases = select_cases(every, tier, arguments.filter);
  if (cases.empty()) {
    std::vector<std::string> names;
    for (const auto& c : every) {
      names.push_back(c.full_name());
      if (!c.formerly.empty()) names.push_back(c.former_name());
    }
    const std::string near = nearest_name(arguments.filter, names);
    throw Error(ErrorCode::unknown_name,
                fmt::format("no case of the {} tier has \"{}\" in its name{}", to_string(tier), arguments.filter,
                            near.empty() ? "" : "; the nearest name is \"" + near + "\""));
  }
  std::unique_ptr<OutputFile> json;
  if (arguments.json) json = std::make_unique<OutputFile>(*arguments.json);

  const auto begin = std::chrono::steady_clock::now();
  Table table(stdout, isatty(STDOUT_FILENO) == 1, cases);
  table.heading();
  Tally tally;
  std::vector<Row> rows;
  for (const auto& c : cases) {
    for (const Row& row : run_case(registry, c)) {
      tally.count(row.verdict);
      table.row(row);
      rows.push_back(row);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("\n{} cases, {} rows: {}; {:.1f} s ({} tier)\n", cases.size(), rows.size(), tally.text(), seconds,
             to_string(tier));
  if (json) {
    const std::string text = json_text(report_json(rows, tally, tier, seconds));
    std::fwrite(text.data(), 1, text.size(), json->stream());
    json->commit();
  }
  return tally.bad() ? bad_verdict : success;
}

}  // namespace

void add_validate(CLI::App& app, Invocation& invocation) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("validate", "run the validation cases and compare with their gates");
  command->footer("e.g. gnomon validate conformance/rattle");
  const auto add = [command](const std::string& flag, auto& value, const std::string& type, const std::string& help) {
    command->add_option(flag, value, help)->type_name(type);
  };
  add("FILTER", a->filter, "", "only cases with this in kind/name, or in a name that the case had before");
  add("--json", a->json, "FILE", "write all rows to this JSON file too");
  add("--tier", a->tier, "TIER", "quick, standard (the default) or full; each contains the ones before it");
  command->add_flag("--quick", a->quick, "the quick tier");
  command->add_flag("--full", a->full, "the full tier");
  add("--cases", a->cases, "FOLDER", "folder of the case files");
  command->callback(
      [&invocation, a] { invocation.action = [a](const Registry& registry) { return validate(registry, *a); }; });
}

}  // namespace gnomon::program
