#pragma once
/// \file
/// In which order and under which headings help and manual pages tell of commands and flags.

#include <string>
#include <vector>

namespace gnomon::program {

struct Heading {
  const char* title;
  std::vector<std::string> names;
};

/// Commands, in the order in which one needs them.
const std::vector<Heading>& command_headings();
/// Flags and arguments of all commands: one order for all. What is in none comes last, as "More".
const std::vector<Heading>& flag_headings();
/// What to type first; "" is the program itself. Empty where the footer has the example.
std::vector<std::string> examples_of(const std::string& command);

}  // namespace gnomon::program
