#pragma once
/// \file
/// Time against error as a picture.

#include <string>
#include <vector>

#include "advice/precision_panel.hpp"

namespace gnomon::program {

using advice::PrecisionLine;
using advice::PrecisionPanel;

/// Panels side by side, two in a row. The file's name says the format.
void draw_precision(const std::vector<PrecisionPanel>& panels, const std::string& path);

}  // namespace gnomon::program
