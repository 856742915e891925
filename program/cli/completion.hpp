#pragma once
/// \file
/// Shell completion, from the same description of the commands as their help.

#include <string>

#include "gnomon/registry/registry.hpp"
#include "program/cli/cli11.hpp"

namespace gnomon::program {

/// A script for bash: commands, flags, and the values of flags; names are asked of the program when they are needed,
/// so that those of plug-ins are among them.
std::string bash_completion(const CLI::App& program);

/// The names of a kind (see flag_values), one a line; "options", "parameters" and the like with the name of their owner
/// after a colon, "options:hbvm". Nothing for what is not known: a shell that completes must not complain.
std::string completion_values(const Registry& registry, const std::string& kind);

}  // namespace gnomon::program
