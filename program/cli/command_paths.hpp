#pragma once
/// \file
/// The files that a command reads and writes.

#include <string>
#include <vector>

#include "program/cli/cli11.hpp"

namespace gnomon::program {

/// By the options that name them. No output is another output or what the command reads; only --checkpoint may be the
/// file of --restart, whose run it goes on with. Devices and pipes are no files of this kind.
class CommandPaths {
 public:
  CommandPaths() = default;
  /// The files that a command line names. Throws Error(bad_value) with both options where two are one.
  explicit CommandPaths(const CLI::App& command);
  /// A file that is read without being named on the command line. Throws likewise.
  void reads(const std::string& what, const std::string& path) { add({what, path, false}); }

 private:
  struct File {
    std::string option, path;
    bool written;
  };
  void add(const File& file);

  std::vector<File> files_;
};

}  // namespace gnomon::program
