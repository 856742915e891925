#pragma once
/// \file
/// What is said about a command, gathered once from its CLI11 description: help, manual page and completion print it.

#include <string>
#include <vector>

#include "program/cli/cli11.hpp"

namespace gnomon::program {

/// A flag, an argument or a command.
struct PageEntry {
  std::string name;                ///< "--step H", "PROBLEM", "run"
  std::string text;                ///< with its default in brackets
  std::vector<std::string> flags;  ///< "--step"; empty for arguments and commands
  std::string values;              ///< kind of what follows, see flag_values; "" where nothing does
};

struct PageGroup {
  std::string title;
  std::vector<PageEntry> entries;
};

struct CommandPage {
  std::string name;         ///< "gnomon run"
  std::string description;  ///< one line
  std::string usage;        ///< "gnomon run [FLAGS] [PROBLEM]"
  std::vector<std::string> examples;
  std::string footer;             ///< sentences, in one line
  std::vector<PageGroup> groups;  ///< in the order in which one needs them
};

/// The page of the program, or of one of its commands.
CommandPage command_page(const CLI::App& app);

/// The pages of the commands of the program, in the order of its own page.
std::vector<CommandPage> command_pages(const CLI::App& program);

/// Kind of the values of a flag or an argument: "problems", "schemes", "solvers", "algebra", "references",
/// "integrators" (schemes and references), "names" (all of these), "options" (of the scheme), "solver-options",
/// "reference-options", "parameters" (of the problem), "files", "folders", "words a b c" for one of some words, or
/// "any".
std::string flag_values(const CLI::App& command, const CLI::Option& option);

}  // namespace gnomon::program
