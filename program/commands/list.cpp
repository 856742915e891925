/// gnomon list: what there is, by name.
#include <fmt/format.h>

#include <CLI/App.hpp>

#include "gnomon/base/error.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"
#include "program/commands/list_matrix.hpp"

namespace gnomon::program {

namespace {

void entry(const Registry& registry, const std::string& name, const std::string& promises,
           const std::string& description) {
  say("  {:27} {}\n", name, description);
  if (!promises.empty()) say("  {:27} promises at best {}\n", "", promises);
  if (registry.origin(name) != "built in") say("  {:27} from {}\n", "", registry.origin(name));
}

int list(const Registry& registry, const std::string& what) {
  const std::vector<std::string> kinds{"schemes", "solvers", "algebra", "problems", "references"};
  bool known = what.empty();
  for (const auto& kind : kinds) known = known || what == kind;
  if (!known) throw unknown_name("list", what, kinds);

  const auto heading = [&](const std::string& kind) {
    if (!what.empty() && what != kind) return false;
    say("{}\n", kind);
    return true;
  };
  if (heading("schemes"))
    for (const auto& name : registry.schemes()) {
      const Scheme& scheme = registry.scheme(name);
      entry(registry, name, to_string(scheme.promises()), scheme.description());
    }
  if (heading("solvers"))
    for (const auto& name : registry.solvers()) entry(registry, name, "", registry.solver(name).description());
  if (heading("algebra"))
    for (const auto& name : registry.algebras()) entry(registry, name, "", registry.algebra(name).description());
  if (heading("problems"))
    for (const auto& name : registry.problems()) entry(registry, name, "", registry.problem(name).description());
  if (heading("references"))
    for (const auto& name : registry.references()) entry(registry, name, "", registry.reference(name).description());
  return success;
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("list", "names of schemes, solvers, algebra, problems and references");
  auto what = std::make_shared<std::string>();
  auto matrix = std::make_shared<bool>(false), verbose = std::make_shared<bool>(false);
  command->add_flag("--matrix", *matrix, "a table: which kinds of models each scheme and each reference takes");
  command->add_flag("--verbose", *verbose, "with --matrix: the reason of every refusal");
  command
      ->add_option("WHAT", *what,
                   "schemes, solvers, algebra, problems or references; all of them if left out. What has no file "
                   "beside it is built in")
      ->type_name("");
  command->callback([&invocation, what, matrix, verbose] {
    invocation.action = [what, matrix, verbose](const Registry& registry) {
      if (*verbose && !*matrix) throw Error(ErrorCode::bad_value, "list: --verbose is for --matrix");
      if (!*matrix) return list(registry, *what);
      if (!what->empty())
        throw Error(ErrorCode::bad_value,
                    "list: --matrix has all schemes and references, and \"" + *what + "\" cannot be chosen");
      print_matrix(registry, *verbose);
      return static_cast<int>(success);
    };
  });
}

}  // namespace gnomon::program
