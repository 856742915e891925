#pragma once
/// \file
/// Command-line values that are numbers or name=value pairs, with one kind of sentence for what is wrong with them.

#include <string>
#include <vector>

#include "gnomon/base/options.hpp"
#include "program/cli/cli11.hpp"

namespace gnomon::program {

/// A finite number. Throws Error(bad_value) naming the flag.
double parse_real(const std::string& text, const std::string& flag);
/// A whole number of at least `minimum`, at most 1e15; "1e6" is one.
long parse_count(const std::string& text, const std::string& flag, long minimum);
/// Adds a NAME=VALUE. Throws Error(bad_value) naming the flag, also where the name has a value already.
void add_assignment(Assignments& assignments, const std::string& text, const std::string& flag);
/// Each as NAME=VALUE.
std::vector<std::string> assignment_texts(const Assignments& assignments);

/// The names of lists "a,b". Throws Error(bad_value) naming the flag and an example for an empty one.
std::vector<std::string> names_in(const std::vector<std::string>& lists, const std::string& flag,
                                  const std::string& example);

/// The text as a word of a command line: in quotes where a shell would read it otherwise, and with control characters,
/// which a terminal would obey, as $'\\012'.
std::string shell_word(const std::string& text);

/// A flag that may be repeated, each time with one value; `value` is what the help calls it.
CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                            const std::string& value, const std::string& help);
/// The same for values NAME=VALUE.
CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, Assignments& values, const std::string& help);

}  // namespace gnomon::program
