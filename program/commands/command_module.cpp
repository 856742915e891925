#include "program/commands/command_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/App.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin_path.hpp"

namespace gnomon::program {

namespace {

void add_missing(CLI::App& app, const std::string& command, const std::string& file) {
  CLI::App* const missing = app.add_subcommand(command, "in a module that is not beside this program")->group("");
  missing->prefix_command();    // what follows is not read,
  missing->fallthrough(false);  // by the program itself neither
  missing->set_help_flag();
  missing->callback([command, file] {
    throw Error(ErrorCode::bad_plugin, fmt::format("the command {} is in the module {}, which is not beside this "
                                                   "program: build its target gnomon_commands",
                                                   command, file));
  });
}

}  // namespace

void add_module(CLI::App& app, Invocation& invocation, const std::string& name,
                const std::vector<std::string>& commands) {
  const std::string file = "gnomon/commands/" + name + ".so", path = library_beside_program(file);
  void* const module = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_NOW);  // it stays loaded
  if (!path.empty() && !module) throw Error(ErrorCode::bad_plugin, ::dlerror());
  for (const std::string& command : commands) {
    if (!module) {
      add_missing(app, command, file);
      continue;
    }
    using Add = void(CLI::App&, Invocation&);
    const auto add = reinterpret_cast<Add*>(::dlsym(module, ("gnomon_add_" + command).c_str()));
    if (!add) throw Error(ErrorCode::bad_plugin, fmt::format("{} has no command {}", path, command));
    add(app, invocation);
  }
}

}  // namespace gnomon::program
