#pragma once
/// \file
/// The file of --report.

#include <memory>
#include <optional>
#include <string>

#include "pages/page.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

constexpr const char* report_help = "everything as one HTML page that needs no network: curves, tables, what was run";

/// Opened before the work starts, written after it.
class ReportFile {
 public:
  /// Without a path there is none. Throws Error(bad_value) where the name does not end in .html, and Error(bad_file).
  explicit ReportFile(const std::optional<std::string>& path);
  explicit operator bool() const { return file_ != nullptr; }
  void write(const pages::Page& page);

 private:
  std::unique_ptr<tables::OutputFile> file_;
};

/// Program, commit, compiler, libraries, processor, system and date.
pages::Facts surroundings();

using pages::cell_number;

}  // namespace gnomon::program
