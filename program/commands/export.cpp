/// gnomon export: a built-in problem as a model file.
#include <fmt/format.h>

#include <CLI/App.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "program/arguments.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

struct ExportArguments {
  std::string problem;
  Assignments set;
  std::string output;
};

int write(const Registry& registry, const ExportArguments& arguments) {
  const Problem& problem = registry.problem(arguments.problem);
  std::string text = "# Written by gnomon export";
  const Options options("problem " + arguments.problem, problem.parameters(), arguments.set);
  if (!problem.parameters().empty()) text += ", with " + options.to_text();
  text += "\n" + model_text(problem.build(options), problem.name(), problem.description());
  if (arguments.output.empty()) {
    fmt::print("{}", text);
    return success;
  }
  WholeFile file("model file", arguments.output);
  file.write(text);
  file.commit();
  return success;
}

}  // namespace

void add_export(CLI::App& app, Invocation& invocation) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write a problem as a model file, where it is made of formulas");
  command->add_option("PROBLEM", arguments->problem, "name of the problem")->required()->type_name("");
  add_repeatable(*command, "--set", arguments->set, "a parameter of the problem (repeatable)");
  command->add_option("--output", arguments->output, "write to this file instead of standard output")
      ->type_name("FILE");
  command->callback([&invocation, arguments] {
    invocation.action = [arguments](const Registry& registry) { return write(registry, *arguments); };
  });
}

}  // namespace gnomon::program
