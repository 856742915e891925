#pragma once
/// \file
/// Time against error as a chart.

#include "pages/blocks.hpp"
#include "program/output/precision_plot.hpp"

namespace gnomon::program {

/// Lines of Gnomon are full, those of others dashed; what is marked has a name of its own.
pages::Chart precision_chart(const PrecisionPanel& panel);

}  // namespace gnomon::program
