#pragma once
/// \file
/// Time against error as a chart.

#include "advice/precision_panel.hpp"
#include "pages/blocks.hpp"

namespace gnomon::advice {

/// Lines of Gnomon are full, those of others dashed; what is marked has a name of its own.
pages::Chart precision_chart(const PrecisionPanel& panel);

}  // namespace gnomon::advice
