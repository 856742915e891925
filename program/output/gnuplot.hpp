#pragma once
/// \file
/// Plots by gnuplot.

#include <cstddef>
#include <string>

namespace gnomon::program {

/// Throws Error(bad_value) unless the name of a picture ends in .svg, .png or .pdf.
void require_picture(const std::string& path);
/// Throws Error(bad_file) when the program gnuplot is not there, or cannot draw such a file: to be asked before long
/// runs.
void require_gnuplot(const std::string& path);
/// Hands a script to gnuplot, which draws what is in the file then; as an OutputFile it is there whole or as it was.
/// Throws Error(bad_file) when that fails.
void draw(const std::string& script, const std::string& path);
/// The command that sets the terminal which the ending of the file asks for, for a picture of so many pixels.
std::string terminal(const std::string& path, std::size_t width, std::size_t height);
/// "#0072B2": one of some colours that stay apart for the colour-blind (Okabe and Ito, 2008).
const char* colour(int number);
int number_of_colours();
/// A text in single quotes, as gnuplot reads it.
std::string gnuplot_text(const std::string& text);

}  // namespace gnomon::program
