/// gnomon check: is this problem well posed and are its derivatives right?
#include <fmt/format.h>

#include <CLI/App.hpp>

#include "gnomon/start/verify.hpp"
#include "program/arguments.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

int check(const Registry& registry, const std::string& problem, const Assignments& set) {
  const std::vector<ModelCheck> checks = verify(registry.build(problem, set));
  say_lines(to_text(checks));
  return all_passed(checks) ? success : bad_verdict;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  struct Arguments {
    std::string problem;
    Assignments set;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("check", "a problem's data, rank and derivatives");
  command->add_option("PROBLEM", arguments->problem, "name of the problem, or a model file NAME.toml")
      ->required()
      ->type_name("");
  add_repeatable(*command, "--set", arguments->set, "a parameter of the problem (repeatable)");
  command->callback([&invocation, arguments] {
    invocation.action = [arguments](const Registry& registry) {
      return check(registry, arguments->problem, arguments->set);
    };
  });
}

}  // namespace gnomon::program
