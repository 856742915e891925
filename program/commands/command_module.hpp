#pragma once
/// \file
/// Commands in modules of their own, which the build of the program does not wait for.

#include <string>
#include <vector>

#include "program/commands/commands.hpp"

namespace gnomon::program {

/// Adds the commands of the module lib/gnomon/commands/NAME.so beside the program, by its functions gnomon_add_COMMAND.
/// Where there is no such module, each command says so when it is called, and is not in the help.
/// Throws Error(bad_plugin) for a module that cannot be loaded.
void add_module(CLI::App& app, Invocation& invocation, const std::string& name,
                const std::vector<std::string>& commands);

}  // namespace gnomon::program
