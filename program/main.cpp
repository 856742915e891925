/// The gnomon program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin_path.hpp"
#include "program/arguments.hpp"
#include "program/cli/help.hpp"
#include "program/cli/say.hpp"
#include "program/commands/case_folder.hpp"
#include "program/commands/command_module.hpp"
#include "program/commands/commands.hpp"
#include "program/papers/papers.hpp"

namespace gnomon::program {

namespace {

/// One line on standard error, whatever the sentence contained.
int complain(std::string sentence) {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  say(stderr, "gnomon: {}\n", sentence);
  return misuse;
}

/// What the library says, with the flag that does what it speaks of.
std::string with_flag(const std::string& sentence) {
  constexpr std::pair<const char*, const char*> flags[] = {
      {"a projection in the mass metric would repair it", ": --project-start"},
      {"a run is compared with it", ": --reference"}};
  for (const auto& [said, flag] : flags)
    if (sentence.find(said) != std::string::npos) return sentence + flag;
  return sentence;
}

/// The status, or that of misuse where not everything that was printed has arrived.
int said(int status) {
  const bool arrived = std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (arrived) return status;
  return complain("not everything could be written to standard output");
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* known : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(known->get_name());
  return names;
}

/// What CLI11 did not expect: a flag or a command, with the nearest known one.
Error unexpected_argument(const CLI::App& app) {
  const CLI::App* command = app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
  std::vector<std::string> rest = app.remaining(true);
  const std::string what = rest.empty() ? "" : rest.front();
  if (what.rfind("-", 0) == 0) {
    std::vector<std::string> known = flags_of(app);
    if (command) {
      std::vector<std::string> own = flags_of(*command);
      own.insert(own.end(), known.begin() + 1, known.end());  // --help is in both
      known = own;
    }
    return unknown_name(command ? "flag of " + command->get_name() : "flag", what.substr(0, what.find('=')), known);
  }
  if (command) return Error(ErrorCode::bad_value, command->get_name() + ": unexpected argument \"" + what + "\"");
  return unknown_name("command", what, command_names(app));
}

int dispatch(int argc, char** argv) {
  CLI::App app("Energy-conserving integrators for constrained mechanical systems, on SUNDIALS", "gnomon");
  Invocation invocation;
  app.set_version_flag("--version", "gnomon " GNOMON_VERSION, "print the version and nothing else");
  add_repeatable(app, "--plugin", invocation.plugins, "FILE",
                 "load a plug-in module first, with any command (repeatable)");
  add_repeatable(
      app, "--plugin-path", invocation.plugin_path, "FOLDERS",
      "load the modules (*.so) in these folders, separated by colons, with any command (repeatable); those of "
      "the environment variable GNOMON_PLUGIN_PATH come after them");
  bool own_bibliography = false;
  app.add_flag("--bibtex", own_bibliography, "how to cite Gnomon");
  app.fallthrough();
  app.set_help_flag("-h,--help", "print this and nothing else");
  add_list(app, invocation);
  add_describe(app, invocation);
  add_new(app, invocation);
  add_export(app, invocation);
  add_import(app, invocation);
  add_check(app, invocation);
  add_run(app, invocation);
  add_module(app, invocation, "sweep", {"sweep"});
  add_compare(app, invocation);
  add_module(app, invocation, "bench", {"advise"});
  add_equilibrium(app, invocation);
  add_linearise(app, invocation);
  add_fit(app, invocation);
  add_validate(app, invocation);
  add_module(app, invocation, "bench", {"bench"});
  add_completion(app, invocation);
  add_man(app, invocation);
  app.require_subcommand(0, 1);
  app.footer("gnomon COMMAND --help tells more of a command, gnomon describe NAME of what it takes by name.");
  const auto help = std::make_shared<Help>();
  app.formatter(help);
  for (CLI::App* command : app.get_subcommands(nullptr)) command->formatter(help);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help and --version
    return app.exit(help);
  } catch (const CLI::ExtrasError&) {
    throw unexpected_argument(app);
  } catch (const CLI::ArgumentMismatch& error) {
    // "--flag: 1 required TYPE missing" or "--flag: At Most 1 required but received 2"
    const std::string text = error.what();
    const std::string flag = text.substr(0, text.find(':'));
    return complain(flag + (text.find("missing") == std::string::npos
                                ? " is given more than once, and only one can hold"
                                : " needs a value after it"));
  } catch (const CLI::ParseError& error) {
    return complain(error.what());
  }
  if (own_bibliography && invocation.action)
    return complain("--bibtex goes alone, or with describe: gnomon describe NAME --bibtex");
  if (own_bibliography) {
    say_lines(own_bibtex());
    return success;
  }
  if (!invocation.action) {
    std::string names;
    for (const std::string& name : command_names(app)) names += (names.empty() ? "" : ", ") + name;
    return complain("a command is missing: " + names + "; gnomon --help tells more");
  }

  invocation.paths = CommandPaths(*app.get_subcommands().front());
  Registry registry;
  register_builtin(registry);
  for (const std::string& folder : model_folders()) registry.add_model_folder(folder);
  for (const auto& plugin : invocation.plugins) registry.load(plugin);
  for (const auto& folders : invocation.plugin_path) load_plugin_path(registry, folders);
  load_plugin_path(registry, plugin_path_of_environment());
  return invocation.action(registry);
}

}  // namespace

}  // namespace gnomon::program

int main(int argc, char** argv) {
  try {
    return gnomon::program::said(gnomon::program::dispatch(argc, argv));
  } catch (const gnomon::Error& error) {
    return gnomon::program::complain(gnomon::program::with_flag(error.what()));
  } catch (const std::exception& error) {
    return gnomon::program::complain(error.what());
  }
}
