/// gnomon completion and gnomon man: what a shell and man(1) want to know of the program.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "program/cli/completion.hpp"
#include "program/cli/man_page.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

int write_man_pages(const CLI::App& program, const std::string& folder) {
  std::vector<CommandPage> pages = command_pages(program);
  pages.insert(pages.begin(), command_page(program));
  for (const CommandPage& page : pages) {
    WholeFile file("manual page", folder + "/" + man_name(page) + ".1");
    file.write(man_page(page));
    file.commit();
  }
  return success;
}

int print_man_page(const CLI::App& program, const std::string& command) {
  std::vector<std::string> known;
  for (const CommandPage& page : command_pages(program)) {
    known.push_back(page.name.substr(page.name.find(' ') + 1));
    if (known.back() != command) continue;
    fmt::print("{}", man_page(page));
    return success;
  }
  if (!command.empty()) throw unknown_name("command", command, known);
  fmt::print("{}", man_page(command_page(program)));
  return success;
}

int complete(const CLI::App& program, const Registry& registry, const std::string& shell, const std::string& values,
             const std::string& output) {
  if (!values.empty()) {
    fmt::print("{}", completion_values(registry, values));
    return success;
  }
  if (shell != "bash") throw unknown_name("shell", shell, {"bash"});
  if (output.empty()) {
    fmt::print("{}", bash_completion(program));
    return success;
  }
  WholeFile file("completion script", output);
  file.write(bash_completion(program));
  file.commit();
  return success;
}

}  // namespace

void add_completion(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("completion", "a script that completes commands, flags and names in a shell");
  command->footer(
      "Installed beside the program, it is found by the package bash-completion. "
      "e.g. gnomon completion bash --output ~/.local/share/bash-completion/completions/gnomon");
  auto shell = std::make_shared<std::string>("bash"), values = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, the only one so far")->type_name("");
  command->add_option("--values", *values, "for the script: the names of this kind, one a line")->type_name("KIND");
  command->add_option("--output", *output, "write to this file instead of standard output")->type_name("FILE");
  command->callback([&app, &invocation, shell, values, output] {
    invocation.action = [&app, shell, values, output](const Registry& registry) {
      return complete(app, registry, *shell, *values, *output);
    };
  });
}

void add_man(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("man", "the manual page of the program or of one of its commands");
  command->footer("e.g. gnomon man run | man -l -");
  auto name = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "of which; of the program if left out")->type_name("");
  command->add_option("--folder", *folder, "write the pages of all commands into this folder instead")
      ->type_name("FOLDER");
  command->callback([&app, &invocation, name, folder] {
    invocation.action = [&app, name, folder](const Registry&) {
      if (folder->empty()) return print_man_page(app, *name);
      if (!name->empty()) throw Error(ErrorCode::bad_value, "man: --folder writes the pages of all commands");
      return write_man_pages(app, *folder);
    };
  });
}

}  // namespace gnomon::program
