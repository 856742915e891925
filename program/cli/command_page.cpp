#include "program/cli/command_page.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <map>

#include "program/cli/flag_order.hpp"
#include "report/conformance.hpp"

namespace gnomon::program {

namespace {

/// "--step", or the name of an argument.
std::string key_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

PageEntry entry_of(const CLI::App& command, const CLI::Option& option) {
  PageEntry entry;
  for (const std::string& name : option.get_snames()) entry.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.flags.push_back("--" + name);
  for (const std::string& flag : entry.flags) entry.name += (entry.name.empty() ? "" : ", ") + flag;
  if (entry.flags.empty()) entry.name = key_of(option);
  const bool takes_value = option.get_expected_min() > 0;
  if (takes_value) entry.values = flag_values(command, option);
  if (takes_value && !entry.flags.empty() && !option.get_type_name().empty())
    entry.name += " " + option.get_type_name();
  entry.text = option.get_description();
  const std::string standard = option.get_default_str();
  if (!standard.empty() && takes_value) entry.text += " [" + standard + "]";
  return entry;
}

/// The entries under the headings that name them, in their order; the rest under `rest`.
std::vector<PageGroup> grouped(std::map<std::string, PageEntry> entries, const std::vector<std::string>& order,
                               const std::vector<Heading>& headings, const std::string& rest) {
  std::vector<PageGroup> groups;
  const auto take = [&entries](PageGroup& group, const std::string& key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return;
    group.entries.push_back(found->second);
    entries.erase(found);
  };
  for (const Heading& heading : headings) {
    PageGroup group{heading.title, {}};
    for (const std::string& key : heading.names) take(group, key);
    if (!group.entries.empty()) groups.push_back(group);
  }
  PageGroup more{rest, {}};
  for (const std::string& key : order) take(more, key);
  if (!more.entries.empty()) groups.push_back(more);
  return groups;
}

/// The kind of values that are one of these.
std::string words(const std::vector<std::string>& values) {
  std::string out = "words";
  for (const std::string& value : values) out += " " + value;
  return out;
}

/// The values that the argument FILTER of `gnomon validate` takes.
PageGroup filter_group() {
  PageGroup group{"FILTER: a part of kind/name", {}};
  for (const validation::CaseFilter& filter : validation::case_filters())
    group.entries.push_back({filter.name, filter.selected, {}, ""});
  return group;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace

std::string flag_values(const CLI::App& command, const CLI::Option& option) {
  const std::string key = key_of(option), type = option.get_type_name(), name = command.get_name();
  static const std::map<std::string, std::string> by_flag = {
      {"PROBLEM", "problems"},
      {"--scheme", "schemes"},
      {"--solver", "solvers"},
      {"--algebra", "algebra"},
      {"--reference", "references"},
      {"--option", "options"},
      {"--solver-option", "solver-options"},
      {"--reference-option", "reference-options"},
      {"--set", "parameters"},
      {"--contact", "words mode= restitution= zeno-speed="},
      {"--vary", "parameters"},
      {"--sampling", "words random latin-hypercube sobol"},
      {"--jacobian", "words analytic dual differences"},
      {"--tier", words(validation::tier_names())},
      {"--method", "words exact penalty"},
      {"FILTER", words({"published", "conformance", "reference", "solver", "gallery"})},
      {"FILES", "files"},
      {"OTHER", "files"},
      {"DATA", "files"},
      {"ROBOT", "files"},
      {"--from", "files"},
      {"--at", "words equilibrium start"},
      {"SHELL", "words bash"},
      {"COMMAND", "commands"},
      {"--plugin-path", "folders"},
  };
  if (key == "--scheme" && name == "run") return "integrators";
  if (key == "NAME") return name == "describe" ? "names" : "any";
  if (key == "WHAT")
    return name == "list" ? "words schemes solvers algebra problems references"
                          : "words chain small strings beam sensitivities work-precision all peers tolerance compare";
  const auto found = by_flag.find(key);
  if (found != by_flag.end()) return found->second;
  if (type.rfind("FILE", 0) == 0) return "files";
  if (type.rfind("FOLDER", 0) == 0) return "folders";
  return "any";
}

CommandPage command_page(const CLI::App& app) {
  const CLI::App* program = app.get_parent();
  CommandPage page;
  page.name = program ? program->get_name() + " " + app.get_name() : app.get_name();
  page.description = app.get_description();
  page.usage = page.name;
  std::map<std::string, PageEntry> commands, flags;
  std::vector<std::string> command_order, flag_order;
  for (const CLI::App* command : commands_of(app)) {
    commands[command->get_name()] = {command->get_name(), command->get_description(), {}, ""};
    command_order.push_back(command->get_name());
  }
  page.usage += commands.empty() ? " [FLAGS]" : " COMMAND [FLAGS]";
  for (const CLI::Option* option : app.get_options()) {
    const std::string key = key_of(*option);
    flags[key] = entry_of(app, *option);
    flag_order.push_back(key);
    if (option->get_lnames().empty()) page.usage += option->get_required() ? " " + key : " [" + key + "]";
  }
  page.groups = grouped(commands, command_order, command_headings(), "More");
  for (PageGroup& group : grouped(flags, flag_order, flag_headings(), "More")) page.groups.push_back(std::move(group));
  if (flags.count("FILTER")) page.groups.insert(page.groups.begin(), filter_group());
  page.footer = app.get_footer();
  std::replace(page.footer.begin(), page.footer.end(), '\n', ' ');
  page.examples = examples_of(program ? app.get_name() : "");
  // A footer ends with its example: "e.g. gnomon compare ..."
  const std::string::size_type example = page.footer.rfind("e.g. gnomon ");
  if (example != std::string::npos) {
    page.examples.insert(page.examples.begin(), page.footer.substr(example + 5));
    page.footer.erase(example);
    while (!page.footer.empty() && page.footer.back() == ' ') page.footer.pop_back();
  }
  return page;
}

std::vector<CommandPage> command_pages(const CLI::App& program) {
  std::vector<CommandPage> pages;
  const CommandPage top = command_page(program);
  for (const PageGroup& group : top.groups)
    for (const PageEntry& entry : group.entries)
      for (const CLI::App* command : commands_of(program))
        if (command->get_name() == entry.name) pages.push_back(command_page(*command));
  return pages;
}

}  // namespace gnomon::program
