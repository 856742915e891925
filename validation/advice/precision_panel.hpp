#pragma once
/// \file
/// Time against error, a line for every method.

#include <string>
#include <utility>
#include <vector>

namespace gnomon::advice {

struct PrecisionLine {
  std::string name;
  bool ours = false;                              ///< filled marks and full lines; those of others are open and dashed
  std::vector<std::pair<double, double>> points;  ///< error, milliseconds
};

struct PrecisionPanel {
  std::string title, x_label;
  std::vector<PrecisionLine> lines;
  double wanted = 0;                             ///< error that is marked by a line; 0: none
  std::vector<std::pair<double, double>> marks;  ///< points with a ring around them
};

}  // namespace gnomon::advice
