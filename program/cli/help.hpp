#pragma once
/// \file
/// --help: examples first, then commands and flags in groups, in lines of at most 100 columns.

#include <CLI/FormatterFwd.hpp>
#include <string>

#include "program/cli/command_page.hpp"

namespace gnomon::program {

std::string help_text(const CommandPage& page);

/// For CLI::App::formatter.
class Help final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    return help_text(command_page(*app));
  }
};

}  // namespace gnomon::program
