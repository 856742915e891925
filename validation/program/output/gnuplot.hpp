#pragma once
/// \file
/// Plots by gnuplot.

#include <string>

namespace gnomon::program {

/// Throws Error(bad_file) when the program gnuplot is not there: to be asked before long runs.
void require_gnuplot();
/// Hands a script to gnuplot. Throws Error(bad_file) when it fails.
void draw(const std::string& script);
/// A text in single quotes, as gnuplot reads it.
std::string quoted(const std::string& text);

}  // namespace gnomon::program
