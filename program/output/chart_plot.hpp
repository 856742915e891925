#pragma once
/// \file
/// The charts of a page as one picture: --plot of what has --report.

#include <optional>
#include <string>

#include "pages/page.hpp"

namespace gnomon::program {

constexpr const char* charts_help = "the charts of the report as .svg, .png or .pdf, drawn by gnuplot";

/// Asked for before the work starts, drawn after it.
class PlotFile {
 public:
  /// Without a path there is none. Throws Error(bad_value) for the name, and Error(bad_file) where it cannot be written
  /// or gnuplot is missing.
  explicit PlotFile(const std::optional<std::string>& path);
  explicit operator bool() const { return path_.has_value(); }
  /// All charts of the page, one panel each. Of a page without charts a warning says so, and no file appears.
  void draw(const pages::Page& page) const;

 private:
  std::optional<std::string> path_;
};

}  // namespace gnomon::program
