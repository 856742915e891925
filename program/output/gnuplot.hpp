#pragma once
/// \file
/// Plots by gnuplot. Whatever stands in a script that comes from a model or a table is a number of a block of data or
/// a gnuplot_text.

#include <cstddef>
#include <string>

namespace gnomon::program {

/// Asked for before long runs. Throws Error(bad_value) unless the name of a picture ends in .svg, .png or .pdf, and
/// Error(bad_file) where it cannot be written, gnuplot is not there or cannot draw such a file.
void require_picture(const std::string& path);
/// Hands a script to gnuplot, and what it draws to the file; as an OutputFile it is there whole or as it was.
/// Throws Error(bad_file) when that fails.
void draw(const std::string& script, const std::string& path);
/// The command that sets the terminal which the ending of the file asks for, for a picture of so many pixels.
std::string terminal(const std::string& path, std::size_t width, std::size_t height);
/// "#0072B2": one of some colours that stay apart for the colour-blind (Okabe and Ito, 2008).
const char* colour(int number);
int number_of_colours();
/// A text in quotation marks, on one line, as gnuplot reads it back and substitutes nothing. The end of a very long one
/// is left out.
std::string gnuplot_text(const std::string& text);

/// A command plot or splot, and the blocks of data that it draws.
class PlotCommand {
 public:
  /// Lines of numbers, and how they are drawn.
  void add(const std::string& data, const std::string& style);
  /// An entry of the key that nothing is drawn for.
  void mention(const std::string& style) { entry("NaN " + style); }
  /// `command`: "plot" or "splot".
  std::string text(const std::string& command) const { return blocks_ + command + " " + entries_ + "\n"; }

 private:
  void entry(const std::string& text) { entries_ += (entries_.empty() ? "" : ", ") + text; }

  int count_ = 0;
  std::string blocks_, entries_;
};

}  // namespace gnomon::program
