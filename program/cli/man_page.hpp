#pragma once
/// \file
/// Manual pages, from the same description of the commands as their help.

#include <string>

#include "program/cli/command_page.hpp"

namespace gnomon::program {

/// The page in section 1, as man(7) macros; its name is that of the command with - for the space, gnomon-run.
std::string man_page(const CommandPage& page);
std::string man_name(const CommandPage& page);

}  // namespace gnomon::program
